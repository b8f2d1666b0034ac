// The board on the page: a grid of buttons, one for each square, with lines drawn over it.

import { $, make, makeSvg } from './page.js';

/** Returns the column and row of a square by its name, both from 0. */
export const position = (name) => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];

const squareName = (column, row) => String.fromCharCode(97 + column) + (row + 1);

/** Returns the lines of a move as pairs of points. A move over joined edges is two halves of a line. */
export function moveLines(board, v, w) {
  const [x, y] = board.points[v];
  const [p, q] = board.points[w];
  const seam = board.seams.get(v < w ? `${v}-${w}` : `${w}-${v}`);
  if (!seam) return [[x, y, p, q]];
  const [there, back] = v < w ? seam : [seam[1], seam[0]];
  const half = (px, py, step) => (step ? [[px, py, px + step[0] / 2, py - step[1] / 2]] : []);
  return [...half(x, y, there), ...half(p, q, back)];
}

/** Draws the moves of a tour, the first `shown` of them; returns an SVG group. */
export function tourLines(board, squares, isClosed, shown = Infinity) {
  const path = isClosed ? [...squares, squares[0]] : squares;
  const group = makeSvg('g', { class: isClosed ? 'tour closed' : 'tour' });
  const last = Math.min(path.length - 1, shown);
  for (let i = 0; i < last; i++) {
    for (const [x1, y1, x2, y2] of moveLines(board, path[i], path[i + 1])) {
      group.append(makeSvg('line', { x1, y1, x2, y2 }));
    }
  }
  if (!isClosed && squares.length) {
    const [x, y] = board.points[squares[0]];
    group.append(makeSvg('circle', { cx: x, cy: y, r: 0.13 }));
  }
  return group;
}

/** Returns labels of the vertices of a tour, whose numbers only marked squares show. */
export const tourLabels = (squares, mark) =>
  new Map(squares.map((v, i) => [v, [mark ? i + 1 : '', `move ${i + 1}`, mark]]));

/** Returns a small picture of a tour. */
export function thumbnail(board, squares, isClosed) {
  const svg = makeSvg('svg', { viewBox: `0 0 ${board.columns} ${board.rows}`, class: 'thumbnail', 'aria-hidden': true });
  svg.append(tourLines(board, squares, isClosed));
  return svg;
}

/**
 * The board on the page. `board` has the squares and moves, once the engine has described them. `onPress` and `onFocus`
 * get the name of the square that the user presses, or points at.
 */
class BoardView {
  board = null;
  /** A promise that is fulfilled as soon as the board is described. */
  loaded = null;
  #buttons = new Map();
  #lines = makeSvg('g');
  #knight = makeSvg('text', { class: 'knight', y: 0.27 }, '\u265e');
  #overlay = makeSvg('svg', { class: 'overlay', 'aria-hidden': true }, this.#lines, this.#knight);

  constructor(element) {
    this.element = element;
    const call = (listener) => ({ target }) => target.dataset?.name && listener(target);
    element.addEventListener('click', call((square) => this.onPress(square.dataset.name)));
    element.addEventListener('pointerover', call((square) => this.onFocus(square.dataset.name)));
    element.addEventListener('focusin', call((square) => {
      this.#setCurrent(square);
      this.onFocus(square.dataset.name);
    }));
    element.addEventListener('keydown', (event) => this.#move(event));
  }

  #setCurrent(current) {
    for (const button of this.#buttons.values()) button.tabIndex = button === current ? 0 : -1;
  }

  #move(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [column, row] = position(event.target.dataset.name);
    this.#buttons.get(squareName(column + step[0], row + step[1]))?.focus();
  }

  /** Moves the focus to the square that Tab reaches. */
  focus() {
    this.element.querySelector('[tabindex="0"]').focus();
  }

  /** Makes the squares of a board, which `description`, a promise of the engine's answer, describes. */
  load(rows, columns, description) {
    this.#resize(rows, columns);
    this.board = null;
    this.loaded = description.then((answer) => {
      const points = answer.names.map((name) => [position(name)[0] + 0.5, rows - position(name)[1] - 0.5]);
      const seams = new Map(answer.seams.map(([v, w, there, back]) => [`${v}-${w}`, [there, back]]));
      const vertices = new Map(answer.names.map((name, v) => [name, v]));
      this.board = { ...answer, points, seams, vertices, rows, columns };
    });
    return this.loaded;
  }

  #resize(rows, columns) {
    if (this.rows === rows && this.columns === columns) return;
    Object.assign(this, { rows, columns });
    this.#buttons.clear();
    this.element.style.setProperty('--columns', columns);
    this.element.style.setProperty('--rows', rows);
    const label = `Board of ${rows} rows and ${columns} columns; arrow keys move, Enter presses`;
    this.element.setAttribute('aria-label', label);
    this.#overlay.setAttribute('viewBox', `0 0 ${columns} ${rows}`);
    for (let row = rows - 1; row >= 0; row--) {
      for (let column = 0; column < columns; column++) {
        const name = squareName(column, row);
        const shade = (column + row) % 2 ? 'light' : 'dark';
        const button = make('button', { type: 'button', tabIndex: -1, className: shade });
        button.dataset.name = name;
        if (row === 0) button.dataset.file = name[0];
        if (column === 0) button.dataset.rank = row + 1;
        this.#buttons.set(name, button);
      }
    }
    this.element.replaceChildren(...this.#buttons.values(), this.#overlay);
    this.#setCurrent(this.#buttons.get('a1'));
  }

  /**
   * Shows labels and marks on the squares, and lines over them. A label of a vertex is [text, description, class];
   * `knight` is a vertex.
   */
  show({ labels = new Map(), lines = null, knight = null }) {
    for (const [name, button] of this.#buttons) {
      const v = this.board?.vertices.get(name);
      const isHole = this.board && v === undefined;
      const [text, description, mark] = labels.get(v) ?? ['', isHole ? 'removed' : ''];
      button.textContent = text;
      button.classList.toggle('hole', isHole ?? false);
      for (const one of ['next', 'best', 'visited', 'wrong']) button.classList.toggle(one, mark === one);
      button.setAttribute('aria-label', [name, description].filter(Boolean).join(', '));
    }
    this.#lines.replaceChildren(...(lines ? [lines] : []));
    this.#knight.style.display = knight === null ? 'none' : '';
    if (knight === null) return;
    const [x, y] = this.board.points[knight];
    this.#knight.style.transform = `translate(${x}px, ${y}px)`;
  }
}

export const view = new BoardView($('board'));
