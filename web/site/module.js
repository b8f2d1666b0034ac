// The WebAssembly module: one function, which answers a request. Runs in a Web Worker, and in Node.js.

/** Returns the function that answers requests. `progress` receives the finished fraction. */
export async function instantiate(module, progress) {
  const output = [];
  const host = { now: () => performance.now(), progress, put: (byte) => output.push(byte) };
  const { exports } = await WebAssembly.instantiate(module, { host });
  const readOutput = () => new TextDecoder().decode(Uint8Array.from(output.splice(0)));
  return (request) => {
    new TextEncoder().encode(JSON.stringify(request)).forEach(exports.push);
    try {
      exports.call();
    } catch (error) {
      // The instance is unusable after a panic or a lack of memory.
      throw new Error(readOutput() || error.message);
    }
    return JSON.parse(readOutput());
  };
}
