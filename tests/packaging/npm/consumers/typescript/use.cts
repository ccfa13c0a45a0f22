import bulkheads = require('bulkheads');
import testing = require('bulkheads/testing');

export const shipping = new bulkheads.Bulkhead('shipping', { maxConcurrent: 10 });
export const length: Promise<number> = shipping.exec(() => 'bow'.length);
export const clock = new testing.VirtualClock();
