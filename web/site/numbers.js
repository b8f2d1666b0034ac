// The tasks Count and Heat map: the numbers of all tours of the board.

import { drawMove, moves } from './board.js';
import { $, group, make, makeTable, percent, seconds } from './page.js';
import { Task } from './task.js';

const countTask = new Task('count', { buttons: { count } });
const heatTask = new Task('heat', { start: drawHeatMap, focus: showUses });

async function count() {
  // A second press must not start a count again.
  if (countTask.job) return;
  countTask.drop();
  const begin = performance.now();
  const isDistinct = $('distinct').checked;
  const kind = countTask.kind() === 'all' ? null : countTask.kind();
  const result = await countTask.run({ do: 'count', kind, distinct: isDistinct }, 'Counting');
  const heads = ['Kind', 'Tours', 'In both directions', 'Up to symmetry'].slice(0, isDistinct ? 4 : 3);
  const rows = result.rows.map(([kind, ...numbers]) => {
    const cells = numbers.map((number) => group(number || '\u2013'));
    return [countTask.find(`[value=${kind}]`).text, ...cells].slice(0, heads.length);
  });
  const table = makeTable(`Counted in ${seconds((performance.now() - begin) / 1000)}`, heads, rows);
  $('count-result').append(table, result.note ?? '');
  countTask.say(rows.map(([title, number]) => `${title}: ${number}`).join('; ') + '.');
  countTask.show(result);
}

async function drawHeatMap() {
  const heat = await heatTask.run({ do: 'heat', kind: heatTask.kind() }, 'Counting all moves');
  const used = heat.rows.filter(([, to]) => to).sort((a, b) => a[3] - b[3]);
  const [low, high] = [used[0], used.at(-1)].map((row) => row?.[3]);
  const lines = used.map(([from, to, , share]) =>
    drawMove(from, to, `--heat: ${high > low ? (share - low) / (high - low) : 1}`));
  const ramp = make('span', { class: 'ramp', 'aria-hidden': true });
  heat.legend = lines.length ? make('p', { class: 'legend' }, percent(low), ramp, percent(high)) : '';
  heatTask.show(heat, { drawing: make('g', { class: 'heat' }, ...lines) });
  showUses(Object.keys(moves)[0]);
  const hint = lines.length ? ' Thick lines are moves that many tours use.' : '';
  heatTask.say(`${$('heat-kind').selectedOptions[0].text}: ${group(heat.total)}.${hint}`);
}

/** Shows the numbers of tours that use the moves of a square. */
function showUses(name) {
  if (!heatTask.result || !(name in moves)) return;
  const { legend, total } = heatTask.result;
  const used = heatTask.result.rows.filter(([from, to]) => from === name || to === name);
  const rows = used.map(([from, to, number, share]) => {
    const head = to ? `${name} \u2013 ${from === name ? to : from}` : 'start or end here';
    return [head, group(number), percent(share)];
  });
  const table = makeTable(`Moves at ${name}, of ${group(total)} tours`, ['Move', 'Tours', 'Share'], rows);
  $('heat-square').replaceChildren(legend, table);
}
