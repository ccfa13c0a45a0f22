import Bottleneck from 'bottleneck';

const ten = () => new Bottleneck({ maxConcurrent: 10 });

export const uses = {
  exec: { shown: 'new Bottleneck({ maxConcurrent: 10 }).schedule(fn)', make: ten, call: 'it.schedule(fn)' },
  wrap: { shown: 'new Bottleneck({ maxConcurrent: 10 }).wrap(fn)()', make: ({ fn }) => ten().wrap(fn), call: 'it()' },
  crowd: { shown: 'new Bottleneck({ maxConcurrent: 10 }).schedule(fn)', make: ten, call: 'it.schedule(fn)', note: 'no bound on the wait' },
  callTimeout: {
    shown: 'new Bottleneck({ maxConcurrent: 10 }).schedule({ expiration: 60_000 }, fn)',
    make: ten,
    call: 'it.schedule({ expiration: 60_000 }, fn)',
    note: 'a call that has timed out gives its place away while its work still runs',
  },
  full: {
    shown: 'new Bottleneck({ maxConcurrent: 1, highWater: 0, strategy: Bottleneck.strategy.OVERFLOW }).schedule(fn)',
    make: () => new Bottleneck({ maxConcurrent: 1, highWater: 0, strategy: Bottleneck.strategy.OVERFLOW }),
    call: 'it.schedule(fn)',
  },
  waiting: {
    shown: 'new Bottleneck({ maxConcurrent: 1 }).schedule(fn)',
    make: () => new Bottleneck({ maxConcurrent: 1 }),
    call: 'it.schedule(fn)',
    note: 'no bound on the wait',
  },
};
