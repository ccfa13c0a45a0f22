// Waiters in crowds that end in one step, by each way that there is: no stack overflows, nobody is
// forgotten.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { probeFull } from './books.js';
import { onClock, turn } from './support.js';

describe('in one step', () => {
  const ends: Record<string, [count: number, end: string, act: (shipping: Bulkhead, leaving: AbortController, jump: () => Promise<void>) => unknown]> = {
    'a hundred thousand waiters are aborted by one signal': [100_000, 'cancelled', (_, leaving) => leaving.abort('left')],
    'a hundred thousand waiters are turned away by close': [100_000, 'closed', (shipping) => void shipping.close()],
    'a million waiters time out': [1_000_000, 'queueTimeout', (_, __, jump) => jump()],
    'a hundred thousand waiters turn out too heavy': [100_000, 'tooHeavy', (shipping) => shipping.resize(1)],
  };
  for (const [what, [count, end, act]] of Object.entries(ends)) {
    it(what, onClock(async (clock) => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: count, timeoutMs: 50 });
      const hold = shipping.tryAcquire();
      const leaving = new AbortController();
      let answered = 0;
      const tell = (): void => { answered += 1; };
      for (let call = 0; call < count; call += 1) {
        shipping.acquire({ weight: 2, ...(end === 'cancelled' ? { signal: leaving.signal } : {}) }).then(tell, tell);
      }
      assert.equal(shipping.stats().queued, count);
      await act(shipping, leaving, () => clock.advance(50));
      assert.equal(shipping.stats().queued, 0);
      await turn();
      assert.equal(answered, count);
      const { rejected } = shipping.stats();
      assert.equal(rejected[end as keyof typeof rejected], count);
      hold?.release();
      if (end !== 'closed') probeFull(shipping, shipping.stats().limit);
    }));
  }
});
