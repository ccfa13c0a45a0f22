// Threads have clocks of their own, each with another beginning: a shared bulkhead counts by one.
// Time is virtual, in each thread.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { VirtualClock } from 'bulkheads/testing';
import { onClock, outcome, turn } from './support.js';
import { freshName, keepAlive, type Scope, Thread, withThreads } from './threads.js';

keepAlive();

const isNative = process.env['BULKHEADS_ENGINE'] === 'native';

const installClock = ({ VirtualClock, kept }: Scope, start: number): void => void (kept['clock'] = new VirtualClock(start).install());
const advance = ({ get }: Scope, milliseconds: number): Promise<void> => get<VirtualClock>('clock').advance(milliseconds);

interface Call {
  readonly name: string;
  readonly key: string;
  readonly timeoutMs?: number;
  /** From now. */
  readonly deadlineMs?: number;
}

/** A call without end, or one that waits; how it ended is kept as `[code, waitedMs or ranMs]`. */
function call({ Bulkhead, kept }: Scope, { name, key, timeoutMs, deadlineMs }: Call): void {
  const deadline = deadlineMs === undefined ? undefined : performance.now() + deadlineMs;
  const work = (): Promise<void> => new Promise((resolve) => (kept[`end ${key}`] = resolve));
  kept[key] = [];
  Bulkhead.shared(name).exec(work, { timeoutMs, deadline }).catch((error: unknown) => {
    const { code, waitedMs, ranMs } = error as { code: string; waitedMs?: number; ranMs?: number };
    kept[key] = [code, waitedMs ?? ranMs];
  });
}

const ended = ({ get }: Scope, key: string): unknown => get(key);

describe('time in threads that share a bulkhead', { skip: !isNative && 'only the native engine shares' }, () => {
  for (const start of [0, 1_000_000, 0.25, 987_654.321]) {
    it(`is counted from each thread's own beginning: ${start}`, withThreads(1, async (thread) => onClock(async () => {
      const name = freshName();
      const shared = Bulkhead.shared(name, { maxConcurrent: 1, maxQueue: 10, timeoutMs: 50 });
      const permit = shared.tryAcquire();
      await thread.run(installClock, start);
      await thread.run(call, { name, key: 'bulkhead' });
      await thread.run(call, { name, key: 'own', timeoutMs: 20 });
      await thread.run(call, { name, key: 'deadline', deadlineMs: 30.5 });
      for (const [step, expected] of [[19, [[], [], []]], [1, [[], ['queue_timeout', 20], []]], [10, [[], ['queue_timeout', 20], []]],
        [1, [[], ['queue_timeout', 20], ['queue_timeout', 30.5]]], [18, [[], ['queue_timeout', 20], ['queue_timeout', 30.5]]],
        [1, [['queue_timeout', 50], ['queue_timeout', 20], ['queue_timeout', 30.5]]]] as const) {
        await thread.run(advance, step);
        const found = await Promise.all(['bulkhead', 'own', 'deadline'].map((key) => thread.run(ended, key)));
        assert.deepEqual(found, expected);
      }
      permit?.release();
      assert.equal(shared.stats().waited.max, 50);
    })()));
  }

  it('answers with the time-out that another thread has handled, as the books say', withThreads(1, async (thread) => onClock(async (clock) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 2, callTimeoutMs: 60_000 });
    // Its first input sets its clock.
    shared.tryAcquire()?.release();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const answer = thread.run(({ Bulkhead, outcome }, { name, flag }) => {
      const work = async (): Promise<string> => {
        await Promise.resolve();
        // From here on the thread sees nothing until the other has made its step.
        Atomics.store(flag, 0, 1);
        Atomics.wait(flag, 0, 1);
        return 'a result';
      };
      return outcome(Bulkhead.shared(name).exec(work));
    }, { name, flag });
    while (Atomics.load(flag, 0) === 0) await turn();
    clock.jump(61_000);
    shared.tryAcquire()?.release();
    Atomics.store(flag, 0, 2);
    Atomics.notify(flag, 0);
    assert.equal(await answer, 'call_timeout');
    assert.deepEqual([shared.stats().callTimeouts, shared.stats().completed, shared.stats().failed], [1, 2, 1]);
  })()));

  it('bounds work in each thread by its own clock', withThreads(1, async (thread) => onClock(async (clock) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 2, callTimeoutMs: 40, abandonAfterMs: 10 });
    await thread.run(installClock, 5000);
    await thread.run(call, { name, key: 'there' });
    const here = outcome(shared.exec(() => new Promise(() => undefined)));
    await thread.run(advance, 39);
    assert.deepEqual(await thread.run(ended, 'there'), []);
    await thread.run(advance, 1);
    assert.deepEqual(await thread.run(ended, 'there'), ['call_timeout', 40]);
    await clock.advance(40);
    assert.equal(await here, 'call_timeout');
    await thread.run(advance, 10);
    await clock.advance(10);
    assert.deepEqual([shared.stats().abandonedRuns, shared.stats().active], [2, 0]);
  })()));

  it('that passes in one thread ends the waits of the others, and they hear of it', withThreads(1, async (thread) => onClock(async (clock) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 1, maxQueue: 10, timeoutMs: 50 });
    const permit = shared.tryAcquire();
    await thread.run(installClock, 777);
    await thread.run(call, { name, key: 'there' });
    clock.jump(10_000);
    // At its deadline it has timed out, though this very input would have freed its permit.
    permit?.release();
    assert.equal(shared.stats().rejected.queueTimeout, 1);
    while ((await thread.run(ended, 'there') as unknown[]).length === 0) await turn();
    const [code, waited] = await thread.run(ended, 'there') as [string, number];
    assert.ok(code === 'queue_timeout' && waited > 9000, `${code} ${waited}`);
  })()));

  it('measures a wait that begins in one thread and ends by a release in another', withThreads(1, async (thread) => onClock(async (clock) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 1, maxQueue: 10, timeoutMs: Infinity });
    await thread.run(installClock, 123_456);
    await thread.run(call, { name, key: 'held' });
    const waiting = shared.exec(() => 'served');
    await clock.advance(100_000);
    await thread.run(advance, 200_000);
    await thread.run(({ get }) => get<() => void>('end held')());
    assert.equal(await waiting, 'served');
    const { max } = shared.stats().waited;
    // The clocks went on by themselves between the steps as well.
    assert.ok(max >= 199_000 && max < 290_000, String(max));
  })()));

  it('is real when a thread ends: who is past its deadline then gets none of its permits', async () => {
    const name = freshName();
    const clock = new VirtualClock().install();
    try {
      const shared = Bulkhead.shared(name, { maxConcurrent: 1, maxQueue: 10, timeoutMs: Infinity });
      const thread = new Thread();
      await thread.run(({ Bulkhead, kept }, name) => void (kept['permit'] = Bulkhead.shared(name).tryAcquire()), name);
      // Its own clock stands still.
      const late = outcome(shared.exec(() => 'served', { timeoutMs: 0.001 }));
      const patient = outcome(shared.exec(() => 'served'));
      await thread.end();
      assert.deepEqual(await Promise.all([late, patient]), ['queue_timeout', 'served']);
    } finally {
      clock.uninstall();
    }
  });

  it('goes on when fake timers come and go', async () => {
    const shared = Bulkhead.shared(freshName(), { maxConcurrent: 1, maxQueue: 10, timeoutMs: 1000 });
    const permit = shared.tryAcquire();
    for (const start of [0, 1e9, 5]) {
      const clock = new VirtualClock(start).install();
      try {
        const waiting = outcome(shared.exec(() => 1, { timeoutMs: 30 }));
        await clock.advance(29);
        assert.equal(shared.stats().queued, 1);
        await clock.advance(1);
        assert.equal(await waiting, 'queue_timeout');
      } finally {
        clock.uninstall();
      }
    }
    assert.equal(await outcome(shared.exec(() => 1, { timeoutMs: 5 })), 'queue_timeout');
    permit?.release();
  });

  it('comes back from the core as it went there, however far apart the beginnings lie', onClock(async (clock) => {
    const shared = Bulkhead.shared(freshName(), { maxConcurrent: 1, maxQueue: 10, timeoutMs: 60_000 });
    const permit = shared.tryAcquire();
    clock.jump(12_345_678.901);
    for (let round = 0; round < 200; round += 1) {
      const timeoutMs = 1 + round * 0.377;
      const waiting = outcome(shared.exec(() => 1, { timeoutMs }));
      const start = clock.now;
      await clock.advanceTo(clock.nextTimer ?? 0);
      assert.equal(await waiting, 'queue_timeout');
      assert.ok(Math.abs(clock.now - start - timeoutMs) < 1e-5, `${clock.now - start} for ${timeoutMs}`);
    }
    permit?.release();
  }));
});
