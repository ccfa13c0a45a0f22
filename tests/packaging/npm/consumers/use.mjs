// What every consumer does, wherever it runs.
import { Bulkhead, BulkheadFullError } from 'bulkheads';

export async function use() {
  const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
  const first = shipping.exec(async () => 'ran');
  const second = await shipping.exec(() => 'never').catch((error) => (error instanceof BulkheadFullError ? error.code : error));
  return `${await first} ${second} ${Bulkhead.engine}`;
}
