// The task Check: a pasted tour, in any notation.

import { tourLabels, tourLines, view } from './board.js';
import { describeTour } from './choices.js';
import { $ } from './page.js';
import { fillControls, readFields, state, writeLink } from './state.js';
import { loadBoard, Task } from './task.js';

const EXAMPLE = '1 6 15 10 21\n14 9 20 5 16\n19 2 7 22 11\n8 13 24 17 4\n25 18 3 12 23';

export const task = new Task('check', {
  buttons: { check, example }, change: () => writeLink(), picture, start: () => state.text && check(),
  getTour: () => (task.result?.fault ? null : task.result),
});

function example() {
  state.text = EXAMPLE;
  fillControls();
  writeLink();
}

function report(text, isRight) {
  $('check-result').classList.toggle('error', !isRight);
  $('check-result').textContent = `${isRight ? '\u2713' : '\u2717'} ${text}`;
}

async function check() {
  task.drop();
  task.draw();
  const answer = await task.run({ do: 'check', text: state.text }, 'Checking');
  if (!answer) return;
  if (answer.board) return showOnBoard(answer.board);
  task.result = answer;
  task.draw();
  if (answer.fault) return report(answer.fault, false);
  const others = answer.others ? [`Only the first of ${answer.others + 1} tours is checked.`] : [];
  const tour = `This is ${describeTour(answer)}, on a board of ${state.size}.`;
  report([tour, ...others, ...answer.notes].join(' '), true);
}

/** Shows the text on the board that the engine has found in it. Then it is checked again. */
function showOnBoard(board) {
  const { values, faults } = readFields(board);
  if (faults.length || !board.board) {
    return report(`This is a tour of a board of ${board.board ?? 'another shape'}, which this page does not have.`, false);
  }
  Object.assign(state, { piece: '1,2', wrap: 'none', remove: '', tour: '', walk: '' }, values, { task: 'check' });
  loadBoard();
}

function picture() {
  const { squares, kind, fault } = task.result ?? {};
  if (fault) return { labels: new Map(squares.map((v) => [v, ['\u2717', 'here the tour breaks', 'wrong']])) };
  return squares && { lines: tourLines(view.board, squares, kind === 'closed'), labels: tourLabels(squares) };
}
