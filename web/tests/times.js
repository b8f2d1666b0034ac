// Processor times of counts by the module, in Node.js, and by the program with one thread: node web/tests/times.js

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const program = process.env.KTOUR ?? new URL('../../target/release/ktour', import.meta.url).pathname;
const host = { now: () => performance.now(), progress() {}, fail() {} };
const module = readFileSync(new URL('../site/ktour.wasm', import.meta.url));
const { exports } = (await WebAssembly.instantiate(module, { host })).instance;

function call(request) {
  const bytes = Buffer.from(JSON.stringify(request));
  const address = exports.allocate(bytes.length) >>> 0;
  new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes);
  const answer = BigInt.asUintN(64, exports.call(address, bytes.length));
  return JSON.parse(Buffer.from(exports.memory.buffer, Number(answer >> 32n), Number(answer & 0xffffffffn)).toString());
}

/** Returns the processor seconds that the children of this process have used. */
function programSeconds(words) {
  const script = '/usr/bin/env time -f %U "$@" 2>&1 >/dev/null | tail -n 1';
  return Number(execFileSync('bash', ['-c', script, 'bash', program, ...words], { encoding: 'utf8' }));
}

call({ do: 'count', board: '5x5', kind: null, distinct: false });
for (const [board, kind] of [['6x6', null], ['6x8', 'closed'], ['7x8', 'closed'], ['8x8', 'closed']]) {
  const begin = process.cpuUsage();
  const { rows } = call({ do: 'count', board, kind, distinct: false }).ok;
  const used = process.cpuUsage(begin);
  const seconds = (used.user + used.system) / 1e6;
  const native = programSeconds(['count', board, ...(kind ? ['--kind', kind] : []), '--threads', '1', '--progress', 'none']);
  console.log(`${board} ${kind ?? 'all kinds'}: ${rows.at(-1).undirected} tours, module ${seconds.toFixed(2)} s, program ${native.toFixed(2)} s`);
}
