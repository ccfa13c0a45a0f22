// Crowds of waiters that leave the queue in other ways than by being served. One call holds the
// only permit and never ends.

import { shuffled } from './harness.mjs';
import { enqueued, once } from './loops.mjs';

const never = () => new Promise(() => {});

/**
 * Milliseconds until so many waiters with the same time-out have been answered, enqueueing
 * included, the wait itself not: the thread is kept busy until all are due, as it is when something
 * blocks the event loop.
 */
export async function timeOutTogether({ make, isExact, ...calls }, host, count) {
  const loop = enqueued(calls);
  for (let timeoutMs = 5 + Math.ceil(count / 200); ; timeoutMs *= 2) {
    const it = make({ fn: never, timeoutMs });
    occupy(calls, it);
    await quiet(host);
    const { all, answered } = countdown(count);
    const start = performance.now();
    loop(it, never, count, answered);
    const entered = performance.now();
    // Whose deadlines are exact has let the first go while the last were still to come.
    if (isExact && entered - start > timeoutMs) continue;
    const due = entered + timeoutMs + 2;
    while (performance.now() < due);
    const awake = performance.now();
    await all;
    return entered - start + performance.now() - awake;
  }
}

/**
 * Milliseconds until so many waiters, each with a signal of its own, have been cancelled in random
 * order; or all by one signal.
 */
export async function cancelAll({ make, ...calls }, host, count, { isShared = false } = {}) {
  const loop = enqueued(calls);
  const controllers = Array.from({ length: isShared ? 1 : count }, () => new AbortController());
  const signals = controllers.map(({ signal }) => signal);
  const order = shuffled(controllers);
  const it = make({ fn: never });
  occupy(calls, it);
  await quiet(host);
  const { all, answered } = countdown(count);
  const start = performance.now();
  loop(it, never, count, answered, signals);
  for (const controller of order) controller.abort();
  await all;
  return performance.now() - start;
}

/** The occupant must not leave either, so its signal is nobody's and its wait is over. */
function occupy(calls, it) {
  once(calls)(it, never, new AbortController().signal).catch(() => {});
}

async function quiet(host) {
  await host.nextTurn();
  host.gc();
  await host.nextTurn();
}

function countdown(count) {
  let left = count;
  let done;
  const all = new Promise((resolve) => { done = resolve; });
  const answered = () => {
    left -= 1;
    if (left === 0) done();
  };
  return { all, answered };
}
