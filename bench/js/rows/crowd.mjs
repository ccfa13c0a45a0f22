// 2 and 2b: a crowd of calls at once, through few permits.

import { contextRemark } from '../context.mjs';
import { median, timed } from '../harness.mjs';
import { allAtOnce } from '../loops.mjs';
import { compared } from '../row.mjs';

/**
 * Nanoseconds: a contender that would take longer is left out; one that takes long is measured
 * once.
 */
const LONGEST = 8e9;
const LONG = 2e9;

const one = async () => 1;

export const jobs = [
  job({ id: '2', title: '100,000 calls at once through 10 permits', fn: () => one, work: 'async () => 1' }),
  job({
    id: '2b',
    title: '100,000 calls at once through 10 permits, work that takes a turn',
    fn: (host) => host.nextTurn,
    work: 'waits for one turn of the event loop (setImmediate, in a browser a message)',
  }),
];

function job({ fn, ...row }) {
  const crowd = ({ quick }) => (quick ? 20_000 : 100_000);
  return {
    id: row.id,
    use: 'crowd',
    everyRuntime: true,
    rounds: ({ quick }) => (quick ? 1 : 3),
    sample: async (use, host) => {
      const { name, make, ...calls } = use;
      const loop = allAtOnce(calls);
      const work = fn(host);
      const figures = await sample(name, host, crowd(host), (count) => loop(make({ fn: work }), work, count));
      return { ...figures, remark: await contextRemark(use, host) };
    },
    assemble: (measured, host) => {
      const options = 'maxConcurrent: 10, maxQueue: 2000000, timeoutMs: 60000';
      const known = { ...row, unit: 'ns per call', measure: 'whole time', options, calls: crowd(host) };
      return { rows: measured.map((each) => compared(known, each)) };
    },
  };
}

async function sample(name, host, calls, act) {
  for (const some of [100, calls / 100, calls / 10]) {
    const cost = await timed(host, some, () => act(some));
    // The first ones are far from as fast as it gets.
    const isTooSlow = cost * calls > LONGEST * (some < calls / 10 ? 10 : 1);
    if (isTooSlow && name !== 'bulkheads') return { missing: `too slow: ${Math.round(cost / 1000)} µs per call with ${some} at once` };
  }
  const first = await timed(host, calls, () => act(calls));
  if (first * calls > LONG) return { cost: first };
  const costs = [];
  for (let turn = 0; turn < (host.quick ? 1 : 2); turn += 1) costs.push(await timed(host, calls, () => act(calls)));
  return { cost: median(costs) };
}
