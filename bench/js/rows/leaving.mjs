// 3 and 4: waiters that leave the queue by timing out together, or by being cancelled in random order.

import { median } from '../harness.mjs';
import { compared, growing } from '../row.mjs';
import { cancelAll, timeOutTogether } from '../waiters.mjs';

const SMALL = 10_000;
const MIDDLE = 40_000;
const LARGE = 100_000;

/** Milliseconds: whoever would take longer, if its cost is quadratic, is not waited for. */
const longest = ({ quick }) => (quick ? 1_500 : 5_000);

const common = { unit: 'ms', measure: 'whole time' };

export const jobs = [
  {
    id: '3',
    use: 'waitTimeout',
    rounds: ({ quick }) => (quick ? 1 : 2),
    sample: (use, host) => sample(use, host, [SMALL, MIDDLE, LARGE], (count) => timeOutTogether(use, host, count)),
    assemble: (measured) => {
      const options = 'maxConcurrent: 1, in use, maxQueue: 2000000, the same timeoutMs for all';
      const work = 'enqueued and answered; the wait itself, during which the thread is kept busy, is not counted';
      const row = { ...common, work, options };
      return {
        rows: measured.flatMap((each) => [
          compared({ ...row, id: '3-together', title: '40,000 waiters time out together', calls: MIDDLE, target: 0.05 }, at(MIDDLE, each)),
          growing({ ...row, id: '3-growth', title: 'waiters time out together: 100,000 against 10,000', target: 12 }, each, SMALL, LARGE),
        ]),
      };
    },
  },
  cancellation('4-own', 'waiters cancelled in random order, each by a signal of its own: 100,000 against 10,000', false),
  cancellation('4-shared', 'waiters cancelled by one signal: 100,000 against 10,000', true),
];

function cancellation(id, title, isShared) {
  const work = 'enqueued, cancelled and answered; the signals are there before';
  const row = { ...common, id, title, work, options: 'maxConcurrent: 1, in use, maxQueue: 2000000, timeoutMs: 3600000', target: 12 };
  return {
    id,
    use: 'waitSignal',
    rounds: ({ quick }) => (quick ? 1 : 2),
    sample: (use, host) => sample(use, host, [SMALL, LARGE], (count) => cancelAll(use, host, count, { isShared })),
    assemble: (measured) => ({ rows: measured.map((each) => growing(row, each, SMALL, LARGE)) }),
  };
}

/** Milliseconds by count. */
async function sample({ name }, host, counts, act) {
  const costs = {};
  await act(SMALL / 10);
  let [last, cost] = [SMALL, await act(SMALL)];
  for (const count of counts) {
    if (name !== 'bulkheads' && cost * (count / last) ** 2 > longest(host)) break;
    const turns = [await act(count)];
    while (turns.length < (count === SMALL ? 5 : 2) && turns[0] < 1_000) turns.push(await act(count));
    [last, cost] = [count, median(turns)];
    costs[count] = cost;
  }
  return { costs, cost: costs[SMALL] ?? cost };
}

/** The samples of one count. */
function at(count, { samples, missing, ...rest }) {
  const known = new Map();
  const unknown = [...missing];
  for (const [name, all] of samples) {
    const costs = all.filter(({ costs: { [count]: cost } }) => cost !== undefined).map(({ costs: { [count]: cost } }) => ({ cost }));
    if (costs.length > 0) known.set(name, costs);
    else unknown.push({ name, why: `too slow: ${Math.round(all[0].cost)} ms for ${SMALL}` });
  }
  return { ...rest, samples: known, missing: unknown };
}
