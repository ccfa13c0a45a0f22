import { Bulkhead, BulkheadFullError } from 'bulkheads';
import { expect, test } from 'vitest';

const refusal = (act) => {
  try {
    act();
  } catch (error) {
    return error;
  }
};

test('calls are answered by the engine that is wanted', async () => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
  const first = shipping.exec(async () => 'ran');
  await expect(shipping.exec(() => 'never')).rejects.toBeInstanceOf(BulkheadFullError);
  await expect(first).resolves.toBe('ran');
  expect([Bulkhead.engine, Bulkhead.engineError]).toEqual([process.env.BULKHEADS_ENGINE ?? 'native', undefined]);
});

test('errors are of the classes that a test knows', async () => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
  expect(refusal(() => new Bulkhead('shipping', { maxConcurrent: 0 }))).toBeInstanceOf(RangeError);
  expect(refusal(() => new Bulkhead('shipping', { maxConcurrent: '1' }))).toBeInstanceOf(TypeError);
  expect(refusal(() => shipping.resize(-1))).toBeInstanceOf(RangeError);
  expect(await shipping.exec(() => 'never', { weight: 0 }).catch((error) => error)).toBeInstanceOf(RangeError);
  if (Bulkhead.engine === 'native') expect(refusal(() => Bulkhead.shared('shared', { maxConcurrent: 0 }))).toBeInstanceOf(RangeError);
});

test('a signal of this environment ends a wait', async () => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity });
  const controller = new AbortController();
  shipping.tryAcquire();
  const waiting = shipping.exec(() => 'never', { signal: controller.signal });
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});
