// The task Heat map: the number of tours that use each move.

import { drawMove, moves } from './board.js';
import { $, group, make, makeTable, percent, tours } from './page.js';
import { Task } from './task.js';

async function start() {
  const heat = await task.run({ do: 'heat', kind: task.kind() }, 'Counting all moves');
  const rows = heat.rows.filter(([, to]) => to).sort((a, b) => a[3] - b[3]);
  const [low, high] = [rows[0], rows.at(-1)].map((row) => row?.[3]);
  const drawRow = ([from, to, , share]) =>
    drawMove(from, to, `--heat: ${high > low ? (share - low) / (high - low) : 1}`);
  const ramp = make('span', { class: 'ramp', 'aria-hidden': true });
  heat.legend = rows.length ? make('p', { class: 'legend' }, percent(low), ramp, percent(high)) : '';
  const labels = Object.keys(moves).map((name) => [name, ['', describeUses(heat, name), '']]);
  task.show(heat, {
    drawing: make('g', { class: 'heat' }, ...rows.map(drawRow)),
    labels: Object.fromEntries(labels),
  });
  showUses(Object.keys(moves)[0]);
  const hint = rows.length ? ' Thick lines are moves that many tours use.' : '';
  task.setMessage(`${$('heat-kind').selectedOptions[0].text}: ${group(heat.total)}.${hint}`);
}

/** Returns the moves of a square, and its use as an end: each with the number and the share of tours. */
function listUses({ rows }, name) {
  return rows
    .filter(([from, to]) => from === name || to === name)
    .map(([from, to, number, share]) => ({ other: from === name ? to : from, number, share }));
}

const describeUses = (heat, name) =>
  listUses(heat, name)
    .map(({ other, share }) => `${other ? `move to ${other}` : 'start or end'} ${percent(share)}`)
    .join(', ');

/** Shows the numbers of tours that use the moves of a square. */
function showUses(name) {
  if (!task.result || !(name in moves)) return;
  const { legend, total } = task.result;
  const rows = listUses(task.result, name).map(({ other, number, share }) => [
    other ? `${name} \u2013 ${other}` : 'start or end here',
    group(number),
    percent(share),
  ]);
  const table = makeTable(`Moves at ${name}, of ${tours(total)}`, ['Move', 'Tours', 'Share'], rows);
  $('heat-square').replaceChildren(legend, table);
}

const task = new Task('heat', { start, onFocus: showUses });
