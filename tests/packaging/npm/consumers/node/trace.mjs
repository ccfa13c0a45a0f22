// Where the error of a bad option comes from, in the sources.
import { Bulkhead } from 'bulkheads';

try {
  new Bulkhead('shipping', { maxConcurrent: '1' });
} catch (error) {
  console.log(error.stack.split('\n')[1]);
}
