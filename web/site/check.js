// The task Check: a pasted tour, in any notation.

import { drawTour, labelTour } from './board.js';
import { readBoard, setControls, writeLink } from './form.js';
import { $, describeTour } from './page.js';
import { loadBoard, Task } from './task.js';

const EXAMPLE = '1 6 15 10 21\n14 9 20 5 16\n19 2 7 22 11\n8 13 24 17 4\n25 18 3 12 23';

const task = new Task('check', { buttons: { check, example }, change() {}, start: () => $('text').value && check() });

function example() {
  $('text').value = EXAMPLE;
  writeLink();
}

function report(text, isRight) {
  $('check-result').classList.toggle('error', !isRight);
  $('check-result').textContent = `${isRight ? '\u2713' : '\u2717'} ${text}`;
}

async function check() {
  task.drop();
  const answer = await task.run({ do: 'check', text: $('text').value }, 'Checking');
  if (!answer) return;
  const { board, squares, fault, kind, others, notes } = answer;
  if (board) return changeBoard(board);
  if (fault) {
    task.show(answer, { labels: Object.fromEntries(squares.map((name) => [name, ['\u2717', 'here the tour breaks', 'wrong']])) });
    return report(fault, false);
  }
  task.show(answer, { drawing: drawTour(squares, kind === 'closed'), labels: labelTour(squares) });
  const more = others ? [`Only the first of ${others + 1} tours is checked.`] : [];
  report([`This is ${describeTour(answer)}, on a board of ${$('size').value}.`, ...more, ...notes].join(' '), true);
}

/** Shows the board that the engine has found in the text. Then the text is checked again. */
function changeBoard(found) {
  const before = readBoard();
  if (found.board && !setControls({ wrap: 'none', ...found }).length) return loadBoard();
  setControls(before);
  report(`This is a tour of a board of ${found.board ?? 'another shape'}, which this page does not have.`, false);
}
