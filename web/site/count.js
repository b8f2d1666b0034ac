// The task Count: the numbers of tours of the board.

import { $, group, make, makeTable, seconds } from './page.js';
import { Task } from './task.js';

const HELP = 'A closed tour returns to its first square with one more move; an open tour cannot. All paths are both: '
  + 'a closed tour is a path from each of its squares.';

const task = new Task('count', { buttons: { count } });

async function count() {
  // A second press must not start a count again.
  if (task.job) return;
  task.drop();
  const begin = performance.now();
  const kind = task.kind === 'all' ? null : task.kind;
  const result = await task.run({ do: 'count', kind, distinct: $('distinct').checked }, 'Counting');
  if (!result) return;
  const heads = ['Kind', 'Tours', 'In both directions', 'Up to symmetry'].slice(0, $('distinct').checked ? 4 : 3);
  const titleOf = (kind) => $('count-kind').querySelector(`[value=${kind}]`).text;
  const rows = result.rows.map(([kind, ...numbers]) =>
    [titleOf(kind), ...numbers.map((number) => group(number || '\u2013'))].slice(0, heads.length));
  const table = makeTable(`Counted in ${seconds((performance.now() - begin) / 1000)}`, heads, rows);
  $('count-result').append(table, make('p', { class: 'hint' }, result.note ?? HELP));
  task.say(rows.map(([title, number]) => `${title}: ${number}`).join('; ') + '.');
  task.show(result);
}
