import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { VirtualClock } from 'bulkheads/testing';
import { gate, onClock, outcome, runScript, turn } from './support.js';

/** Counts what a clock is asked to do. */
function counting(): { set: number[]; cleared: number; restore: () => void } {
  const { setTimeout, clearTimeout } = globalThis;
  const counts = { set: [] as number[], cleared: 0, restore: () => void Object.assign(globalThis, { setTimeout, clearTimeout }) };
  globalThis.setTimeout = ((act: () => void, delay: number) => {
    counts.set.push(delay);
    return setTimeout(act, delay);
  }) as typeof globalThis.setTimeout;
  globalThis.clearTimeout = (timer) => {
    counts.cleared += 1;
    clearTimeout(timer);
  };
  return counts;
}

describe('the host timer', () => {
  it('is one, however many calls wait', onClock(async (clock) => {
    const counts = counting();
    try {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1000, timeoutMs: 50 });
      const hold = shipping.tryAcquire();
      const waiting = Array.from({ length: 1000 }, () => outcome(shipping.exec(() => 1)));
      assert.deepEqual(counts.set, [50]);
      await clock.advance(50);
      assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['queue_timeout']));
      assert.deepEqual(counts.set, [50]);
      hold?.release();
    } finally {
      counts.restore();
    }
  }));

  it('goes over 2^31 - 1 ms in steps', onClock(async (clock) => {
    const most = 2 ** 31 - 1;
    const counts = counting();
    try {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 3e9 });
      const hold = shipping.tryAcquire();
      const waiting = outcome(shipping.exec(() => 1));
      await clock.advance(3e9 - 1);
      assert.equal(shipping.stats().queued, 1);
      await clock.advance(1);
      assert.equal(await waiting, 'queue_timeout');
      assert.deepEqual(counts.set, [most, 3e9 - most]);
      hold?.release();
    } finally {
      counts.restore();
    }
  }));

  for (const early of [0.4, 1]) {
    it(`that fires ${early} ms early is set again for the rest, at least 1 ms`, onClock(async (clock) => {
      const counts = counting();
      const { setTimeout } = globalThis;
      globalThis.setTimeout = ((act: () => void, delay: number) => setTimeout(act, delay > 1 ? delay - early : delay)) as typeof setTimeout;
      try {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 50 });
        const hold = shipping.tryAcquire();
        const waiting = outcome(shipping.exec(() => 1));
        await clock.advance(50 - early);
        assert.equal(shipping.stats().queued, 1);
        await clock.advance(2);
        assert.equal(await waiting, 'queue_timeout');
        assert.ok(counts.set.length <= 3, String(counts.set));
        assert.equal(counts.set[1], 1);
        hold?.release();
      } finally {
        counts.restore();
      }
    }));
  }

  it('of waits that are over stays for the next, and fires without effect', onClock(async (clock) => {
    const counts = counting();
    try {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, callTimeoutMs: 50 });
      for (let call = 0; call < 1000; call += 1) await shipping.exec(() => turn());
      assert.deepEqual([counts.set.length, counts.cleared], [1, 0]);
      await clock.advance(100);
      assert.equal(clock.nextTimer, null);
      assert.equal(shipping.stats().completed, 1000);
    } finally {
      counts.restore();
    }
  }));

  it('of long waits that are over is cleared', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 100, timeoutMs: 3_600_000 });
    for (let round = 0; round < 3; round += 1) {
      const leaving = new AbortController();
      const hold = shipping.tryAcquire();
      const waiting = Array.from({ length: 50 }, (_, call) => outcome(shipping.exec(() => 1, call % 2 === 0 ? {} : { signal: leaving.signal })));
      assert.notEqual(clock.nextTimer, null);
      leaving.abort();
      hold?.release();
      await Promise.all(waiting);
      assert.equal(clock.nextTimer, null);
    }
  }));

  it('is set anew when fake timers have come or gone', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, timeoutMs: 5000 });
    const hold = shipping.tryAcquire();
    const start = performance.now();
    const before = new VirtualClock(start).install();
    const first = outcome(shipping.exec(() => 1));
    before.uninstall();
    const after = new VirtualClock(start + 1).install();
    const second = outcome(shipping.exec(() => 1));
    await after.advance(6000);
    assert.deepEqual(await Promise.all([first, second]), ['queue_timeout', 'queue_timeout']);
    after.uninstall();
    hold?.release();
  });

  it('measures from a fresh reading of the clock', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 100 });
    const hold = shipping.tryAcquire();
    clock.jump(300);
    const waiting = outcome(shipping.exec(() => 1));
    assert.equal(clock.nextTimer, 400);
    await clock.advance(100);
    assert.equal(await waiting, 'queue_timeout');
    hold?.release();
  }));
});

describe('the process', () => {
  const make = "import { Bulkhead } from 'bulkheads'; const say = (text) => console.log(text); const never = () => new Promise(() => {});";

  it('lives as long as a waiter under a time-out', async () => {
    const { stdout } = await runScript(`${make}
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 60 });
      shipping.exec(never);
      shipping.exec(never).catch((error) => say(error.code));
    `);
    assert.equal(stdout, 'queue_timeout');
  });

  it('lives as long as a running call under a time-out', async () => {
    const { stdout } = await runScript(`${make}
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 60 });
      shipping.exec(never).catch((error) => say(error.code));
    `);
    assert.equal(stdout, 'call_timeout');
  });

  const idle = {
    'an idle bulkhead': "new Bulkhead('shipping', { maxConcurrent: 1 });",
    'a timer that is kept': "const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 9000 }); await shipping.exec(() => Promise.resolve());",
    'a waiter without any bound': "const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity }); shipping.exec(never); shipping.exec(never);",
    'a call already answered': "const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 20, abandonAfterMs: 50000 }); await shipping.exec(never).catch(() => 0);",
    'a wait that was cancelled': "const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 9000 }); const c = new AbortController(); shipping.exec(never); shipping.exec(never, { signal: c.signal }).catch(() => 0); c.abort();",
  };
  for (const [what, script] of Object.entries(idle)) {
    it(`is not kept alive by ${what}`, async () => {
      const { stdout, stderr, code } = await runScript(`${make} ${script} say('end'); process.on('exit', () => say(performance.now() < 8000));`);
      assert.deepEqual([stdout, stderr, code], ['end\ntrue', '', 0]);
    });
  }

  it('hears no warning about time-outs that are too long', async () => {
    const { stdout, stderr } = await runScript(`${make}
      for (const timeoutMs of [2 ** 31 - 1, 2 ** 31, 40 * 86_400_000, Number.MAX_VALUE]) {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs });
        const hold = shipping.tryAcquire();
        const waiting = shipping.exec(() => 'granted');
        await new Promise((resolve) => setTimeout(resolve, 20));
        hold.release();
        say(await waiting);
      }
    `);
    assert.deepEqual([stdout, stderr], ['granted\ngranted\ngranted\ngranted', '']);
  });
});

it('three hours of suspension end ten thousand waits at once, and grant nobody too late', onClock(async (clock) => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 10_000, timeoutMs: Infinity });
  const hold = shipping.tryAcquire();
  const hour = 3_600_000;
  const waiting = Array.from({ length: 10_000 }, (_, call) => outcome(shipping.exec(() => call, { timeoutMs: (1 + (call % 6)) * hour })));
  clock.jump(3 * hour);
  hold?.release();
  const outcomes = await Promise.all(waiting);
  assert.equal(outcomes.filter((one) => one === 'queue_timeout').length, outcomes.filter((_, call) => call % 6 < 3).length);
  const { queued, active } = shipping.stats();
  assert.deepEqual([queued, active], [0, 0]);
  void gate();
}));
