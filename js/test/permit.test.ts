import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { collectGarbage, outcome, turn } from './support.js';

describe('a permit by hand', () => {
  it('is given back once, and every further release only counts', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 3 });
    const permit = await shipping.acquire({ weight: 2 });
    assert.equal(permit.weight, 2);
    assert.equal(shipping.stats().active, 2);
    permit.release();
    const other = shipping.tryAcquire(3);
    permit.release();
    permit.release();
    const { active, doubleReleases, completed } = shipping.stats();
    assert.deepEqual([active, doubleReleases, completed], [3, 2, 1]);
    other?.release();
  });

  it('works with using and await using', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2 });
    {
      using permit = await shipping.acquire();
      await using other = await shipping.acquire();
      assert.equal(shipping.stats().active, permit.weight + other.weight);
    }
    const { active, completed } = shipping.stats();
    assert.deepEqual([active, completed], [0, 2]);
  });

  it('released before the end of using is released once more: that counts, nothing else', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    {
      using permit = shipping.tryAcquire();
      permit?.release();
    }
    const { active, doubleReleases } = shipping.stats();
    assert.deepEqual([active, doubleReleases], [0, 1]);
  });

  it('comes back after close without a word', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    const permit = await shipping.acquire();
    const closing = shipping.close();
    permit.release();
    await closing;
    assert.equal(shipping.stats().active, 0);
  });

  it('is null from tryAcquire when it cannot be had at once', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 5 });
    const permit = shipping.tryAcquire();
    assert.equal(shipping.tryAcquire(2), null);
    assert.equal(shipping.tryAcquire(3), null);
    const waiting = outcome(shipping.acquire({ weight: 2 }));
    assert.equal(shipping.tryAcquire(), null, 'nobody overtakes a waiter');
    permit?.release();
    void shipping.close();
    assert.equal(shipping.tryAcquire(), null);
    assert.deepEqual(await waiting.then((one) => typeof one), 'object');
    const { full, tooHeavy, closed } = shipping.stats().rejected;
    assert.deepEqual([full, tooHeavy, closed], [2, 1, 1]);
  });

  it('that is dropped says where it was taken if it was tracked, and is collected all the same', async () => {
    for (const take of [takeAtOnce, takeAfterAWait]) {
      const shipping = new Bulkhead(take.name, { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity, trackPermits: true });
      const warning = new Promise<string>((resolve) => process.on('warning', function listen({ message }) {
        if (!message.startsWith(take.name)) return;
        process.off('warning', listen);
        resolve(message);
      }));
      await take(shipping);
      const waiting = shipping.acquire();
      for (let round = 0; round < 50 && shipping.stats().leaked < 1; round += 1) {
        collectGarbage();
        await turn();
      }
      (await waiting).release();
      const [text, error, first] = (await warning).split('\n');
      assert.match(text ?? '', /: a permit was dropped without release .* in a finally$/);
      assert.equal(error, 'Error: it was taken here');
      assert.match(first ?? '', new RegExp(`^    at ${take.name} `), 'not where this package took it');
    }
  });

  it('that is dropped comes back when the host collects it, with one warning for the bulkhead', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
    process.on('warning', listen);
    try {
      const shipping = new Bulkhead('payments', { maxConcurrent: 3, maxQueue: 1, timeoutMs: Infinity });
      const kept = shipping.tryAcquire();
      drop(shipping);
      const waiting = shipping.acquire();
      for (let round = 0; round < 50 && shipping.stats().leaked < 2; round += 1) {
        collectGarbage();
        await turn();
      }
      (await waiting).release();
      const { active, leaked, admitted, completed } = shipping.stats();
      assert.deepEqual([active, leaked, admitted, completed], [1, 2, 4, 1]);
      await turn();
      assert.deepEqual(warnings.filter((one) => one.includes('payments')), [
        'BulkheadWarning: payments: a permit was dropped without release and has been reclaimed; use exec, using, or release() in a finally',
      ]);
      kept?.release();
      assert.equal(shipping.stats().doubleReleases, 0);
    } finally {
      process.off('warning', listen);
    }
  });
});

/** With the permit in the frame whose place is kept. */
async function takeAtOnce(shipping: Bulkhead): Promise<void> {
  const permit = shipping.tryAcquire();
  await turn();
  assert.equal(permit?.weight, 1);
}

async function takeAfterAWait(shipping: Bulkhead): Promise<void> {
  const hold = shipping.tryAcquire();
  setImmediate(() => hold?.release());
  await shipping.acquire();
}

/** In a function of its own, so that no register or stack slot holds them. */
function drop(shipping: Bulkhead): void {
  shipping.tryAcquire();
  shipping.tryAcquire();
}
