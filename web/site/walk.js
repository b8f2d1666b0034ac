// The task Walk: the user moves the piece over the board.

import { drawTour, isOnBoard, labelTour, moves } from './board.js';
import { $, abbreviate, make, tours } from './page.js';
import { boardText, writeLink } from './page_state.js';
import { addNotice, Task } from './task.js';

/** Number of steps of a walk after which a refused count of its tours is tried again. */
const STEPS_TO_RETRY = 6;
/** The board and goal of a refused count, and the length of walks from which on their tours are counted. */
let refusal = {};
/** The next squares, with the numbers of tours that they leave, if they are counted. */
let next = [];

const readWalk = () => $('walk').value.split('-').filter(Boolean);
const isComplete = (walk) => walk.length === Object.keys(moves).length;
const isClosed = (walk) => isComplete(walk) && walk.length > 2 && walk[0] in moves[walk.at(-1)];

function step(name) {
  const walk = readWalk();
  const last = walk.at(-1);
  // The second press of a double click does nothing.
  if (!isOnBoard(name) || name === last) return;
  if (!(name in moves)) task.setMessage(`${name} is removed from the board.`, true);
  else if (isClosed(walk) && name === walk[0]) task.setMessage(`The piece is back on ${name}: the tour is closed.`);
  else if (walk.includes(name)) task.setMessage(`You have visited ${name} already.`, true);
  else if (last && !(name in moves[last])) task.setMessage(`The piece cannot move from ${last} to ${name}.`, true);
  else walkTo([...walk, name]);
}

/** Shows the walk of the link, up to the first square that the piece cannot reach. */
function start() {
  const walk = readWalk();
  const end = walk.findIndex((name, i) => walk.indexOf(name) < i || !(name in (i ? moves[walk[i - 1]] : moves)));
  if (end >= 0) addNotice(`The piece cannot walk on to ${walk[end]}, so the walk of the link ends before it.`);
  walkTo(end < 0 ? walk : walk.slice(0, end));
}

/** Shows a walk, and counts the tours that each next square leaves. */
async function walkTo(walk) {
  task.drop();
  task.hasStarted = true;
  $('walk').value = walk.join('-');
  writeLink();
  if (!walk.length) return;
  $('walk-square').textContent = `Square ${walk.length} of ${Object.keys(moves).length}: ${walk.at(-1)}.`;
  showNext(walk);
  if (isComplete(walk)) return finish(walk);
  if (!next.length)
    return task.setMessage('This is a dead end: the piece has no move to a new square. Undo a move.', true);
  const goal = `${boardText()} ${task.kind()}`;
  if (goal === refusal.goal && walk.length < refusal.length) {
    return task.setMessage('The tours from here are too many to count. Walk on: later there are fewer.');
  }
  const onRefusal = (text) => {
    task.setMessage(`${text} Walk on: later there are fewer.`);
    refusal = { goal, length: walk.length + STEPS_TO_RETRY };
  };
  const request = { do: 'next', kind: task.kind(), begin: walk };
  const counts = await task.run(request, 'Counting the tours from here', { onRefusal });
  const directions = task.kind() === 'closed' && walk.length === 1 ? ', in both directions' : '';
  const isEnd = counts.total === '0';
  const number = `This beginning has ${tours(counts.total)}${directions}.`;
  $('walk-total').textContent = isEnd ? (counts.reason ?? 'No tour begins like this. Undo a move.') : number;
  $('walk-total').classList.toggle('error', isEnd);
  showNext(walk, counts.squares);
}

/** Describes a complete walk, which is saved as closed if that is the goal. */
async function finish(walk) {
  const text = `# ktour ${boardText()} kind=${isClosed(walk) ? task.kind() : 'paths'}\n${walk.join(' ')}`;
  task.show(await task.run({ do: 'check', text }, 'Checking', { isShort: true }));
  const goal = task.kind() === 'closed' ? ' Your goal was a closed one.' : '';
  task.setMessage(
    isClosed(walk)
      ? 'You have walked a closed tour: one more move leads back to the start.'
      : `You have walked an open tour.${goal}`,
  );
}

/** Shows the next squares of a walk with the numbers of tours that they leave, or with their onward moves. */
function showNext(walk, counts = {}) {
  const listFree = (from) => Object.keys(moves[from]).filter((name) => !walk.includes(name) && name !== from);
  next = listFree(walk.at(-1)).map((name) => {
    const [count, onward] = [counts[name], listFree(name).length];
    const text = count ? tours(count) : `${onward} onward ${onward === 1 ? 'move' : 'moves'}`;
    return { name, count, onward, text };
  });
  $('walk-next').replaceChildren(...next.map(({ name, text }) => make('li', {}, `${name}: ${text}`)));
  drawWalk(walk);
}

function drawWalk(walk, best = null) {
  const labels = labelTour(walk, 'visited');
  labels[walk.at(-1)][0] = '';
  for (const { name, count, text } of next) {
    const mark = name === best ? 'best' : 'next';
    labels[name] = count ? [abbreviate(count), text, mark] : ['', `next square, ${text}`, mark];
  }
  task.show(null, { labels, drawing: drawTour(walk, isClosed(walk)), piece: walk.at(-1) });
}

/** Returns the next square with the most tours, or with the fewest onward moves, unless no tour continues there. */
function findBest(walk) {
  const isLast = walk.length + 1 === Object.keys(moves).length;
  const merit = ({ count, onward }) => BigInt(count ?? -onward);
  const candidates = next.filter(({ count, onward }) => (count ? count !== '0' : onward || isLast));
  return candidates.reduce((best, square) => (!best || merit(square) > merit(best) ? square : best), null);
}

function hint() {
  const walk = readWalk();
  if (!walk.length) return task.setMessage('Press any square to start.');
  if (isComplete(walk)) return task.setMessage('The walk is complete.');
  const best = findBest(walk);
  if (!best) return task.setMessage('No tour begins like this: undo a move.', true);
  drawWalk(walk, best.name);
  const reason = best.count ? `it leaves ${best.text}` : 'it has the fewest onward moves';
  task.setMessage(`Hint: ${best.name}, because ${reason}.`);
}

const task = new Task('walk', {
  start,
  onPress: step,
  buttons: { undo: () => walkTo(readWalk().slice(0, -1)), hint, restart: () => walkTo([]) },
});
