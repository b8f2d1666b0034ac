// The Web Worker of a task: passes requests to the module. The page ends the worker to cancel a request.

import { instantiate } from './module.js';

let lastProgress = 0;

function onProgress(fraction, secondsLeft) {
  if (performance.now() - lastProgress < 100) return;
  lastProgress = performance.now();
  postMessage({ progress: { fraction, secondsLeft } });
}

// Web hosts may serve the module as any media type.
const loading = fetch('ktour.wasm').then((response) => response.arrayBuffer())
  .then((bytes) => instantiate(bytes, onProgress))
  .catch(() => () => ({ Err: 'The file ktour.wasm cannot be loaded. Run web/build, or load the page again.' }));

onmessage = async ({ data: { id, ...request } }) => postMessage({ id, ...(await loading)(request) });
