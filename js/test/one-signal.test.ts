// One signal on a thousand calls: one listener, one step, and an end for each of them, in order.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { checkBooks, probeFull } from './books.js';
import { Log, outcome, turn } from './support.js';

/** A signal that knows how often it was listened to. */
function counted(): { controller: AbortController; signal: AbortSignal; counts: { added: number; removed: number } } {
  const controller = new AbortController();
  const { signal } = controller;
  const counts = { added: 0, removed: 0 };
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...parameters: unknown[]) => { counts.added += 1; Reflect.apply(addEventListener, signal, parameters); };
  signal.removeEventListener = (...parameters: unknown[]) => { counts.removed += 1; Reflect.apply(removeEventListener, signal, parameters); };
  return { controller, signal, counts };
}

function bulkheads(count: number): Bulkhead[] {
  return Array.from({ length: count }, (_, index) => new Bulkhead(`b${index}`, { maxConcurrent: 1, maxQueue: 1000, timeoutMs: Infinity }));
}

describe('one signal on a thousand waiters', () => {
  it('has one listener, ends them in order of arrival, and is let go', async () => {
    const { controller, signal, counts } = counted();
    const [shipping] = bulkheads(1) as [Bulkhead];
    const hold = shipping.tryAcquire();
    const ended: number[] = [];
    const all = Array.from({ length: 1000 }, (_, call) => {
      const answer: Promise<unknown> = call % 3 === 0 ? shipping.acquire({ signal }) : shipping.exec(() => assert.fail('it ran'), { signal });
      return answer.catch((reason: unknown) => { ended.push(call); return reason; });
    });
    assert.deepEqual(counts, { added: 1, removed: 0 });
    controller.abort('left');
    assert.equal(shipping.stats().queued, 0, 'all at once, before anybody is told');
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['left']));
    assert.deepEqual(ended, Array.from(ended.keys()));
    assert.equal(counts.removed, 1);
    assert.equal(shipping.stats().rejected.cancelled, 1000);
    hold?.release();
    probeFull(shipping, 1);
  });

  it('ends those of all bulkheads before the first of them is told', async () => {
    const { controller, signal, counts } = counted();
    const three = bulkheads(3);
    const seen = new Set<string>();
    const look = (reason: unknown): unknown => { seen.add(three.map((one) => one.stats().queued).join()); return reason; };
    // The abort handlers of those who run are the first code to hear of it.
    const running = three.map((one) => one.exec((context) => new Promise((_, fail) => {
      context.signal.addEventListener('abort', () => { look('aborts'); fail(new Error('stopped')); });
    }), { signal }).catch(look));
    const all = three.flatMap((one) => Array.from({ length: 333 }, () => one.exec(() => 1, { signal }).catch(look)));
    controller.abort('left');
    assert.deepEqual(new Set(await Promise.all([...running, ...all])), new Set(['left']));
    await turn();
    assert.deepEqual([...seen], ['0,0,0']);
    assert.deepEqual(counts, { added: 1, removed: 1 });
    for (const one of three) probeFull(one, 1);
  });

  it('of which every second has another one leaves the others where they stood', async () => {
    const { controller, signal } = counted();
    const [shipping] = bulkheads(1) as [Bulkhead];
    const hold = shipping.tryAcquire();
    const ran: number[] = [];
    const other = new AbortController();
    const all = Array.from({ length: 1000 }, (_, call) =>
      outcome(shipping.exec(() => { ran.push(call); }, { signal: call % 2 === 0 ? signal : other.signal })));
    controller.abort('left');
    assert.equal(shipping.stats().queued, 500);
    hold?.release();
    await Promise.all(all);
    assert.deepEqual(ran, Array.from({ length: 500 }, (_, index) => 2 * index + 1));
    probeFull(shipping, 1);
  });

  it('whose handlers come back with the same signal are turned away, and none is lost', async () => {
    const { controller, signal, counts } = counted();
    const [shipping] = bulkheads(1) as [Bulkhead];
    const hold = shipping.tryAcquire();
    const all = Array.from({ length: 1000 }, () => outcome(shipping.exec(() => 1, { signal })).then(() => outcome(shipping.exec(() => 1, { signal }))));
    controller.abort('left');
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['left']));
    assert.equal(checkBooks(shipping), 2001);
    assert.equal(counts.added, counts.removed);
    hold?.release();
    probeFull(shipping, 1);
  });

  it('has one listener at a time while they come and go', async () => {
    const { signal, counts } = counted();
    const [shipping] = bulkheads(1) as [Bulkhead];
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 200 }, (_, call) => shipping.exec(() => (call % 2 === 0 ? turn() : call), { signal })));
      assert.deepEqual(counts, { added: round + 1, removed: round + 1 });
    }
    probeFull(shipping, 1);
  });
});

it('a thousand running calls of one signal are answered in order, and hold their permits until their work ends', async () => {
  const { controller, signal } = counted();
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1000 });
  const log = new Log();
  const works: (() => void)[] = [];
  for (let call = 0; call < 1000; call += 1) {
    log.watch(String(call), shipping.exec(() => new Promise<void>((end) => works.push(end)), { signal }));
  }
  controller.abort('left');
  await turn();
  assert.deepEqual(log.take(), Array.from({ length: 1000 }, (_, call) => `${call}:left`));
  assert.equal(shipping.stats().overrun, 1000);
  for (const end of works) end();
  await turn();
  probeFull(shipping, 1000);
});
