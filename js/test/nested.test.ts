// `detectReentrancy`: calls that wait for themselves are turned away, and nobody else is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as later } from 'node:timers';
import { Bulkhead, BulkheadError, type BulkheadOptions, BulkheadReentrantError, type Permit } from 'bulkheads';
import { gate, onClock, outcome, turn } from './support.js';

function bulkhead(maxConcurrent = 1, options: Partial<BulkheadOptions> = {}): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, maxQueue: 50, timeoutMs: Infinity, detectReentrancy: true, ...options });
}

async function errorOf(answer: Promise<unknown>): Promise<BulkheadReentrantError> {
  const error: unknown = await answer.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof BulkheadReentrantError, String(error));
  return error;
}

function assertBalanced(shipping: Bulkhead, reentrant: number): void {
  const { active, queued, rejected } = shipping.stats();
  assert.deepEqual([active, queued, rejected.reentrant], [0, 0, reentrant]);
}

describe('a call from inside of work that holds too much', () => {
  it('is rejected with what it would wait for', async () => {
    const shipping = bulkhead(3);
    const error = await shipping.exec(() => errorOf(shipping.exec(() => 1, { weight: 2 })), { weight: 2 });
    assert.ok(error instanceof BulkheadError);
    const { name, code, message, weight, limit, holding, isRejection, isLocalOverload } = error;
    assert.deepEqual([name, code, weight, limit, holding], ['BulkheadReentrantError', 'reentrant', 2, 3, 2]);
    assert.deepEqual([isRejection, isLocalOverload], [true, false]);
    assert.equal(message, 'shipping: its caller holds 2 already and 2 more is above the limit (maxConcurrent 3), so that it would wait for itself');
    assertBalanced(shipping, 1);
  });

  const ways: [string, (shipping: Bulkhead) => Promise<unknown>][] = [
    ['exec', (shipping) => shipping.exec(() => 1)],
    ['a wrapped function', (shipping) => shipping.wrap(() => 1)()],
    ['acquire', (shipping) => shipping.acquire()],
    ['map', (shipping) => shipping.map([1, 2], () => 1)],
    ['mapIterable', (shipping) => shipping.mapIterable([1, 2], () => 1).next()],
  ];
  for (const [what, call] of ways) {
    it(`by ${what}, at once and in a later turn`, async () => {
      const shipping = bulkhead();
      await shipping.exec(async () => {
        await errorOf(call(shipping));
        await turn();
        await errorOf(call(shipping));
      });
      await shipping.map([1], () => errorOf(call(shipping)));
      await shipping.wrap(() => errorOf(call(shipping)))();
      assertBalanced(shipping, 4);
    });
  }

  it('through other bulkheads and several levels', async () => {
    const [outer, inner] = [bulkhead(2), bulkhead()];
    await outer.exec(() => inner.exec(() => outer.exec(() => errorOf(outer.exec(() => 1)))));
    assertBalanced(outer, 1);
    assertBalanced(inner, 0);
  });

  it('after it stood in the queue itself, whoever has let it go', async () => {
    const shipping = bulkhead();
    const hold = gate();
    const first = shipping.exec(() => hold.promise);
    const second = shipping.exec(() => errorOf(shipping.exec(() => 1)));
    hold.open();
    await Promise.all([first, second]);
    assertBalanced(shipping, 1);
  });

  it('without a queue too, and if it is not willing to wait: trying again would not help', async () => {
    const shipping = bulkhead(1, { maxQueue: 0 });
    await shipping.exec(() => errorOf(shipping.exec(() => 1, { timeoutMs: 0 })));
  });

  it('is told what it held when it was judged, whatever the outcomes of that very step give back', onClock(async (clock) => {
    const shipping = bulkhead(3, { callTimeoutMs: 10 });
    let permit: Permit | undefined;
    const other = outcome(shipping.exec(({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => {
      permit?.release();
      resolve();
    }))));
    await Promise.resolve().then(async () => {
      permit = await shipping.acquire({ weight: 2 });
      clock.jump(15);
      assert.equal((await errorOf(shipping.exec(() => 1, { weight: 2 }))).holding, 2);
    });
    assert.equal(await other, 'call_timeout');
    assertBalanced(shipping, 1);
  }));

  it('also if nobody awaits it', async () => {
    const shipping = bulkhead();
    let left: Promise<unknown> = Promise.resolve();
    await shipping.exec(() => {
      left = outcome(shipping.exec(() => 1));
    });
    assert.equal(await left, 'reentrant');
  });

  it('is null from tryAcquire, which never waits', async () => {
    const shipping = bulkhead();
    assert.equal(await shipping.exec(() => shipping.tryAcquire()), null);
    const { full, reentrant } = shipping.stats().rejected;
    assert.deepEqual([full, reentrant], [1, 0]);
  });

  it('waits until its time-out if nobody has asked for more', onClock(async (clock) => {
    const shipping = bulkhead(1, { detectReentrancy: false, timeoutMs: 10 });
    const code = shipping.exec(() => outcome(shipping.exec(() => 1)));
    await clock.advance(10);
    assert.equal(await code, 'queue_timeout');
    assertBalanced(shipping, 0);
  }));
});

describe('nobody else is turned away', () => {
  it('by what others hold', async () => {
    const shipping = bulkhead(2);
    const results = await Promise.all([1, 2, 3, 4, 5].map((one) => shipping.exec(async () => {
      await turn();
      return one;
    })));
    assert.deepEqual(results, [1, 2, 3, 4, 5]);
    assert.deepEqual(await shipping.map([1, 2, 3, 4], async (one) => (await turn(), one)), [1, 2, 3, 4]);
    assertBalanced(shipping, 0);
  });

  it('who can have its permits at once, or when others give theirs back', async () => {
    const shipping = bulkhead(3);
    const hold = gate();
    const other = shipping.exec(() => hold.promise, { weight: 2 });
    const nested = shipping.exec(() => shipping.exec(() => 'in', { weight: 2 }));
    hold.open();
    await other;
    assert.equal(await nested, 'in');
    assertBalanced(shipping, 0);
  });

  it('who was started by work that has ended, was abandoned or has given its permit back', onClock(async (clock) => {
    const shipping = bulkhead(1, { callTimeoutMs: 10, abandonAfterMs: 10 });
    const later = gate();
    let follow: Promise<unknown> = Promise.resolve();
    await shipping.exec(() => {
      follow = later.promise.then(() => shipping.exec(() => 'followed'));
    });
    later.open();
    assert.equal(await follow, 'followed');
    const over = gate();
    let outlived: Promise<unknown> = Promise.resolve();
    const late = outcome(shipping.exec(async () => {
      await over.promise;
      outlived = shipping.exec(() => 'outlived');
    }));
    await clock.advance(10);
    assert.equal(await late, 'call_timeout');
    await clock.advance(10);
    const hold = gate();
    const other = shipping.exec(() => hold.promise);
    over.open();
    await clock.settle();
    hold.open();
    await other;
    assert.equal(await outlived, 'outlived');
    await clock.settle();
    assertBalanced(shipping, 0);
  }));

  it('who has lost its permit by the very time of its call', onClock(async (clock) => {
    const shipping = bulkhead(1, { callTimeoutMs: 10, abandonAfterMs: 10 });
    const [blocked, hold] = [gate(), gate()];
    let outlived: Promise<unknown> = Promise.resolve();
    const late = outcome(shipping.exec(async () => {
      await blocked.promise;
      // No timer has fired yet: its bound, its abandonment and the next one's grant are all still
      // to be done.
      clock.jump(25);
      outlived = outcome(shipping.exec(() => 'outlived'));
    }));
    const next = shipping.exec(() => hold.promise);
    blocked.open();
    await clock.settle();
    assert.equal(await late, 'call_timeout');
    hold.open();
    await next;
    assert.equal(await outlived, 'outlived');
    await clock.settle();
    assertBalanced(shipping, 0);
  }));

  it('who waits for another that waits for it: that is not detected', onClock(async (clock) => {
    const shipping = bulkhead(2, { timeoutMs: 10 });
    const nested = (): Promise<unknown> => shipping.exec(async () => {
      await turn();
      return outcome(shipping.exec(() => 1));
    });
    const codes = Promise.all([nested(), nested()]);
    await clock.advance(10);
    assert.deepEqual(await codes, ['queue_timeout', 'queue_timeout']);
    assertBalanced(shipping, 0);
  }));

  it('while the bulkhead is paused: its limit may come back', async () => {
    const shipping = bulkhead(2);
    await shipping.exec(async () => {
      shipping.resize(0);
      const waiting = shipping.exec(() => 'in');
      shipping.resize(2);
      assert.equal(await waiting, 'in');
    });
    assertBalanced(shipping, 0);
  });
});

describe('a permit by hand', () => {
  /** As a host calls a handler: with nobody below it on the stack. */
  function called<Result>(handler: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve) => later(() => resolve(undefined as never))).then(handler);
  }

  it('counts from the turn in which it comes until it is released', async () => {
    const shipping = bulkhead();
    const permit = await shipping.acquire();
    assert.equal((await errorOf(shipping.exec(() => 1))).holding, 1);
    await turn();
    await errorOf(shipping.acquire());
    permit.release();
    assert.equal(await shipping.exec(() => 'free'), 'free');
    assertBalanced(shipping, 2);
  });

  it('counts when it came after a wait', () => called(async () => {
    const shipping = bulkhead();
    const start = gate();
    // Begun before the permit below, so that it holds nothing of that.
    const taken = start.promise.then(async () => {
      const permit = await shipping.acquire();
      await turn();
      await errorOf(shipping.exec(() => 1));
      permit.release();
    });
    const hold = shipping.tryAcquire();
    start.open();
    await turn();
    assert.equal(shipping.stats().queued, 1);
    hold?.release();
    await taken;
    assertBalanced(shipping, 1);
  }));

  it('from tryAcquire counts at once', () => called(async () => {
    const shipping = bulkhead(2);
    const permits = [shipping.tryAcquire(), shipping.tryAcquire()];
    assert.equal((await errorOf(shipping.exec(() => 1))).holding, 2);
    await turn();
    await errorOf(shipping.map([1], () => 1));
    for (const permit of permits) permit?.release();
    assertBalanced(shipping, 2);
  }));

  it('and work count together', async () => {
    const shipping = bulkhead(3);
    await shipping.exec(async () => {
      using permit = await shipping.acquire();
      assert.equal(await shipping.exec(() => 'third'), 'third');
      await turn();
      assert.equal((await errorOf(shipping.exec(() => 1, { weight: 2 }))).holding, 1 + permit.weight);
    });
    assertBalanced(shipping, 1);
  });

  it('counts for the calls that its taker makes when it comes, whoever has called that', async () => {
    const shipping = bulkhead();
    async function nested(): Promise<void> {
      using permit = await shipping.acquire();
      assert.equal((await errorOf(shipping.exec(() => 1))).holding, permit.weight);
      await turn();
      await errorOf(shipping.exec(() => 1));
    }
    await Promise.all([nested(), nested()]);
    assertBalanced(shipping, 4);
  });

  it('does not count for the branches beside it', async () => {
    const shipping = bulkhead();
    const seen: string[] = [];
    async function byHand(): Promise<void> {
      using permit = await shipping.acquire();
      await turn();
      seen.push(`by hand ${permit.weight}`);
    }
    async function byExec(wait: () => unknown): Promise<void> {
      await wait();
      await shipping.exec(() => seen.push('exec'));
    }
    async function tries(): Promise<void> {
      using permit = shipping.tryAcquire() ?? await shipping.acquire();
      await turn();
      seen.push(`tried ${permit.weight}`);
    }
    const waits = [() => undefined, () => null, turn];
    await Promise.all([tries(), byHand(), ...waits.map(byExec), byHand(), tries(), ...waits.map(byExec)]);
    assert.deepEqual(seen.sort(), ['by hand 1', 'by hand 1', ...Array.from({ length: 6 }, () => 'exec'), 'tried 1', 'tried 1']);
    assertBalanced(shipping, 0);
  });

  it('does not count for the loop that starts whoever takes it', async () => {
    const shipping = bulkhead(2);
    async function handle(): Promise<void> {
      const permit = await shipping.acquire();
      await turn();
      await turn();
      permit.release();
    }
    const handled: Promise<void>[] = [];
    for (let message = 0; message < 20; message += 1) {
      handled.push(handle());
      await Promise.resolve();
    }
    await Promise.all(handled);
    assertBalanced(shipping, 0);
  });

  it('that never comes holds nothing, and its error is still reported', async () => {
    const shipping = bulkhead();
    const leaving = new AbortController();
    await called(async () => {
      const hold = gate();
      const other = shipping.exec(() => hold.promise);
      const waiting = outcome(shipping.acquire({ signal: leaving.signal }));
      leaving.abort('left');
      assert.equal(await waiting, 'left');
      const next = shipping.exec(() => 'next');
      hold.open();
      assert.equal(await next, 'next');
      await other;
    });
    assertBalanced(shipping, 0);
  });
});

describe('the stack that is looked at', () => {
  it('leaves no trace', async () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    const prepare = (): string => 'prepared';
    try {
      Error.prepareStackTrace = prepare;
      Error.stackTraceLimit = 3;
      const shipping = bulkhead();
      shipping.tryAcquire();
      assert.deepEqual([Error.prepareStackTrace, Error.stackTraceLimit], [prepare, 3]);
      assert.equal(new Error('any').stack, 'prepared');
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
      Error.stackTraceLimit = stackTraceLimit;
    }
    await turn();
  });
});
