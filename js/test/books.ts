// What a bulkhead must look like when it is over: nothing lost, nothing made up. And dice, to be
// thrown again in the same way.

import assert from 'node:assert/strict';
import { type Bulkhead, type Permit } from 'bulkheads';

/** A permit that must be there. */
export function held(permit: Permit | null): Permit {
  assert.ok(permit, 'no permit');
  return permit;
}

/** Exactly `limit` permits can be had, and nothing is left over. */
export function probeFull(bulkhead: Bulkhead, limit: number): void {
  const permits = Array.from({ length: limit }, () => bulkhead.tryAcquire());
  assert.ok(permits.every((permit) => permit !== null), 'a permit is missing');
  assert.equal(bulkhead.tryAcquire(), null, 'there is one permit more');
  for (const permit of permits) permit.release();
  const { active, running, queued, available, overrun } = bulkhead.stats();
  assert.deepEqual({ active, running, queued, available, overrun }, { active: 0, running: 0, queued: 0, available: limit, overrun: 0 });
  checkBooks(bulkhead);
}

/** How many calls there have been. */
export function checkBooks(bulkhead: Bulkhead): number {
  const stats = bulkhead.stats();
  const { admitted, completed, failed, unclaimed, abandonedRuns, leaked, running } = stats;
  assert.equal(admitted, completed + failed + unclaimed + abandonedRuns + leaked + running, 'a grant is unaccounted for');
  return admitted + stats.queued + Object.values(stats.rejected).reduce((sum, one) => sum + one, 0);
}

/** A small generator of whole numbers below a bound; the same for the same seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** In another order. */
export function shuffled<Item>(items: readonly Item[], roll: (below: number) => number): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(roll(rest.length), 1)[0] as Item);
}

/** All orders. */
export function orders<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, index) => orders(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]));
}
