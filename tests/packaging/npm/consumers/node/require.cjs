const { Bulkhead, BulkheadFullError } = require('bulkheads');

const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
const first = shipping.exec(async () => 'ran');
shipping
  .exec(() => 'never')
  .catch((error) => error instanceof BulkheadFullError && error.code)
  .then(async (second) => console.log(await first, second, Bulkhead.engine));
