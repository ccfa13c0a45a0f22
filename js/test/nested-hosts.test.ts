// `detectReentrancy` where the host itself calls, again and again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Bulkhead, type Permit } from 'bulkheads';
import { outcome, turn } from './support.js';

interface Repeated {
  again: () => void;
  stop: () => void;
}

// Before Node 24 all that the same timer or port calls has one context, and what is put there is
// there the next time.
const hosts: [string, (called: () => unknown) => Repeated][] = [
  ['an interval', (called) => {
    const timer = setInterval(called, 1);
    return { again: () => undefined, stop: () => clearInterval(timer) };
  }],
  ['a timer that is set again', (called) => {
    const timer = setTimeout(called, 1);
    return { again: () => timer.refresh(), stop: () => clearTimeout(timer) };
  }],
  ['a port', (called) => {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', called);
    port2.postMessage(1);
    return { again: () => port2.postMessage(1), stop: () => port1.close() };
  }],
];

describe('a permit by hand counts for those who come of its taker', () => {
  for (const [what, start] of hosts) {
    for (const how of ['acquire', 'tryAcquire']) {
      it(`by ${how} in what ${what} calls: not when it calls again`, async () => {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 50, timeoutMs: Infinity, detectReentrancy: true });
        let permit: Permit | null = null;
        const codes: Promise<unknown>[] = [];
        await new Promise<void>((resolve) => {
          let calls = 0;
          // It takes the permit itself: nobody but the host has called it.
          const repeated = start(async () => {
            repeated.again();
            calls += 1;
            if (calls === 1 && how === 'acquire') permit = await shipping.acquire();
            else if (calls === 1) permit = shipping.tryAcquire();
            else if (calls < 5) codes.push(outcome(shipping.exec(() => 'ran')));
            else {
              repeated.stop();
              resolve();
            }
          });
        });
        (permit as Permit | null)?.release();
        assert.deepEqual(await Promise.all(codes), ['ran', 'ran', 'ran']);
        await turn();
        const { active, queued, rejected } = shipping.stats();
        assert.deepEqual([active, queued, rejected.reentrant], [0, 0, 0]);
      });
    }
  }
});
