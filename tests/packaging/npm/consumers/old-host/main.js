import { Bulkhead } from 'bulkheads';

const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
let held;
{
  using permit = shipping.tryAcquire();
  held = permit.weight;
}
globalThis.said = `${typeof Symbol.dispose} ${held} ${shipping.stats().active}`;
