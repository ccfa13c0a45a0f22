// As a serverless function is written: no main program, but what one imports.
import { use } from '../use.mjs';
import { Bulkhead } from 'bulkheads';

export const handler = async () => `${await use()} ${Bulkhead.engineError?.message ?? ''}`.trim();
