import PQueue from 'p-queue';

const ten = () => new PQueue({ concurrency: 10 });
const one = () => new PQueue({ concurrency: 1 });
const note = 'no bound on the queue nor on the wait';

export const uses = {
  exec: { shown: 'new PQueue({ concurrency: 10 }).add(fn)', make: ten, call: 'it.add(fn)' },
  crowd: { shown: 'new PQueue({ concurrency: 10 }).add(fn)', make: ten, call: 'it.add(fn)', note },
  callTimeout: {
    shown: 'new PQueue({ concurrency: 10, timeout: 60_000 }).add(fn)',
    make: () => new PQueue({ concurrency: 10, timeout: 60_000 }),
    call: 'it.add(fn)',
    note: 'a call that has timed out gives its place away while its work still runs',
  },
  ownSignal: { shown: 'new PQueue({ concurrency: 10 }).add(fn, { signal })', make: ten, call: 'it.add(fn, { signal })' },
  waitTimeout: {
    shown: 'new PQueue({ concurrency: 1 }).add(fn, { signal: AbortSignal.timeout(ms) })',
    make: ({ timeoutMs }) => Object.assign(one(), { bound: timeoutMs }),
    call: 'it.add(fn, { signal: AbortSignal.timeout(it.bound) })',
  },
  waitSignal: { shown: 'new PQueue({ concurrency: 1 }).add(fn, { signal })', make: one, call: 'it.add(fn, { signal })' },
  waiting: { shown: 'new PQueue({ concurrency: 1 }).add(fn)', make: one, call: 'it.add(fn)', note },
};
