// The Web Worker of an engine: passes requests to the module. The page ends the worker to cancel a request.

import { instantiate } from './module.js';

/** Requests that need an index of all tours, which the module stores for the next one. */
const INDEX_REQUESTS = ['tour', 'numbers'];

let call = null;
let lastProgress = 0;

function onProgress(fraction) {
  if (fraction && performance.now() - lastProgress < 100) return;
  lastProgress = performance.now();
  postMessage({ fraction });
}

onmessage = async ({ data: { module, request } }) => {
  let answer;
  try {
    call ??= await instantiate(module, onProgress);
    answer = call(request);
  } catch ({ message }) {
    call = null;
    answer = { Err: { text: `The engine stopped (${message}). A smaller board needs less memory.` } };
  }
  postMessage({ answer });
  // The memory of an instance never shrinks.
  if (!INDEX_REQUESTS.includes(request.do)) call = null;
};
