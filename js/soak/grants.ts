// Callers in several threads whose waits end just as permits come back: what one thread's input
// shows of another's must reach the call that it is meant for, though that call has only just
// arrived.

import assert from 'node:assert/strict';
import { Bulkhead, type BulkheadStats } from 'bulkheads';
import { freshName, type Scope, Thread } from '../test/threads.js';

export interface Contention {
  readonly threads: number;
  /** Of each thread, each with one call at a time. */
  readonly callers: number;
  readonly limit: number;
  /** How long the callers go on. */
  readonly milliseconds: number;
  readonly seed: number;
}

interface Plan {
  readonly name: string;
  readonly callers: number;
  readonly milliseconds: number;
  readonly seed: number;
  /** How many calls the threads have made that are not answered yet. */
  readonly pending: Int32Array;
}

interface Tally {
  readonly calls: number;
  readonly started: number;
  readonly answers: Record<string, number>;
}

/**
 * How long a call may go without an answer that each bound would have brought within a few
 * milliseconds.
 */
const PATIENCE_MS = 10_000;

export async function contend({ threads: count, callers, limit, milliseconds, seed }: Contention): Promise<number> {
  const name = freshName();
  const shared = Bulkhead.shared(name, { maxConcurrent: limit, maxQueue: 40, timeoutMs: 1000, callTimeoutMs: 2.5 });
  const pending = new Int32Array(new SharedArrayBuffer(4));
  const threads = Array.from({ length: count }, () => new Thread());
  try {
    const plan = (lane: number): Plan => ({ name, callers, milliseconds, seed: seed * 100 + lane, pending });
    const running = Promise.all(threads.map((thread, lane) => thread.run(call, plan(lane))));
    const tallies = await answeredWithin(running, milliseconds + PATIENCE_MS, () => {
      const { active, queued, admitted } = shared.stats();
      return `${pending[0]} calls without an answer; books ${JSON.stringify({ active, queued, admitted })}, limit ${limit}, seed ${seed}`;
    });
    await shared.idle();
    mustAgree(shared.stats(), tallies);
    const all = shared.tryAcquire(limit);
    assert.equal(all?.weight, limit, 'all permits are back');
    all.release();
    return tallies.reduce((sum, tally) => sum + tally.calls, 0);
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/** Its source goes over to the thread: all that it needs is within. */
async function call({ Bulkhead }: Scope, plan: Plan): Promise<Tally> {
  const shared = Bulkhead.shared(plan.name);
  const answers: Record<string, number> = {};
  const end = performance.now() + plan.milliseconds;
  let state = plan.seed >>> 0;
  let calls = 0;
  let started = 0;
  // What waits for a permit alone keeps no thread alive, and here all do.
  const alive = setInterval(() => undefined, 1000);
  await Promise.all(Array.from({ length: plan.callers }, one));
  clearInterval(alive);
  return { calls, started, answers };

  async function one(): Promise<void> {
    while (performance.now() < end) {
      calls += 1;
      Atomics.add(plan.pending, 0, 1);
      const answer = await attempt().then(() => 'ok', (error: unknown) => String((error as { code?: string }).code ?? error));
      Atomics.sub(plan.pending, 0, 1);
      answers[answer] = (answers[answer] ?? 0) + 1;
      if (answer === 'full' || dice(8) === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function attempt(): Promise<unknown> {
    // From much less than a run takes to much more.
    const timeoutMs = [0.02, 0.1, 1, 2, 3, 20, Infinity][dice(7)];
    return dice(3) === 0 ? byHand(timeoutMs) : shared.exec(work, { timeoutMs });
  }

  async function byHand(timeoutMs: number | undefined): Promise<void> {
    const permit = await shared.acquire({ timeoutMs });
    await work();
    permit.release();
  }

  function work(): unknown {
    started += 1;
    switch (dice(4)) {
      case 0:
        return undefined;
      case 1:
        return new Promise((resolve) => setImmediate(resolve));
      case 2:
        spin(dice(1000) / 5000);
        return undefined;
      default:
        return new Promise((resolve) => setTimeout(resolve, 1 + dice(3)));
    }
  }

  function spin(milliseconds: number): void {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  }

  function dice(sides: number): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  }
}

/** What the callers were answered is what the books say. */
function mustAgree(stats: BulkheadStats, tallies: readonly Tally[]): void {
  const sum = (figure: (tally: Tally) => number): number => tallies.reduce((all, tally) => all + figure(tally), 0);
  const answered = (answer: string): number => sum(({ answers }) => answers[answer] ?? 0);
  const { admitted, completed, failed, callTimeouts, rejected, active, queued, running } = stats;
  assert.deepEqual({ active, queued, running }, { active: 0, queued: 0, running: 0 });
  assert.deepEqual(
    { calls: sum(({ calls }) => calls), started: sum(({ started }) => started), ok: answered('ok'), callTimeouts: answered('call_timeout') },
    { calls: admitted + rejected.full + rejected.queueTimeout, started: admitted, ok: completed, callTimeouts },
  );
  assert.deepEqual([answered('full'), answered('queue_timeout')], [rejected.full, rejected.queueTimeout]);
  assert.equal(failed, callTimeouts);
}

async function answeredWithin<Answer>(answer: Promise<Answer>, milliseconds: number, state: () => string): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: state() })), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
