// The plots: what a waiter costs when so many others wait.

import { curve } from '../curves.mjs';
import { timed } from '../harness.mjs';
import { allAtOnce } from '../loops.mjs';
import { cancelAll, timeOutTogether } from '../waiters.mjs';

const one = async () => 1;

export const jobs = [
  curve({
    id: 'curve-grant',
    use: 'crowd',
    title: 'one enqueue + grant + call, so many at once through 10 permits',
    unit: 'ns per call',
    act: async ({ make, ...calls }, host, length) => {
      const loop = allAtOnce(calls);
      const it = make({ fn: one });
      return ((await timed(host, length, () => loop(it, one, length))) * length) / 1e6;
    },
  }),
  curve({
    id: 'curve-timeout',
    use: 'waitTimeout',
    title: 'one enqueue + time-out, so many together',
    unit: 'ns per waiter',
    act: timeOutTogether,
  }),
  curve({
    id: 'curve-cancel',
    use: 'waitSignal',
    title: 'one enqueue + cancellation, so many in random order, each by its own signal',
    unit: 'ns per waiter',
    act: cancelAll,
  }),
];
