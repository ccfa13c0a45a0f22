// A process ends by itself when nothing but idle bulkheads is left, and lives for as long as
// somebody waits under a time-out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScript } from './support.js';

const HEAD = `
  import { Bulkhead } from 'bulkheads';
  const make = (options) => new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 5, timeoutMs: 3_600_000, ...options });
  const never = () => new Promise(() => {});
  const quiet = (promise) => promise.catch(() => undefined);
`;

describe('a process ends by itself', () => {
  // Whatever of this is waited for would take an hour.
  const left: Record<string, string> = {
    'with a thousand bulkheads that were used': 'await Promise.all(Array.from({ length: 1000 }, () => make().exec(() => 1)));',
    'with permits in hand': 'globalThis.permits = [make().tryAcquire(), await make().acquire()];',
    'after everybody who waited was granted': `
      const shipping = make();
      const hold = shipping.tryAcquire();
      const waiting = [1, 2, 3].map((call) => shipping.exec(() => call));
      hold.release();
      await Promise.all(waiting);`,
    'after everybody who waited was aborted': `
      const shipping = make();
      const leaving = new AbortController();
      globalThis.hold = shipping.tryAcquire();
      const waiting = [1, 2, 3].map(() => quiet(shipping.exec(() => 1, { signal: leaving.signal })));
      leaving.abort();
      await Promise.all(waiting);`,
    'after a close': 'const shipping = make(); globalThis.hold = shipping.tryAcquire(); quiet(shipping.exec(() => 1)); void shipping.close();',
    'with a close that never comes to its end': 'const shipping = make(); void shipping.exec(never); void shipping.close();',
    'with somebody who asks for an idle moment that never comes': 'const shipping = make(); void shipping.exec(never); void shipping.idle();',
    'with those who wait without a bound': 'const shipping = make({ timeoutMs: Infinity }); for (let call = 0; call < 3; call += 1) void shipping.exec(never);',
    'with work that runs without a bound under a signal': 'void make().exec(never, { signal: new AbortController().signal });',
    'with a map that waits for room without a bound': 'const shipping = make({ timeoutMs: Infinity }); globalThis.hold = shipping.tryAcquire(); void shipping.map([1, 2], () => 1);',
  };
  for (const [what, script] of Object.entries(left)) {
    it(what, async () => {
      const { stdout, stderr, code } = await runScript(`${HEAD} ${script} console.log('end');`);
      assert.deepEqual([stdout, stderr, code], ['end', '', 0]);
    });
  }
});

it('a process lives until the last of those who wait under a time-out is answered, each at its time', async () => {
  const { stdout, code } = await runScript(`${HEAD}
    const shipping = make();
    const say = (name) => (error) => console.log(name, error.code);
    void shipping.exec(never);
    for (const [name, timeoutMs] of [['c', 400], ['a', 100], ['b', 200]]) shipping.acquire({ timeoutMs }).catch(say(name));
    shipping.map([1], never, { timeoutMs: 300 }).catch(say('map'));
    make({ callTimeoutMs: 600 }).exec(never).catch(say('d'));
  `);
  assert.deepEqual([stdout, code], ['a queue_timeout\nb queue_timeout\nmap queue_timeout\nc queue_timeout\nd call_timeout', 0]);
});
