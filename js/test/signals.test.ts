import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { Bulkhead, type Permit } from 'bulkheads';
import { gate, Log, onClock, outcome, turn } from './support.js';

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

function bulkhead(maxConcurrent = 1, maxQueue = 10): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, maxQueue, timeoutMs: Infinity });
}

describe('the listener on a signal', () => {
  it('is one, however many calls carry it, in however many bulkheads, and gone with the last answer', async () => {
    const { signal } = new AbortController();
    const work = gate();
    const calls = [bulkhead(2), bulkhead(1)].flatMap((one) => Array.from({ length: 5 }, () => one.exec(() => work.promise, { signal })));
    assert.equal(listeners(signal), 1);
    work.open();
    await Promise.all(calls);
    assert.equal(listeners(signal), 0);
  });

  it('is added and removed equally often over thousands of calls of all outcomes', onClock(async (clock) => {
    const controller = new AbortController();
    const { signal } = controller;
    let added = 0;
    let removed = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...parameters: unknown[]) => { added += 1; Reflect.apply(addEventListener, signal, parameters); };
    signal.removeEventListener = (...parameters: unknown[]) => { removed += 1; Reflect.apply(removeEventListener, signal, parameters); };
    const shipping = new Bulkhead('shipping', { maxConcurrent: 3, maxQueue: 20, timeoutMs: 10, callTimeoutMs: 15 });
    const answers: Promise<unknown>[] = [];
    for (let call = 0; call < 10_000; call += 1) {
      answers.push(outcome(shipping.exec(() => (call % 7 === 0 ? gate().promise : 'done'), { signal, weight: (call % 4) + 1 })));
      if (call % 50 === 0) await clock.advance(1);
      if (call % 2000 === 1999) shipping.resize(2 + (call % 3));
    }
    controller.abort('left');
    const outcomes = new Set(await Promise.all(answers));
    assert.deepEqual([...outcomes].sort(), ['call_timeout', 'done', 'full', 'left', 'queue_timeout', 'too_heavy']);
    assert.equal(added, removed);
    assert.equal(listeners(signal), 0);
  }));

  it('is gone when a permit by hand is delivered: from then on the signal means nothing', async () => {
    const shipping = bulkhead();
    const controller = new AbortController();
    const first = await shipping.acquire({ signal: controller.signal });
    const queued = shipping.acquire({ signal: controller.signal });
    first.release();
    const second = await queued;
    assert.equal(listeners(controller.signal), 0);
    controller.abort();
    assert.equal(shipping.stats().active, 1);
    second.release();
  });
});

describe('the reason of an abort', () => {
  const reasons: unknown[] = [new Error('left'), 'left', null, 0, false, { why: 1 }, runInNewContext('({ from: "elsewhere" })')];
  for (const reason of reasons) {
    it(`${String(reason)} reaches a waiter, a running call and its work as it is`, async () => {
      const shipping = bulkhead();
      const controller = new AbortController();
      let seen: unknown;
      const running = shipping.exec(({ signal }) => new Promise((_, fail) => {
        signal.addEventListener('abort', () => { seen = signal.reason; fail(new Error('stopped')); });
      }), { signal: controller.signal });
      const waiting = shipping.acquire({ signal: controller.signal });
      controller.abort(reason);
      const caught = await Promise.all([running, waiting].map((answer) => answer.then(() => 'none', (error: unknown) => error)));
      assert.equal(caught[0], reason);
      assert.equal(caught[1], reason);
      assert.equal(seen, reason);
    });
  }

  it('is the default one when none is given', async () => {
    const controller = new AbortController();
    const running = bulkhead().exec(() => gate().promise, { signal: controller.signal });
    controller.abort();
    await assert.rejects(running, { name: 'AbortError' });
  });
});

describe('the signal of the work', () => {
  it('is not made unless it is read, and stays the same', async () => {
    const original = globalThis.AbortController;
    let made = 0;
    globalThis.AbortController = class extends original { constructor() { super(); made += 1; } };
    try {
      await bulkhead().exec(() => 1);
      assert.equal(made, 0);
      await bulkhead().exec((context) => { assert.equal(context.signal, context.signal); });
      assert.equal(made, 1);
    } finally {
      globalThis.AbortController = original;
    }
  });

  it('is aborted already when it is read after the answer', async () => {
    const controller = new AbortController();
    const start = gate();
    const read = gate<AbortSignal>();
    const running = bulkhead().exec(async (context) => {
      await start.promise;
      read.open(context.signal);
    }, { signal: controller.signal });
    controller.abort('left');
    assert.equal(await outcome(running), 'left');
    start.open();
    const signal = await read.promise;
    assert.deepEqual([signal.aborted, signal.reason], [true, 'left']);
  });

  it('aborts after the answer is fixed', async () => {
    const shipping = bulkhead();
    const controller = new AbortController();
    const running = shipping.exec(({ signal }) => new Promise((done) => {
      signal.addEventListener('abort', () => done('a result, too late'));
    }), { signal: controller.signal });
    controller.abort('left');
    assert.equal(await outcome(running), 'left');
    await turn();
    assert.equal(shipping.stats().failed, 1);
  });

  it('works from the context as a whole', async () => {
    await bulkhead().exec((context) => { assert.ok(context.signal instanceof AbortSignal); });
  });
});

describe('cancelling', () => {
  it('one abort is one step: all ends in order of arrival, then the grants', async () => {
    const shipping = bulkhead(2);
    const log = new Log();
    const controller = new AbortController();
    const { signal } = controller;
    const busy = gate();
    log.watch('a', shipping.exec(() => busy.promise, { signal }));
    log.watch('b', shipping.exec(() => gate().promise));
    log.watch('heavy', shipping.exec(() => 1, { signal, weight: 2 }));
    log.watch('light', shipping.exec(() => { log.say('light runs'); }));
    log.watch('last', shipping.acquire({ signal }));
    busy.promise.catch(() => undefined);
    controller.abort('left');
    await turn();
    assert.deepEqual(log.take(), ['a:left', 'heavy:left', 'last:left']);
    busy.fail(new Error('stopped'));
    await turn();
    assert.deepEqual(log.take(), ['light runs', 'light:undefined']);
  });

  it('a running and a waiting call together do not block the queue', async () => {
    const shipping = bulkhead();
    const one = new AbortController();
    const two = new AbortController();
    const stoppable = { signal: one.signal };
    const running = outcome(shipping.exec(({ signal }) => new Promise((_, fail) => { signal.onabort = () => fail(signal.reason); }), stoppable));
    const waiting = outcome(shipping.exec(() => 2, { signal: two.signal }));
    const last = shipping.exec(() => 'ran');
    two.abort('two');
    one.abort('one');
    assert.deepEqual(await Promise.all([running, waiting, last]), ['one', 'two', 'ran']);
    assert.equal(shipping.stats().active, 0);
  });

  it('between grant and start: the work never runs and the permit passes on', async () => {
    const shipping = bulkhead();
    for (let round = 0; round < 100; round += 1) {
      const hold = shipping.tryAcquire();
      const controller = new AbortController();
      const cancelled = outcome(shipping.exec(() => assert.fail('it ran'), { signal: controller.signal }));
      const next = shipping.exec(() => 'ran');
      hold?.release();
      controller.abort('left');
      assert.deepEqual(await Promise.all([cancelled, next]), ['left', 'ran']);
    }
    const { unclaimed, active, rejected } = shipping.stats();
    assert.deepEqual([unclaimed, active, rejected.cancelled], [100, 0, 0]);
  });

  it('a permit by hand that was granted, but not delivered yet, is not delivered', async () => {
    const shipping = bulkhead(1);
    const outer = new AbortController();
    const inner = new AbortController();
    let hold: Permit | null = null;
    // Within one outcome a permit is released and its next holder cancelled: the grant is not
    // delivered until that is over.
    const running = shipping.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => {
        hold?.release();
        inner.abort('too late');
        fail(new Error('stopped'));
      });
    }), { signal: outer.signal });
    shipping.resize(2);
    hold = shipping.tryAcquire();
    const waiting = shipping.acquire({ signal: inner.signal });
    outer.abort('left');
    assert.deepEqual(await Promise.all([outcome(running), outcome(waiting)]), ['left', 'too late']);
    await turn();
    const { unclaimed, active, doubleReleases, leaked } = shipping.stats();
    assert.deepEqual([unclaimed, active, doubleReleases, leaked], [1, 0, 0, 0]);
  });
});
