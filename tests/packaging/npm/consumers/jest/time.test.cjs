const { Bulkhead } = require('bulkheads');

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a wait ends when the fake clock says so', async () => {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: 300 });
  shipping.tryAcquire();
  const told = jest.fn();
  shipping.exec(() => 'never').catch((error) => told(error.code, error.waitedMs));

  await jest.advanceTimersByTimeAsync(299);
  expect(told).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(1);
  expect(told).toHaveBeenCalledWith('queue_timeout', 300);
});
