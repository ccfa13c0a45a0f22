// This package, as its README uses it.

import { Bulkhead } from 'bulkheads';

export const engine = () => Bulkhead.engine;

const TEN = { maxConcurrent: 10 };
const ONE = { maxConcurrent: 1, maxQueue: 2_000_000, timeoutMs: 3_600_000 };

export const uses = {
  exec: use(TEN, 'it.exec(fn)'),
  wrap: { shown: "new Bulkhead('b', { maxConcurrent: 10 }).wrap(fn)()", make: ({ fn }) => new Bulkhead('b', TEN).wrap(fn), call: 'it()' },
  permit: {
    shown: "permit = await new Bulkhead('b', { maxConcurrent: 10 }).acquire(); try { await fn() } finally { permit.release() }",
    make: () => new Bulkhead('b', TEN),
    call: '(async () => { const permit = await it.acquire(); try { return await fn(); } finally { permit.release(); } })()',
    statement: 'const permit = await it.acquire(); try { await fn(); } finally { permit.release(); }',
  },
  crowd: use({ maxConcurrent: 10, maxQueue: 2_000_000, timeoutMs: 60_000 }, 'it.exec(fn)'),
  callTimeout: use({ maxConcurrent: 10, callTimeoutMs: 60_000 }, 'it.exec(fn)'),
  ownSignal: use(TEN, 'it.exec(fn, { signal })'),
  readSignal: use(TEN, 'it.exec(fn)', 'it.exec(({ signal }) => …)'),
  readTimeout: use({ maxConcurrent: 10, callTimeoutMs: 60_000 }, 'it.exec(fn)', 'it.exec(({ signal }) => …)'),
  full: use({ maxConcurrent: 1 }, 'it.exec(fn)'),
  waitTimeout: { ...use(ONE, 'it.exec(fn)'), isExact: true },
  waitSignal: use(ONE, 'it.exec(fn, { signal })'),
  waiting: use(ONE, 'it.exec(fn)'),
  map: use(TEN, 'it.map(items, fn)'),
};

/** A row may say how long to wait in the queue. */
function use(options, call, shownCall = call) {
  const written = JSON.stringify(options).replaceAll('"', '').replaceAll(':', ': ').replaceAll(',', ', ');
  return {
    shown: `new Bulkhead('b', ${written}).${shownCall.replace('it.', '')}`,
    make: ({ timeoutMs } = {}) => new Bulkhead('b', timeoutMs === undefined ? options : { ...options, timeoutMs }),
    call,
  };
}
