// The task Count: the numbers of all tours of the board.

import { $, group, makeTable, seconds } from './page.js';
import { Task } from './task.js';

async function count() {
  task.drop();
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

const task = new Task('count', { start: count, isAutomatic: false, buttons: { count } });
