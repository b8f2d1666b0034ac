// The tasks of the page. Each has its worker, its result and its message, so it goes on while another one is open.

import { isOnBoard, moves, setMoves, showOnBoard } from './board.js';
import { boardText, showSize, writeLink } from './form.js';
import { $, download, make, percent, seconds } from './page.js';

/** The files that the user can download: the part of a result that is saved, and the ending of the name. */
const FILES = { SVG: ['svg', 'svg'], PNG: ['svg', 'png'], CSV: ['csv', 'csv'], 'animated SVG': ['animation', 'svg'] };
const PROGRESS_DELAY_SECONDS = 0.3;

let lastId = 0;
/** Fulfilled as soon as the engine has described the board. */
export let loaded = null;

export class Task {
  static all = {};
  static current = () => Task.all[$('task').value];
  result = null;
  /** What the board shows. */
  picture = {};
  /** The running request. */
  job = null;
  #worker = null;
  find = (selector) => this.panel.querySelector(selector);
  kind = () => this.find('[name=kind]').value;

  /** In `parts`, `start` makes a result, `clear` drops it, `change` gets an id, `press` and `focus` get a square. */
  constructor(name, { buttons = {}, ...parts }) {
    Task.all[name] = Object.assign(this, { name, panel: $(`panel-${name}`), ...parts });
    this.panel.prepend($('status').content.cloneNode(true));
    this.find('.cancel').onclick = () => this.cancel();
    this.find('.retry').onclick = () => this.start();
    for (const [id, work] of Object.entries(buttons)) $(id).onclick = () => loaded.then(work);
    this.downloads = Object.entries(FILES).map(([title, [part, ending]]) => {
      const button = make('button', { type: 'button', 'data-part': part }, `Download ${title}`);
      button.onclick = () => download(`${name}-${$('size').value}.${ending}`, this.result[part]);
      return button;
    });
    this.find('.result').after(make('div', { class: 'downloads' }, ...this.downloads));
  }

  open() {
    this.show(this.result);
    this.#showJob();
    if (moves && !this.result && !this.job) this.start?.();
  }

  change() {
    this.drop();
    this.open();
  }

  /** Drops the running request, the result and the message. */
  drop() {
    this.stop();
    this.say('');
    for (const element of this.panel.querySelectorAll('.result')) element.replaceChildren();
    this.show(null, {});
    this.clear?.();
  }

  /** Shows the files of a result, and its picture on the board. */
  show(result, picture = this.picture) {
    Object.assign(this, { result, picture });
    for (const button of this.downloads) button.hidden = !result?.[button.dataset.part];
    if (this === Task.current()) showOnBoard(picture);
  }

  say(text, isError = false) {
    this.find('.message').textContent = text;
    this.find('.message').classList.toggle('error', isError);
    this.find('.retry').hidden = true;
  }

  /**
   * Runs a request for the board on the page, with progress, time and cancellation, and returns the answer. Never returns
   * if the request fails, which calls `onFault`, or if the user cancels it, or the task is stopped or runs another one.
   */
  run(request, what, onFault) {
    this.stop();
    this.say('');
    const job = (this.job = { id: ++lastId, what, begin: performance.now() });
    job.timer = setInterval(() => this.#showJob(), 100);
    // With an index of all tours, a tour takes milliseconds.
    job.isShort = request.do === 'tour' && this.#worker && this.result;
    this.#worker ??= new Worker('worker.js', { type: 'module' });
    this.#worker.postMessage({ id: job.id, board: boardText(), ...request });
    return new Promise((resolve) => {
      const finish = ({ Ok: answer, Err: fault }) => {
        // The worker stays as long as it has an index.
        job.isShort = !fault && ['tour', 'gallery'].includes(request.do);
        this.stop();
        if (!fault) return resolve(answer);
        this.say(fault, true);
        onFault?.();
      };
      this.#worker.onerror = () => finish({ Err: 'The file worker.js cannot be loaded. Load the page again.' });
      this.#worker.onmessage = ({ data: { id, progress, ...result } }) => {
        if (progress) Object.assign(job, progress);
        else if (id === this.job?.id) finish(result);
      };
    });
  }

  /** Stops the running request, if there is one, and drops its answer. */
  stop() {
    if (!this.job) return;
    clearInterval(this.job.timer);
    if (!this.job.isShort) {
      this.#worker.terminate();
      this.#worker = null;
    }
    this.job = null;
    this.#showJob();
  }

  cancel() {
    // The page needs the description of the board.
    if (!this.job || !moves) return;
    this.stop();
    this.say('Cancelled.');
    this.find('.retry').hidden = !this.start;
  }

  /** Shows the progress of the running request, and on the tab that it runs. */
  #showJob() {
    const { what, begin = Infinity, fraction = 0, secondsLeft } = this.job ?? {};
    const passed = (performance.now() - begin) / 1000;
    const isLong = moves !== null && passed >= PROGRESS_DELAY_SECONDS;
    const left = secondsLeft > 1 ? `, about ${seconds(secondsLeft)} left` : '';
    const sign = isLong && this !== Task.current() ? ` ${fraction ? percent(fraction) : '\u2026'}` : '';
    $(`tab-${this.name}`).lastChild.textContent = sign;
    this.panel.ariaBusy = this.job !== null;
    this.find('.job').hidden = !isLong;
    this.find('.time').textContent = isLong ? `${what}: ${seconds(passed)}${left}` : '';
    this.find('progress').value = fraction;
  }
}

export function openTask(name) {
  $('task').value = name;
  $(`open-${name}`).checked = true;
  for (const task of Object.values(Task.all)) task.panel.hidden = task !== Task.current();
  writeLink();
  Task.current().open();
}

/** Shows the board of the form, and opens the task. `notice` is about a link, and stays until the board is changed. */
export function loadBoard(notice) {
  // The tour and the walk of the form belong to another board, unless a link holds them all.
  if (notice === undefined) $('tour').value = $('walk').value = '';
  showSize();
  setMoves(null);
  $('remove').value = $('remove').value.split(',').filter(isOnBoard).join(',') || '-';
  $('restore').hidden = $('remove').value === '-';
  $('notice').textContent = notice ?? '';
  for (const task of Object.values(Task.all)) task.drop();
  openTask($('task').value);
  loaded = Task.current().run({ do: 'board' }, 'Board').then((squares) => {
    setMoves(squares);
    if (squares.length) Task.current().open();
    else $('notice').textContent = 'This board has no squares.';
  });
}
