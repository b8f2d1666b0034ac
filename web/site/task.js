// The tasks of the page: each has its engine, its result and its message, so it goes on while another one is open.

import { view } from './board.js';
import { TASKS } from './choices.js';
import { Cancelled, Engine } from './engine.js';
import { $, download, make, percent, seconds, toPng } from './page.js';
import { boardText, fillControls, isOnBoard, squaresOf, state, writeLink } from './state.js';

const FORMATS = { svg: 'SVG', png: 'PNG', csv: 'CSV', animation: 'animated SVG' };
/** Seconds after which the page shows that a request runs. */
const PROGRESS_DELAY = 0.3;

export class Task {
  /** The tasks by name. */
  static all = {};

  result = null;
  message = { text: '', isError: false, isCancelled: false };
  #engine = new Engine();
  #job = null;
  #timer = null;

  /**
   * A task may have functions for its `buttons`, by id; `help` for the board; `start`, which makes its result; `change`
   * for a field that the user changes; `clear` for what belongs to another board; `picture` for the board; `press` and
   * `focus` for a square; and `getFiles`, which returns its tour or result in one of its `formats`, as SVG and as CSV.
   */
  constructor(name, { buttons = {}, formats = ['svg', 'png', 'csv'], ...parts }) {
    const panel = $(`panel-${name}`);
    const tab = make('button', { type: 'button', id: `tab-${name}`, role: 'tab', 'aria-controls': panel.id });
    Object.assign(this, { name, panel, tab, downloads: panel.querySelector('.downloads'), ...parts });
    Task.all[name] = this;
    $('tabs').append(tab);
    tab.onclick = () => openTask(name);
    for (const [id, work] of Object.entries(buttons)) $(id).onclick = work;
    for (const format of formats) {
      const button = make('button', { type: 'button' }, `Download ${FORMATS[format]}`);
      button.onclick = () => this.#download(format);
      this.downloads.append(button);
    }
  }

  get isOpen() {
    return state.task === this.name;
  }

  get isRunning() {
    return this.#job !== null;
  }

  get kind() {
    return state[`${this.name}-kind`];
  }

  /** Returns the tour to download, or null. */
  getTour() {
    return this.result;
  }

  /** Shows the task, and makes its result unless that is there. */
  open() {
    this.#show();
    this.draw();
    if (view.board && !this.result && !this.isRunning) return this.start?.();
  }

  /** Follows a change of a field of the task. */
  change() {
    this.reset();
    this.open();
  }

  /** Drops the running request, the result and the message. */
  drop() {
    this.stop();
    this.say('');
    this.result = null;
    for (const element of this.panel.querySelectorAll('.result')) element.replaceChildren();
  }

  /** Drops all that belongs to another board or kind. */
  reset() {
    this.drop();
    this.clear?.();
  }

  draw() {
    this.downloads.hidden = !view.board || !this.getTour();
    if (!this.isOpen) return;
    view.show((view.board && this.picture?.()) || {});
    $('board-help').textContent = this.help ? `${this.help} Keyboard: arrow keys and Enter.` : '';
  }

  say(text, isError = false, isCancelled = false) {
    this.message = { text, isError, isCancelled };
    this.#show();
  }

  /**
   * Runs a request for the board on the page, with progress, time and cancellation. Returns null if it failed or the
   * user cancelled it. Never returns if the task is stopped, or runs another request.
   */
  async run(request, what) {
    this.stop();
    this.say('');
    const begin = performance.now();
    const getSeconds = () => (performance.now() - begin) / 1000;
    const job = (this.#job = { what, getSeconds });
    this.#timer = setInterval(() => this.#show(), 100);
    const onProgress = (progress) => Object.assign(job, progress);
    try {
      const answer = this.#engine.request({ board: boardText(), ...request }, onProgress);
      const [result] = await Promise.all([answer, view.loaded]);
      this.stop();
      return { ...result, seconds: getSeconds() };
    } catch (error) {
      const isCancelled = error instanceof Cancelled;
      this.stop();
      this.say(error.message, !isCancelled, isCancelled);
      return null;
    }
  }

  /** Stops the running request, if there is one, and drops its answer. */
  stop() {
    clearInterval(this.#timer);
    this.#job = null;
    this.#engine.drop();
    this.#show();
  }

  cancel() {
    this.#engine.cancel();
  }

  /** Shows on the tab that the task runs, and, if it is open, its message and progress. */
  #show() {
    const { what, getSeconds, fraction, secondsLeft } = this.#job ?? {};
    const passed = getSeconds?.() ?? 0;
    const isLong = passed >= PROGRESS_DELAY;
    const sign = fraction > 0 ? percent(fraction) : '\u2026';
    this.tab.textContent = isLong && !this.isOpen ? `${TASKS[this.name]} ${sign}` : TASKS[this.name];
    this.panel.ariaBusy = this.isRunning;
    if (!this.isOpen) return;
    const { text, isError, isCancelled } = this.message;
    // A live region announces every change.
    if ($('message').textContent !== text) $('message').textContent = text;
    $('message').classList.toggle('error', isError);
    $('retry').hidden = !isCancelled || !this.start;
    $('job').hidden = !isLong;
    if (fraction > 0) $('job-bar').value = fraction;
    else $('job-bar').removeAttribute('value');
    const left = secondsLeft > 1 ? `, about ${seconds(secondsLeft)} left` : '';
    $('job-time').textContent = isLong ? `${what}: ${seconds(passed)}${left}` : '';
  }

  async #download(format) {
    const files = await this.getFiles(format);
    if (!files) return;
    const [content, ending] = { png: [files.svg, 'png'], csv: [files.csv, 'csv'] }[format] ?? [files.svg, 'svg'];
    download(`${this.name}-${state.size}.${ending}`, format === 'png' ? await toPng(content) : content);
  }

  getFiles(format) {
    const { squares, kind } = this.getTour();
    const animate = format === 'animation' ? 15 : null;
    return this.run({ do: 'picture', tour: squares, closed: kind === 'closed', animate }, 'Picture');
  }
}

export function openTask(name) {
  state.task = name;
  for (const task of Object.values(Task.all)) {
    task.tab.setAttribute('aria-selected', task.isOpen);
    task.tab.tabIndex = task.isOpen ? 0 : -1;
    task.panel.hidden = !task.isOpen;
  }
  writeLink();
  return Task.all[name].open();
}

const engine = new Engine();

/** Shows the board of the state, and opens the task. `notice` stays until the board is changed. */
export async function loadBoard(notice = '') {
  state.remove = squaresOf(state.remove, ',').filter((name) => isOnBoard(name)).join(',');
  const [rows, columns] = state.size.split('x').map(Number);
  const loaded = view.load(rows, columns, engine.request({ do: 'board', board: boardText() }));
  for (const task of Object.values(Task.all)) task.reset();
  fillControls();
  openTask(state.task);
  $('notice').textContent = notice;
  try {
    await loaded;
  } catch (error) {
    return Task.all[state.task].say(error.message, true);
  }
  if (!view.board.names.length) $('notice').textContent = 'This board has no squares.';
  else openTask(state.task);
}
