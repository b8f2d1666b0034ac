// The engine: the WebAssembly module, which the page compiles once, in Web Workers.

/** The compiled module, or null if it cannot be loaded. Web hosts may serve the file as any media type. */
const compilation = fetch('ktour.wasm')
  .then((response) => response.arrayBuffer())
  .then((bytes) => WebAssembly.compile(bytes))
  .catch(() => null);

/** Answers requests one after the other, in a worker that starts with the first request. */
export class Engine {
  #worker = null;
  /** The callbacks of each request without an answer. */
  #requests = [];

  /**
   * Returns the answer to a request: `{ Ok }` or `{ Err: { text, advice } }`. Never returns if the engine ends.
   * `onProgress` receives the finished fraction.
   */
  request(request, onProgress = () => {}) {
    const worker = (this.#worker ??= this.#startWorker());
    return new Promise((resolve) => {
      this.#requests.push({ resolve, onProgress });
      compilation.then((module) => {
        if (module) worker.postMessage({ module, request });
        else if (worker === this.#worker) this.#fail('ktour.wasm');
      });
    });
  }

  /** Ends the worker and its requests, and frees its memory. */
  end() {
    this.#worker?.terminate();
    if (this.#worker) this.#worker.onmessage = null;
    this.#worker = null;
    this.#requests = [];
  }

  #startWorker() {
    const worker = new Worker('worker.js', { type: 'module' });
    worker.onerror = () => this.#fail('worker.js');
    worker.onmessage = ({ data: { fraction, answer } }) => {
      if (answer === undefined) this.#requests[0].onProgress(fraction);
      else this.#requests.shift().resolve(answer);
    };
    return worker;
  }

  #fail(file) {
    const requests = this.#requests;
    this.end();
    const text = `The file ${file} cannot be loaded. Load the page again.`;
    for (const { resolve } of requests) resolve({ Err: { text } });
  }
}
