import pLimit, { limitFunction } from 'p-limit';

const ten = () => pLimit(10);
const note = 'no bound on the queue nor on the wait';
const bounded = {
  shown: 'pLimit(10)(() => fn({ signal: AbortSignal.timeout(60_000) }))',
  make: ten,
  call: 'it(() => fn({ signal: AbortSignal.timeout(60_000) }))',
  note: 'aborts a signal; the caller is not answered if the work ignores it',
};

export const uses = {
  exec: { shown: 'pLimit(10)(fn)', make: ten, call: 'it(fn)' },
  wrap: {
    shown: 'limitFunction(fn, { concurrency: 10 })()',
    make: ({ fn }) => limitFunction(fn, { concurrency: 10 }),
    call: 'it()',
  },
  crowd: { shown: 'pLimit(10)(fn)', make: ten, call: 'it(fn)', note },
  callTimeout: bounded,
  readTimeout: bounded,
  waiting: { shown: 'pLimit(1)(fn)', make: () => pLimit(1), call: 'it(fn)', note },
  map: { shown: 'pLimit(10).map(items, fn)', make: ten, call: 'it.map(items, fn)', note: 'starts all at once and lets them wait' },
};
