// The page: its state, the tasks, and the link that holds the state.

import { BoardView, moveLines, position, thumbnail, tourLines } from './board.js';
import { CHOICES, CLASSES, KINDS, PIECES, TABS, TOUR_KINDS, WRAPS } from './choices.js';
import { Cancelled, Engine } from './engine.js';
import { $, abbreviate, download, group, make, makeSvg, makeTable, percent, seconds, toCsv, toPng } from './page.js';

const FORMATS = { svg: 'SVG', png: 'PNG', csv: 'CSV' };
const EXAMPLE = '1 6 15 10 21\n14 9 20 5 16\n19 2 7 22 11\n8 13 24 17 4\n25 18 3 12 23';
const SQUARE = /^[a-j]([1-9]|10)$/;
const GALLERY_LENGTH = 12;
/** Number of steps of a walk after which a refused count of its tours is tried again. */
const STEPS_TO_RETRY = 6;

const state = { rows: 6, columns: 6, removed: new Set(), tab: 'count', distinct: true, number: '', walk: [], text: '' };
const engine = new Engine();
/** The squares and moves of the board, from the engine; null until it has answered. */
let board = null;
let boardLoaded = null;
/** The request whose answer the page waits for. */
let current = null;
/** What each task shows: a tour, a heat map, the tours that next squares leave, a checked tour or its fault. */
const results = {};
let total = 0n;
/** The number of the tour that the engine is asked for. */
let wanted = null;
let refusedWalk = null;
let isHintShown = false;
let animation = null;
let linkTimer = null;

const view = new BoardView($('board'), { onPress: press, onFocus: (name) => state.tab === 'heat' && showHeat(name) });
const boardText = () =>
  `board=${state.rows}x${state.columns} wrap=${state.wrap} piece=${state.piece} remove=${[...state.removed].join(',') || '-'}`;
const nameOf = (v) => board.names[v];
const tours = (number) => `${group(number)} ${String(number) === '1' ? 'tour' : 'tours'}`;
const kind = () => state[`${state.tab}-kind`];

// State and link

/** Takes over the board that words such as `board=6x6 piece=1,2` describe. Returns false if the page has no such board. */
function setBoard({ board: size = '6x6', piece = '1,2', wrap = 'none', remove = '-' }) {
  const [, rows, columns] = /^([1-9]|10)x([1-9]|10)$/.exec(size) ?? [];
  if (!rows || !Object.hasOwn(PIECES, piece) || !Object.hasOwn(WRAPS, wrap)) return false;
  const removed = remove.split(',').filter((name) => SQUARE.test(name));
  Object.assign(state, { rows: Number(rows), columns: Number(columns), piece, wrap, removed: new Set(removed), number: '', walk: [] });
  return true;
}

function readLink() {
  const link = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const isKnown = setBoard(link) || !setBoard({});
  state.tab = Object.hasOwn(TABS, link.task ?? '') ? link.task : 'count';
  const words = { [`${state.tab}-kind`]: link.kind, symmetry: link.symmetry };
  for (const [id, choices] of Object.entries(CHOICES)) {
    if (id !== 'piece' && id !== 'wrap') state[id] = Object.hasOwn(choices, words[id] ?? '') ? words[id] ?? '' : Object.keys(choices)[0];
  }
  state.distinct = link.distinct !== 'no';
  state.walk = (link.walk ?? '').split('-').filter((name) => SQUARE.test(name));
  state.number = /^\d+$/.test(link.tour) ? link.tour : '';
  state.text = link.text ?? '';
  loadBoard(isKnown ? '' : 'This page does not have the board of the link, so it shows 6x6.');
}

/** Writes the state to the address, not at once, because browsers limit how often a page may do so. */
function writeLink(delay = 300) {
  clearTimeout(linkTimer);
  if (delay) return (linkTimer = setTimeout(writeLink, delay, 0));
  const task = { count: { distinct: state.distinct ? 'yes' : 'no' }, tours: { tour: state.number, symmetry: state.symmetry },
    walk: { walk: state.walk.join('-') }, check: { text: state.text } }[state.tab];
  const words = Object.fromEntries(boardText().split(' ').map((word) => word.split('=')));
  const link = new URLSearchParams({ ...words, task: state.tab, ...(kind() && { kind: kind() }), ...task });
  try {
    history.replaceState(null, '', `#${link}`);
  } catch {
    writeLink(3000);
  }
}

// Jobs of the engine

function say(text, isError = false) {
  $('message').textContent = text;
  $('message').classList.toggle('error', isError);
  $('retry').hidden = true;
}

/**
 * Runs a request for the current board, with progress, time and cancellation on the page. Returns null if it failed or
 * the user cancelled it, and undefined if the page no longer waits for its answer.
 */
async function run(request, what, onFault = (text) => say(text, true)) {
  if (request.do !== 'board') await boardLoaded;
  const job = (current = { task: request.do });
  const begin = performance.now();
  let progress = null;
  const show = () => {
    const passed = (performance.now() - begin) / 1000;
    $('job').hidden = passed < 0.3;
    $('cancel').hidden = request.do === 'board';
    if (progress && progress.fraction > 0) $('job-bar').value = progress.fraction;
    else $('job-bar').removeAttribute('value');
    const left = progress?.secondsLeft > 1 ? `, about ${seconds(progress.secondsLeft)} left` : '';
    $('job-time').textContent = `${what}: ${seconds(passed)}${left}`;
  };
  const timer = setInterval(show, 100);
  say('');
  resetJob();
  let answer = null;
  try {
    answer = await engine.request({ board: boardText(), ...request }, (one) => (progress = one));
    answer.seconds = (performance.now() - begin) / 1000;
  } catch (error) {
    if (job === current && !(error instanceof Cancelled)) onFault(error.message);
    else if (job === current) {
      say('Cancelled.');
      $('retry').hidden = state.tab === 'count';
    }
  }
  clearInterval(timer);
  if (job !== current) return undefined;
  stop();
  return answer;
}

/** Hides the progress of an earlier request. A second press of Count must not start a count again. */
function resetJob() {
  $('job').hidden = true;
  $('count').setAttribute('aria-disabled', current?.task === 'count');
}

/** Stops the running request, if there is one, and drops its answer. The board is always loaded to the end. */
function stop() {
  if (current?.task === 'board' && !board && engine.isBusy) return;
  current = null;
  engine.cancel();
  resetJob();
}

/** Removes what a task shows, because it belongs to another board or kind. */
function clear(tab) {
  results[tab] = null;
  for (const element of document.querySelectorAll(`#panel-${tab} .result`)) element.replaceChildren();
  for (const element of document.querySelectorAll(`#panel-${tab} .with-result`)) element.hidden = true;
}

// The board

async function loadBoard(notice = '') {
  let isLoaded;
  boardLoaded = new Promise((resolve) => (isLoaded = resolve));
  board = null;
  refusedWalk = null;
  Object.keys(TABS).forEach(clear);
  for (const name of [...state.removed]) {
    const [column, row] = position(name);
    if (column >= state.columns || row >= state.rows) state.removed.delete(name);
  }
  fillForms();
  view.resize(state.rows, state.columns);
  showTab();
  const answer = await run({ do: 'board' }, 'Board');
  if (!answer) return;
  const points = answer.names.map((name) => {
    const [column, row] = position(name);
    return [column + 0.5, state.rows - row - 0.5];
  });
  const seams = new Map(answer.seams.map(([v, w, there, back]) => [`${v}-${w}`, [there, back]]));
  const vertices = new Map(answer.names.map((name, v) => [name, v]));
  board = { ...answer, points, seams, vertices, rows: state.rows, columns: state.columns };
  isLoaded();
  await openTab(state.tab);
  if (notice || !board?.names.length) say(notice || 'This board has no squares.', true);
}

function fillForms() {
  for (const id of ['rows', 'columns', 'number', 'text', ...Object.keys(CHOICES)]) $(id).value = state[id];
  $('distinct').checked = state.distinct;
  $('restore').hidden = state.removed.size === 0;
}

function changeBoard() {
  const [rows, columns] = [Number($('rows').value), Number($('columns').value)];
  const size = { board: `${rows}x${columns}`, piece: $('piece').value, wrap: $('wrap').value, remove: [...state.removed].join(',') };
  if (setBoard(size)) return loadBoard();
  fillForms();
  say('A board has 1 to 10 rows and 1 to 10 columns here.', true);
}

function press(name) {
  if (state.tab === 'walk') return step(name);
  if (state.tab !== 'count') return;
  if (!state.removed.delete(name)) state.removed.add(name);
  changeBoard();
}

/** Draws what the open task shows. */
function draw() {
  const picture = { removed: state.removed };
  const result = board && results[state.tab];
  if (result?.squares && !result.fault) {
    const shown = state.tab === 'tours' ? Number($('shown').value) : Infinity;
    const isClosed = result.kind === 'closed';
    picture.lines = tourLines(board, result.squares, isClosed, shown);
    if (state.tab === 'tours') picture.knight = board.points[result.squares[shown % result.squares.length]];
    picture.labels = new Map(result.squares.map((v, i) => [nameOf(v), ['', `move ${i + 1}`]]));
  } else if (result?.fault) {
    picture.labels = new Map(result.squares.map((v) => [nameOf(v), ['\u2717', 'here the tour breaks', 'wrong']]));
  } else if (result && state.tab === 'heat') {
    picture.lines = heatLines(result);
  } else if (board && state.tab === 'walk') {
    Object.assign(picture, walkPicture());
  }
  view.show(picture);
  const help = { count: 'Press a square to remove it.', walk: 'Press the next square.' }[state.tab];
  $('board-help').textContent = help ? `${help} Keyboard: arrow keys and Enter.` : '';
}

// Tabs

/** Shows the open tab, and writes the link. */
function showTab() {
  stopAnimation();
  for (const name of Object.keys(TABS)) {
    $(`tab-${name}`).setAttribute('aria-selected', name === state.tab);
    $(`tab-${name}`).tabIndex = name === state.tab ? 0 : -1;
    $(`panel-${name}`).hidden = name !== state.tab;
  }
  writeLink();
  draw();
}

async function openTab(tab) {
  stop();
  state.tab = tab;
  showTab();
  if (!board) return;
  say('');
  const open = { tours: openTours, heat: loadHeat, walk: countNext, check: () => state.text && checkText() }[tab];
  await open?.();
}

// Count

async function count() {
  if (current?.task === 'count') return;
  clear('count');
  const answer = await run({ do: 'count', kind: kind() === 'all' ? null : kind(), distinct: state.distinct }, 'Counting');
  if (!answer) return;
  results.count = answer;
  const number = (text) => (text === null ? '\u2013' : group(text));
  const [heads, end] = [['Kind', 'Tours', 'In both directions', 'Up to symmetry'], state.distinct ? 4 : 3];
  const rows = answer.rows.map((row) => [KINDS[row.kind], ...[row.undirected, row.directed, row.distinct].map(number)].slice(0, end));
  const table = makeTable(`Counted in ${seconds(answer.seconds)}`, heads.slice(0, end), rows);
  const help = 'A closed tour returns to its first square with one more move; an open tour cannot. All paths are both: a closed tour is a path from each of its squares.';
  $('count-result').append(make('div', { className: 'scroll' }, table), make('p', { className: 'hint' }, answer.note ?? help));
  $('count-downloads').hidden = false;
  say(answer.rows.map((row) => `${KINDS[row.kind]}: ${group(row.undirected)}`).join('; ') + '.');
}

const countFiles = () => ({ csv: toCsv([['board', 'kind', 'undirected', 'directed', 'distinct'],
  ...results.count.rows.map((row) => [boardText(), row.kind, row.undirected, row.directed, row.distinct ?? ''])]) });

// Tours by number

async function openTours() {
  const answer = await run({ do: 'index', kind: kind() }, 'Numbering all tours');
  if (answer === undefined) return;
  total = BigInt(answer?.total ?? 0);
  $('slider').max = total > 0n ? Number(sliderScale()) : 0;
  for (const id of ['slider', 'number', 'previous', 'following', 'random', 'play', 'shown', 'gallery-open']) $(id).disabled = total === 0n;
  if (total > 0n) return showNumber(BigInt(state.number || 0));
  clear('tours');
  draw();
  if (answer) say(`This board has no ${kind() === 'closed' ? 'closed tours' : 'tours'}.`);
}

const sliderScale = () => (total - 1n > 1000000n ? 1000000n : total - 1n);

/** Shows the tour with a number. While the engine works, only the last number is remembered. */
async function showNumber(number) {
  const isRunning = wanted !== null;
  wanted = number < 0n ? 0n : number < total ? number : total - 1n;
  if (isRunning) return;
  try {
    for (let shown = null; wanted !== shown; ) {
      shown = wanted;
      const answer = await run({ do: 'tour', kind: kind(), number: String(shown) }, 'Tour');
      if (!answer) return;
      showTour(answer);
    }
  } finally {
    wanted = null;
  }
  if (number < 0n || number >= total) say(`The tours have the numbers 0 to ${group(total - 1n)}.`, true);
}

function describe({ kind, symmetry, magic }) {
  const name = CLASSES[symmetry] ?? (symmetry ? 'symmetries of the board with joined edges' : 'unknown symmetry');
  return `${TOUR_KINDS[kind]} with ${name}${magic ? `; its numbers are ${magic}` : ''}`;
}

function showTour(tour) {
  stopAnimation();
  results.tours = tour;
  state.number = tour.number ?? '';
  $('number').value = state.number;
  if (total > 1n && state.number && [null, BigInt(state.number)].includes(wanted)) {
    $('slider').value = Number((BigInt(state.number) * sliderScale()) / (total - 1n));
  }
  const moves = tour.squares.length - (tour.kind === 'closed' ? 0 : 1);
  $('shown').max = moves;
  $('shown').value = moves;
  const which = state.number ? `Tour ${group(state.number)} of ${group(total)} (numbers start at 0)` : 'This tour';
  $('tour-text').textContent = `${which} is ${describe(tour)}.`;
  $('slider').setAttribute('aria-valuetext', which);
  $('tour-downloads').hidden = false;
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

function clearGallery() {
  $('gallery').replaceChildren();
  $('gallery-more').hidden = true;
}

/** Adds the next tours to the gallery. */
async function extendGallery() {
  const first = $('gallery').children.length;
  const answer = await run({ do: 'gallery', kind: kind(), symmetry: state.symmetry, first, len: GALLERY_LENGTH }, 'Gallery');
  if (!answer) return;
  for (const tour of answer.tours) {
    const label = tour.number ? `Tour ${group(tour.number)}` : 'Tour';
    const button = make('button', { type: 'button' }, thumbnail(board, tour.squares, tour.kind === 'closed'), label);
    button.onclick = () => {
      stop();
      showTour(tour);
      $('board').scrollIntoView({ block: 'nearest' });
      say(`${label} is shown on the board.`);
    };
    $('gallery').append(make('li', {}, button));
  }
  $('gallery-more').hidden = !answer.more;
  const number = first + answer.tours.length;
  say(number ? `${tours(number)} in the gallery. Turned and mirrored copies are left out.` : 'There is no such tour.');
}

// Heat map

async function loadHeat() {
  if (results.heat) return;
  const heat = await run({ do: 'heat', kind: kind() }, 'Counting all moves');
  if (!heat) return;
  if (heat.total === '0') return say(`This board has no ${KINDS[kind()].toLowerCase()}.`);
  results.heat = heat;
  const shares = heat.moves.map((one) => one[3]);
  heat.range = [Math.min(...shares), Math.max(...shares)];
  if (shares.length) [$('heat-low').textContent, $('heat-high').textContent] = heat.range.map(percent);
  $('heat-legend').hidden = !shares.length;
  $('heat-downloads').hidden = false;
  showHeat(board.names[0]);
  draw();
  say(`${KINDS[kind()]}: ${group(heat.total)}.${shares.length ? ' Thick lines are moves that many tours use.' : ''}`);
}

function heatLines(heat) {
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
  const [heat, v] = [results.heat, board?.vertices.get(name)];
  if (!heat || v === undefined) return;
  const rows = heat.moves.filter((one) => one[0] === v || one[1] === v)
    .map(([a, b, number, share]) => [`${name} \u2013 ${nameOf(a === v ? b : a)}`, group(number), percent(share)]);
  const end = heat.ends[v];
  if (end) rows.push(['start or end here', group(end[0]), percent(end[1])]);
  $('heat-square').replaceChildren(makeTable(`Moves at ${name}, of ${group(heat.total)} tours`, ['Move', 'Tours', 'Share'], rows));
}

const heatFiles = () => ({ svg: results.heat.svg, csv: toCsv([['from', 'to', 'tours', 'share'],
  ...results.heat.moves.map(([v, w, number, share]) => [nameOf(v), nameOf(w), number, String(share)])]) });

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
/** Returns the number of tours that a next square leaves, or null if it is not counted. */
const toursLeft = (v) => (results.walk ? results.walk.get(v) ?? '0' : null);
/** Returns what is good about going to a square: the tours that it leaves, or few ways on. */
const merit = (walk, v) => BigInt(toursLeft(v) ?? 100 - nextSquares(walk, v).length);
const isWalkClosed = (walk) => walk.length > 2 && board.moves[walk.at(-1)].includes(walk[0]);

async function step(name) {
  await boardLoaded;
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
  if (!board) return;
  stop();
  const walk = walkVertices();
  state.walk = walk.map(nameOf);
  isHintShown = false;
  clear('walk');
  writeLink();
  draw();
  $('walk-downloads').hidden = walk.length < board.names.length;
  if (!walk.length) return say('');
  if (walk.length === board.names.length) {
    const isClosed = isWalkClosed(walk);
    const text = isClosed ? 'You have walked a closed tour: one more move leads back to the start.' : 'You have walked an open tour.';
    return say(kind() === 'closed' && !isClosed ? `${text} Your goal was a closed one.` : text);
  }
  if (walk.length < refusedWalk) {
    showNext(walk);
    return say('The tours from here are too many to count. Walk on: later there are fewer.');
  }
  const answer = await run({ do: 'next', kind: kind(), begin: walk }, 'Counting the tours from here', (text) => {
    refusedWalk = walk.length + STEPS_TO_RETRY;
    say(text, true);
  });
  if (answer === undefined) return;
  if (answer) results.walk = new Map(answer.squares);
  showNext(walk, answer?.total);
}

function showNext(walk, all) {
  const ways = (v) => (all ? tours(toursLeft(v)) : `${nextSquares(walk, v).length} ways on`);
  const list = nextSquares(walk).map((v) => make('li', {}, `${nameOf(v)}: ${ways(v)}`));
  const title = `Square ${walk.length} of ${board.names.length}: ${nameOf(walk.at(-1))}.`;
  const isDoubled = kind() === 'closed' && walk.length === 1;
  const text = all ? `${title} This beginning has ${tours(all)}${isDoubled ? ', in both directions' : ''}.${all === '0' ? ' Undo a move.' : ''}` : title;
  $('walk-result').replaceChildren(make('p', {}, text), make('ul', { className: 'next-list', 'aria-label': 'Next squares' }, ...list));
  if (all) say(text, all === '0');
  draw();
}

const bestNext = (walk) => nextSquares(walk).reduce((best, v) => (best === null || merit(walk, v) > merit(walk, best) ? v : best), null);

function hint() {
  if (!board) return;
  const walk = walkVertices();
  if (!walk.length) return say('Press any square to start.');
  const best = bestNext(walk);
  if (best === null || merit(walk, best) === 0n) return say('No tour begins like this: undo a move.', true);
  isHintShown = true;
  draw();
  const why = results.walk ? `it leaves ${tours(toursLeft(best))}` : 'it has the fewest ways on';
  say(`Hint: ${nameOf(best)}, because ${why}.`);
}

function walkPicture() {
  const walk = walkVertices();
  if (!walk.length) return {};
  const labels = new Map(walk.map((v, i) => [nameOf(v), [i + 1, `move ${i + 1}`, 'visited']]));
  const best = isHintShown ? bestNext(walk) : null;
  for (const v of nextSquares(walk)) {
    const number = toursLeft(v);
    labels.set(nameOf(v), [number === null ? '' : abbreviate(number), number === null ? 'next square' : tours(number), v === best ? 'best' : 'next']);
  }
  labels.get(nameOf(walk.at(-1)))[0] = '';
  return { labels, lines: tourLines(board, walk, false), knight: board.points[walk.at(-1)] };
}

// Check

async function checkText() {
  clear('check');
  writeLink();
  draw();
  const report = (text, isRight = false) => {
    $('check-result').classList.toggle('error', !isRight);
    $('check-result').textContent = `${isRight ? '\u2713' : '\u2717'} ${text}`;
  };
  const answer = await run({ do: 'check', text: state.text }, 'Checking', report);
  if (!answer) return;
  if (answer.board && setBoard(answer.board)) return loadBoard();
  if (answer.board) return report(`This is a tour of a board of ${answer.board.board ?? 'another shape'}, which this page does not have.`);
  results.check = answer;
  draw();
  if (answer.fault) return report(answer.fault);
  const others = answer.others ? [`Only the first of ${answer.others + 1} tours is checked.`] : [];
  report([`This is ${describe(answer)}, on a board of ${state.rows}x${state.columns}.`, ...others, ...answer.notes].join(' '), true);
  $('check-downloads').hidden = false;
}

// Downloads

async function tourFiles(format, squares, isClosed) {
  return run({ do: 'picture', tour: squares, closed: isClosed, animate: format === 'animation' ? 15 : null }, 'Picture');
}

/** Adds a button for each format. `getFiles` returns the contents of the file as SVG and as CSV. */
function addDownloads(id, formats, name, getFiles) {
  for (const [format, title] of Object.entries(formats)) {
    const button = make('button', { type: 'button' }, `Download ${title}`);
    button.onclick = async () => {
      const [file, files] = [`${name}-${state.rows}x${state.columns}`, await getFiles(format)];
      if (!files) return;
      if (format === 'csv') download(`${file}.csv`, files.csv, 'text/csv');
      else if (format === 'png') download(`${file}.png`, await toPng(files.svg));
      else download(`${file}.svg`, files.svg, 'image/svg+xml');
    };
    $(id).append(button);
  }
}

// Start

async function copyLink() {
  writeLink(0);
  try {
    await navigator.clipboard.writeText(location.href);
    say('The link is copied.');
  } catch {
    say('The browser does not let the page copy. Copy the address of this page.', true);
  }
}

/** Opens the task again after a change of its kind. */
function changeKind() {
  if (state.tab === 'tours') state.number = '';
  refusedWalk = null;
  clear(state.tab);
  openTab(state.tab);
}

function start() {
  const tabs = document.querySelector('[role=tablist]');
  for (const [name, title] of Object.entries(TABS)) {
    const tab = make('button', { type: 'button', id: `tab-${name}`, role: 'tab', 'aria-controls': `panel-${name}` }, title);
    tab.onclick = () => openTab(name);
    tabs.append(tab);
  }
  tabs.onkeydown = ({ key }) => {
    const names = Object.keys(TABS);
    const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!move) return;
    openTab(names[(names.indexOf(state.tab) + move + names.length) % names.length]);
    $(`tab-${state.tab}`).focus();
  };
  const changes = { piece: changeBoard, wrap: changeBoard, symmetry: () => { stop(); clearGallery(); writeLink(); } };
  for (const [id, choices] of Object.entries(CHOICES)) {
    $(id).append(...Object.entries(choices).map(([value, text]) => make('option', { value }, text)));
    $(id).onchange = () => {
      state[id] = $(id).value;
      (changes[id] ?? changeKind)();
    };
  }
  const tourDownload = (tab) => (format) => tourFiles(format, results[tab].squares, results[tab].kind === 'closed');
  addDownloads('count-downloads', { csv: 'CSV' }, 'counts', countFiles);
  addDownloads('tour-downloads', { ...FORMATS, animation: 'animated SVG' }, 'tour', tourDownload('tours'));
  addDownloads('check-downloads', FORMATS, 'tour', tourDownload('check'));
  addDownloads('walk-downloads', FORMATS, 'tour', (format) => tourFiles(format, walkVertices(), kind() === 'closed' && isWalkClosed(walkVertices())));
  addDownloads('heat-downloads', FORMATS, 'heat', heatFiles);

  const clicks = {
    skip: (event) => { event.preventDefault(); $('panels').focus(); },
    restore: () => { state.removed.clear(); changeBoard(); view.focus(); },
    count, play, undo, hint, random: showRandom, check: checkText, 'copy-link': copyLink,
    cancel: () => board && engine.cancel(),
    retry: () => openTab(state.tab),
    previous: () => showNumber(BigInt(state.number || 0) - 1n),
    following: () => showNumber(BigInt(state.number || 0) + 1n),
    'gallery-open': () => { clearGallery(); extendGallery(); },
    'gallery-more': extendGallery,
    restart: () => { state.walk = []; countNext(); },
    example: () => { state.text = EXAMPLE; fillForms(); },
    theme: () => {
      const isDark = getComputedStyle(document.body).backgroundColor === 'rgb(20, 24, 28)';
      document.documentElement.style.colorScheme = isDark ? 'light' : 'dark';
    },
  };
  for (const [id, work] of Object.entries(clicks)) $(id).onclick = work;
  for (const id of ['rows', 'columns']) $(id).onchange = changeBoard;
  $('board-form').onsubmit = (event) => event.preventDefault();
  $('distinct').onchange = () => { state.distinct = $('distinct').checked; changeKind(); };
  $('text').oninput = () => { state.text = $('text').value; writeLink(); };
  $('number').onchange = () => {
    const digits = $('number').value.replace(/[\s,\u202f]/g, '');
    if (/^\d+$/.test(digits)) showNumber(BigInt(digits));
    else say('Write a whole number.', true);
  };
  $('slider').oninput = () => total > 1n && showNumber((BigInt($('slider').value) * (total - 1n)) / sliderScale());
  $('shown').oninput = () => { stopAnimation(); draw(); };
  // A handler that returns false would prevent the action of the key.
  document.onkeydown = ({ key }) => void (key === 'Escape' && clicks.cancel());
  onhashchange = readLink;
  readLink();
}

start();
