// The engine: one request at a time, in a Web Worker that is ended and replaced to cancel a request.

export class Cancelled extends Error {}

export class Engine {
  #module = WebAssembly.compileStreaming(fetch('ktour.wasm'));
  #worker = null;
  #ready = null;
  #pending = null;

  constructor() {
    this.#start();
  }

  #start() {
    const worker = new Worker('worker.js', { type: 'module' });
    this.#worker = worker;
    this.#ready = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else this.#receive(data);
      };
      this.#module.then((module) => worker.postMessage({ module }), reject);
    });
    // A failure is reported by the request that waits for the worker.
    this.#ready.catch(() => {});
  }

  #receive({ progress, answer, broken }) {
    if (progress) return this.#pending?.onProgress?.(progress);
    const pending = this.#pending;
    this.#pending = null;
    if (broken) this.#restart();
    if (broken) pending?.reject(new Error(`The engine stopped (${broken}). A smaller board needs less memory.`));
    else if (answer.error) pending?.reject(new Error(answer.error));
    else pending?.resolve(answer.ok);
  }

  #restart() {
    this.#worker.terminate();
    this.#start();
  }

  get isBusy() {
    return this.#pending !== null;
  }

  /** Returns the answer to a request. A request that is still running is cancelled. */
  async request(request, onProgress) {
    this.cancel();
    const promise = new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, onProgress };
    });
    const pending = this.#pending;
    const send = () => {
      if (this.#pending === pending) this.#worker.postMessage({ request });
    };
    this.#ready.then(send, () => pending.reject(new Error('The file ktour.wasm cannot be loaded. Run web/build first.')));
    return promise;
  }

  /** Cancels the running request, if there is one. */
  cancel() {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = null;
    this.#restart();
    pending.reject(new Cancelled('Cancelled.'));
  }
}
