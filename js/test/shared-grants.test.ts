// What another thread's step brings to a call that has only just arrived here. `npm run soak` does
// it for minutes.

import { describe, it } from 'node:test';
import { contend } from '../soak/grants.js';
import { keepAlive } from './threads.js';

keepAlive();

const isNative = process.env['BULKHEADS_ENGINE'] === 'native';

describe('a shared limit whose waits end as permits come back', { skip: !isNative && 'only the native engine shares' }, () => {
  for (const limit of [1, 2, 7, 20, 60]) {
    it(`answers every call, and as the books say, with a limit of ${limit}`, async () => {
      await contend({ threads: 4, callers: 20, limit, milliseconds: 1200, seed: limit });
    });
  }
});
