// Processor times of counts by the module in V8, the engine of Chromium, as JSON: times.js '[["6x6", "all"], ..]'

import { readFileSync } from 'node:fs';
import { instantiate } from '../site/module.js';

const module = new WebAssembly.Module(readFileSync(new URL('../site/ktour.wasm', import.meta.url)));
const call = await instantiate(module, () => {});

/** Counts the tours of a board, in the shortest of several runs. */
function measure([board, kind]) {
  let best = null;
  for (let i = 0; i < 3 && (i === 0 || best.cpu_seconds < 3); i++) {
    const begin = process.cpuUsage();
    const { rows } = call({ do: 'count', board, kind: kind === 'all' ? null : kind, distinct: false }).Ok;
    const { user, system } = process.cpuUsage(begin);
    const tours = Object.fromEntries(rows.map(([kind, number]) => [kind, number]));
    const run = { tours, cpu_seconds: (user + system) / 1e6 };
    if (!best || run.cpu_seconds < best.cpu_seconds) best = run;
  }
  return best;
}

call({ do: 'count', board: '5x5', kind: null, distinct: false });
console.log(JSON.stringify({ engine: `V8 ${process.versions.v8}`, counts: JSON.parse(process.argv[2]).map(measure) }));
