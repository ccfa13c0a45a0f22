const { Bulkhead, BulkheadFullError } = require('bulkheads');
const { VirtualClock } = require('bulkheads/testing');

const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
const held = shipping.tryAcquire();
const full = shipping.exec(() => 1).catch((error) => error instanceof BulkheadFullError && error.code);
held.release();
Promise.all([shipping.exec(() => 'ran'), full]).then((seen) => {
  console.log(JSON.stringify([...seen, Bulkhead.engine, typeof VirtualClock]));
});
