// 3 and 4: waiters that leave the queue by timing out together, or by being cancelled in random
// order.

import { median } from '../harness.mjs';
import { compared, growing } from '../row.mjs';
import { cancelAll, timeOutTogether } from '../waiters.mjs';

const sizes = ({ quick }) => (quick ? [4_000, 16_000, 40_000] : [10_000, 40_000, 100_000]);

/** Milliseconds: a contender that would take longer, if its cost is quadratic, is left out. */
const longest = ({ quick }) => (quick ? 500 : 5_000);

const common = { unit: 'ms', measure: 'whole time' };
const rounds = ({ quick }) => (quick ? 1 : 2);

export const jobs = [
  {
    id: '3',
    use: 'waitTimeout',
    rounds,
    sample: (use, host) => sample(use, host, sizes(host), (count) => timeOutTogether(use, host, count)),
    assemble: timeOuts,
  },
  cancellation('4-own', 'waiters cancelled in random order, each by a signal of its own', { isShared: false }),
  cancellation('4-shared', 'waiters cancelled by one signal', { isShared: true }),
];

function timeOuts(measured, host) {
  const [few, middle, many] = sizes(host);
  const row = {
    ...common,
    work: 'enqueued and answered; the wait itself, during which the thread is kept busy, is not counted',
    options: 'maxConcurrent: 1, in use, maxQueue: 2000000, the same timeoutMs for all',
  };
  // The target is about so many: with fewer, what is quadratic is not so bad.
  const isTooSmall = host.quick;
  const together = { ...row, id: '3-together', title: `${said(middle)} waiters time out together`, calls: middle, isTooSmall };
  const growth = { ...row, id: '3-growth', title: `waiters time out together: ${said(many)} against ${said(few)}` };
  return { rows: measured.flatMap((each) => [compared(together, at(middle, each)), growing(growth, each, few, many)]) };
}

function cancellation(id, title, { isShared }) {
  return {
    id,
    use: 'waitSignal',
    isLong: isShared,
    rounds,
    sample: (use, host) => {
      const [few, , many] = sizes(host);
      // Node looks through all listeners of a signal for each new one.
      const must = isShared ? ['bulkheads'] : ['bulkheads', 'signals alone'];
      return sample(use, host, [few, many], (count) => cancelAll(use, host, count, { isShared }), must);
    },
    assemble: (measured, host) => {
      const [few, , many] = sizes(host);
      const row = {
        ...common,
        id,
        title: `${title}: ${said(many)} against ${said(few)}`,
        work: 'enqueued, cancelled and answered; the signals are there before',
        options: 'maxConcurrent: 1, in use, maxQueue: 2000000, timeoutMs: 3600000',
      };
      return { rows: measured.map((each) => growing(row, each, few, many)) };
    },
  };
}

const said = (count) => count.toLocaleString('en');

/** Milliseconds by count. `must` names whom one waits for, however long it takes. */
async function sample({ name }, host, counts, act, must = ['bulkheads']) {
  const costs = {};
  const [few] = counts;
  await act(few / 10);
  let [last, cost] = [few, await act(few)];
  for (const count of counts) {
    if (!must.includes(name) && cost * (count / last) ** 2 > longest(host)) break;
    const turns = [await act(count)];
    while (turns.length < (count === few ? 5 : 1) && turns[0] < 1_000) turns.push(await act(count));
    [last, cost] = [count, median(turns)];
    costs[count] = cost;
  }
  return { costs, cost: costs[few] ?? cost };
}

/** The samples of one count. */
function at(count, { samples, missing, ...rest }) {
  const known = new Map();
  const unknown = [...missing];
  for (const [name, all] of samples) {
    const costs = all.filter(({ costs: { [count]: cost } }) => cost !== undefined).map(({ costs: { [count]: cost } }) => ({ cost }));
    if (costs.length > 0) known.set(name, costs);
    else unknown.push({ name, why: `too slow: ${Math.round(all[0].cost)} ms for ${Object.keys(all[0].costs)[0] ?? 'the first few'}` });
  }
  return { ...rest, samples: known, missing: unknown };
}
