// The task Walk: the user moves the piece; each next square shows the number of tours that it leaves.

import { tourLabels, tourLines, view } from './board.js';
import { $, abbreviate, make, tours } from './page.js';
import { squaresOf, state, writeLink } from './state.js';
import { Task } from './task.js';

/** Number of steps of a walk after which a refused count of its tours is tried again. */
const STEPS_TO_RETRY = 6;

/** Length of the walks from which on tours are counted, after a refused count. */
let countedLength = 0;
let isHintShown = false;

export const task = new Task('walk', {
  help: 'Press the next square.', buttons: { undo, hint, restart: () => walkTo([]) },
  start, clear: () => { countedLength = 0; }, press: step, picture, getTour,
});

const nameOf = (v) => view.board.names[v];
const isClosed = (walk) => walk.length > 2 && view.board.moves[walk.at(-1)].includes(walk[0]);
const isComplete = (walk) => walk.length > 0 && walk.length === view.board.names.length;
const nextSquares = (walk, v = walk.at(-1)) => view.board.moves[v].filter((w) => !walk.includes(w) && w !== v);

/** Returns the vertices of the walk in the state, up to the first square that the piece cannot reach. */
function readWalk() {
  const walk = [];
  for (const name of squaresOf(state.walk, '-')) {
    const v = view.board.vertices.get(name);
    if (v === undefined || walk.includes(v) || (walk.length && !view.board.moves[walk.at(-1)].includes(v))) break;
    walk.push(v);
  }
  return walk;
}

async function undo() {
  await view.loaded;
  walkTo(readWalk().slice(0, -1));
}

async function step(name) {
  await view.loaded;
  const walk = readWalk();
  const v = view.board.vertices.get(name);
  if (v === undefined) return;
  if (walk.at(-1) === v) return undo();
  if (walk.includes(v)) return task.say(`You have visited ${name} already.`, true);
  if (walk.length && !view.board.moves[walk.at(-1)].includes(v)) {
    return task.say(`The piece cannot move from ${nameOf(walk.at(-1))} to ${name}.`, true);
  }
  walkTo([...walk, v]);
}

/** Shows the walk of the state, and reports if it is not one. */
function start() {
  const walk = readWalk();
  const fault = squaresOf(state.walk, '-')[walk.length];
  if (fault) $('notice').textContent = `The piece cannot walk on to ${fault}, so the walk of the link ends before it.`;
  walkTo(walk);
}

/** Shows a walk, and counts the tours that each next square leaves. */
async function walkTo(walk) {
  task.drop();
  state.walk = walk.map(nameOf).join('-');
  isHintShown = false;
  writeLink();
  task.draw();
  if (!walk.length) return;
  if (isComplete(walk)) return task.say(describeComplete(walk));
  if (walk.length < countedLength) {
    showNext(walk);
    return task.say('The tours from here are too many to count. Walk on: later there are fewer.');
  }
  const answer = await task.run({ do: 'next', kind: task.kind, begin: walk }, 'Counting the tours from here');
  if (answer) task.result = { ...answer, squares: new Map(answer.squares) };
  else if (task.message.isError) countedLength = walk.length + STEPS_TO_RETRY;
  showNext(walk);
}

/** Returns the tour that is walked, or null. A closed one is saved as closed if that is the goal. */
function getTour() {
  const walk = readWalk();
  return isComplete(walk) ? { squares: walk, kind: isClosed(walk) ? task.kind : 'open' } : null;
}

function describeComplete(walk) {
  if (isClosed(walk)) return 'You have walked a closed tour: one more move leads back to the start.';
  return `You have walked an open tour.${task.kind === 'closed' ? ' Your goal was a closed one.' : ''}`;
}

/** Returns the number of tours that a next square leaves, or null if they are not counted. */
const toursLeft = (v) => (task.result ? task.result.squares.get(v) ?? '0' : null);
/** Returns what is good about going to a square: the tours that it leaves, or few ways on. */
const merit = (walk, v) => BigInt(toursLeft(v) ?? 100 - nextSquares(walk, v).length);

/** Lists the next squares of a walk, with the tours that they leave, or with their ways on. */
function showNext(walk) {
  const total = task.result?.total;
  const ways = (v) => (total ? tours(toursLeft(v)) : `${nextSquares(walk, v).length} ways on`);
  const list = nextSquares(walk).map((v) => make('li', {}, `${nameOf(v)}: ${ways(v)}`));
  const title = `Square ${walk.length} of ${view.board.names.length}: ${nameOf(walk.at(-1))}.`;
  const directions = task.kind === 'closed' && walk.length === 1 ? ', in both directions' : '';
  const text = total ? `${title} This beginning has ${tours(total)}${directions}.` : title;
  const advice = total === '0' ? ' Undo a move.' : '';
  const items = make('ul', { className: 'next-list', 'aria-label': 'Next squares' }, ...list);
  $('walk-result').replaceChildren(make('p', { className: advice && 'error' }, text, advice), items);
  task.draw();
}

/** Returns the next square with the largest merit, or null. */
function findBest(walk) {
  const better = (best, v) => (best === null || merit(walk, v) > merit(walk, best) ? v : best);
  return nextSquares(walk).reduce(better, null);
}

function hint() {
  if (!view.board) return;
  const walk = readWalk();
  if (!walk.length) return task.say('Press any square to start.');
  const best = findBest(walk);
  if (best === null || merit(walk, best) === 0n) return task.say('No tour begins like this: undo a move.', true);
  isHintShown = true;
  task.draw();
  const reason = task.result ? `it leaves ${tours(toursLeft(best))}` : 'it has the fewest ways on';
  task.say(`Hint: ${nameOf(best)}, because ${reason}.`);
}

function picture() {
  const walk = readWalk();
  if (!walk.length) return null;
  const labels = tourLabels(walk, 'visited');
  const best = isHintShown ? findBest(walk) : null;
  for (const v of nextSquares(walk)) {
    const number = toursLeft(v);
    const mark = v === best ? 'best' : 'next';
    labels.set(v, number === null ? ['', 'next square', mark] : [abbreviate(number), tours(number), mark]);
  }
  labels.get(walk.at(-1))[0] = '';
  return { labels, lines: tourLines(view.board, walk, false), knight: walk.at(-1) };
}
