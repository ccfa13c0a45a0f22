import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, BulkheadCallTimeoutError } from 'bulkheads';
import { collectGarbage, onClock, outcome, turn } from './support.js';

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

describe('a permit by hand in parts', () => {
  const bulkhead = (): Bulkhead => new Bulkhead('shipping', { maxConcurrent: 5, maxQueue: 5 });

  it('gives some of it back, which lets in those who wait', async () => {
    const shipping = bulkhead();
    const permit = await shipping.acquire({ weight: 5 });
    const waiting = shipping.acquire({ weight: 2 });
    permit.release(1);
    assert.deepEqual([permit.weight, shipping.stats().active], [4, 4]);
    permit.release(1);
    assert.equal((await waiting).weight, 2);
    assert.deepEqual([permit.weight, shipping.stats().active, shipping.stats().completed], [3, 5, 0]);
    permit.release(3);
    permit.release();
    permit.release(1);
    assert.deepEqual([shipping.stats().active, shipping.stats().completed, shipping.stats().doubleReleases], [2, 1, 2]);
  });

  it('is split into permits that are released each by itself', async () => {
    const shipping = bulkhead();
    const permit = await shipping.acquire({ weight: 5 });
    const part = permit.split(2);
    assert.deepEqual([permit.weight, part.weight, shipping.stats().active, shipping.stats().running], [3, 2, 5, 2]);
    permit.release();
    assert.equal(shipping.stats().active, 2);
    part.split(1).release();
    {
      using last = part;
      assert.equal(last.weight, 1);
    }
    const { active, doubleReleases, admitted, completed } = shipping.stats();
    assert.deepEqual([active, doubleReleases, admitted, completed], [0, 0, 3, 3]);
    assert.throws(() => part.split(1), /shipping: a permit that was released, or whose time is over, cannot be split/);
  });

  it('grows if there is room at once and nobody waits, and shrinks always', async () => {
    const shipping = bulkhead();
    const permit = await shipping.acquire();
    assert.equal(permit.adjust(4), true);
    assert.deepEqual([permit.weight, shipping.stats().active], [4, 4]);
    assert.equal(permit.adjust(6), false);
    const waiting = shipping.acquire({ weight: 2 });
    assert.equal(permit.adjust(5), false, 'somebody waits');
    assert.equal(permit.weight, 4);
    assert.equal(permit.adjust(3), true);
    assert.equal((await waiting).weight, 2);
    permit.release();
    assert.deepEqual([permit.adjust(1), shipping.stats().active], [false, 2]);
  });

  it('names what is wrong, and changes nothing then', async () => {
    const permit = await bulkhead().acquire({ weight: 3 });
    const wrong: [() => unknown, Error][] = [
      [() => permit.release(4), new RangeError('permits must be an integer from 1 to the permits held, got 4')],
      [() => permit.release(0), new RangeError('permits must be an integer from 1 to the permits held, got 0')],
      [() => permit.release(1.5), new RangeError('permits must be an integer from 1 to the permits held, got 1.5')],
      [() => permit.release('1' as never), new TypeError('permits must be a number, got "1"')],
      [() => permit.release(null as never), new TypeError('permits must be a number, got null')],
      [() => permit.split(3), new RangeError('permits must be an integer from 1 to less than the permits held, got 3')],
      [() => permit.split(undefined as never), new TypeError('permits must be a number, got undefined')],
      [() => permit.adjust(0), new RangeError('weight must be an integer from 1 to 2147483647, got 0')],
      [() => permit.adjust(true as never), new TypeError('weight must be a number, got true')],
    ];
    for (const [act, error] of wrong) assert.throws(act, error);
    assert.equal(permit.weight, 3);
  });
});

describe('the bound of a permit by hand', () => {
  it('is its own: it aborts the signal, and the permit stays until it is released', onClock(async (clock) => {
    for (const waits of [false, true]) {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 1, callTimeoutMs: 5, abandonAfterMs: 5 });
      const first = waits ? shipping.tryAcquire(2) : null;
      const coming = shipping.acquire({ callTimeoutMs: 20, weight: 2, timeoutMs: 5 });
      first?.release();
      const permit = await coming;
      const { signal } = permit;
      const part = permit.split(1);
      await clock.advance(19);
      assert.equal(signal.aborted, false);
      await clock.advance(1);
      const reason = signal.reason as BulkheadCallTimeoutError;
      assert.ok(reason instanceof BulkheadCallTimeoutError);
      assert.deepEqual([reason.message, reason.ranMs], ['shipping: held for 20 ms, and not released yet', 20]);
      assert.equal((part.signal.reason as BulkheadCallTimeoutError).code, 'call_timeout', 'read after its time');
      await clock.advance(100);
      const { active, overrun, callTimeouts, abandonedRuns } = shipping.stats();
      assert.deepEqual([active, overrun, callTimeouts, abandonedRuns], [2, 2, 2, 0]);
      permit.release();
      part.release();
      assert.deepEqual([shipping.stats().active, shipping.stats().failed, shipping.stats().overrun], [0, 2, 0]);
    }
  }));

  it('is over with its release', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    const permit = await shipping.acquire({ callTimeoutMs: 20 });
    const { signal } = permit;
    permit.release();
    await clock.advance(30);
    assert.deepEqual([signal.aborted, shipping.stats().callTimeouts], [false, 0]);
  }));

  it('no other: neither the bulkhead’s nor its caller’s signal', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, callTimeoutMs: 5 });
    const gone = new AbortController();
    const permit = await shipping.acquire({ callTimeoutMs: 20, signal: gone.signal });
    const other = await shipping.acquire();
    gone.abort();
    await clock.advance(10);
    assert.deepEqual([permit.signal.aborted, other.signal.aborted], [false, false]);
  }));

  it('is a close with abort too, before and after it', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 3 });
    const [early, late, released] = await Promise.all([shipping.acquire(), shipping.acquire(), shipping.acquire()]);
    const { signal } = early;
    const { signal: unconcerned } = released;
    released.release();
    void shipping.close({ abort: true });
    assert.equal((signal.reason as { code: string }).code, 'closed');
    assert.equal((late.signal.reason as { code: string }).code, 'closed');
    assert.equal(unconcerned.aborted, false);
  });

  it('does not keep a permit that was dropped', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    process.once('warning', () => undefined);
    await (async () => (await shipping.acquire({ callTimeoutMs: 1e6 })).signal.aborted)();
    for (let round = 0; round < 20 && shipping.stats().leaked === 0; round += 1) {
      await turn();
      collectGarbage();
    }
    assert.deepEqual([shipping.stats().leaked, shipping.stats().active], [1, 0]);
  });
});
