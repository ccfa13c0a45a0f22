// Hosts whose clock or whose timers are not what they should be: nobody ends too early, nobody
// waits for ever, nothing spins.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { VirtualClock } from 'bulkheads/testing';
import { probeFull } from './books.js';
import { gate, onClock, outcome } from './support.js';

/** Replaces functions of the host until the test is over. */
function onHost(change: (clock: VirtualClock, host: Host) => void, test: (clock: VirtualClock, host: Host) => Promise<void>): () => Promise<void> {
  return onClock(async (clock) => {
    const { setTimeout, clearTimeout } = globalThis;
    const { now } = performance;
    const host: Host = { setTimeout, now: () => now.call(performance), delays: [] };
    globalThis.setTimeout = ((act: () => void, delay: number) => {
      host.delays.push(delay);
      return host.setTimeout(act, delay);
    }) as typeof globalThis.setTimeout;
    performance.now = () => host.now();
    try {
      change(clock, host);
      await test(clock, host);
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      performance.now = now;
    }
  });
}

interface Host {
  setTimeout: (act: () => void, delay: number) => unknown;
  now: () => number;
  /** What timers were set to. */
  readonly delays: number[];
}

/**
 * How long the one who waits did wait, and for how long the one who runs ran, by the test's own
 * clock.
 */
async function lengths(clock: VirtualClock): Promise<{ waited: number; ran: number }> {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 50, callTimeoutMs: 100 });
  const start = clock.now;
  const work = gate();
  const ends = { waited: 0, ran: 0 };
  const running = outcome(shipping.exec(() => work.promise)).then((answer) => { ends.ran = clock.now - start; return answer; });
  const waiting = outcome(shipping.exec(() => 1)).then((answer) => { ends.waited = clock.now - start; return answer; });
  await clock.advance(100_000);
  assert.deepEqual(await Promise.all([running, waiting]), ['call_timeout', 'queue_timeout']);
  work.open();
  await clock.settle();
  probeFull(shipping, 1);
  return ends;
}

const TICK = 15.6;

describe('a timer that fires early', () => {
  for (const early of [0.4, 1, TICK]) {
    it(`by ${early} ms is set again for the rest, and nobody ends before the time`, onHost((_, host) => {
      const { setTimeout } = host;
      // Every one of them, but none takes less than a millisecond if it was to take more.
      host.setTimeout = (act, delay) => setTimeout(act, Math.max(delay - early, Math.min(delay, 1)));
    }, async (clock, host) => {
      const { waited, ran } = await lengths(clock);
      assert.ok(waited >= 50 && waited < 52, String(waited));
      assert.ok(ran >= 100 && ran < 102, String(ran));
      // The bound of the run, that of the wait, that of the run again; and once for every
      // millisecond that they were early.
      assert.ok(host.delays.length <= 3 + 2 * Math.ceil(early), String(host.delays));
    }));
  }
});

describe('a clock', () => {
  it(`that ticks every ${TICK} ms, with timers that are right, ends nobody early and spins not`, onHost((clock, host) => {
    host.now = () => Math.floor(clock.now / TICK) * TICK;
  }, async (clock, host) => {
    await clock.advance(7);
    const { waited, ran } = await lengths(clock);
    assert.ok(waited >= 50 - TICK && waited <= 50 + TICK, String(waited));
    assert.ok(ran >= 100 - TICK && ran <= 100 + TICK, String(ran));
    assert.ok(host.delays.length <= 8, String(host.delays));
  }));

  it('that stands still ends nobody, and goes on where it stood', onHost((clock, host) => {
    host.now = () => (clock.now < 500 ? 0 : clock.now - 500);
  }, async (clock) => {
    const { waited, ran } = await lengths(clock);
    assert.ok(waited >= 550 && waited < 552, String(waited));
    assert.ok(ran >= 600 && ran < 602, String(ran));
  }));

  for (const back of [1, 40, 3_600_000]) {
    it(`that steps back by ${back} ms is taken as standing still, and waits go on from there`, onHost((clock, host) => {
      host.now = () => (clock.now < 20 ? clock.now : clock.now - back);
    }, async (clock) => {
      await clock.advance(10);
      const { waited, ran } = await lengths(clock);
      assert.ok(waited >= 50 && waited <= 50 + Math.min(back, 50), String(waited));
      assert.ok(ran >= 100 && ran <= 100 + Math.min(back, 100), String(ran));
    }));
  }

  it('that has stepped back counts for a deadline as it stands now', onHost((clock, host) => {
    host.now = () => (clock.now < 5000 ? clock.now : clock.now - 4000);
  }, async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, timeoutMs: Infinity });
    const hold = shipping.tryAcquire();
    await clock.advance(4999);
    void outcome(shipping.exec(() => 1, { timeoutMs: 0 }));
    await clock.advance(1);
    const answers = [performance.now() + 50, new Date(Date.now() + 50)].map((deadline) => outcome(shipping.exec(() => 1, { deadline })));
    assert.equal(await outcome(shipping.exec(() => 1, { deadline: performance.now() - 1 })), 'queue_timeout');
    await clock.advance(40);
    assert.equal(shipping.stats().queued, 2);
    await clock.advance(11);
    assert.deepEqual(await Promise.all(answers), ['queue_timeout', 'queue_timeout']);
    hold?.release();
    probeFull(shipping, 1);
  }));

  it('that is the calendar, where there is no better one, may be set back', async () => {
    const { now } = Date;
    const performance = Object.getOwnPropertyDescriptor(globalThis, 'performance');
    assert.ok(performance);
    const clock = new VirtualClock().install();
    let calendar = now();
    Date.now = () => calendar + clock.now;
    Object.defineProperty(globalThis, 'performance', { value: undefined, configurable: true, writable: true });
    try {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, timeoutMs: 50 });
      const hold = shipping.tryAcquire();
      const before = outcome(shipping.exec(() => 1));
      await clock.advance(10);
      calendar -= 86_400_000;
      const after = outcome(shipping.exec(() => 1));
      await clock.advance(100);
      assert.deepEqual(await Promise.all([before, after]), ['queue_timeout', 'queue_timeout']);
      hold?.release();
      probeFull(shipping, 1);
    } finally {
      Date.now = now;
      Object.defineProperty(globalThis, 'performance', performance);
      clock.uninstall();
    }
  });

  it('that begins anew, as fake timers do in each test, serves a bulkhead that has lived before', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 50 });
    for (let test = 0; test < 3; test += 1) {
      await onClock(async (clock) => {
        const hold = shipping.tryAcquire();
        const waiting = shipping.exec(() => 1).then(() => undefined, (error: unknown) => (error as { waitedMs: number }).waitedMs);
        await clock.advance(50);
        assert.equal(await waiting, 50);
        hold?.release();
        await clock.advance(1000);
      })();
    }
    probeFull(shipping, 1);
  });
});
