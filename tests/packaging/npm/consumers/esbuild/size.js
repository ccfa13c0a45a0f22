export { Bulkhead } from 'bulkheads';
