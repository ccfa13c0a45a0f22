// Abort, grant and time-out of one waiter in one turn, in every order: what came first counts, the
// rest finds nothing to do, and the permit is never lost.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, type Permit } from 'bulkheads';
import { checkBooks, orders, probeFull } from './books.js';
import { gate, onClock, outcome } from './support.js';

type Act = 'abort' | 'grant' | 'time out';

const GRANTS: Record<string, (shipping: Bulkhead, hold: Permit | null, ahead: AbortController) => void> = {
  'a release': (_, hold) => hold?.release(),
  'a growing limit': (shipping) => shipping.resize(2),
  'a head that leaves': (_, __, ahead) => ahead.abort('gone'),
};

/**
 * What is delivered to the waiter. A permit by hand is the caller's as soon as it is granted; work
 * has not begun by then.
 */
function wanted(order: readonly Act[], kind: string): string {
  const [first, second, third] = order;
  if (first === 'time out') return 'queue_timeout';
  if (first === 'abort') return 'left';
  if (kind === 'acquire') return 'granted';
  return second === 'abort' || third === 'abort' ? 'left' : 'granted';
}

describe('in one turn', () => {
  for (const [how, grant] of Object.entries(GRANTS)) {
    for (const kind of ['exec', 'acquire']) {
      for (const order of orders<Act>(['abort', 'grant', 'time out'])) {
        const answer = wanted(order, kind);
        it(`${order.join(', ')} of an ${kind}, by ${how}: ${answer}`, onClock(async (clock) => {
          const hasHead = how === 'a head that leaves';
          const shipping = new Bulkhead('shipping', { maxConcurrent: hasHead ? 2 : 1, maxQueue: 3, timeoutMs: Infinity });
          const hold = shipping.tryAcquire();
          const leaving = new AbortController();
          const ahead = new AbortController();
          const head = hasHead ? outcome(shipping.exec(() => 1, { weight: 2, signal: ahead.signal })) : undefined;
          const options = { timeoutMs: 10, signal: leaving.signal };
          let runs = 0;
          const waiter = outcome(
            kind === 'exec'
              ? shipping.exec(() => { runs += 1; return 'granted'; }, options)
              : shipping.acquire(options).then((permit) => { permit.release(); return 'granted'; }),
          );
          const next = outcome(shipping.exec(() => 'next'));
          const acts: Record<Act, () => void> = {
            abort: () => leaving.abort('left'),
            grant: () => grant(shipping, hold, ahead),
            'time out': () => clock.jump(10),
          };
          for (const act of order) acts[act]();
          await clock.settle();
          assert.deepEqual(await Promise.all([waiter, next]), [answer, 'next']);
          assert.equal(runs, kind === 'exec' && answer === 'granted' ? 1 : 0);
          if (hasHead) assert.equal(await head, 'gone');
          if (how !== 'a release') hold?.release();
          assert.equal(checkBooks(shipping), hasHead ? 4 : 3);
          const { rejected, unclaimed } = shipping.stats();
          const wasTaken = kind === 'exec' && answer === 'left' && order[0] === 'grant';
          assert.deepEqual([rejected.queueTimeout, unclaimed], [answer === 'queue_timeout' ? 1 : 0, wasTaken ? 1 : 0]);
          probeFull(shipping, how === 'a release' ? 1 : 2);
        }));
      }
    }
  }

  // Work that has settled is heard of in a reaction, later in this turn: until then an abort finds
  // it running.
  const ends: [('abort' | 'finish' | 'time out')[], string][] = [
    ...orders(['abort', 'finish', 'time out'] as const).map((order) => [order, order.indexOf('abort') < order.indexOf('time out') ? 'left' : 'call_timeout'] as [typeof order, string]),
    ...orders(['finish', 'time out'] as const).map((order) => [order, 'done'] as [typeof order, string]),
  ];
  for (const [order, answer] of ends) {
    it(`${order.join(', ')} of a running call: ${answer}`, onClock(async (clock) => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 10, abandonAfterMs: 50 });
      const leaving = new AbortController();
      const work = gate<string>();
      const call = outcome(shipping.exec(() => work.promise, { signal: leaving.signal }));
      const acts = { abort: () => leaving.abort('left'), finish: () => work.open('done'), 'time out': () => clock.jump(10) };
      for (const act of order) acts[act]();
      await clock.settle();
      assert.equal(await call, answer);
      const { completed, failed, callTimeouts, abandonedRuns } = shipping.stats();
      assert.deepEqual([completed, failed, abandonedRuns], answer === 'done' ? [1, 0, 0] : [0, 1, 0]);
      assert.equal(callTimeouts, answer === 'call_timeout' ? 1 : 0);
      probeFull(shipping, 1);
    }));
  }
});
