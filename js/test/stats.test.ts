import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { gate, onClock, outcome } from './support.js';

describe('stats', () => {
  it('is one snapshot under the names of the contract', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 1, timeoutMs: 10 });
    const work = gate();
    const running = [shipping.exec(() => work.promise), shipping.exec(() => work.promise)];
    const waiting = outcome(shipping.exec(() => 1));
    const full = outcome(shipping.exec(() => 1));
    await clock.advance(10);
    work.open();
    await Promise.all([...running, waiting, full]);
    const none = { count: 0, sum: 0, p50: 0, p90: 0, p99: 0, max: 0 };
    const { waited, ran, ...rest } = shipping.stats();
    assert.deepEqual(rest, {
      state: 'open', limit: 2, active: 0, available: 2, running: 0, queued: 0, maxQueue: 1, overrun: 0, peakActive: 2, peakQueued: 1, admitted: 2,
      completed: 2, failed: 0, callTimeouts: 0, unclaimed: 0, abandonedRuns: 0, leaked: 0, doubleReleases: 0,
      rejected: { full: 1, queueTimeout: 1, cancelled: 0, closed: 0, tooHeavy: 0, reentrant: 0 },
    });
    assert.deepEqual([waited.count, waited.sum, waited.max], [1, 10, 10]);
    // The first of the two.
    assert.deepEqual([ran.count, ran.sum, ran.max, ran.sampledEvery], [1, 10, 10, 32]);
    assert.deepEqual(Object.keys(ran), [...Object.keys(none), 'sampledEvery']);
    assert.deepEqual(Object.keys(waited), Object.keys(none));
    assert.ok(Math.abs(ran.p50 - 10) <= 0.5 && Math.abs(waited.p99 - 10) <= 0.5);
  }));

  it('measures every run if there is a call time-out', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, callTimeoutMs: 50 });
    const work = gate();
    const running = [shipping.exec(() => work.promise), shipping.exec(() => work.promise)];
    await clock.advance(10);
    work.open();
    await Promise.all(running);
    const { ran } = shipping.stats();
    assert.deepEqual([ran.count, ran.sum, ran.max, ran.sampledEvery], [2, 20, 10, 1]);
  }));

  it('measures one run in 32 otherwise, and counts all', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    for (let call = 0; call < 6400; call += 1) await shipping.exec(() => 1);
    const { ran, completed } = shipping.stats();
    assert.equal(completed, 6400);
    assert.ok(ran.count > 130 && ran.count < 270, String(ran.count));
  });

  it('is what JSON shows of a bulkhead, with its name', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 3 });
    assert.deepEqual(JSON.parse(JSON.stringify({ shipping })), { shipping: { name: 'shipping', ...shipping.stats() } });
  });

  it('is a value: frozen, and later calls do not change it', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    const before = shipping.stats();
    const copy = structuredClone(before);
    await shipping.exec(() => 1);
    assert.deepEqual(before, copy);
    for (const part of [before, before.rejected, before.waited, before.ran]) assert.ok(Object.isFrozen(part));
  });
});
