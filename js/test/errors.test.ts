import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { inspect, types } from 'node:util';
import { Worker } from 'node:worker_threads';
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

  /** The functions of the first frames. */
  const callers = (error: Error, count: number): string[] =>
    (error.stack ?? '').split('\n    at ').slice(1, 1 + count).map((frame) => frame.replace(/^async /, '').split(' ')[0] ?? '');

  it('lead to the call when asked for, and show no frame of this package', onClock(async (clock) => {
    const shipping = bulkhead({ stackTraces: true, maxQueue: 9, timeoutMs: 20, callTimeoutMs: 10 });
    const quote = shipping.wrap(() => gate().promise);
    const page = shipping.wrap(async function* () { yield 1; }, { weight: 2 });
    async function asExec(weight: number): Promise<Error> {
      return errorOf(shipping.exec(() => gate().promise, { weight }));
    }
    async function asAcquire(weight: number): Promise<Error> {
      return errorOf(shipping.acquire({ weight }));
    }
    async function asWrapped(weight: number): Promise<Error> {
      return errorOf(quote.with({ weight })());
    }
    async function asStream(): Promise<Error> {
      return errorOf(page());
    }
    async function asMap(weight: number): Promise<Error> {
      return errorOf(shipping.map([1], () => 1, { weight }));
    }
    for (const call of [asExec, asAcquire, asWrapped, asStream, asMap]) {
      const error = await call(2);
      assert.equal((error as BulkheadError).code, 'too_heavy');
      assert.deepEqual(callers(error, 1), [call.name]);
      assert.match(error.stack ?? '', /^BulkheadWeightError: shipping: weight 2 is above the limit \(maxConcurrent 1\)\n {4}at .*errors\.test/);
    }
    const running = asExec(1);
    const waiting = [asExec(1), asAcquire(1), asWrapped(1)];
    await clock.advance(20);
    const errors = [await running, ...(await Promise.all(waiting))];
    assert.deepEqual(errors.map((error) => (error as BulkheadError).code), ['call_timeout', ...Array<string>(3).fill('queue_timeout')]);
    assert.deepEqual(errors.map((error) => callers(error, 1)[0]), ['asExec', 'asExec', 'asAcquire', 'asWrapped']);
    assert.match(errors[1]?.stack ?? '', /^BulkheadTimeoutError: shipping: no permit within 20 ms/);
  }));

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

describe('an error that leaves its thread', () => {
  const all = async (): Promise<BulkheadError[]> => {
    const shipping = bulkhead({ maxQueue: 1 });
    const heavy = await errorOf(shipping.exec(() => 1, { weight: 2 }));
    shipping.tryAcquire();
    const late = await errorOf(shipping.acquire({ deadline: 0 }));
    const full = await errorOf(shipping.acquire({ timeoutMs: 0 }));
    void shipping.close();
    return [heavy, late, full, await errorOf(shipping.acquire())];
  };

  it('keeps code, text and figures as JSON', async () => {
    for (const error of await all()) {
      const json = JSON.parse(JSON.stringify(error)) as Record<string, unknown>;
      assert.deepEqual(json, fields(error));
      const again = BulkheadError.from(json);
      assert.ok(again instanceof error.constructor);
      assert.deepEqual(fields(again), fields(error));
      assert.equal(again.stack, `${error.name}: ${error.message}`);
    }
  });

  it('keeps them when it is posted', async () => {
    const worker = new Worker('const { parentPort } = require("node:worker_threads"); parentPort.on("message", (error) => parentPort.postMessage(error));', { eval: true });
    try {
      for (const error of await all()) {
        worker.postMessage(error);
        const [came] = (await once(worker, 'message')) as [Error];
        assert.equal(came.message, error.message);
        const again = BulkheadError.from(came);
        assert.ok(again instanceof error.constructor && types.isNativeError(again));
        assert.deepEqual(fields(again), fields(error));
        assert.equal(again.stack, error.stack);
        worker.postMessage(again);
        const [twice] = (await once(worker, 'message')) as [Error];
        const last = BulkheadError.from(twice);
        assert.deepEqual(last && fields(last), fields(error));
      }
    } finally {
      await worker.terminate();
    }
  });

  it('keeps them when a worker ends with it', async () => {
    const source = `const { Bulkhead } = require('bulkheads'); const shipping = new Bulkhead('shipping', { maxConcurrent: 1 }); shipping.exec(() => 1, { weight: 2 });`;
    const worker = new Worker(source, { eval: true, execArgv: [] });
    const [came] = (await once(worker, 'error')) as [Error];
    const again = BulkheadError.from(came);
    assert.ok(again instanceof BulkheadWeightError);
    assert.deepEqual([again.code, again.weight, again.limit, again.bulkhead], ['too_heavy', 2, 1, 'shipping']);
  });

  it('is the same if it never left, and no other becomes one', async () => {
    const [error] = await all();
    assert.equal(BulkheadError.from(error), error);
    const others = [undefined, null, 5, 'full', new Error('full'), { code: 'full' }, { code: 'ENOENT', bulkhead: 'x' }, new Error('x', { cause: error?.message })];
    for (const other of others) assert.equal(BulkheadError.from(other), undefined);
  });

  it('prints its figures once', async () => {
    const [error] = await all();
    const text = inspect(error);
    assert.equal(text.split('limit').length, 3, text);
    assert.equal(text.includes('[cause]'), false);
    assert.ok(error?.cause);
    assert.equal(inspect(Object.freeze(error)).includes('BulkheadWeightError'), true);
  });
});
