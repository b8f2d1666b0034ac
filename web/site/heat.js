// The task Heat map: how many tours use each move.

import { moveLines, view } from './board.js';
import { KINDS } from './choices.js';
import { $, group, makeSvg, makeTable, percent, toCsv } from './page.js';
import { Task } from './task.js';

export const task = new Task('heat', { start, picture, focus, getFiles });

const nameOf = (v) => view.board.names[v];

async function start() {
  const heat = await task.run({ do: 'heat', kind: task.kind }, 'Counting all moves');
  if (!heat) return;
  if (heat.total === '0') return task.say(`This board has no ${KINDS[task.kind].toLowerCase()}.`);
  const shares = heat.moves.map((one) => one[3]);
  task.result = { ...heat, low: Math.min(...shares), high: Math.max(...shares) };
  if (shares.length) {
    $('heat-low').textContent = percent(task.result.low);
    $('heat-high').textContent = percent(task.result.high);
  }
  focus(nameOf(0));
  task.draw();
  const hint = shares.length ? ' Thick lines are moves that many tours use.' : '';
  task.say(`${KINDS[task.kind]}: ${group(heat.total)}.${hint}`);
}

function picture() {
  if (!task.result) return null;
  const { moves, low, high } = task.result;
  const lines = makeSvg('g', { class: 'heat' });
  for (const [v, w, , share] of [...moves].sort((a, b) => a[3] - b[3])) {
    const value = high > low ? (share - low) / (high - low) : 1;
    const color = `color-mix(in oklab, var(--heat-high) ${(100 * value).toFixed(0)}%, var(--heat-low))`;
    const style = `stroke: ${color}; stroke-width: ${0.03 + 0.09 * value}`;
    for (const [x1, y1, x2, y2] of moveLines(view.board, v, w)) {
      lines.append(makeSvg('line', { x1, y1, x2, y2, style }));
    }
  }
  return { lines };
}

/** Shows the numbers of a square. */
function focus(name) {
  const v = view.board?.vertices.get(name);
  if (!task.result || v === undefined) return;
  const { moves, ends, total } = task.result;
  const rows = moves.filter(([a, b]) => a === v || b === v).map(([a, b, number, share]) =>
    [`${name} \u2013 ${nameOf(a === v ? b : a)}`, group(number), percent(share)]);
  if (ends[v]) rows.push(['start or end here', group(ends[v][0]), percent(ends[v][1])]);
  const caption = `Moves at ${name}, of ${group(total)} tours`;
  $('heat-square').replaceChildren(makeTable(caption, ['Move', 'Tours', 'Share'], rows));
}

function getFiles() {
  const rows = task.result.moves.map(([v, w, number, share]) => [nameOf(v), nameOf(w), number, String(share)]);
  return { svg: task.result.svg, csv: toCsv([['from', 'to', 'tours', 'share'], ...rows]) };
}
