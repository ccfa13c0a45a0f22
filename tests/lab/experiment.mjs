// The experiment in JavaScript, the same for Node and for the page. `lab` is what differs:
// `Bulkhead`, `plan` (experiment.json), and `get(path, ms)`, which makes one HTTP call and resolves
// when its body has been read.

import { startHeartbeat } from './heartbeat.mjs';

/**
 * One round: the slow calls at once, then the fast ones by schedule; answers when all of them have
 * been answered.
 */
export async function runRound(lab, { mode, stretch }) {
  const { plan } = lab;
  const pools = makePools(lab, mode, stretch);
  const calls = [];
  const heartbeat = startHeartbeat();
  const start = performance.now();

  const issue = (kind, ms) => {
    const at = performance.now();
    const call = { kind, at: at - start };
    const settle = (outcome, reason) => Object.assign(call, { outcome, reason, took: performance.now() - at });
    calls.push(
      pools[kind]
        .exec(() => lab.get(plan[kind].path, ms))
        .then(() => settle('ok'))
        .catch((error) => settle(error.isRejection ? 'rejected' : 'failed', error.code ?? String(error))),
    );
  };
  for (let i = 0; i < plan.slow.calls; i++) issue('slow', plan.slow.ms * stretch);
  await pace(plan.fast.calls, plan.fast.every_ms * stretch, () => issue('fast', plan.fast.ms));

  const settled = await Promise.all(calls);
  return { calls: settled, stalled_ms: heartbeat.stop() };
}

/**
 * What one fast call costs with no bulkhead in its way, and how many of them a second pass with
 * `together` under way.
 */
export async function timeBareCalls({ plan, get }, { together, calls }) {
  const bare = () => get(plan.fast.path, plan.fast.ms);
  const inTurn = async (count) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) await bare();
    return performance.now() - start;
  };
  const atOnce = (count) => Promise.all(Array.from({ length: together }, () => inTurn(count / together)));

  await atOnce(calls); // opens the connections and warms the compiler
  const alone = await inTurn(calls / together);
  const start = performance.now();
  await atOnce(calls);
  const seconds = (performance.now() - start) / 1000;
  return { bare_ms: alone / (calls / together), per_second: calls / seconds };
}

function makePools({ Bulkhead, plan }, mode, stretch) {
  const made = {};
  const pool = ([name, maxConcurrent]) =>
    (made[name] ??= new Bulkhead(name, { maxConcurrent, maxQueue: plan.max_queue, timeoutMs: plan.wait_ms * stretch }));
  return { slow: pool(plan.modes[mode].slow), fast: pool(plan.modes[mode].fast) };
}

/**
 * Issues number i at `start + (i + 1) * everyMs`. Timers are 1 ms coarse and late, so each one
 * issues what is due by the schedule: lateness does not add up. All are armed at once, because a
 * browser holds back a chain of them to 4 ms each.
 */
function pace(count, everyMs, issue) {
  const start = performance.now();
  let issued = 0;
  const issueDue = () => {
    for (; issued < count && start + (issued + 1) * everyMs <= performance.now(); issued++) issue();
  };
  return new Promise((resolve) => {
    // Timers may also be early: Node counts them from the beginning of the turn that set them.
    const finish = () => {
      issueDue();
      if (issued < count) setTimeout(finish, 1);
      else resolve();
    };
    for (let ms = 1; ms < count * everyMs; ms++) setTimeout(issueDue, ms);
    setTimeout(finish, count * everyMs);
  });
}
