import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  Bulkhead,
  BulkheadCallTimeoutError,
  BulkheadClosedError,
  BulkheadError,
  BulkheadFullError,
  type BulkheadOptions,
  BulkheadTimeoutError,
  BulkheadWeightError,
} from 'bulkheads';
import { gate, onClock } from './support.js';

function bulkhead(options: Partial<BulkheadOptions> = {}): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent: 1, ...options });
}

async function errorOf(answer: Promise<unknown>): Promise<BulkheadError> {
  const error: unknown = await answer.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof BulkheadError, String(error));
  assert.ok(error instanceof Error);
  return error;
}

/** All that an error carries. */
function fields(error: BulkheadError): Record<string, unknown> {
  return { name: error.name, message: error.message, ...Object.fromEntries(Object.entries(error)) };
}

const FULL = { name: 'BulkheadFullError', code: 'full', bulkhead: 'shipping', isRejection: true, isLocalOverload: true };

describe('full has four texts', () => {
  it('no permit free and no queue configured', async () => {
    const shipping = bulkhead();
    shipping.tryAcquire();
    const error = await errorOf(shipping.exec(() => 1));
    assert.ok(error instanceof BulkheadFullError);
    assert.deepEqual(fields(error), {
      ...FULL, limit: 1, active: 1, queued: 0, maxQueue: 0,
      message: 'shipping: no permit free (maxConcurrent 1) and no queue configured (maxQueue 0); shed load or raise one of them',
    });
  });

  it('the queue is full, and how long it is', async () => {
    const shipping = bulkhead({ maxQueue: 1 });
    void shipping.exec(() => gate().promise);
    void shipping.exec(() => gate().promise).catch(() => undefined);
    const error = await errorOf(shipping.acquire());
    assert.deepEqual(fields(error), {
      ...FULL, limit: 1, active: 1, queued: 1, maxQueue: 1,
      message: 'shipping: queue full (maxQueue 1); shed load or raise it',
    });
    void shipping.close();
  });

  it('not willing to wait', async () => {
    const shipping = bulkhead({ maxQueue: 1 });
    void shipping.exec(() => gate().promise);
    const error = await errorOf(shipping.exec(() => 1, { timeoutMs: 0 }));
    assert.deepEqual(fields(error), {
      ...FULL, limit: 1, active: 1, queued: 0, maxQueue: 1,
      message: 'shipping: no permit free (maxConcurrent 1) and the call is not willing to wait (timeoutMs 0)',
    });
  });

  it('paused', async () => {
    const shipping = bulkhead();
    shipping.resize(0);
    const error = await errorOf(shipping.exec(() => 1));
    assert.deepEqual(fields(error), {
      ...FULL, limit: 0, active: 0, queued: 0, maxQueue: 0,
      message: 'shipping: paused (maxConcurrent 0) and no place in the queue (maxQueue 0); resize it to go on',
    });
  });
});

describe('what the others carry', () => {
  it('queue_timeout: how long the call really waited', onClock(async (clock) => {
    const shipping = bulkhead({ maxQueue: 3, timeoutMs: 12.5 });
    void shipping.exec(() => gate().promise);
    const waiting = errorOf(shipping.exec(() => 1));
    const late = errorOf(shipping.acquire());
    clock.jump(20);
    await clock.settle();
    const error = await waiting;
    assert.ok(error instanceof BulkheadTimeoutError);
    assert.deepEqual(fields(error), {
      name: 'BulkheadTimeoutError', code: 'queue_timeout', bulkhead: 'shipping', isRejection: true, isLocalOverload: true,
      limit: 1, active: 1, queued: 0, maxQueue: 3, waitedMs: 20,
      message: 'shipping: no permit within 20 ms; shed load or raise maxConcurrent',
    });
    assert.equal((await late as BulkheadTimeoutError).waitedMs, 20);
    const passed = await errorOf(shipping.exec(() => 1, { deadline: 20 }));
    assert.equal(passed.message, 'shipping: the deadline had passed when the call arrived');
    assert.equal((passed as BulkheadTimeoutError).waitedMs, 0);
  }));

  it('closed', async () => {
    const shipping = bulkhead({ maxQueue: 1 });
    void shipping.exec(() => gate().promise);
    const waiting = errorOf(shipping.exec(() => 1));
    void shipping.close();
    for (const error of [await waiting, await errorOf(shipping.acquire())]) {
      assert.ok(error instanceof BulkheadClosedError);
      assert.deepEqual(fields(error), {
        name: 'BulkheadClosedError', code: 'closed', bulkhead: 'shipping', isRejection: true, isLocalOverload: false,
        message: 'shipping: closed; it takes no more calls',
      });
    }
  });

  it('closed with abort is no rejection of a call that ran', async () => {
    const shipping = bulkhead();
    const running = errorOf(shipping.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    })));
    void shipping.close({ abort: true });
    const { code, isRejection, message } = await running;
    assert.deepEqual([code, isRejection, message], ['closed', false, 'shipping: closed with abort while the work ran']);
  });

  it('too_heavy, as it arrives and in the queue', async () => {
    const shipping = bulkhead({ maxConcurrent: 3, maxQueue: 1 });
    const heavy = { name: 'BulkheadWeightError', code: 'too_heavy', bulkhead: 'shipping', isRejection: true, isLocalOverload: false };
    const error = await errorOf(shipping.exec(() => 1, { weight: 4 }));
    assert.ok(error instanceof BulkheadWeightError);
    assert.deepEqual(fields(error), { ...heavy, weight: 4, limit: 3, message: 'shipping: weight 4 is above the limit (maxConcurrent 3)' });
    void shipping.exec(() => gate().promise);
    const waiting = errorOf(shipping.exec(() => 1, { weight: 3 }));
    shipping.resize(2);
    assert.deepEqual(fields(await waiting), { ...heavy, weight: 3, limit: 2, message: 'shipping: weight 3 is above the limit (maxConcurrent 2)' });
  });

  it('call_timeout: how long the work had really run', onClock(async (clock) => {
    const shipping = bulkhead({ callTimeoutMs: 30 });
    const running = errorOf(shipping.exec(() => gate().promise));
    clock.jump(41);
    await clock.settle();
    const error = await running;
    assert.ok(error instanceof BulkheadCallTimeoutError);
    assert.deepEqual(fields(error), {
      name: 'BulkheadCallTimeoutError', code: 'call_timeout', bulkhead: 'shipping', isRejection: false, isLocalOverload: false, ranMs: 41,
      message: 'shipping: answered after 41 ms, the work goes on',
    });
  }));
});

describe('stackTraces', () => {
  const frames = (error: Error): number => (error.stack ?? '').split('\n    at ').length - 1;

  it('are not collected unless asked for', async () => {
    const limit = Error.stackTraceLimit;
    const error = await errorOf(bulkhead().exec(() => 1, { weight: 2 }));
    assert.equal(frames(error), 0);
    assert.equal(error.stack, `Error: ${error.message}`.replace('Error', error.name));
    assert.equal(Error.stackTraceLimit, limit);
  });

  it('lead to the call when asked for', async () => {
    const error = await errorOf(bulkhead({ stackTraces: true }).exec(() => 1, { weight: 2 }));
    assert.match(error.stack ?? '', /errors\.test/);
  });

  it('do not matter where the limit is frozen', async () => {
    const before = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
    Object.defineProperty(Error, 'stackTraceLimit', { value: 10, writable: false, configurable: true });
    try {
      assert.equal((await errorOf(bulkhead().exec(() => 1, { weight: 2 }))).code, 'too_heavy');
    } finally {
      if (before !== undefined) Object.defineProperty(Error, 'stackTraceLimit', before);
    }
  });
});
