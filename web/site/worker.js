// The Web Worker of the engine: passes requests to the WebAssembly module. The page ends the worker to cancel a request.

let exports;
let lastProgress = 0;

const readText = (address, bytes) =>
  new TextDecoder().decode(new Uint8Array(exports.memory.buffer, address >>> 0, bytes >>> 0));

const host = {
  now: () => performance.now(),
  progress(fraction, secondsLeft) {
    const now = performance.now();
    if (now - lastProgress < 100) return;
    lastProgress = now;
    postMessage({ progress: { fraction, secondsLeft } });
  },
  fail: (address, bytes) => console.error(readText(address, bytes)),
};

function call(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const address = exports.allocate(bytes.length) >>> 0;
  new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
  const answer = BigInt.asUintN(64, exports.call(address, bytes.length));
  return JSON.parse(readText(Number(answer >> 32n), Number(answer & 0xffffffffn)));
}

onmessage = async ({ data: { module, request } }) => {
  try {
    exports ??= (await WebAssembly.instantiate(module, { host })).exports;
    postMessage({ answer: call(request) });
  } catch (error) {
    // The module is unusable after a trap, such as a lack of memory.
    postMessage({ broken: String(error.message ?? error) });
  }
};
