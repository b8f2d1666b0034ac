// The task Count: the numbers of tours of the board.

import { KINDS } from './choices.js';
import { $, group, make, makeTable, seconds, toCsv } from './page.js';
import { boardText, state } from './state.js';
import { Task } from './task.js';

const HELP = 'A closed tour returns to its first square with one more move; an open tour cannot. All paths are both: '
  + 'a closed tour is a path from each of its squares.';

export const task = new Task('count', {
  help: 'Press a square to remove it.', buttons: { count }, formats: ['csv'], getFiles,
});

async function count() {
  // A second press must not start a count again.
  if (task.isRunning) return;
  task.drop();
  const kind = task.kind === 'all' ? null : task.kind;
  const answer = await task.run({ do: 'count', kind, distinct: state.distinct === 'yes' }, 'Counting');
  if (!answer) return;
  task.result = answer;
  const number = (text) => (text === null ? '\u2013' : group(text));
  const end = state.distinct === 'yes' ? 4 : 3;
  const heads = ['Kind', 'Tours', 'In both directions', 'Up to symmetry'].slice(0, end);
  const rows = answer.rows.map(({ kind, undirected, directed, distinct }) =>
    [KINDS[kind], number(undirected), number(directed), number(distinct)].slice(0, end));
  const table = makeTable(`Counted in ${seconds(answer.seconds)}`, heads, rows);
  const hint = make('p', { className: 'hint' }, answer.note ?? HELP);
  $('count-result').append(make('div', { className: 'scroll' }, table), hint);
  task.say(rows.map(([kind, tours]) => `${kind}: ${tours}`).join('; ') + '.');
  task.draw();
}

function getFiles() {
  const rows = task.result.rows.map((row) => [boardText(), row.kind, row.undirected, row.directed, row.distinct ?? '']);
  return { csv: toCsv([['board', 'kind', 'undirected', 'directed', 'distinct'], ...rows]) };
}
