// Threads that call through one shared limit while others are ended in the midst of it; then the
// books must balance.

import assert from 'node:assert/strict';
import { Bulkhead, type BulkheadStats } from 'bulkheads';
import { freshName, Thread } from '../test/threads.js';
import { hammer, type Plan, type Tally } from './hammer.js';
import { clear, doom, isQuiet, LANES, newWitness } from './witness.js';

export interface Stress {
  readonly threads: number;
  /** Of each thread. */
  readonly calls: number;
  readonly limit: number;
  /** How many further threads there are at a time that are ended, one after the other. */
  readonly mortals: number;
  readonly seed: number;
}

export interface Report {
  readonly calls: number;
  /** How many threads were ended. */
  readonly ended: number;
  readonly answers: Record<string, number>;
  readonly stats: BulkheadStats;
}

export async function stress({ threads, calls, limit, mortals, seed }: Stress): Promise<Report> {
  assert.ok(threads + mortals <= LANES);
  const name = freshName();
  const shared = Bulkhead.shared(name, { maxConcurrent: limit, maxQueue: 64, callTimeoutMs: 1000 });
  const [witness, started, orders] = [newWitness(limit), lanes(), lanes()];
  const plan = (lane: number): Plan => ({ name, lane, calls, width: 12, seed: seed * 1000 + lane, witness, started, orders });
  const random = generator(seed);

  let isOver = false;
  let ended = 0;
  const steady = Array.from({ length: threads }, (_, lane) => ({ lane, thread: new Thread() }));
  const runs = Promise.all(steady.map(({ lane, thread }) => thread.run(hammer, plan(lane)))).finally(() => (isOver = true));
  const deaths = Array.from({ length: mortals }, async (_, index) => {
    for (let lane = threads + index; !isOver; ended += 1) await liveAndDie(lane);
  });
  const [tallies] = await Promise.all([runs, ...deaths]);
  await shared.idle();
  await Promise.all(steady.map(({ thread }) => thread.end()));

  const stats = shared.stats();
  const total = started.reduce((sum, count) => sum + count, 0);
  assert.equal(witness.excess[0], 0, 'more ran than may');
  assert.ok(isQuiet(witness), 'somebody has not left');
  mustBalance(stats, total);
  if (mortals === 0) mustAgree(stats, tallies);
  const all = shared.tryAcquire(limit);
  assert.equal(all?.weight, limit, 'all permits are back');
  all.release();
  return { calls: tallies.reduce((sum, tally) => sum + tally.calls, 0), ended, answers: added(tallies), stats };

  /** One thread that is ended by another, by itself or by an error, wherever it is then. */
  async function liveAndDie(lane: number): Promise<void> {
    const thread = new Thread();
    const way = random(4);
    const until = Atomics.load(started, lane) + 1 + random(50);
    thread.run(hammer, { ...plan(lane), calls: Infinity, seed: random(2 ** 31) }).catch(() => undefined);
    while (Atomics.load(started, lane) < until && !isOver) await new Promise((resolve) => setImmediate(resolve));
    doom(witness, lane);
    if (way === 1 || way === 2) Atomics.store(orders, lane, way);
    else await thread.end();
    await thread.ended;
    Atomics.store(orders, lane, 0);
    clear(witness, lane);
  }
}

/**
 * What holds whatever happens. `started` were seen to run; those that were granted and evicted
 * before are abandoned too.
 */
function mustBalance(stats: BulkheadStats, started: number): void {
  const { active, queued, running, admitted, completed, failed, unclaimed, abandonedRuns, leaked, doubleReleases } = stats;
  assert.deepEqual({ active, queued, running, leaked, doubleReleases }, { active: 0, queued: 0, running: 0, leaked: 0, doubleReleases: 0 });
  assert.equal(admitted, completed + failed + unclaimed + abandonedRuns);
  const notSeen = admitted - unclaimed - started;
  assert.ok(notSeen >= 0 && notSeen <= abandonedRuns, `admitted ${admitted}, seen ${started}, unclaimed ${unclaimed}, abandoned ${abandonedRuns}`);
}

/** Where no thread was ended the threads know all that the core knows. */
function mustAgree(stats: BulkheadStats, tallies: readonly Tally[]): void {
  const answers = added(tallies);
  const calls = tallies.reduce((sum, tally) => sum + tally.calls, 0);
  const { full, queueTimeout, cancelled, closed, tooHeavy, reentrant } = stats.rejected;
  assert.equal(stats.admitted + full + queueTimeout + cancelled + closed + tooHeavy + reentrant, calls);
  assert.equal(stats.completed + stats.failed, tallies.reduce((sum, tally) => sum + tally.started, 0));
  assert.deepEqual([full, queueTimeout], [answers['full'] ?? 0, answers['queue_timeout'] ?? 0]);
  assert.equal(stats.abandonedRuns, 0);
}

function added(tallies: readonly Tally[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { answers } of tallies) for (const [answer, count] of Object.entries(answers)) sum[answer] = (sum[answer] ?? 0) + count;
  return sum;
}

function lanes(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * LANES));
}

function generator(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}
