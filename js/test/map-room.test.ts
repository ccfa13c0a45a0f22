// How a map waits for capacity, and what wakes it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, BulkheadTimeoutError } from 'bulkheads';
import { gate, onClock, outcome, turn } from './support.js';

describe('a map that waits for room', () => {
  it('goes on at once when the limit grows, though none of its items has ended', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    const started: number[] = [];
    const end = gate();
    const mapping = shipping.map([0, 1, 2, 3, 4], async (item) => { started.push(item); if (item === 0) await end.promise; return item; });
    await turn();
    assert.deepEqual(started, [0]);
    shipping.resize(3);
    await turn();
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
    end.open();
    assert.deepEqual(await mapping, [0, 1, 2, 3, 4]);
  });

  it('goes on at once when the limit grows while others hold the room', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    const hold = shipping.tryAcquire();
    const mapping = shipping.map([0, 1], (item) => item);
    await turn();
    shipping.resize(2);
    assert.deepEqual(await mapping, [0, 1]);
    hold?.release();
  });

  it('goes on at the end of a pause', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    shipping.resize(0);
    const mapping = shipping.map([0, 1], (item) => item);
    await turn();
    shipping.resize(2);
    assert.deepEqual(await mapping, [0, 1]);
  });

  it('is rejected after the time-out while none of its items runs', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, timeoutMs: 200 });
    const hold = shipping.tryAcquire();
    const error: Promise<unknown> = shipping.map([0, 1], (item) => item).catch((reason: unknown) => reason);
    await clock.advance(199);
    assert.equal(shipping.stats().rejected.queueTimeout, 0);
    await clock.advance(1);
    const reason = await error;
    assert.ok(reason instanceof BulkheadTimeoutError);
    assert.equal(reason.waitedMs, 200);
    assert.equal(shipping.stats().rejected.queueTimeout, 1);
    hold?.release();
  }));

  it('is bounded by its own time-out if that is shorter', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, timeoutMs: 200 });
    const hold = shipping.tryAcquire();
    const ending = outcome(shipping.map([0], (item) => item, { timeoutMs: 30 }));
    await clock.advance(30);
    assert.equal(await ending, 'queue_timeout');
    hold?.release();
  }));

  it('is bounded by its deadline, and has waited all that time', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, timeoutMs: 200 });
    const hold = shipping.tryAcquire();
    const error: Promise<unknown> = shipping.map([0], (item) => item, { deadline: clock.now + 30 }).catch((reason: unknown) => reason);
    await clock.advance(30);
    const reason = await error;
    assert.ok(reason instanceof BulkheadTimeoutError);
    assert.equal(reason.waitedMs, 30);
    assert.equal(shipping.stats().rejected.queueTimeout, 1);
    hold?.release();
  }));

  it('has all the time that its own items take', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, timeoutMs: 200 });
    const end = gate();
    const mapping = shipping.map([0, 1], (item) => (item === 0 ? end.promise : undefined));
    await clock.advance(5000);
    end.open();
    assert.deepEqual(await mapping, [undefined, undefined]);
  }));

  it('waits anew after its own item has ended and others have taken the room', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 200 });
    const [first, other] = [gate(), gate()];
    const ending = outcome(shipping.map([0, 1], (item) => (item === 0 ? first.promise : undefined)));
    await clock.advance(150);
    const taken = shipping.exec(() => other.promise);
    first.open();
    await clock.advance(199);
    assert.equal(shipping.stats().rejected.queueTimeout, 0);
    await clock.advance(1);
    assert.equal(await ending, 'queue_timeout');
    other.open();
    await taken;
  }));

  it('that has ended leaves no timer', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, timeoutMs: 200 });
    const hold = shipping.tryAcquire();
    const leaving = new AbortController();
    const ending = outcome(shipping.map([0], (item) => item, { signal: leaving.signal }));
    await turn();
    leaving.abort('enough');
    assert.equal(await ending, 'enough');
    hold?.release();
    await clock.advance(500);
    assert.equal(shipping.stats().rejected.queueTimeout, 0);
  }));
});
