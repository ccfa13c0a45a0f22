import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { collectGarbage, gate, outcome, turn } from './support.js';

/** Bytes in use, engines included. */
function memory(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('many calls', () => {
  it('a million queued calls that settle at once neither overflow the stack nor leak', async () => {
    const count = 1_000_000;
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: count, timeoutMs: Infinity });
    const hold = shipping.tryAcquire();
    let sum = 0;
    let last: Promise<unknown> = Promise.resolve();
    for (let call = 0; call < count; call += 1) {
      last = shipping.exec(() => { sum += 1; });
    }
    assert.equal(shipping.stats().queued, count);
    hold?.release();
    await last;
    assert.equal(sum, count);
    const { completed, active, queued } = shipping.stats();
    assert.deepEqual([completed, active, queued], [count + 1, 0, 0]);
  });

  it('thirty thousand that end at once, by close, abort or time-out, do not overflow the stack', async () => {
    const count = 30_000;
    for (const end of ['closed', 'left', 'queue_timeout']) {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: count, timeoutMs: end === 'queue_timeout' ? 1 : Infinity });
      const hold = shipping.tryAcquire();
      const leaving = new AbortController();
      const answers = Array.from({ length: count }, () => outcome(shipping.exec(() => 1, { signal: leaving.signal })));
      if (end === 'closed') void shipping.close();
      if (end === 'left') leaving.abort('left');
      assert.deepEqual(new Set(await Promise.all(answers)), new Set([end]));
      hold?.release();
    }
  });

  it('of all outcomes leave nothing behind', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 2, timeoutMs: Infinity });
    const forever = new AbortController();
    const round = async (): Promise<void> => {
      for (let batch = 0; batch < 2000; batch += 1) {
        const leaving = new AbortController();
        const work = gate();
        const answers = [
          shipping.exec(() => work.promise, { signal: forever.signal }),
          shipping.exec(() => work.promise, { signal: leaving.signal }),
          shipping.exec(() => 1, { signal: leaving.signal }),
          shipping.acquire({ signal: forever.signal }).then((permit) => permit.release()),
          shipping.exec(() => 1),
        ].map(outcome);
        leaving.abort('left');
        work.open();
        await Promise.all(answers);
      }
      await turn();
    };
    await round();
    const before = memory();
    await round();
    const growth = memory() - before;
    assert.ok(growth < 1_000_000, `grew by ${growth} bytes`);
  });

  it('bulkheads that nobody holds any more go', async () => {
    const round = async (): Promise<void> => {
      for (let batch = 0; batch < 2000; batch += 1) {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, callTimeoutMs: 20_000 });
        await Promise.all([shipping.exec(() => 1), shipping.exec(() => turn())]);
      }
      for (let wait = 0; wait < 5; wait += 1) {
        collectGarbage();
        await turn();
      }
    };
    await round();
    const before = memory();
    await round();
    const growth = memory() - before;
    assert.ok(growth < 3_000_000, `grew by ${growth} bytes`);
  });

  it('reading figures while memory grows gets the right ones', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 200_000, timeoutMs: Infinity });
    shipping.resize(0);
    for (let call = 1; call <= 200_000; call += 1) {
      shipping.exec(() => 1).catch(() => undefined);
      if (call % 50_000 === 0) assert.equal(shipping.stats().queued, call);
    }
    void shipping.close();
  });
});
