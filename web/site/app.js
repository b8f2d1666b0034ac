// The page: its state, the tasks, and the link that holds the state.

import { BoardView, moveLines, position, squareName, thumbnail, tourLines } from './board.js';
import { Cancelled, Engine } from './engine.js';
import { $, abbreviate, download, group, make, makeSvg, makeTable, percent, seconds, toCsv, toPng } from './page.js';

const PIECES = { '1,2': 'Knight', '0,1+1,1': 'King', '0,1': 'Wazir (one step straight)', '1,3': 'Camel (1, 3)',
  '2,3': 'Zebra (2, 3)', '1,4': 'Giraffe (1, 4)', '0,1+1,1+1,2': 'Centaur (king and knight)' };
const WRAPS = { none: 'Plain', cols: 'Left and right joined', rows: 'Top and bottom joined', torus: 'Torus',
  mobius: 'M\u00f6bius strip', klein: 'Klein bottle', projective: 'Projective plane' };
const TABS = { count: 'Count', tours: 'Tours', heat: 'Heat map', walk: 'Walk', check: 'Check' };
const KINDS = { closed: 'Closed tours', open: 'Open tours', paths: 'All paths' };
const SYMMETRIES = { '': 'All tours', rot180: 'With a half-turn symmetry', rot90: 'With a quarter-turn symmetry',
  axial: 'With a mirror symmetry' };
const CLASSES = { asymmetric: 'no symmetry', axial: 'a mirror symmetry', diagonal: 'a diagonal mirror symmetry',
  'rot180 eulerian': 'a half-turn symmetry (same direction)', 'rot180 bergholtian': 'a half-turn symmetry (reversed direction)',
  rot180: 'a half-turn symmetry', rot90: 'a quarter-turn symmetry', several: 'several symmetries' };
const EXAMPLE = '1 6 15 10 21\n14 9 20 5 16\n19 2 7 22 11\n8 13 24 17 4\n25 18 3 12 23';
const SQUARE = /^[a-j]([1-9]|10)$/;
const GALLERY_LENGTH = 12;
const GOALS = { closed: 'A closed tour: back to the start', paths: 'Any tour: visit every square' };

const state = { rows: 6, columns: 6, piece: '1,2', wrap: 'none', removed: new Set(), tab: 'count', kind: 'closed',
  number: '', walk: [], goal: 'paths', text: '' };
const engine = new Engine();
/** The squares and moves of the board, from the engine. */
let board = null;
/** The tour that is shown: its squares, kind and class of symmetry. */
let tour = null;
let total = 0n;
/** The number of the tour that the engine is asked for. */
let wanted = null;
let heat = null;
let next = null;
let isHintShown = false;
let animation = null;
let galleryLength = 0;

const view = new BoardView($('board'), { onPress: press, onFocus: showSquare });
const boardText = () =>
  `board=${state.rows}x${state.columns} wrap=${state.wrap} piece=${state.piece} remove=${[...state.removed].join(',') || '-'}`;
const nameOf = (v) => board.names[v];
const tours = (number) => `${group(number)} ${String(number) === '1' ? 'tour' : 'tours'}`;

// State and link

/** Takes over the board that words such as `board=6x6 piece=1,2` describe. Returns false if the page has no such board. */
function setBoard({ board: size = '6x6', piece = '1,2', wrap = 'none', remove = '-' }) {
  const [, rows, columns] = /^([1-9]|10)x([1-9]|10)$/.exec(size) ?? [];
  if (!rows || !PIECES[piece] || !WRAPS[wrap]) return false;
  const removed = remove.split(',').filter((name) => SQUARE.test(name));
  Object.assign(state, { rows: Number(rows), columns: Number(columns), piece, wrap, removed: new Set(removed) });
  return true;
}

function readLink() {
  const link = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (!setBoard(link)) setBoard({});
  state.tab = TABS[link.task] ? link.task : 'count';
  state.kind = KINDS[link.kind] ? link.kind : 'closed';
  state.goal = GOALS[link.goal] ? link.goal : 'paths';
  state.walk = (link.walk ?? '').split('-').filter((name) => SQUARE.test(name));
  state.number = /^\d+$/.test(link.tour) ? link.tour : '';
  state.text = link.text ?? '';
}

function writeLink() {
  const task = { tours: { kind: state.kind, tour: state.number }, heat: { kind: state.kind },
    walk: { goal: state.goal, walk: state.walk.join('-') }, check: { text: state.text } }[state.tab];
  const words = Object.fromEntries(boardText().split(' ').map((word) => word.split('=')));
  history.replaceState(null, '', `#${new URLSearchParams({ ...words, task: state.tab, ...task })}`);
}

// Jobs of the engine

function say(text, isError = false) {
  $('message').textContent = text;
  $('message').classList.toggle('error', isError);
}

/** Runs a request, with progress, time and cancellation on the page. Returns undefined if it failed. */
async function run(request, what) {
  const begin = performance.now();
  let progress = null;
  const show = () => {
    const passed = (performance.now() - begin) / 1000;
    $('job').hidden = passed < 0.3;
    if (progress && progress.fraction > 0) $('job-bar').value = progress.fraction;
    else $('job-bar').removeAttribute('value');
    const left = progress?.secondsLeft > 1 ? `, about ${seconds(progress.secondsLeft)} left` : '';
    $('job-time').textContent = `${what}: ${seconds(passed)}${left}`;
  };
  const timer = setInterval(show, 100);
  say('');
  try {
    const answer = await engine.request({ board: boardText(), ...request }, (one) => (progress = one));
    return { ...answer, seconds: (performance.now() - begin) / 1000 };
  } catch (error) {
    if (!(error instanceof Cancelled)) say(error.message, true);
    else if (!engine.isBusy) say('Cancelled.');
  } finally {
    clearInterval(timer);
    if (!engine.isBusy) $('job').hidden = true;
  }
}

// The board

async function loadBoard() {
  stopAnimation();
  engine.cancel();
  [board, tour, heat, next, total] = [null, null, null, null, 0n];
  for (const id of ['count-result', 'gallery', 'heat-square', 'walk-result', 'tour-text', 'check-result']) $(id).replaceChildren();
  for (const id of ['heat-legend', 'heat-downloads', 'check-downloads', 'gallery-more']) $(id).hidden = true;
  say('');
  for (const name of [...state.removed]) {
    const [column, row] = position(name);
    if (column >= state.columns || row >= state.rows) state.removed.delete(name);
  }
  fillForms();
  view.resize(state.rows, state.columns);
  draw();
  const answer = await run({ do: 'board' }, 'Board');
  if (!answer) return;
  const points = answer.names.map((name) => {
    const [column, row] = position(name);
    return [column + 0.5, state.rows - row - 0.5];
  });
  const seams = new Map(answer.seams.map(([v, w, there, back]) => [`${v}-${w}`, [there, back]]));
  board = { ...answer, points, seams, rows: state.rows, columns: state.columns };
  board.vertices = new Map(board.names.map((name, v) => [name, v]));
  await openTab(state.tab);
}

function fillForms() {
  for (const id of ['rows', 'columns', 'piece', 'wrap']) $(id).value = state[id];
  for (const id of ['tours-kind', 'heat-kind']) $(id).value = state.kind;
  if (!$('tours-kind').value) $('tours-kind').value = 'closed';
  $('walk-kind').value = state.goal;
  $('number').value = state.number;
  $('text').value = state.text;
  $('restore').hidden = state.removed.size === 0;
}

function press(name) {
  if (state.tab === 'walk') return step(name);
  if (state.tab !== 'count') return;
  if (!state.removed.delete(name)) state.removed.add(name);
  state.number = '';
  state.walk = [];
  writeLink();
  loadBoard();
}

/** Draws what the open task shows. */
function draw() {
  const picture = { removed: state.removed };
  if (board && tour && (state.tab === 'tours' || state.tab === 'check')) {
    const shown = Number($('shown').max) && state.tab === 'tours' ? Number($('shown').value) : Infinity;
    const isClosed = tour.kind === 'closed';
    picture.lines = tourLines(board, tour.squares, isClosed, shown);
    const at = Math.min(shown, isClosed ? tour.squares.length : tour.squares.length - 1);
    picture.knight = state.tab === 'tours' ? board.points[tour.squares[at % tour.squares.length]] : null;
    picture.labels = new Map(tour.squares.map((v, i) => [nameOf(v), ['', `move ${i + 1}`]]));
  } else if (board && heat && state.tab === 'heat') {
    picture.lines = heatLines();
  } else if (board && state.tab === 'walk') {
    Object.assign(picture, walkPicture());
  }
  view.show(picture);
  const help = { count: 'Press a square to remove it. Keyboard: arrow keys and Enter.', walk: 'Press the next square. Keyboard: arrow keys and Enter.' };
  $('board-help').textContent = help[state.tab] ?? '';
}

function showSquare(name) {
  if (state.tab === 'heat') showHeat(name);
}

// Tabs

async function openTab(tab, hasFocus = false) {
  if (tab !== state.tab) engine.cancel(), say('');
  state.tab = tab;
  stopAnimation();
  for (const name of Object.keys(TABS)) {
    $(`tab-${name}`).setAttribute('aria-selected', name === tab);
    $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
    $(`panel-${name}`).hidden = name !== tab;
  }
  if (hasFocus) $(`tab-${tab}`).focus();
  if (tab === 'check') tour = null;
  writeLink();
  draw();
  if (!board) return;
  if (tab === 'tours') await openTours();
  if (tab === 'walk') await countNext();
  if (tab === 'check' && state.text) await checkText();
}

// Count

async function count() {
  const chosen = $('count-kind').value;
  $('count-result').replaceChildren();
  const answer = await run({ do: 'count', kind: chosen || null, distinct: $('distinct').checked }, 'Counting');
  if (!answer) return;
  const number = (text) => (text === null ? '\u2013' : group(text));
  const [heads, end] = [['Kind', 'Tours', 'In both directions', 'Up to symmetry'], $('distinct').checked ? 4 : 3];
  const rows = answer.rows.map((row) => [KINDS[row.kind], ...[row.undirected, row.directed, row.distinct].map(number)].slice(0, end));
  const table = makeTable(`Counted in ${seconds(answer.seconds)}`, heads.slice(0, end), rows);
  const csv = make('button', { type: 'button' }, 'Download CSV');
  csv.onclick = () => download('counts.csv', toCsv([['board', 'kind', 'undirected', 'directed', 'distinct'],
    ...answer.rows.map((row) => [boardText(), row.kind, row.undirected, row.directed, row.distinct ?? ''])]), 'text/csv');
  const help = 'A closed tour returns to its first square with one more move; an open tour cannot. All paths are both: a closed tour is a path from each of its squares.';
  $('count-result').append(make('div', { className: 'scroll' }, table), make('p', { className: 'hint' }, answer.note ?? help),
    make('div', { className: 'buttons' }, csv));
  say(answer.rows.map((row) => `${KINDS[row.kind]}: ${group(row.undirected)}`).join('; ') + '.');
}

// Tours by number

async function openTours() {
  if (state.kind === 'open') state.kind = 'closed';
  fillForms();
  const answer = await run({ do: 'index', kind: state.kind }, 'Numbering all tours');
  total = BigInt(answer?.total ?? 0);
  const max = total > 0n ? total - 1n : 0n;
  $('slider').max = max > 1000000n ? 1000000 : Number(max);
  for (const id of ['slider', 'number', 'previous', 'following', 'random', 'play', 'shown']) $(id).disabled = total === 0n;
  if (answer && total === 0n) return say(`This board has no ${state.kind === 'closed' ? 'closed tours' : 'tours'}.`);
  if (answer) await showNumber(BigInt(state.number || 0));
}

const sliderScale = () => (total - 1n > 1000000n ? 1000000n : total - 1n);

/** Shows the tour with a number. While the engine works, only the last number is remembered. */
async function showNumber(number) {
  const isRunning = wanted !== null;
  wanted = number < 0n ? 0n : number < total ? number : total - 1n;
  if (isRunning) return;
  let [shown, answer] = [null, true];
  while (answer && wanted !== shown) {
    shown = wanted;
    answer = await run({ do: 'tour', kind: state.kind, number: String(shown) }, 'Tour');
    showTour(answer);
  }
  wanted = null;
}

const describe = ({ kind, symmetry, magic }) =>
  `${kind === 'open' ? 'an' : 'a'} ${kind} tour with ${CLASSES[symmetry] ?? `the symmetry ${symmetry}`}${magic ? `; its numbers are ${magic}` : ''}`;

function showTour(answer) {
  if (!answer) return;
  stopAnimation();
  tour = answer;
  state.number = answer.number ?? '';
  $('number').value = state.number;
  if (total > 1n && state.number) $('slider').value = Number((BigInt(state.number) * sliderScale()) / (total - 1n));
  const moves = tour.squares.length - (tour.kind === 'closed' ? 0 : 1);
  $('shown').max = moves;
  $('shown').value = moves;
  const which = state.number ? `Tour ${group(state.number)} of ${group(total)} (numbers start at 0)` : 'This tour';
  $('tour-text').textContent = `${which} is ${describe(tour)}.`;
  $('slider').setAttribute('aria-valuetext', which);
  writeLink();
  draw();
}

/** Shows a random tour: random numbers with enough bits are drawn until one is below the total. */
function showRandom() {
  const words = crypto.getRandomValues(new Uint32Array(Math.ceil(total.toString(2).length / 32)));
  const bits = words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  const number = bits & ((1n << BigInt(total.toString(2).length)) - 1n);
  if (number < total) showNumber(number);
  else showRandom();
}

function stopAnimation() {
  clearInterval(animation);
  animation = null;
  $('play').textContent = 'Play';
}

function play() {
  if (animation) return stopAnimation();
  if (!tour) return;
  const [slider, moves] = [$('shown'), Number($('shown').max)];
  if (Number(slider.value) >= moves) slider.value = 0;
  $('play').textContent = 'Pause';
  draw();
  animation = setInterval(() => {
    slider.value = Number(slider.value) + 1;
    draw();
    if (Number(slider.value) >= moves) stopAnimation();
  }, Math.max(120, Math.min(400, 15000 / moves)));
}

async function openGallery(first = 0) {
  const symmetry = $('symmetry').value;
  const answer = await run({ do: 'gallery', kind: state.kind, symmetry, first, len: GALLERY_LENGTH }, 'Gallery');
  if (!answer) return;
  if (first === 0) $('gallery').replaceChildren(make('ul', { className: 'gallery' }));
  galleryLength = first + answer.tours.length;
  for (const one of answer.tours) {
    const label = one.number ? `Tour ${group(one.number)}` : 'Tour';
    const button = make('button', { type: 'button' }, thumbnail(board, one.squares, one.kind === 'closed'), label);
    button.onclick = () => {
      showTour(one);
      say(`${label} is shown on the board.`);
    };
    $('gallery').firstChild.append(make('li', {}, button));
  }
  $('gallery-more').hidden = !answer.more;
  say(galleryLength ? `${galleryLength} tours are shown, one of each class.` : 'There is no such tour.');
}

// Heat map

async function loadHeat() {
  heat = await run({ do: 'heat', kind: state.kind }, 'Counting all moves');
  if (!heat) return;
  const shares = heat.moves.map((one) => one[3]);
  heat.range = [Math.min(...shares), Math.max(...shares)];
  [$('heat-low').textContent, $('heat-high').textContent] = heat.range.map(percent);
  for (const id of ['heat-legend', 'heat-downloads']) $(id).hidden = false;
  showHeat('a1');
  draw();
  say(`${KINDS[state.kind]}: ${group(heat.total)}. Thick lines are moves that many tours use.`);
}

function heatLines() {
  const lines = makeSvg('g', { class: 'heat' });
  const [low, high] = heat.range;
  for (const [v, w, , share] of [...heat.moves].sort((a, b) => a[3] - b[3])) {
    const value = high > low ? (share - low) / (high - low) : 1;
    for (const [x1, y1, x2, y2] of moveLines(board, v, w)) {
      const style = `stroke: color-mix(in oklab, var(--heat-high) ${(100 * value).toFixed(0)}%, var(--heat-low)); stroke-width: ${0.03 + 0.09 * value}`;
      lines.append(makeSvg('line', { x1, y1, x2, y2, style }));
    }
  }
  return lines;
}

function showHeat(name) {
  const v = board?.vertices.get(name);
  if (!heat || v === undefined) return;
  const rows = heat.moves.filter((one) => one[0] === v || one[1] === v)
    .map(([a, b, number, share]) => [`${name} \u2013 ${nameOf(a === v ? b : a)}`, group(number), percent(share)]);
  const end = heat.ends[v];
  if (end) rows.push(['start or end here', group(end[0]), percent(end[1])]);
  $('heat-square').replaceChildren(makeTable(`Moves at ${name}, of ${group(heat.total)} tours`, ['Move', 'Tours', 'Share'], rows));
}

// Walk

function walkVertices() {
  const walk = [];
  for (const name of state.walk) {
    const v = board.vertices.get(name);
    if (v === undefined || walk.includes(v) || (walk.length && !board.moves[walk.at(-1)].includes(v))) break;
    walk.push(v);
  }
  return walk;
}

const nextSquares = (walk, v = walk.at(-1)) => board.moves[v].filter((w) => !walk.includes(w) && w !== v);
/** Returns what is good about going to a square: the tours that it leaves, or few ways on. */
const merit = (walk, v) => BigInt(next ? next.get(v) ?? 0 : 100 - nextSquares(walk, v).length);

function step(name) {
  if (!board) return;
  const walk = walkVertices();
  const v = board.vertices.get(name);
  if (v === undefined) return;
  if (walk.at(-1) === v) return undo();
  if (walk.includes(v)) return say(`You have visited ${name} already.`, true);
  if (walk.length && !board.moves[walk.at(-1)].includes(v)) return say(`The piece cannot move from ${nameOf(walk.at(-1))} to ${name}.`, true);
  state.walk = [...walk.map(nameOf), name];
  countNext();
}

function undo() {
  state.walk = state.walk.slice(0, -1);
  countNext();
}

/** Counts the tours that each next square leaves, and shows them. */
async function countNext() {
  const walk = walkVertices();
  state.walk = walk.map(nameOf);
  isHintShown = false;
  next = null;
  writeLink();
  draw();
  $('walk-result').replaceChildren();
  $('walk-downloads').hidden = walk.length < board.names.length;
  if (!walk.length) return say('');
  if (walk.length === board.names.length) {
    const isClosed = board.moves[walk.at(-1)].includes(walk[0]);
    const text = isClosed ? 'You have walked a closed tour: one more move leads back to the start.' : 'You have walked an open tour.';
    return say(state.goal === 'closed' && !isClosed ? `${text} Your goal was a closed one.` : text);
  }
  const answer = await run({ do: 'next', kind: state.goal, begin: walk }, 'Counting the tours from here');
  if (answer) next = new Map(answer.squares);
  showNext(walk, answer?.total);
}

function showNext(walk, all) {
  const ways = (v) => (next ? tours(next.get(v) ?? 0) : `${nextSquares(walk, v).length} ways on`);
  const list = nextSquares(walk).map((v) => make('li', {}, `${nameOf(v)}: ${ways(v)}`));
  const title = `Square ${walk.length} of ${board.names.length}: ${nameOf(walk.at(-1))}.`;
  const text = next ? `${title} This beginning has ${tours(all)}.${all === '0' ? ' Undo a move.' : ''}` : title;
  $('walk-result').replaceChildren(make('p', {}, text), make('ul', { className: 'next-list', 'aria-label': 'Next squares' }, ...list));
  if (next) say(text, all === '0');
  draw();
}

const bestNext = (walk) => nextSquares(walk).reduce((best, v) => (best === null || merit(walk, v) > merit(walk, best) ? v : best), null);

function hint() {
  const walk = walkVertices();
  if (!walk.length) return say('Press any square to start.');
  const best = bestNext(walk);
  if (best === null || merit(walk, best) === 0n) return say('No tour begins like this: undo a move.', true);
  isHintShown = true;
  draw();
  const why = next ? `it leaves ${tours(next.get(best))}` : 'it has the fewest ways on';
  say(`Hint: ${nameOf(best)}, because ${why}.`);
}

function walkPicture() {
  const walk = walkVertices();
  if (!walk.length) return {};
  const labels = new Map(walk.map((v, i) => [nameOf(v), [i + 1, `move ${i + 1}`, 'visited']]));
  const best = isHintShown ? bestNext(walk) : null;
  for (const v of nextSquares(walk)) {
    const number = next ? next.get(v) ?? '0' : null;
    labels.set(nameOf(v), [number === null ? '' : abbreviate(number), number === null ? 'next square' : tours(number), v === best ? 'best' : 'next']);
  }
  labels.get(nameOf(walk.at(-1)))[0] = '';
  return { labels, lines: tourLines(board, walk, false), knight: board.points[walk.at(-1)] };
}

// Check

async function checkText() {
  state.text = $('text').value;
  writeLink();
  tour = null;
  draw();
  $('check-downloads').hidden = true;
  const result = $('check-result');
  result.textContent = '';
  const answer = await run({ do: 'check', text: state.text }, 'Checking');
  result.classList.toggle('error', !answer);
  if (!answer) {
    result.textContent = $('message').textContent ? `\u2717 ${$('message').textContent}` : '';
    return say('');
  }
  if (answer.board && setBoard(answer.board)) return loadBoard();
  if (answer.board) return say('This is a tour of a board that this page does not have.', true);
  tour = answer;
  result.textContent = `\u2713 This is ${describe(answer)}.`;
  $('check-downloads').hidden = false;
  draw();
}

// Downloads

async function downloadTour(format, squares, isClosed) {
  const animate = format === 'animation' ? 15 : null;
  const answer = await run({ do: 'picture', tour: squares, closed: isClosed, animate }, 'Picture');
  if (!answer) return;
  const name = `tour-${state.rows}x${state.columns}`;
  if (format === 'png') download(`${name}.png`, await toPng(answer.svg));
  else if (format === 'csv') download(`${name}.csv`, answer.csv, 'text/csv');
  else download(`${name}.svg`, answer.svg, 'image/svg+xml');
}

function addDownloads(id, formats, get) {
  for (const [format, title] of Object.entries(formats)) {
    const button = make('button', { type: 'button' }, `Download ${title}`);
    button.onclick = () => get(format);
    $(id).append(button);
  }
}

async function downloadHeat(format) {
  const rows = heat.moves.map(([v, w, number, share]) => [nameOf(v), nameOf(w), number, String(share)]);
  if (format === 'csv') return download('heat.csv', toCsv([['from', 'to', 'tours', 'share'], ...rows]), 'text/csv');
  if (format === 'png') return download('heat.png', await toPng(heat.svg));
  download('heat.svg', heat.svg, 'image/svg+xml');
}

// Start

function fillSelect(id, choices) {
  $(id).append(...Object.entries(choices).map(([value, text]) => make('option', { value }, text)));
}

function changeBoard() {
  const clamp = (id) => Math.max(1, Math.min(10, Math.round(Number($(id).value)) || 1));
  Object.assign(state, { rows: clamp('rows'), columns: clamp('columns'), piece: $('piece').value, wrap: $('wrap').value, number: '', walk: [] });
  writeLink();
  loadBoard();
}

function start() {
  for (const [name, title] of Object.entries(TABS)) {
    const tab = make('button', { type: 'button', id: `tab-${name}`, role: 'tab', 'aria-controls': `panel-${name}` }, title);
    tab.onclick = () => openTab(name);
    document.querySelector('[role=tablist]').append(tab);
  }
  document.querySelector('[role=tablist]').onkeydown = ({ key }) => {
    const names = Object.keys(TABS);
    const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (move) openTab(names[(names.indexOf(state.tab) + move + names.length) % names.length], true);
  };
  fillSelect('piece', PIECES);
  fillSelect('wrap', WRAPS);
  fillSelect('count-kind', { '': 'All kinds', ...KINDS });
  fillSelect('tours-kind', { closed: KINDS.closed, paths: KINDS.paths });
  fillSelect('heat-kind', KINDS);
  fillSelect('walk-kind', GOALS);
  fillSelect('symmetry', SYMMETRIES);
  const formats = { svg: 'SVG', png: 'PNG', csv: 'CSV' };
  addDownloads('tour-downloads', { ...formats, animation: 'animated SVG' }, (format) => tour && downloadTour(format, tour.squares, tour.kind === 'closed'));
  addDownloads('check-downloads', formats, (format) => downloadTour(format, tour.squares, tour.kind === 'closed'));
  addDownloads('walk-downloads', formats, (format) => downloadTour(format, walkVertices(), false));
  addDownloads('heat-downloads', formats, downloadHeat);

  for (const id of ['rows', 'columns', 'piece', 'wrap']) $(id).onchange = changeBoard;
  $('board-form').onsubmit = (event) => event.preventDefault();
  const on = (id, work) => ($(id).onclick = work);
  on('restore', () => { state.removed.clear(); changeBoard(); });
  on('count', count);
  on('cancel', () => engine.cancel());
  on('previous', () => showNumber(BigInt(state.number || 0) - 1n));
  on('following', () => showNumber(BigInt(state.number || 0) + 1n));
  on('random', showRandom);
  on('play', play);
  on('gallery-open', () => openGallery());
  on('gallery-more', () => openGallery(galleryLength));
  on('heat', loadHeat);
  on('undo', undo);
  on('hint', hint);
  on('restart', () => { state.walk = []; countNext(); });
  on('check', checkText);
  on('example', () => { $('text').value = EXAMPLE; });
  on('copy-link', async () => { await navigator.clipboard.writeText(location.href); say('The link is copied.'); });
  on('theme', () => {
    const isDark = getComputedStyle(document.body).backgroundColor === 'rgb(20, 24, 28)';
    document.documentElement.style.colorScheme = isDark ? 'light' : 'dark';
  });
  $('number').onchange = () => {
    const digits = $('number').value.replace(/[\s,\u202f]/g, '');
    if (digits === state.number) return;
    if (/^\d+$/.test(digits)) showNumber(BigInt(digits));
    else say('Write a whole number.', true);
  };
  $('slider').oninput = () => total > 1n && showNumber((BigInt($('slider').value) * (total - 1n)) / sliderScale());
  $('shown').oninput = () => { stopAnimation(); draw(); };
  $('tours-kind').onchange = () => { Object.assign(state, { kind: $('tours-kind').value, number: '' }); $('gallery').replaceChildren(); openTours(); };
  $('heat-kind').onchange = () => { state.kind = $('heat-kind').value; loadHeat(); };
  $('walk-kind').onchange = () => { state.goal = $('walk-kind').value; countNext(); };
  // A handler that returns false would prevent the action of the key.
  document.onkeydown = ({ key }) => void (key === 'Escape' && engine.cancel());
  onhashchange = () => { readLink(); loadBoard(); };
  readLink();
  loadBoard();
}

start();
