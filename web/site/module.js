// The WebAssembly module: one function, which answers a request. Runs in a Web Worker, and in Node.js.

/** Returns the function that answers requests. `onProgress` gets a fraction and seconds, `onPanic` a text. */
export async function instantiate(module, { onProgress, onPanic }) {
  const readText = (address, bytes) =>
    new TextDecoder().decode(new Uint8Array(exports.memory.buffer, address >>> 0, bytes >>> 0));
  const fail = (address, bytes) => onPanic(readText(address, bytes));
  const host = { now: () => performance.now(), progress: onProgress, fail };
  const { exports } = await WebAssembly.instantiate(module, { host });
  return (request) => {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const address = exports.allocate(bytes.length) >>> 0;
    new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
    const answer = BigInt.asUintN(64, exports.call(address, bytes.length));
    return JSON.parse(readText(Number(answer >> 32n), Number(answer & 0xffffffffn)));
  };
}
