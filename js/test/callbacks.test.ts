// User code that the bulkhead runs, or that runs because of it, may call back into the same
// bulkhead, whatever it does there.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, type Permit } from 'bulkheads';
import { checkBooks, probeFull } from './books.js';
import { collectGarbage, gate, onClock, outcome, turn } from './support.js';

/** What is called back. */
const CALLS: Record<string, (shipping: Bulkhead, permits: Permit[]) => unknown> = {
  'exec': (shipping) => outcome(shipping.exec(() => turn())),
  'acquire': (shipping) => outcome(shipping.acquire().then((permit) => permit.release())),
  'tryAcquire and release': (shipping) => shipping.tryAcquire()?.release(),
  'tryAcquire, to keep it': (shipping, permits) => { const permit = shipping.tryAcquire(); if (permit !== null) permits.push(permit); },
  'a release of another permit': (_, permits) => { permits.pop()?.release(); },
  'a growing limit': (shipping) => shipping.resize(3),
  'a shrinking limit': (shipping) => shipping.resize(1),
  'a pause': (shipping) => shipping.resize(0),
  'close': (shipping) => void shipping.close(),
  'close with abort': (shipping) => void shipping.close({ abort: true }),
  'drain': (shipping) => void shipping.drain(),
  'idle': (shipping) => void shipping.idle(),
  'stats': (shipping) => shipping.stats(),
};

/** Where from: each makes three calls of its own, has `back` called, and ends all of its work. */
const PLACES: Record<string, (shipping: Bulkhead, back: () => void) => Promise<unknown>> = {
  'work that is admitted at once': (shipping, back) => shipping.exec(() => { back(); return turn(); }),
  'work from the queue': async (shipping, back) => {
    const holds = [shipping.tryAcquire(), shipping.tryAcquire()];
    const call = shipping.exec(back);
    for (const hold of holds) hold?.release();
    await call;
  },
  'a finally block of the work': (shipping, back) => shipping.exec(async () => {
    try {
      await turn();
      throw new Error('broken');
    } finally {
      back();
    }
  }),
  'the finally of a caller': (shipping, back) => shipping.exec(() => turn()).finally(back),
  'the catch of a caller that was turned away': (shipping, back) => shipping.exec(() => 1, { weight: 9 }).catch(back),
  'an abort handler of the work': async (shipping, back) => {
    const leaving = new AbortController();
    const call = shipping.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => { back(); fail(new Error('stopped')); });
    }), { signal: leaving.signal });
    leaving.abort('left');
    await call;
  },
  'an abort handler of the caller, before the bulkhead hears of it': async (shipping, back) => {
    const leaving = new AbortController();
    leaving.signal.addEventListener('abort', back);
    const call = shipping.exec(({ signal }) => new Promise((_, fail) => { signal.onabort = fail; }), { signal: leaving.signal });
    leaving.abort('left');
    await call;
  },
  'the abort handler of a call time-out': (shipping, back) => shipping.exec(({ signal }) => new Promise((_, fail) => {
    signal.addEventListener('abort', () => { back(); fail(new Error('stopped')); });
  })),
  'a getter of the result': (shipping, back) => shipping.exec(() => ({ get then() { back(); return undefined; } })),
  'the then of a lazy result': (shipping, back) => shipping.exec(() => ({ then: (end: (value: number) => void) => { back(); end(1); } })),
  'the getter of an option': (shipping, back) => shipping.exec(() => 1, { get weight() { back(); return 1; } }),
  'the source of a map': (shipping, back) => shipping.map((function* () { back(); yield 1; })(), () => turn()),
  'the loop over a mapIterable that is left': async (shipping, back) => {
    for await (const result of shipping.mapIterable([1, 2, 3], (item) => item)) {
      back();
      if (result === 1) break;
    }
  },
};

describe('calling back into the same bulkhead', () => {
  for (const [place, make] of Object.entries(PLACES)) {
    for (const [what, act] of Object.entries(CALLS)) {
      it(`from ${place}: ${what}`, onClock(async (clock) => {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 5, timeoutMs: 20, callTimeoutMs: 30 });
        const permits: Permit[] = [];
        const other = shipping.tryAcquire();
        if (other !== null) permits.push(other);
        let calls = 0;
        const back = (): void => { calls += 1; void act(shipping, permits); };
        const answers = [make(shipping, back), shipping.exec(() => turn()), shipping.acquire().then((permit) => permit.release())].map(outcome);
        await clock.advance(100);
        for (const permit of permits.splice(0)) permit.release();
        // A map waits for as long as the bulkhead is paused.
        shipping.resize(2);
        await clock.advance(100);
        assert.ok(calls > 0, 'it was called back');
        await Promise.all(answers);
        checkBooks(shipping);
        const { state, queued, running } = shipping.stats();
        assert.deepEqual([queued, running], [0, 0]);
        if (state === 'open') probeFull(shipping, 2);
        else assert.equal(shipping.tryAcquire(), null);
      }));
    }
  }
});

describe('a finaliser', () => {
  for (const [what, act] of Object.entries(CALLS)) {
    it(`may call back: ${what}`, async () => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 3, maxQueue: 5, timeoutMs: Infinity });
      const permits: Permit[] = [];
      const other = shipping.tryAcquire();
      if (other !== null) permits.push(other);
      const done = gate();
      const registry = new FinalizationRegistry<undefined>(() => { void act(shipping, permits); done.open(); });
      // Its own permit is dropped with it: the bulkhead's finaliser and the user's run in one turn,
      // in either order.
      (() => {
        const owner = { permit: shipping.tryAcquire() };
        registry.register(owner, undefined);
      })();
      const isDone = done.promise.then(() => true);
      for (let round = 0; round < 100; round += 1) {
        collectGarbage();
        await turn();
        if (shipping.stats().leaked === 1 && await Promise.race([isDone, turn()])) break;
      }
      await turn();
      assert.equal(shipping.stats().leaked, 1);
      for (const permit of permits) permit.release();
      await turn();
      checkBooks(shipping);
      const { state, limit, active, queued } = shipping.stats();
      assert.deepEqual([active, queued], [0, 0]);
      if (state === 'open' && limit > 0) probeFull(shipping, limit);
    });
  }
});
