// `Bulkhead.shared` for SOAK_SECONDS, two minutes unless said, or as long as the stress takes once:
// `npm run soak`, or with the seed of an earlier run `npm run soak -- 465123`.

import { churn } from './churn.js';
import { contend } from './grants.js';
import { stress, type Stress } from './stress.js';

const seconds = Number(process.env['SOAK_SECONDS'] ?? 120);
const seed = Number(process.argv[2] ?? Date.now() % 1_000_000);
const start = performance.now();
const isOver = (share: number): boolean => performance.now() - start > seconds * 1000 * share;

const totals = { calls: 0, ended: 0 };
await run({ threads: 4, calls: 10_000, limit: 7, mortals: 0, seed });
for (let round = 1; round === 1 || !isOver(0.4); round += 1) await run({ threads: 4, calls: 100_000, limit: 7, mortals: 2, seed: seed + round });

let contended = 0;
for (let round = 0; round === 0 || !isOver(0.7); round += 1) {
  const limit = 1 + ((seed + 7 * round) % 60);
  contended += await contend({ threads: 4, callers: 20, limit, milliseconds: 4000, seed: seed + round });
}
console.log(`${contended} calls of 4 × 20 callers whose waits end as permits come back, through limits of 1 to 60: each answered as the books say`);

const { threads, left } = await churn(() => isOver(1));
console.log(`${threads} threads came and went, each has left ${Math.round(left)} bytes`);
console.log(
  `${totals.calls.toLocaleString('en')} calls of 4 threads through a shared limit of 7 while ${totals.ended} others were ended: never above 7, books balanced; ` +
  `${threads.toLocaleString('en')} threads came and went, and left nothing`,
);

async function run(plan: Stress): Promise<void> {
  const { calls, ended, answers, stats } = await stress(plan);
  totals.calls += calls;
  totals.ended += ended;
  console.log(`seed ${plan.seed}: ${plan.threads} threads × ${plan.calls} calls through a shared limit of ${plan.limit}, ${ended} threads ended`);
  console.log(`  answers ${JSON.stringify(answers)}`);
  const { admitted, completed, failed, unclaimed, abandonedRuns, rejected, peakActive, peakQueued } = stats;
  console.log(`  books ${JSON.stringify({ admitted, completed, failed, unclaimed, abandonedRuns, ...rejected, peakActive, peakQueued })}`);
}
