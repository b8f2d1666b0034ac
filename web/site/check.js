// The task Check: a tour that the user pastes in any notation.

import { drawTour, labelTour } from './board.js';
import { $, describeTour } from './page.js';
import { describeBoard, readWords, setControls, writeLink } from './page_state.js';
import { addNotice, loadBoard, Task } from './task.js';

const EXAMPLE = '1 6 15 10 21\n14 9 20 5 16\n19 2 7 22 11\n8 13 24 17 4\n25 18 3 12 23';

function report(text, isError) {
  $('check-result').classList.toggle('error', isError);
  $('check-result').textContent = `${isError ? '\u2717' : '\u2713'} ${text}`;
}

async function check() {
  task.drop();
  task.hasStarted = true;
  const answer = await task.run({ do: 'check', text: $('text').value }, 'Checking', { isShort: true });
  const { board, squares, fault, kind, others, notes } = answer;
  if (board) {
    showBoard(board);
  } else if (fault) {
    const labels = squares.map((name) => [name, ['\u2717', 'here the tour breaks', 'wrong']]);
    task.show(answer, { labels: Object.fromEntries(labels) });
    report(fault, true);
  } else {
    task.show(answer, { drawing: drawTour(squares, kind === 'closed'), labels: labelTour(squares) });
    const more = others ? [`Only the first of ${others + 1} tours is checked.`, ...notes] : notes;
    report([`This is ${describeTour(answer)}, on a board of ${$('size').value}.`, ...more].join(' '), false);
  }
}

/** Shows the board that the engine has found in the text. Then the text is checked again. */
function showBoard(words) {
  const { values, faults } = readWords({ wrap: 'none', ...words });
  if (!words.board || faults.length) {
    report(`The text is of a board that this page does not have: ${faults.join(' ') || 'it has no size'}.`, true);
  } else if (Task.all.count.job) {
    report('The text is of another board. Cancel the count before you check it.', true);
  } else {
    const before = describeBoard();
    setControls(values);
    loadBoard();
    addNotice(`The board is now ${describeBoard()}, as in the text. It was ${before}.`, false);
  }
}

/** Drops the verdict on the text before. */
function dropVerdict() {
  task.drop();
  writeLink();
}

function pasteExample() {
  $('text').value = EXAMPLE;
  dropVerdict();
}

const task = new Task('check', {
  start: () => $('text').value && check(),
  onChange() {},
  buttons: {
    check() {
      $('notice').replaceChildren();
      check();
    },
    example: pasteExample,
  },
});

$('text').oninput = dropVerdict;
