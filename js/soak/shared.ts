// The full stress of `Bulkhead.shared`: `npm run soak`, or with other figures: `npm run soak -- calls seed`.

import { churn } from './churn.js';
import { stress } from './stress.js';

const [calls = 100_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);

for (const mortals of [0, 2]) {
  const plan = { threads: 4, calls: mortals === 0 ? Math.ceil(calls / 10) : calls, limit: 7, mortals, seed };
  const start = performance.now();
  const { ended, answers, stats } = await stress(plan);
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${plan.threads} threads × ${plan.calls} calls through a shared limit of ${plan.limit}, ${ended} threads ended, seed ${seed}: ` +
    `never above, books balanced, ${seconds.toFixed(1)} s`,
  );
  console.log(`  answers ${JSON.stringify(answers)}`);
  const { admitted, completed, failed, unclaimed, abandonedRuns, rejected, peakActive, peakQueued } = stats;
  console.log(`  books ${JSON.stringify({ admitted, completed, failed, unclaimed, abandonedRuns, ...rejected, peakActive, peakQueued })}`);
}

const threads = Math.ceil(calls / 50);
const left = await churn(threads);
console.log(`${threads} threads came and went: each has left ${Math.round(left)} bytes`);
