// The task Heat map: how many tours use each move.

import { drawMove, moves } from './board.js';
import { $, group, make, makeTable, percent } from './page.js';
import { Task } from './task.js';

const task = new Task('heat', { start, focus });
/** The colours and their shares. */
let legend = null;

async function start() {
  const heat = await task.run({ do: 'heat', kind: task.kind }, 'Counting all moves');
  if (!heat) return;
  const title = $('heat-kind').selectedOptions[0].text;
  if (heat.total === '0') return task.say(`This board has no ${title.toLowerCase()}.`);
  const sorted = heat.moves.toSorted((a, b) => a[3] - b[3]);
  const [low, high] = [sorted[0], sorted.at(-1)].map((move) => move?.[3]);
  const lines = sorted.map(([from, to, , share]) =>
    drawMove(from, to, `--heat: ${high > low ? (share - low) / (high - low) : 1}`));
  const ramp = make('span', { class: 'ramp', 'aria-hidden': true });
  legend = make('p', { id: 'heat-legend' }, ...(lines.length ? [percent(low), ramp, percent(high)] : []));
  task.show(heat, { drawing: make('g', { class: 'heat' }, ...lines) });
  focus(Object.keys(moves)[0]);
  task.say(`${title}: ${group(heat.total)}.${lines.length ? ' Thick lines are moves that many tours use.' : ''}`);
}

/** Shows the numbers of a square. */
function focus(name) {
  if (!task.result || !(name in moves)) return;
  const { ends, total } = task.result;
  const used = task.result.moves.filter(([from, to]) => from === name || to === name);
  const rows = used.map(([from, to, ...numbers]) => [`${name} \u2013 ${from === name ? to : from}`, ...numbers]);
  if (ends[name]) rows.push(['start or end here', ...ends[name]]);
  const cells = rows.map(([head, number, share]) => [head, group(number), percent(share)]);
  const table = makeTable(`Moves at ${name}, of ${group(total)} tours`, ['Move', 'Tours', 'Share'], cells);
  $('heat-square').replaceChildren(legend, table);
}
