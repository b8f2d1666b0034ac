// The board on the page: a grid of buttons, one for each square, with lines drawn over it.

import { $, make } from './page.js';

const board = $('board');
const buttons = new Map();
const lines = make('g');
const pieceText = make('text', { class: 'piece', y: 0.27 });
const overlay = make('svg', { class: 'overlay', 'aria-hidden': true }, lines, pieceText);
/** The symbols of pieces. Other pieces are a disc. */
const SYMBOLS = { '1,2': '\u265e', '0,1+1,1': '\u265a' };

/** For each square by name, the moves to others: null, or the step over a joined edge. Null while they load. */
export let moves = null;
export const setMoves = (squares) => {
  moves = squares && Object.fromEntries(squares);
};

const squareName = (column, row) => String.fromCharCode(97 + column) + (row + 1);
/** Returns the column and row of a square by its name, both from 0. */
const position = (name) => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];
export const isOnBoard = (name) => buttons.has(name);

/** Returns the squares of a board by name, from the top row to the bottom row. */
export function squareNames(rows, columns) {
  const indices = Array.from({ length: rows * columns }, (_, i) => i);
  return indices.map((i) => squareName(i % columns, rows - 1 - Math.floor(i / columns)));
}

/** Makes the squares of a board, unless it has this size. */
export function resizeBoard(rows, columns) {
  const label = `Board of ${rows} rows and ${columns} columns`;
  if (board.ariaLabel === label) return;
  board.ariaLabel = label;
  board.style = `--columns: ${columns}; --rows: ${rows}`;
  overlay.setAttribute('viewBox', `0 0 ${columns} ${rows}`);
  buttons.clear();
  for (const name of squareNames(rows, columns)) {
    const [column, row] = position(name);
    const button = make('button', { type: 'button', tabindex: -1 });
    const [file, rank] = [row ? '' : name[0], column ? '' : row + 1];
    Object.assign(button.dataset, { name, file, rank, shade: (column + row) % 2 ? 'light' : 'dark' });
    buttons.set(name, button);
  }
  board.replaceChildren(...buttons.values(), overlay);
  buttons.get('a1').tabIndex = 0;
}

/** Returns the square that Tab reaches. */
export const currentSquare = () => board.querySelector('[tabindex="0"]');

board.addEventListener('focusin', ({ target }) => {
  currentSquare().tabIndex = -1;
  target.tabIndex = 0;
});

board.addEventListener('keydown', (event) => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!step) return;
  event.preventDefault();
  const [column, row] = position(event.target.dataset.name);
  buttons.get(squareName(column + step[0], row + step[1]))?.focus();
});

/** Returns the centre of a square. Squares have sides of length 1. */
function centre(name) {
  const [column, row] = position(name);
  return [column + 0.5, overlay.viewBox.baseVal.height - row - 0.5];
}

/** Draws a move as a line, or over joined edges as two lines, which a drawing cuts off near the edges. */
export function drawMove(from, to, style = '') {
  const [there, back] = [moves[from][to], moves[to][from]];
  const line = (name, [right, up]) => `M${centre(name)}l${right},${-up}`;
  const d = there ? line(from, there) + line(to, back) : `M${centre(from)}L${centre(to)}`;
  return make('path', { d, style });
}

/** Draws the first `length` moves of a tour, and marks the start unless it is closed. */
export function drawTour(squares, isClosed, length = Infinity) {
  const path = isClosed ? [...squares, squares[0]] : squares;
  const paths = path.slice(1, length + 1).map((name, i) => drawMove(path[i], name));
  const [cx, cy] = centre(squares[0]);
  return make('g', { class: 'tour' }, ...paths, isClosed ? '' : make('circle', { cx, cy, r: 0.13 }));
}

export const drawThumbnail = (squares, isClosed) =>
  make('svg', { viewBox: overlay.getAttribute('viewBox'), class: 'thumbnail' }, drawTour(squares, isClosed));

/** Returns labels of a tour, whose numbers only marked squares show. */
export const labelTour = (squares, mark = '') =>
  Object.fromEntries(squares.map((name, i) => [name, [mark && i + 1, `square ${i + 1}`, mark]]));

/**
 * Shows labels on the squares, each [text, description, class] by name, a drawing over them, and the piece. In the task
 * Count the squares are switches, which remove them.
 */
export function showOnBoard({ labels = {}, drawing = '', piece = null }) {
  const holes = $('remove').value.split(',');
  const isSwitch = $('task').value === 'count';
  for (const [name, button] of buttons) {
    const [text, description, mark] = labels[name] ?? (holes.includes(name) ? ['', 'removed', 'hole'] : ['', '', '']);
    button.replaceChildren(make('span', {}, text));
    button.className = mark;
    button.ariaLabel = description ? `${name}, ${description}` : name;
    button.ariaPressed = isSwitch ? holes.includes(name) : null;
  }
  lines.replaceChildren(drawing);
  pieceText.textContent = SYMBOLS[$('piece').value] ?? '\u25cf';
  pieceText.style = piece ? `transform: translate(${centre(piece).map((at) => `${at}px`)})` : 'display: none';
}
