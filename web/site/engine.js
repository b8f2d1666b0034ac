// The engine: one request at a time, in a Web Worker that is ended to cancel a request.

export class Cancelled extends Error {}

/** Compiles the module. Web hosts may serve it as any media type. */
async function compileModule() {
  const response = await fetch('ktour.wasm');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  #module = null;
  #worker = null;
  #pending = null;

  get isBusy() {
    return this.#pending !== null;
  }

  /** Returns the answer to a request. A request that is still running is cancelled. */
  request(request, onProgress) {
    this.cancel();
    return new Promise((resolve, reject) => {
      const pending = (this.#pending = { resolve, reject, onProgress });
      this.#module ??= compileModule();
      const send = (module) => this.#pending === pending && this.#startWorker().postMessage({ module, request });
      this.#module.then(send, () => {
        this.#module = null;
        if (this.#pending === pending) this.#fail(new Error('The file ktour.wasm cannot be loaded. Run web/build, or load the page again.'));
      });
    });
  }

  #startWorker() {
    if (this.#worker) return this.#worker;
    this.#worker = new Worker('worker.js', { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = () => this.#fail(new Error('The file worker.js cannot be loaded. Load the page again.'));
    return this.#worker;
  }

  #receive({ progress, answer, broken }) {
    if (progress) return this.#pending?.onProgress(progress);
    if (broken) return this.#fail(new Error(`The engine stopped (${broken}). A smaller board needs less memory.`));
    const pending = this.#pending;
    this.#pending = null;
    if (answer.error) pending?.reject(new Error(answer.error));
    else pending?.resolve(answer.ok);
  }

  /** Ends the worker, and rejects the running request. */
  #fail(error) {
    const pending = this.#pending;
    this.#pending = null;
    this.#worker?.terminate();
    this.#worker = null;
    pending?.reject(error);
  }

  /** Cancels the running request, if there is one. */
  cancel() {
    if (this.#pending) this.#fail(new Cancelled());
  }
}
