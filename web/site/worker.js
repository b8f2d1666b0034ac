// The Web Worker of an engine: passes requests to the module. The page ends the worker to cancel a request.

import { instantiate } from './module.js';

let call = null;
let lastProgress = 0;

function onProgress(fraction, secondsLeft) {
  const now = performance.now();
  if (now - lastProgress < 100) return;
  lastProgress = now;
  postMessage({ progress: { fraction, secondsLeft } });
}

onmessage = async ({ data: { module, id, request } }) => {
  try {
    call ??= instantiate(module, { onProgress, onPanic: console.error });
    postMessage({ id, answer: (await call)(request) });
  } catch (error) {
    // The module is unusable after a trap, such as a lack of memory.
    postMessage({ id, broken: String(error.message ?? error) });
  }
};
