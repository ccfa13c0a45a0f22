// Threads that come and go, each leaving permits and waiters behind: nothing of that may add up.

import assert from 'node:assert/strict';
import { Worker } from 'node:worker_threads';
import { Bulkhead } from 'bulkheads';

/** The memory of a process comes and goes by some megabytes whatever it does. */
const NOISE = 8 * 2 ** 20;
const FEWEST = 100;

/**
 * As many threads as there is time for; answers also how many bytes of the process each has left
 * behind.
 */
export async function churn(isOver: () => boolean): Promise<{ threads: number; left: number }> {
  const shared = Bulkhead.shared('churn', { maxConcurrent: 3, maxQueue: 8, timeoutMs: Infinity });
  await comeAndGo((begun) => begun >= FEWEST);
  const before = resident();
  const threads = await comeAndGo((begun) => begun >= FEWEST && isOver());
  const grown = resident() - before;
  const { active, queued, running, admitted, completed, abandonedRuns } = shared.stats();
  assert.deepEqual({ active, queued, running }, { active: 0, queued: 0, running: 0 });
  assert.equal(admitted, completed + abandonedRuns);
  assert.ok(abandonedRuns > threads / 2, String(abandonedRuns));
  assert.ok(grown < NOISE, `the process has grown by ${grown} bytes`);
  return { threads, left: grown / threads };
}

/** Three at a time. */
async function comeAndGo(isEnough: (begun: number) => boolean): Promise<number> {
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (!isEnough(begun)) {
      begun += 1;
      const worker = new Worker(SOURCE, { eval: true, execArgv: [] });
      await new Promise((resolve) => worker.once('exit', resolve));
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return begun;
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

const SOURCE = `
  const { Bulkhead } = require('bulkheads');
  const shared = Bulkhead.shared('churn');
  globalThis.permit = shared.tryAcquire();
  for (let call = 0; call < 3; call += 1) shared.exec(() => new Promise(() => {})).catch(() => {});
  // A name that comes and goes with its threads.
  Bulkhead.shared('brief', { maxConcurrent: 1 }).exec(() => 1).catch(() => {});
`;
