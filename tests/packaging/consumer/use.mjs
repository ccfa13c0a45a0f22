import { Bulkhead, BulkheadFullError } from 'bulkheads';
import { VirtualClock } from 'bulkheads/testing';

const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
const held = shipping.tryAcquire();
const full = await shipping.exec(() => 1).catch((error) => error instanceof BulkheadFullError && error.code);
held.release();
console.log(JSON.stringify([await shipping.exec(() => 'ran'), full, Bulkhead.engine, typeof VirtualClock]));
