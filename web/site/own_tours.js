// The tasks Walk and Check: tours of the user, who moves the piece, or pastes a tour in any notation.

import { drawTour, labelTour, moves } from './board.js';
import { boardText, readBoard, setControls, writeLink } from './form.js';
import { $, abbreviate, describeTour, make, tours } from './page.js';
import { loadBoard, loaded, Task } from './task.js';

/** Number of steps of a walk after which a refused count of its tours is tried again. */
const STEPS_TO_RETRY = 6;
/** The board and goal of a refused count, and the length of walks from which on their tours are counted. */
let refused = {};
/** The next squares, with the numbers of tours that they leave, if they are counted. */
let next = [];

const readWalk = () => $('walk').value.split('-').filter(Boolean);
const undo = () => walkTo(readWalk().slice(0, -1));

function step(name) {
  const walk = readWalk();
  const last = walk.at(-1);
  if (!(name in moves)) return;
  if (name === last) return undo();
  if (walk.includes(name)) return walkTask.say(`You have visited ${name} already.`, true);
  if (last && !(name in moves[last])) return walkTask.say(`The piece cannot move from ${last} to ${name}.`, true);
  walkTo([...walk, name]);
}

/** Shows the walk of the link, up to the first square that the piece cannot reach. */
function start() {
  const walk = readWalk();
  const end = walk.findIndex((name, i) => walk.indexOf(name) < i || !(name in (i ? moves[walk[i - 1]] : moves)));
  const fault = `The piece cannot walk on to ${walk[end]}, so the walk of the link ends before it.`;
  if (end >= 0) $('notice').textContent = fault;
  walkTo(end < 0 ? walk : walk.slice(0, end));
}

/** Shows a walk, and counts the tours that each next square leaves. */
async function walkTo(walk) {
  walkTask.drop();
  $('walk').value = walk.join('-');
  writeLink();
  if (!walk.length) return;
  showNext(walk);
  if (walk.length === Object.keys(moves).length) return finish(walk);
  const goal = `${boardText()} ${walkTask.kind()}`;
  if (goal === refused.goal && walk.length < refused.length) {
    return walkTask.say('The tours from here are too many to count. Walk on: later there are fewer.');
  }
  const onFault = () => { refused = { goal, length: walk.length + STEPS_TO_RETRY }; };
  const request = { do: 'next', kind: walkTask.kind(), begin: walk };
  showNext(walk, await walkTask.run(request, 'Counting the tours from here', onFault));
}

/** Describes a complete walk, which is saved as closed if that is the goal. */
async function finish(walk) {
  const isClosed = walk.length > 2 && walk[0] in moves[walk.at(-1)];
  const text = `# ktour ${boardText()} kind=${isClosed ? walkTask.kind() : 'paths'}\n${walk.join(' ')}`;
  walkTask.show(await walkTask.run({ do: 'check', text }, 'Checking'));
  if (isClosed) return walkTask.say('You have walked a closed tour: one more move leads back to the start.');
  walkTask.say(`You have walked an open tour.${walkTask.kind() === 'closed' ? ' Your goal was a closed one.' : ''}`);
}

/** Shows the next squares of a walk with the numbers of tours that they leave, or with their ways on. */
function showNext(walk, counts = null) {
  const free = (from) => Object.keys(moves[from]).filter((name) => !walk.includes(name) && name !== from);
  next = free(walk.at(-1)).map((name) => {
    const [count, ways] = [counts?.squares[name], free(name).length];
    return { name, count, merit: BigInt(count ?? 100 - ways), text: count ? tours(count) : `${ways} ways on` };
  });
  const directions = walkTask.kind() === 'closed' && walk.length === 1 ? ', in both directions' : '';
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
  walkTask.show(null, { labels, drawing: drawTour(walk, false), piece: walk.at(-1) });
}

function hint() {
  const walk = readWalk();
  if (!walk.length) return walkTask.say('Press any square to start.');
  const best = next.reduce((best, one) => (one.merit > best.merit ? one : best), { merit: 0n });
  if (!best.name) return walkTask.say('No tour begins like this: undo a move.', true);
  drawWalk(walk, best.name);
  walkTask.say(`Hint: ${best.name}, because ${best.count ? `it leaves ${best.text}` : 'it has the fewest ways on'}.`);
}

const walkTask = new Task('walk', {
  buttons: { undo, hint, restart: () => walkTo([]) },
  start, press: (name) => loaded.then(() => step(name)),
});

const EXAMPLE = '1 6 15 10 21\n14 9 20 5 16\n19 2 7 22 11\n8 13 24 17 4\n25 18 3 12 23';

function report(text, isError) {
  $('check-result').classList.toggle('error', isError);
  $('check-result').textContent = `${isError ? '\u2717' : '\u2713'} ${text}`;
}

async function check() {
  checkTask.drop();
  const answer = await checkTask.run({ do: 'check', text: $('text').value }, 'Checking');
  const { board, squares, fault, kind, others, notes } = answer;
  if (board) return changeBoard(board);
  if (fault) {
    const labels = squares.map((name) => [name, ['\u2717', 'here the tour breaks', 'wrong']]);
    checkTask.show(answer, { labels: Object.fromEntries(labels) });
    return report(fault, true);
  }
  checkTask.show(answer, { drawing: drawTour(squares, kind === 'closed'), labels: labelTour(squares) });
  const more = others ? [`Only the first of ${others + 1} tours is checked.`, ...notes] : notes;
  report([`This is ${describeTour(answer)}, on a board of ${$('size').value}.`, ...more].join(' '), false);
}

/** Shows the board that the engine has found in the text. Then the text is checked again. */
function changeBoard(found) {
  const before = readBoard();
  if (found.board && !setControls({ wrap: 'none', ...found }).length) return loadBoard();
  setControls(before);
  report(`This is a tour of a board of ${found.board ?? 'another shape'}, which this page does not have.`, true);
}

const checkTask = new Task('check', {
  buttons: { check, example: () => { $('text').value = EXAMPLE; writeLink(); } },
  start: () => $('text').value && check(), change() {},
});
