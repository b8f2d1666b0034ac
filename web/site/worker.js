// The Web Worker of a task: passes requests to the module. The page ends the worker to cancel a request.

import { instantiate } from './module.js';

let lastProgress = 0;

function onProgress(fraction, secondsLeft) {
  const now = performance.now();
  if (now - lastProgress < 100) return;
  lastProgress = now;
  postMessage({ progress: { fraction, secondsLeft } });
}

/** Returns the function that answers requests. Web hosts may serve the module as any media type. */
async function load() {
  const response = await fetch('ktour.wasm');
  return instantiate(await response.arrayBuffer(), onProgress);
}

const loading = load().catch(() => () => ({ error: 'The file ktour.wasm cannot be loaded. Run web/build first.' }));

onmessage = async ({ data: { id, ...request } }) => {
  const call = await loading;
  try {
    postMessage({ id, ...call(request) });
  } catch (error) {
    // The module is unusable after a panic or a lack of memory.
    postMessage({ id, error: `The engine stopped (${error.message}). A smaller board needs less memory.` });
  }
};
