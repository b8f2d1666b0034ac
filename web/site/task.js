// The tasks of the page. Each has its engine, result and message, so it keeps running while another one is open.

import { isOnBoard, moves, setMoves, showOnBoard } from './board.js';
import { Engine } from './engine.js';
import { $, download, make, percent, seconds } from './page.js';
import { boardText, showSize, writeLink } from './page_state.js';

/** The files that the user can save: the part of a result that a file holds, and the end of its name. */
const FILES = {
  SVG: ['svg', '.svg'],
  PNG: ['svg', '.png'],
  CSV: ['csv', '.csv'],
  'animated SVG': ['animation', '-animated.svg'],
};
const PROGRESS_DELAY_SECONDS = 0.3;
/** Least finished fraction of a request whose rate gives the time left. */
const MIN_RATED_FRACTION = 0.01;
/** Most requests with progress that run at once. Each may take 1.5 GiB of memory. */
const MAX_JOBS = 2;
const NEVER = new Promise(() => {});

const boardEngine = new Engine();
/** The request for the moves of the board. Returns a fault, or null. */
let boardRequest = NEVER;

/** Calls a function as soon as the moves of the board are loaded, or shows why they are not. */
export async function whenBoardIsLoaded(work) {
  const fault = await boardRequest;
  if (fault) Task.current().setMessage(fault, true);
  else work();
}

export class Task {
  static all = {};
  static current = () => Task.all[$('task').value];
  result = null;
  /** The drawing, labels and piece on the board. */
  picture = {};
  /** The running request. */
  job = null;
  /** True from the first start on the present board on. Only the user starts the task again. */
  hasStarted = false;
  isAutomatic = true;
  engine = new Engine();
  find = (selector) => this.panel.querySelector(selector);
  kind = () => this.find('[name=kind]').value;

  /**
   * Of `options`, `start` makes a result, as soon as the task is open if `isAutomatic`. The functions of `buttons` have
   * the id of their button. `clear` drops what the task itself stores, `onChange` receives the id of a changed control,
   * and `onPress` and `onFocus` receive the name of a square.
   */
  constructor(name, { buttons = {}, ...options }) {
    Task.all[name] = Object.assign(this, { name, panel: $(`panel-${name}`), ...options });
    this.title = $(`open-${name}`).nextSibling.data;
    this.panel.prepend($('status').content.cloneNode(true));
    // A button that disappears passes the focus on.
    this.find('.cancel').onclick = () => {
      this.cancel();
      this.find('.retry').focus();
    };
    this.find('.retry').onclick = () => {
      $('panels').focus();
      this.#begin(this.lastWork ?? this.start);
    };
    for (const [id, work] of Object.entries(buttons)) {
      const begin = $(id).matches('.starts') ? () => this.#begin(work) : work;
      $(id).onclick = () => whenBoardIsLoaded(begin);
    }
    this.downloads = Object.entries(FILES).map(([title, [part, ending]]) => {
      const button = make('button', { type: 'button', 'data-part': part }, `Download ${title}`);
      button.onclick = () => {
        const words = [name, $('size').value, this.result.number].filter(Boolean);
        download(words.join('-') + ending, this.result[part]);
      };
      return button;
    });
    this.find('.downloads').append(...this.downloads);
  }

  /** Begins work that a request does, which the user can try again, unless a request runs. */
  #begin(work) {
    if (this.job) return;
    this.hasStarted = true;
    this.lastWork = work;
    work();
  }

  /** Starts the task if it does so by itself, and has not yet. */
  startOnce() {
    if (moves && this.isAutomatic && !this.hasStarted) this.#begin(this.start);
  }

  show(result, picture = this.picture) {
    Object.assign(this, { result, picture });
    for (const button of this.downloads) button.hidden = !result?.[button.dataset.part];
    if (this === Task.current()) showOnBoard(picture);
  }

  onChange() {
    this.drop();
    this.startOnce();
  }

  /** Drops the running request, the result and the message. */
  drop() {
    this.stop();
    this.setMessage('');
    this.hasStarted = false;
    for (const element of this.panel.querySelectorAll('.result')) element.replaceChildren();
    this.show(null, {});
    this.clear?.();
  }

  setMessage(text, isError = false, canRetry = false) {
    this.find('.message').textContent = text;
    this.find('.message').classList.toggle('error', isError);
    this.find('.retry').hidden = !canRetry;
  }

  /**
   * Runs a request for the board on the page, with progress, time and cancellation, and returns the answer. Never
   * returns if the request fails, if the user cancels it, or if the task is stopped or runs another request.
   * `onRefusal` receives the message if the request would need too much time or memory. A request that `isShort` has no
   * estimate, and may run beside the others.
   */
  async run(request, title, { engine = this.engine, onRefusal, isShort = false } = {}) {
    this.stop();
    this.setMessage('');
    const others = Object.values(Task.all).filter((task) => task.job);
    if (others.length >= MAX_JOBS && !isShort) {
      const titles = others.map((task) => task.title).join(' and ');
      this.setMessage(`${titles} are running. Cancel one of them, or wait, and then try again.`, true, true);
      this.hasStarted = false;
      return NEVER;
    }
    const job = { title, engine, begin: performance.now(), timer: setInterval(() => this.#showJob(), 100) };
    if (isShort) job.fraction = 0;
    this.job = job;
    this.#showJob();
    const onProgress = (fraction) => {
      // A later part of the work begins again at 0.
      if (!(fraction >= job.fraction)) job.first = { fraction, time: performance.now() };
      job.fraction = fraction;
    };
    const { Ok: answer, Err: fault } = await this.send(request, engine, onProgress);
    if (job !== this.job) return NEVER;
    this.#endJob();
    if (!fault) return answer;
    this.setMessage([fault.text, fault.advice].filter(Boolean).join(' '), true);
    if (fault.advice) onRefusal?.(fault.text);
    return NEVER;
  }

  send(request, engine, onProgress) {
    return engine.request({ board: boardText(), ...request }, onProgress);
  }

  #endJob() {
    clearInterval(this.job.timer);
    this.job = null;
    this.#showJob();
  }

  /** Stops the running request, if there is one. */
  stop() {
    if (!this.job) return;
    this.job.engine.end();
    this.#endJob();
  }

  cancel() {
    if (!this.job) return;
    this.stop();
    this.setMessage('Cancelled.', false, true);
  }

  /** Shows the progress of the running request, and on the tab that it runs. */
  #showJob() {
    const { title, begin = Infinity, fraction, first } = this.job ?? {};
    const time = (performance.now() - begin) / 1000;
    const isLong = time >= PROGRESS_DELAY_SECONDS;
    const done = first ? fraction - first.fraction : 0;
    const secondsLeft = done > MIN_RATED_FRACTION ? ((performance.now() - first.time) / 1000 / done) * (1 - fraction) : 0;
    const left = secondsLeft > 1 ? `, about ${seconds(secondsLeft)} left` : '';
    const work = fraction === undefined ? 'Estimating' : title;
    const tabText = isLong && this !== Task.current() ? ` ${fraction ? percent(fraction) : '\u2026'}` : '';
    $(`tab-${this.name}`).lastChild.textContent = tabText;
    this.panel.ariaBusy = this.job !== null;
    for (const button of this.panel.querySelectorAll('.starts')) button.ariaDisabled = this.job !== null;
    this.find('.job').hidden = !isLong;
    this.find('.time').textContent = isLong ? `${work}: ${seconds(time)}${left}` : '';
    // Without a value, the bar shows only that the request runs.
    if (fraction) this.find('progress').value = fraction;
    else this.find('progress').removeAttribute('value');
  }

  open() {
    for (const task of Object.values(Task.all)) task.panel.hidden = task !== this;
    $('keys').hidden = !this.onPress && !this.onFocus;
    this.show(this.result);
    this.#showJob();
  }
}

let startTimer = null;
/** Opens a task, and starts it after a delay in milliseconds unless another one is opened before. */
export function openTask(name, delay = 0) {
  $('task').value = name;
  $(`open-${name}`).checked = true;
  writeLink();
  Task.current().open();
  clearTimeout(startTimer);
  startTimer = setTimeout(() => Task.current().startOnce(), delay);
}

/** Adds a sentence to those at the top of the page, which stay until the board is changed. */
export function addNotice(text, isError = true) {
  $('notice').append(make('span', { class: isError ? 'error' : '' }, text), ' ');
}

/** Returns a sentence on the work that ends when the board is changed. Tasks that start again do not count. */
function describeLoss(isLink) {
  const isLost = (task) => task.job && !(task.isAutomatic && (isLink || task === Task.current()));
  const titles = Object.values(Task.all)
    .filter(isLost)
    .map((task) => task.title);
  if (!isLink && $('walk').value && Task.current() !== Task.all.walk && !titles.includes('Walk')) titles.push('Walk');
  return titles.length ? `The board has changed, which ended: ${titles.join(', ')}.` : '';
}

/** Shows the board of the form, and opens the task. A link also holds the tour or the walk. */
export function loadBoard(isLink = false) {
  const loss = describeLoss(isLink);
  if (!isLink) $('tour').value = $('walk').value = '';
  showSize();
  setMoves(null);
  $('remove').value = $('remove').value.split(',').filter(isOnBoard).join(',') || '-';
  $('restore').hidden = $('remove').value === '-';
  $('notice').replaceChildren();
  if (loss) addNotice(loss);
  for (const task of Object.values(Task.all)) task.drop();
  openTask($('task').value);
  const request = boardEngine.request({ do: 'board', board: boardText() }).then(({ Ok: squares, Err: fault }) => {
    // Another board may have been chosen.
    if (request !== boardRequest) return NEVER;
    if (fault) addNotice(fault.text);
    if (fault) return fault.text;
    setMoves(squares);
    if (squares.length) Task.current().startOnce();
    else addNotice('This board has no squares.');
    return null;
  });
  boardRequest = request;
}
