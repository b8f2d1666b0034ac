// The task Walk: the user moves the piece; each next square shows the number of tours that it leaves.

import { drawTour, labelTour, moves } from './board.js';
import { boardText, writeLink } from './form.js';
import { $, abbreviate, make, tours } from './page.js';
import { loaded, Task } from './task.js';

/** Number of steps of a walk after which a refused count of its tours is tried again. */
const STEPS_TO_RETRY = 6;

/** Length of the walks from which on tours are counted, after a refused count. */
let countedLength = 0;
/** The next squares, with the numbers of tours that they leave, if they are counted. */
let next = [];

const task = new Task('walk', {
  buttons: { undo, hint, restart: () => walkTo([]) },
  start, clear: () => { countedLength = 0; }, press: (name) => loaded.then(() => step(name)),
});

const readWalk = () => $('walk').value.split('-').filter(Boolean);

function undo() {
  walkTo(readWalk().slice(0, -1));
}

function step(name) {
  const walk = readWalk();
  const last = walk.at(-1);
  if (!(name in moves)) return;
  if (name === last) return undo();
  if (walk.includes(name)) return task.say(`You have visited ${name} already.`, true);
  if (last && !(name in moves[last])) return task.say(`The piece cannot move from ${last} to ${name}.`, true);
  walkTo([...walk, name]);
}

/** Shows the walk of the link, up to the first square that the piece cannot reach. */
function start() {
  const walk = readWalk();
  const end = walk.findIndex((name, i) => walk.indexOf(name) < i || !(name in (i ? moves[walk[i - 1]] : moves)));
  if (end < 0) return walkTo(walk);
  $('notice').textContent = `The piece cannot walk on to ${walk[end]}, so the walk of the link ends before it.`;
  walkTo(walk.slice(0, end));
}

/** Shows a walk, and counts the tours that each next square leaves. */
async function walkTo(walk) {
  task.drop();
  $('walk').value = walk.join('-');
  writeLink();
  if (!walk.length) return;
  showNext(walk);
  if (walk.length === Object.keys(moves).length) return finish(walk);
  if (walk.length < countedLength) {
    return task.say('The tours from here are too many to count. Walk on: later there are fewer.');
  }
  const counts = await task.run({ do: 'next', kind: task.kind, begin: walk }, 'Counting the tours from here');
  if (counts) showNext(walk, counts);
  else countedLength = walk.length + STEPS_TO_RETRY;
}

/** Describes a complete walk. A closed tour is saved as closed if that is the goal. */
async function finish(walk) {
  const isClosed = walk.length > 2 && walk[0] in moves[walk.at(-1)];
  const text = `# ktour ${boardText()} kind=${isClosed ? task.kind : 'paths'}\n${walk.join(' ')}`;
  task.show(await task.run({ do: 'check', text }, 'Checking'));
  if (isClosed) return task.say('You have walked a closed tour: one more move leads back to the start.');
  task.say(`You have walked an open tour.${task.kind === 'closed' ? ' Your goal was a closed one.' : ''}`);
}

/** Shows the next squares of a walk with the numbers of tours that they leave, or with their ways on. */
function showNext(walk, counts = null) {
  const free = (from) => Object.keys(moves[from]).filter((name) => !walk.includes(name) && name !== from);
  next = free(walk.at(-1)).map((name) => {
    const [count, ways] = [counts?.squares[name], free(name).length];
    return { name, count, merit: BigInt(count ?? 100 - ways), text: count ? tours(count) : `${ways} ways on` };
  });
  const directions = task.kind === 'closed' && walk.length === 1 ? ', in both directions' : '';
  const total = counts ? ` This beginning has ${tours(counts.total)}${directions}.` : '';
  const advice = counts?.total === '0' ? ' Undo a move.' : '';
  const title = `Square ${walk.length} of ${Object.keys(moves).length}: ${walk.at(-1)}.`;
  const items = next.map(({ name, text }) => make('li', {}, `${name}: ${text}`));
  $('walk-result').replaceChildren(make('p', { class: advice && 'error' }, title, total, advice),
    make('ul', { class: 'next-list', 'aria-label': 'Next squares' }, ...items));
  drawWalk(walk);
}

function drawWalk(walk, hinted = null) {
  const labels = labelTour(walk, 'visited');
  labels[walk.at(-1)][0] = '';
  for (const { name, count, text } of next) {
    const mark = name === hinted ? 'best' : 'next';
    labels[name] = count ? [abbreviate(count), text, mark] : ['', 'next square', mark];
  }
  task.show(null, { labels, drawing: drawTour(walk, false), piece: walk.at(-1) });
}

function hint() {
  const walk = readWalk();
  if (!walk.length) return task.say('Press any square to start.');
  const best = next.reduce((best, one) => (one.merit > best.merit ? one : best), { merit: 0n });
  if (!best.name) return task.say('No tour begins like this: undo a move.', true);
  drawWalk(walk, best.name);
  task.say(`Hint: ${best.name}, because ${best.count ? `it leaves ${best.text}` : 'it has the fewest ways on'}.`);
}
