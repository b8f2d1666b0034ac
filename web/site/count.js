// The task Count: the numbers of all tours of the board.

import { isOnBoard } from './board.js';
import { $, group, makeTable, seconds } from './page.js';
import { writeLink } from './page_state.js';
import { loadBoard, Task } from './task.js';

/** What the controls asked for when the count began. */
let asked = {};

async function count() {
  task.drop();
  asked = { kind: task.kind(), isDistinct: $('distinct').checked };
  const begin = performance.now();
  const isDistinct = $('distinct').checked;
  const kind = task.kind() === 'all' ? null : task.kind();
  const result = await task.run({ do: 'count', kind, distinct: isDistinct }, 'Counting');
  const heads = ['Kind', 'Tours', 'In both directions', 'Up to symmetry'].slice(0, isDistinct ? 4 : 3);
  const rows = result.rows.map(([name, ...numbers]) => {
    const cells = numbers.map((number) => group(number || '\u2013'));
    return [task.find(`[value=${name}]`).text, ...cells].slice(0, heads.length);
  });
  const table = makeTable(`Counted in ${seconds((performance.now() - begin) / 1000)}`, heads, rows);
  $('count-result').append(table, result.notes.join(' '));
  task.setMessage(`${rows.map(([title, number]) => `${title}: ${number}`).join('; ')}.`);
  task.show(result);
}

/** Returns true while a count runs, and says that it has to be cancelled. */
function isBusy() {
  if (task.job) task.setMessage('Cancel the count before you change what it counts.', true);
  return task.job !== null;
}

/** Removes a square, or puts it back. */
function onPress(name) {
  if (!isOnBoard(name) || isBusy()) return;
  const holes = $('remove').value.split(',').filter(isOnBoard);
  $('remove').value = holes.includes(name) ? holes.filter((other) => other !== name) : [...holes, name];
  loadBoard();
}

function onChange() {
  if (!isBusy()) return task.drop();
  $('count-kind').value = asked.kind;
  $('distinct').checked = asked.isDistinct;
  writeLink();
}

const task = new Task('count', { start: count, isAutomatic: false, onPress, onChange, buttons: { count } });
