// Timers that come late: a blocked event loop, a background tab, whose timers fire once a second or
// once a minute, a frozen one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { type VirtualClock } from 'bulkheads/testing';
import { checkBooks, probeFull } from './books.js';
import { gate, Log, onClock, outcome } from './support.js';

/**
 * Timers of the host fire at whole multiples of `period`, as those of a tab do that nobody looks
 * at.
 */
function throttled(period: number, test: (clock: VirtualClock, timers: { count: number }) => Promise<void>): () => Promise<void> {
  return onClock(async (clock) => {
    const { setTimeout } = globalThis;
    const timers = { count: 0 };
    globalThis.setTimeout = ((act: () => void, delay: number) => {
      timers.count += 1;
      const at = clock.now + delay;
      return setTimeout(act, Math.ceil(at / period) * period - clock.now);
    }) as typeof globalThis.setTimeout;
    try {
      await test(clock, timers);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
  });
}

for (const [tab, period] of [['in the background', 1000], ['long in the background', 60_000]] as const) {
  describe(`in a tab ${tab}, whose timers fire every ${period} ms,`, () => {
    it('waits and runs end with the next timer, and say how long they really took', throttled(period, async (clock, timers) => {
      await clock.advance(100);
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: 50, callTimeoutMs: 70 });
      const errors: { code: string; waitedMs?: number; ranMs?: number }[] = [];
      const keep = (error: unknown): unknown => errors.push(error as { code: string });
      const work = gate();
      const answers = [shipping.exec(() => work.promise), ...[1, 2, 3].map(() => shipping.exec(() => 1))].map((answer) => answer.catch(keep));
      await clock.advance(period - 101);
      assert.equal(errors.length, 0);
      await clock.advance(1);
      await Promise.all(answers);
      assert.deepEqual(errors.map(({ code, waitedMs, ranMs }) => [code, waitedMs ?? ranMs]), [
        ['queue_timeout', period - 100], ['queue_timeout', period - 100], ['queue_timeout', period - 100], ['call_timeout', period - 100],
      ]);
      assert.ok(timers.count <= 3, String(timers.count));
      work.open();
      await clock.settle();
      probeFull(shipping, 1);
    }));

    it('grants need no timer, and nobody gets one whose time is over', throttled(period, async (clock) => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: Infinity });
      const log = new Log();
      const work = gate();
      const first = shipping.exec(() => work.promise);
      log.watch('over', shipping.exec(() => 1, { timeoutMs: 50 }));
      log.watch('by hand, over', shipping.acquire({ timeoutMs: 100 }));
      log.watch('in time', shipping.exec(() => 'ran', { timeoutMs: 500 }));
      await clock.advance(200);
      assert.deepEqual(log.take(), [], 'no timer has fired');
      work.open();
      await first;
      await clock.settle();
      assert.deepEqual(log.take(), ['over:queue_timeout', 'by hand, over:queue_timeout', 'in time:ran']);
      probeFull(shipping, 1);
    }));

    it('any other input ends what is over', throttled(period, async (clock) => {
      const inputs: Record<string, (shipping: Bulkhead) => unknown> = {
        'an arrival': (shipping) => outcome(shipping.exec(() => 1, { timeoutMs: 0 })),
        'tryAcquire': (shipping) => shipping.tryAcquire(),
        'resize': (shipping) => shipping.resize(1),
        'idle': (shipping) => void shipping.idle(),
        'drain': (shipping) => void shipping.drain(),
        'close': (shipping) => void shipping.close(),
      };
      for (const [what, act] of Object.entries(inputs)) {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: 50 });
        const hold = shipping.tryAcquire();
        const waiting = outcome(shipping.exec(() => 1));
        await clock.advance(51);
        assert.equal(shipping.stats().queued, 1, what);
        act(shipping);
        assert.equal(await waiting, 'queue_timeout', what);
        assert.equal(shipping.stats().rejected.queueTimeout, 1, what);
        hold?.release();
        checkBooks(shipping);
      }
    }));
  });
}

describe('an event loop that is blocked for longer than every time-out', () => {
  /** A bulkhead in the middle of things: who runs, who waits, and what their work is. */
  function busy(): { shipping: Bulkhead; log: Log; finish: () => void; release: () => void; leaving: AbortController } {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 9, timeoutMs: 50, callTimeoutMs: 80, abandonAfterMs: 20 });
    const log = new Log();
    const leaving = new AbortController();
    const work = gate<string>();
    const hold = shipping.tryAcquire();
    log.watch('a', shipping.exec(() => work.promise));
    log.watch('b', shipping.exec(() => 'b ran'));
    log.watch('c', shipping.acquire({ signal: leaving.signal }));
    log.watch('d', shipping.exec(() => 'd ran', { timeoutMs: 20 }));
    return { shipping, log, finish: () => work.open('done'), release: () => hold?.release(), leaving };
  }

  const first: Record<string, (things: ReturnType<typeof busy>) => string[]> = {
    'the timers': () => ['d:queue_timeout', 'b:queue_timeout', 'c:queue_timeout', 'a:call_timeout'],
    'an abort': ({ leaving }) => { leaving.abort('left'); return ['d:queue_timeout', 'b:queue_timeout', 'c:queue_timeout', 'a:call_timeout']; },
    'a release': ({ release }) => { release(); return ['d:queue_timeout', 'b:queue_timeout', 'c:queue_timeout', 'a:call_timeout']; },
    'a result': ({ finish }) => { finish(); return ['d:queue_timeout', 'b:queue_timeout', 'c:queue_timeout', 'a:done']; },
    'a close': ({ shipping }) => { void shipping.close({ abort: true }); return ['d:queue_timeout', 'b:queue_timeout', 'c:queue_timeout', 'a:call_timeout']; },
  };
  for (const [what, act] of Object.entries(first)) {
    it(`answers each call once and in order when it goes on, whatever comes first: ${what}`, onClock(async (clock) => {
      const things = busy();
      clock.jump(10_000);
      const wanted = act(things);
      await clock.settle();
      assert.deepEqual(things.log.take(), wanted);
      things.release();
      things.finish();
      await clock.settle();
      assert.equal(checkBooks(things.shipping), 5);
      if (what !== 'a close') probeFull(things.shipping, 2);
    }));
  }

  it('times calls that arrive then from then on', onClock(async (clock) => {
    const { shipping, release, finish } = busy();
    clock.jump(10_000);
    const late = outcome(shipping.exec(() => gate().promise));
    const later = outcome(shipping.exec(() => 1, { timeoutMs: 30 }));
    await clock.advance(29);
    assert.deepEqual([shipping.stats().queued, shipping.stats().rejected.queueTimeout], [1, 3]);
    await clock.advance(1);
    assert.equal(await later, 'queue_timeout');
    await clock.advance(50);
    assert.equal(await late, 'call_timeout');
    release();
    finish();
    await clock.advance(100);
    probeFull(shipping, 2);
  }));
});

it('a host that cannot take back a timer fires old ones, and nothing happens', onClock(async (clock) => {
  const { clearTimeout } = globalThis;
  let kept = 0;
  globalThis.clearTimeout = () => { kept += 1; };
  try {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: 20_000 });
    for (const timeoutMs of [20_000, 15_000, 12_000]) {
      const hold = shipping.tryAcquire();
      const waiting = [timeoutMs, timeoutMs - 100].map((own) => shipping.exec(() => 'ran', { timeoutMs: own }));
      hold?.release();
      assert.deepEqual(await Promise.all(waiting), ['ran', 'ran']);
    }
    assert.ok(kept > 0);
    // While somebody waits whose own timer the old ones come before.
    const { setTimeout } = globalThis;
    let set = 0;
    globalThis.setTimeout = ((act: () => void, delay: number) => { set += 1; return setTimeout(act, delay); }) as typeof setTimeout;
    const hold = shipping.tryAcquire();
    const waiting = outcome(shipping.exec(() => 1));
    await clock.advance(19_999);
    assert.equal(shipping.stats().queued, 1);
    await clock.advance(1);
    assert.equal(await waiting, 'queue_timeout');
    assert.equal(set, 1);
    globalThis.setTimeout = setTimeout;
    hold?.release();
    await clock.advance(60_000);
    probeFull(shipping, 1);
  } finally {
    globalThis.clearTimeout = clearTimeout;
  }
}));
