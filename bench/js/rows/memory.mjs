// 5: what a waiting call holds in memory.

import { kept, once } from '../loops.mjs';
import { absolute, compared } from '../row.mjs';

const never = () => new Promise(() => {});
const waiting = ({ quick }) => (quick ? 50_000 : 200_000);

export const jobs = [{ id: '5', use: 'waiting', rounds: () => 1, sample, assemble }];

async function sample({ name, make, atMost = Infinity, ...calls }, host) {
  const loop = kept(calls);
  const it = make({ fn: never });
  once(calls)(it, never).catch(() => {});
  loop(it, never, new Array(1_000));
  const held = new Array(Math.min(waiting(host), atMost)).fill(null);
  const before = await memory(host);
  loop(it, never, held);
  const after = await memory(host);
  const more = (part) => (after[part] - before[part]) / held.length;
  // WebAssembly's memory is counted as external; what an addon allocates is counted nowhere, but it
  // is resident.
  const isNative = name === 'bulkheads' && host.engine === 'native';
  const engine = isNative ? Math.max(0, more('rss') - more('heapTotal') - more('external')) : 0;
  return { cost: more('heapUsed') + more('external') + engine };
}

async function memory(host) {
  for (let turn = 0; turn < 2; turn += 1) {
    await host.nextTurn();
    host.fullGc();
  }
  return process.memoryUsage();
}

/** The target is a figure, which stands where others have their ratio. */
function assemble(measured, host) {
  const row = {
    id: '5',
    title: 'memory of a waiting call with its time-out',
    unit: 'bytes per waiting call',
    measure: 'heap + external + engine',
    work: `${waiting(host).toLocaleString('en')} calls waiting, all garbage collected`,
    options: 'maxConcurrent: 1, in use, maxQueue: 2000000, timeoutMs: 3600000',
    calls: waiting(host),
  };
  return { rows: measured.map((each) => absolute(compared(row, each))) };
}
