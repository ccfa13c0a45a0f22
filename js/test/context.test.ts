import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { gate, onClock, outcome, turn } from './support.js';

const request = new AsyncLocalStorage<number>();

describe('the async context', () => {
  it('of the work and of what follows is that of its caller', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 100 });
    const seen = await Promise.all(Array.from({ length: 100 }, (_, id) => request.run(id, async () => {
      const inside = await shipping.exec(async () => {
        const before = request.getStore();
        await turn();
        return [before, request.getStore()];
      });
      return [...inside, request.getStore()];
    })));
    assert.deepEqual(seen, seen.map((_, id) => [id, id, id]));
  });

  const frees: [string, (shipping: Bulkhead, abort: AbortController) => void][] = [
    ['an abort', (_, abort) => abort.abort()],
    ['a growing limit', (shipping) => shipping.resize(2)],
  ];
  for (const [what, free] of frees) {
    it(`is the caller's when ${what} has freed the permit`, async () => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 10 });
      const abort = new AbortController();
      void outcome(shipping.exec(({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', fail)), { signal: abort.signal }));
      const waiting = request.run(7, () => shipping.exec(() => request.getStore()));
      const byHand = request.run(8, () => shipping.acquire({ timeoutMs: 900 }).then((permit) => { permit.release(); return request.getStore(); }));
      request.run(9, () => free(shipping, abort));
      assert.equal(await waiting, 7);
      assert.equal(await byHand, 8);
    });
  }

  it('of a waiter is the caller\'s when a time-out has freed the permit', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 10 });
    const hold = shipping.tryAcquire();
    const heavy = request.run(1, () => outcome(shipping.exec(() => 1, { weight: 2, timeoutMs: 5 })));
    const light = request.run(2, () => shipping.exec(() => request.getStore()));
    await clock.advance(5);
    assert.deepEqual([await heavy, await light], ['queue_timeout', 2]);
    hold?.release();
  }));

  it('of every item of a map is that of the map', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2 });
    const hold = shipping.tryAcquire();
    const mapping = request.run(3, () => shipping.map([1, 2, 3], async () => { await turn(); return request.getStore(); }));
    request.run(4, () => hold?.release());
    assert.deepEqual(await mapping, [3, 3, 3]);
  });

  it('of timers and abort listeners is nobody\'s', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1 });
    const { setTimeout } = globalThis;
    const abort = new AbortController();
    const seen: unknown[] = [];
    const { addEventListener } = abort.signal;
    abort.signal.addEventListener = (...parameters: unknown[]) => {
      seen.push(request.getStore());
      Reflect.apply(addEventListener, abort.signal, parameters);
    };
    globalThis.setTimeout = ((...parameters: Parameters<typeof setTimeout>) => {
      seen.push(request.getStore());
      return setTimeout(...parameters);
    }) as typeof setTimeout;
    try {
      void shipping.exec(() => gate().promise);
      const waiting = request.run(5, () => outcome(shipping.exec(() => 1, { signal: abort.signal })));
      abort.abort('left');
      assert.equal(await waiting, 'left');
      assert.deepEqual(seen, [undefined, undefined]);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
  });
});
