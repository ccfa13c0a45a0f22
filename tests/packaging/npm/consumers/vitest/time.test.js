import { Bulkhead } from 'bulkheads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a wait ends when the fake clock says so', async () => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 300 });
  shipping.tryAcquire();
  const told = vi.fn();
  shipping.exec(() => 'never').catch((error) => told(error.code, error.waitedMs));

  await vi.advanceTimersByTimeAsync(299);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toHaveBeenCalledWith('queue_timeout', 300);
});
