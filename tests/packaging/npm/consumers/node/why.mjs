// Where the engine that was meant for the machine does not load.
import { Bulkhead } from 'bulkheads';
import { use } from '../use.mjs';

console.log(await use(), Bulkhead.engineError?.message);
