import { Bulkhead } from '/node_modules/bulkheads/dist/browser.mjs';

try {
  document.title = String(new Bulkhead('shipping', { maxConcurrent: 1 }).stats().limit);
} catch (error) {
  document.title = error.message;
}
