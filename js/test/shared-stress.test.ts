// Four threads through a shared limit of 7 with random aborts, while others are ended.
// `npm run soak` does ten times as much.

import { describe, it } from 'node:test';
import { stress } from '../soak/stress.js';
import { keepAlive } from './threads.js';

keepAlive();

const isNative = process.env['BULKHEADS_ENGINE'] === 'native';
const plan = { threads: 4, limit: 7, seed: 1 };

describe('a shared limit under stress', { skip: !isNative && 'only the native engine shares' }, () => {
  it('is never exceeded, and the threads know what the books say', async () => {
    await stress({ ...plan, calls: 2000, mortals: 0 });
  });

  it('is never exceeded while threads are ended in the midst of calls, and the books balance', async () => {
    await stress({ ...plan, calls: 10_000, mortals: 2 });
  });
});
