// The WebAssembly module: one function, which answers a request. Runs in a Web Worker, and in Node.js.

/** Returns the function that answers requests, from the bytes of the module. `progress` gets a fraction and seconds. */
export async function instantiate(bytes, progress) {
  const output = [];
  const host = { now: () => performance.now(), progress, put: (byte) => output.push(byte) };
  const { exports } = (await WebAssembly.instantiate(bytes, { host })).instance;
  const readOutput = () => new TextDecoder().decode(Uint8Array.from(output.splice(0)));
  return (request) => {
    new TextEncoder().encode(JSON.stringify(request)).forEach(exports.push);
    try {
      exports.call();
    } catch (error) {
      // The module is unusable after a panic or a lack of memory.
      return { Err: `The engine stopped (${readOutput() || error.message}). A smaller board needs less memory.` };
    }
    return JSON.parse(readOutput());
  };
}
