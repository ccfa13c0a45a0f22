import * as Effect from 'effect/Effect';
import * as Semaphore from 'effect/Semaphore';

const note = 'no bound on the queue nor on the wait';

/** An effect is a value: built once, it is run as often as one likes. */
function use(permits, work, shown, { call = 'it.run(it.guarded)', ...more } = {}) {
  const make = (given) => ({ run: Effect.runPromise, guarded: work(Semaphore.makeUnsafe(permits).withPermits(1), given) });
  return { shown: `guarded = ${shown}; Effect.runPromise(guarded${call.includes('signal') ? ', { signal }' : ''})`, make, call, ...more };
}

const plain = (guard, { fn }) => guard(Effect.promise(fn));
const signalled = { call: 'it.run(it.guarded, { signal })' };

export const uses = {
  exec: use(10, plain, 'Semaphore.makeUnsafe(10).withPermits(1)(Effect.promise(fn))'),
  permit: {
    shown: 'await Effect.runPromise(semaphore.take(1)); try { await fn() } finally { await Effect.runPromise(semaphore.release(1)) }',
    make: () => {
      const semaphore = Semaphore.makeUnsafe(10);
      return { run: Effect.runPromise, take: semaphore.take(1), release: semaphore.release(1) };
    },
    call: '(async () => { await it.run(it.take); try { return await fn(); } finally { await it.run(it.release); } })()',
    statement: 'await it.run(it.take); try { await fn(); } finally { await it.run(it.release); }',
  },
  crowd: use(10, plain, 'Semaphore.makeUnsafe(10).withPermits(1)(Effect.promise(fn))', { note }),
  callTimeout: use(
    10,
    (guard, { fn }) => guard(Effect.timeout(Effect.promise(fn), '60 seconds')),
    'semaphore.withPermits(1)(Effect.timeout(Effect.promise(fn), "60 seconds"))',
  ),
  ownSignal: use(10, plain, 'Semaphore.makeUnsafe(10).withPermits(1)(Effect.promise(fn))', signalled),
  readSignal: use(
    10,
    (guard, { fn }) => guard(Effect.promise((signal) => fn({ signal }))),
    'semaphore.withPermits(1)(Effect.promise((signal) => …))',
  ),
  readTimeout: use(
    10,
    (guard, { fn }) => guard(Effect.timeout(Effect.promise((signal) => fn({ signal })), '60 seconds')),
    'semaphore.withPermits(1)(Effect.timeout(Effect.promise((signal) => …), "60 seconds"))',
  ),
  waitTimeout: use(
    1,
    (guard, { fn, timeoutMs }) => Effect.timeout(guard(Effect.promise(fn)), timeoutMs),
    'Effect.timeout(semaphore.withPermits(1)(Effect.promise(fn)), ms)',
  ),
  waitSignal: use(1, plain, 'Semaphore.makeUnsafe(1).withPermits(1)(Effect.promise(fn))', signalled),
  waiting: use(1, plain, 'Semaphore.makeUnsafe(1).withPermits(1)(Effect.promise(fn))', { note: `${note}; 20,000 waiting`, atMost: 20_000 }),
  map: {
    shown: 'Effect.runPromise(Effect.forEach(items, (item) => Effect.promise(() => fn(item)), { concurrency: 10 }))',
    make: () => ({ ...Effect }),
    call: 'it.runPromise(it.forEach(items, (item) => it.promise(() => fn(item)), { concurrency: 10 }))',
  },
};
