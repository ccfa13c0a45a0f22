import { Bulkhead, BulkheadError, type BulkheadStats } from 'bulkheads';

const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, timeoutMs: 50 });
const length: Promise<number> = shipping.exec(() => 'abc').then((text) => text.length);
const stats: BulkheadStats = shipping.stats();
// @ts-expect-error: the option has another name
new Bulkhead('typo', { maxConcurent: 1 });
length.catch((error: unknown) => console.log(error instanceof BulkheadError && error.code, stats.active));
