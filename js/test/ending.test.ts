import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { gate, Log, onClock, outcome, turn } from './support.js';

function bulkhead(maxConcurrent = 1): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, maxQueue: 5, timeoutMs: Infinity });
}

/** Whether a promise has settled by now. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => void (settled = true);
  promise.then(settle, settle);
  await turn();
  return settled;
}

/** Work that ends when its signal aborts. */
function stopping({ signal }: { readonly signal: AbortSignal }): Promise<never> {
  return new Promise((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason as Error));
  });
}

describe('close', () => {
  it('turns waiters away in order of arrival and lets the running finish', async () => {
    const shipping = bulkhead();
    const log = new Log();
    const work = gate<string>();
    log.watch('a', shipping.exec(() => work.promise));
    for (const name of ['b', 'c', 'd']) log.watch(name, name === 'c' ? shipping.acquire() : shipping.exec(() => 1));
    const closing = shipping.close();
    log.watch('e', shipping.exec(() => 1));
    await turn();
    assert.deepEqual(log.take(), ['b:closed', 'c:closed', 'd:closed', 'e:closed']);
    assert.equal(await hasSettled(closing), false);
    work.open('done');
    await closing;
    await turn();
    assert.deepEqual(log.take(), ['a:done']);
    assert.equal(shipping.stats().state, 'closed');
  });

  it('is final: neither resize nor drain reopens it, and the promise stays the same', async () => {
    const shipping = bulkhead();
    const closing = shipping.close();
    shipping.resize(5);
    assert.equal(shipping.drain(), closing);
    assert.equal(shipping.close(), closing);
    assert.equal(await outcome(shipping.exec(() => 1)), 'closed');
    const { state, limit } = shipping.stats();
    assert.deepEqual([state, limit], ['closed', 5]);
    await closing;
  });

  it('with abort aborts the signals of the running calls, and lets their work answer', async () => {
    const shipping = bulkhead(2);
    const seen: unknown[] = [];
    const log = new Log();
    log.watch('polite', shipping.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => { seen.push(signal.reason); fail(signal.reason as Error); });
    })));
    const deaf = gate<string>();
    log.watch('deaf', shipping.exec(() => deaf.promise));
    log.watch('waiting', shipping.exec(() => 1));
    const closing = shipping.close({ abort: true });
    await turn();
    assert.deepEqual(log.take(), ['waiting:closed', 'polite:closed']);
    assert.deepEqual(seen.map((reason) => (reason as { code: string }).code), ['closed']);
    assert.equal(await hasSettled(closing), false, 'the deaf one still holds its permit');
    assert.equal(shipping.stats().overrun, 0);
    deaf.open('a result in hand is never thrown away');
    await closing;
    await turn();
    assert.deepEqual(log.take(), ['deaf:a result in hand is never thrown away']);
    const { completed, failed } = shipping.stats();
    assert.deepEqual([completed, failed], [1, 1]);
  });

  it('may be given abort later', async () => {
    const shipping = bulkhead();
    const running = outcome(shipping.exec(stopping));
    const closing = shipping.close();
    assert.equal(shipping.close({ abort: true }), closing);
    assert.equal(await running, 'closed');
  });

  it('with abort takes no grant back: what was granted still starts, with its signal aborted', async () => {
    const shipping = bulkhead();
    const hold = shipping.tryAcquire();
    const started = gate<boolean>();
    const granted = outcome(shipping.exec(({ signal }) => { started.open(signal.aborted); signal.throwIfAborted(); }));
    hold?.release();
    const closing = shipping.close({ abort: true });
    assert.equal(await started.promise, true);
    assert.equal(await granted, 'closed');
    await closing;
  });

  it('from inside the work is fine, awaited outside', async () => {
    const shipping = bulkhead();
    let closing: Promise<void> | undefined;
    assert.equal(await shipping.exec(() => { closing = shipping.close(); return 'done'; }), 'done');
    await closing;
  });
});

describe('drain', () => {
  it('serves the waiters and takes no more', async () => {
    const shipping = bulkhead();
    const work = gate();
    const running = shipping.exec(() => work.promise);
    const waiting = shipping.exec(() => 'served');
    const draining = shipping.drain();
    assert.equal(await outcome(shipping.exec(() => 1)), 'closed');
    assert.equal(shipping.stats().state, 'draining');
    work.open();
    await running;
    assert.equal(await waiting, 'served');
    await draining;
    assert.equal(shipping.stats().state, 'closed');
  });

  it('with a time-out serves them so long, and then closes', onClock(async (clock) => {
    const shipping = bulkhead();
    const hold = shipping.tryAcquire();
    const waiting = outcome(shipping.exec(() => 1));
    const draining = shipping.drain({ timeoutMs: 50 });
    assert.equal(shipping.drain({ timeoutMs: 90 }), draining, 'the first to end counts');
    await clock.advance(49);
    assert.equal(shipping.stats().state, 'draining');
    await clock.advance(1);
    assert.equal(await waiting, 'closed');
    assert.equal(shipping.stats().state, 'closed');
    hold?.release();
    await draining;
  }));

  it('names what it cannot use', async () => {
    assert.match(String(await outcome(bulkhead().drain({ timeoutMs: -1 }))), /timeoutMs must be 0 or more, or infinite, got -1/);
    assert.match(String(await outcome(bulkhead().drain({ timeout: 1 } as never))), /unknown option timeout; there are timeoutMs/);
  });

  it('then close gives up on the waiters', async () => {
    const shipping = bulkhead();
    const hold = shipping.tryAcquire();
    const waiting = outcome(shipping.exec(() => 1));
    const draining = shipping.drain();
    const closing = shipping.close();
    assert.equal(await waiting, 'closed');
    assert.equal(await hasSettled(draining), false);
    hold?.release();
    await Promise.all([draining, closing]);
  });

  it('works paused too: resize lets the waiters in', async () => {
    const shipping = bulkhead();
    shipping.resize(0);
    const waiting = shipping.exec(() => 'served');
    const draining = shipping.drain();
    shipping.resize(1);
    assert.equal(await waiting, 'served');
    await draining;
  });
});

describe('idle', () => {
  it('settles at once when nobody waits and no permit is held, and ends nothing', async () => {
    const shipping = bulkhead();
    assert.equal(await hasSettled(shipping.idle()), true);
    assert.equal(await shipping.exec(() => 'still open'), 'still open');
  });

  it('settles at the first such moment, for all who ask', async () => {
    const shipping = bulkhead();
    const hold = shipping.tryAcquire();
    const waiting = shipping.acquire();
    const first = shipping.idle();
    const second = shipping.idle();
    hold?.release();
    const permit = await waiting;
    assert.equal(await hasSettled(first), false);
    permit.release();
    const later = shipping.tryAcquire();
    assert.deepEqual([await hasSettled(first), await hasSettled(second)], [true, true]);
    const third = shipping.idle();
    assert.equal(await hasSettled(third), false);
    later?.release();
    await third;
  });

  it('is for those who asked before that moment only', async () => {
    const shipping = bulkhead();
    const outer = new AbortController();
    let asked: Promise<void> | undefined;
    const permits: unknown[] = [];
    const hold = shipping.tryAcquire();
    const first = shipping.idle();
    const waiting = outcome(shipping.exec(() => 1, { signal: outer.signal }));
    // The end of the waiter and the idle moment are delivered one after the other, but both have
    // happened.
    void waiting.then(() => {
      permits.push(shipping.tryAcquire());
      asked = shipping.idle();
    });
    hold?.release();
    outer.abort('left');
    await first;
    await turn();
    assert.ok(asked);
    assert.equal(await hasSettled(asked), false);
    assert.equal(permits.length, 1);
  });

  it('waits for overrun calls, not for abandoned runs', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 10, abandonAfterMs: 5 });
    const running = outcome(shipping.exec(() => gate().promise));
    const idle = shipping.idle();
    await clock.advance(10);
    assert.equal(await running, 'call_timeout');
    assert.equal(await hasSettled(idle), false);
    await clock.advance(5);
    assert.equal(await hasSettled(idle), true);
    assert.equal(shipping.stats().abandonedRuns, 1);
  }));
});
