// An engine: answers one request at a time, in a Web Worker that is ended to cancel a request.

export class Cancelled extends Error {}

/** Requests that take milliseconds. A later request does not end the worker, which would lose the index of all tours. */
const SHORT = ['board', 'tour', 'check', 'picture'];
/** Requests after which the worker is ended, to free its memory. */
const LARGE = ['count', 'heat'];

let module = null;
let lastId = 0;

/** Compiles the module. Web hosts may serve it as any media type. */
async function compileModule() {
  const response = await fetch('ktour.wasm');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

export class Engine {
  #worker = null;
  #pending = null;

  /** Returns the answer to a request. It replaces an earlier request, which then is never answered. */
  request(request, onProgress) {
    this.drop();
    return new Promise((resolve, reject) => {
      const pending = (this.#pending = { id: ++lastId, request, resolve, reject, onProgress });
      module ??= compileModule();
      const send = (module) => this.#pending === pending && this.#send({ module, id: pending.id, request });
      module.then(send, () => {
        module = null;
        reject(new Error('The file ktour.wasm cannot be loaded. Run web/build, or load the page again.'));
      });
    });
  }

  #send(message) {
    if (!this.#worker) {
      this.#worker = new Worker('worker.js', { type: 'module' });
      this.#worker.onmessage = ({ data }) => this.#receive(data);
      this.#worker.onerror = () => this.#fail(new Error('The file worker.js cannot be loaded. Load the page again.'));
    }
    this.#worker.postMessage(message);
  }

  #receive({ id, progress, answer, broken }) {
    const pending = this.#pending;
    if (progress) return pending?.onProgress?.(progress);
    if (id !== pending?.id) return;
    if (broken) return this.#fail(new Error(`The engine stopped (${broken}). A smaller board needs less memory.`));
    if (LARGE.includes(pending.request.do)) this.#end();
    this.#pending = null;
    if (answer.error) pending.reject(new Error(answer.error));
    else pending.resolve(answer.ok);
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  #fail(error) {
    this.#end();
    this.#pending?.reject(error);
    this.#pending = null;
  }

  /** Drops the running request, if there is one: it is never answered. */
  drop() {
    if (this.#pending && !SHORT.includes(this.#pending.request.do)) this.#end();
    this.#pending = null;
  }

  /** Cancels the running request, if there is one: it fails. */
  cancel() {
    if (this.#pending) this.#fail(new Cancelled('Cancelled.'));
  }
}
