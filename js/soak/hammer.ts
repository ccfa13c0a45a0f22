// What each thread of the stress does: calls of every kind, with random bounds, aborted at random
// moments, so many at a time.

import type { Bulkhead } from 'bulkheads';
import type { Scope } from '../test/threads.js';
import type { Witness } from './witness.js';

export interface Plan {
  readonly name: string;
  readonly lane: number;
  /** `Infinity`: until the thread is ended. */
  readonly calls: number;
  /** How many are under way at a time. */
  readonly width: number;
  readonly seed: number;
  readonly witness: Witness;
  /** By lane: how many calls have begun to run. */
  readonly started: Int32Array;
  /** By lane: not 0: the thread is to end, and how. */
  readonly orders: Int32Array;
}

export interface Tally {
  readonly calls: number;
  readonly started: number;
  /** How calls were answered: `ok`, `failed`, or the code or the reason. */
  readonly answers: Record<string, number>;
}

/** Its source goes over to the thread: all that it needs is within. */
export async function hammer({ Bulkhead, turn }: Scope, plan: Plan): Promise<Tally> {
  const { witness: { word, excess, limit }, lane, started, orders } = plan;
  const shared = Bulkhead.shared(plan.name);
  const answers: Record<string, number> = {};
  let state = plan.seed >>> 0;
  let begun = 0;
  let ran = 0;
  await Promise.all(Array.from({ length: plan.width }, one));
  return { calls: begun, started: ran, answers };

  async function one(): Promise<void> {
    while (begun < plan.calls) {
      begun += 1;
      const answer = await call(shared).then(() => 'ok', (error: unknown) => String((error as { code?: string }).code ?? error));
      answers[answer] = (answers[answer] ?? 0) + 1;
      obey(Atomics.load(orders, lane));
      // Those that were turned away at once would keep everybody else out.
      if (answer === 'full') await turn();
    }
  }

  function call(bulkhead: Bulkhead): Promise<unknown> {
    const weight = dice(10) === 0 ? 1 + dice(limit) : 1;
    const timeoutMs = [Infinity, 0, 0.5, 5][dice(20)];
    const signal = dice(5) === 0 ? soonAborted() : undefined;
    const kind = dice(10);
    if (kind === 0) return tryByHand(bulkhead, weight);
    if (kind < 3) return bulkhead.acquire({ weight, timeoutMs, signal }).then((permit) => byHand(permit, weight));
    return bulkhead.exec(() => work(weight), { weight, timeoutMs, signal });
  }

  function soonAborted(): AbortSignal {
    const controller = new AbortController();
    const turns = dice(6);
    if (turns === 0) controller.abort('aborted');
    else void pass(turns).then(() => controller.abort('aborted'));
    return controller.signal;
  }

  async function tryByHand(bulkhead: Bulkhead, weight: number): Promise<void> {
    const permit = bulkhead.tryAcquire(weight);
    if (permit === null) throw Object.assign(new Error('no permit'), { code: 'full' });
    await byHand(permit, weight);
  }

  async function byHand(permit: { release(): void }, weight: number): Promise<void> {
    enter(weight);
    await pass(dice(3));
    leave(weight);
    permit.release();
  }

  function work(weight: number): unknown {
    enter(weight);
    const turns = dice(4);
    if (turns === 0) {
      leave(weight);
      if (dice(4) === 0) throw new Error('failed');
      return undefined;
    }
    return pass(turns).then(() => {
      leave(weight);
      if (dice(4) === 0) throw new Error('failed');
    });
  }

  function enter(weight: number): void {
    ran += 1;
    Atomics.add(started, lane, 1);
    const own = BigInt(weight) << BigInt(8 * lane);
    if (running(Atomics.add(word, 0, own) + own) > limit) Atomics.add(excess, 0, 1);
  }

  function leave(weight: number): void {
    Atomics.sub(word, 0, BigInt(weight) << BigInt(8 * lane));
  }

  /** In all threads that are not about to end. */
  function running(all: bigint): number {
    let sum = 0n;
    for (let each = 0n; each < 7n; each += 1n) if (((all >> (56n + each)) & 1n) === 0n) sum += (all >> (8n * each)) & 0xffn;
    return Number(sum);
  }

  async function pass(turns: number): Promise<void> {
    for (let passed = 0; passed < turns; passed += 1) await (dice(4) === 0 ? turn() : undefined);
  }

  function obey(order: number): void {
    if (order === 1) process.exit();
    if (order === 2) setImmediate(() => { throw new Error('as it was told'); });
  }

  function dice(sides: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }
}
