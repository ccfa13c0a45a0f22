// 6: a call that is rejected because there is no capacity.

import { alternately, median } from '../harness.mjs';
import { once, rejectedOneAfterAnother } from '../loops.mjs';
import { compared } from '../row.mjs';

const CALLS = 40_000;

const ROW = {
  id: '6',
  title: 'a rejected call (full)',
  unit: 'ns per call',
  measure: 'whole time',
  work: 'try { await call } catch {}, one after another',
  options: 'maxConcurrent: 1, in use',
  calls: CALLS,
  rivals: ['cockatiel'],
};

export const jobs = [
  {
    id: '6',
    use: 'full',
    rounds: ({ quick }) => (quick ? 1 : 4),
    sample,
    assemble: (measured) => ({ rows: measured.map((each) => compared(ROW, each)) }),
  },
];

async function sample({ name, make, ...calls }, host) {
  const fn = async () => 1;
  const it = make({ fn });
  const loop = rejectedOneAfterAnother(calls);
  void once(calls)(it, () => new Promise(() => {}));
  await host.nextTurn();
  const section = async (count) => {
    const rejected = await loop(it, fn, count);
    if (rejected !== count) throw new Error(`${name} has rejected ${rejected} of ${count}`);
  };
  const costs = await alternately(host, CALLS, [section]);
  return { cost: median(costs.flat()) };
}
