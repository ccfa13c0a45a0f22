import { Semaphore, tryAcquire, withTimeout } from 'async-mutex';

const call = 'it.runExclusive(fn)';
const shown = 'new Semaphore(10).runExclusive(fn)';

export const uses = {
  exec: { shown, make: () => new Semaphore(10), call },
  permit: {
    shown: 'const [, release] = await new Semaphore(10).acquire(); try { await fn() } finally { release() }',
    make: () => new Semaphore(10),
    call: '(async () => { const [, release] = await it.acquire(); try { return await fn(); } finally { release(); } })()',
    statement: 'const [, release] = await it.acquire(); try { await fn(); } finally { release(); }',
  },
  crowd: { shown, make: () => new Semaphore(10), call, note: 'no bound on the queue nor on the wait' },
  full: {
    shown: 'tryAcquire(new Semaphore(1)).runExclusive(fn)',
    make: () => tryAcquire(new Semaphore(1)),
    call,
    note: 'rejects after a host timer of 0 ms',
  },
  waitTimeout: {
    shown: 'withTimeout(new Semaphore(1), ms).runExclusive(fn)',
    make: ({ timeoutMs }) => withTimeout(new Semaphore(1), timeoutMs),
    call,
    note: 'who has timed out stays in the queue',
  },
  waiting: {
    shown: 'withTimeout(new Semaphore(1), 3_600_000).runExclusive(fn)',
    make: () => withTimeout(new Semaphore(1), 3_600_000),
    call,
    note: 'with a time-out, no bound on the queue',
  },
};
