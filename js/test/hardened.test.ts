// Processes that forbid what programs seldom need.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScript } from './support.js';

const EVERYTHING = `
  import { Bulkhead } from 'bulkheads';
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 5, detectReentrancy: true, trackPermits: true });
  const said = [];
  const code = (answer) => answer.then(String, (error) => error.code);
  said.push(await code(shipping.exec(() => code(shipping.exec(() => 1)))));
  said.push(await code(shipping.wrap(async (one) => one)('wrapped')));
  said.push(await code(shipping.map([1, 2], (one) => one)));
  for await (const one of shipping.mapIterable([3, 4], (one) => one)) { said.push(one); break; }
  const full = new Bulkhead('full', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 5 });
  full.tryAcquire();
  said.push(await code(full.acquire()));
  process.stdout.write(said.join(' '));
`;

describe('everything works', () => {
  // A shared object that may not be changed also forbids to assign its properties to those who
  // inherit them.
  for (const flags of [['--frozen-intrinsics'], ['--disallow-code-generation-from-strings'], ['--disable-proto=throw'], ['--stack-trace-limit=0']]) {
    it(`with ${flags.join(' ')}`, async () => {
      const { stdout, stderr, code } = await runScript(EVERYTHING, { flags: ['--no-warnings', ...flags] });
      assert.deepEqual([stdout, stderr, code], ['reentrant wrapped 1,2 3 queue_timeout', '', 0]);
    });
  }
});
