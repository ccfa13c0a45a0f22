import { Bulkhead } from 'bulkheads';
import { use } from './use.mjs';

console.log(`${await use()} ${Bulkhead.engineError?.message ?? ''}`.trim());
