// Measures, in one process.

const TURNS = 7;
const QUICK_TURNS = 4;

/**
 * Each section in turn, several times. A section makes as many calls as its argument says; answers
 * for each turn the nanoseconds per call of each.
 */
export async function alternately(host, calls, sections) {
  const counts = [];
  for (const section of sections) counts.push(await warmUp(host, calls, section));
  const turns = [];
  for (let turn = 0; turn < (host.quick ? QUICK_TURNS : TURNS); turn += 1) {
    const costs = [];
    for (const [index, section] of sections.entries()) costs.push(await timed(host, counts[index], () => section(counts[index])));
    turns.push(costs);
  }
  return turns;
}

/** Nanoseconds: how long a section should take, and how long it takes to be as fast as it gets. */
const SECTION = 20e6;
const WARM_UP = 150e6;
const QUICK_WARM_UP = 60e6;

/** Answers how many calls are enough of something that takes so long. */
async function warmUp(host, calls, section) {
  let count = 10;
  let cost;
  for (let spent = 0; spent < (host.quick ? QUICK_WARM_UP : WARM_UP); spent += cost * count, count = enough(calls, cost)) {
    cost = await timed(host, count, () => section(count));
  }
  return count;
}

function enough(calls, cost) {
  return Math.max(Math.min(calls, Math.ceil(SECTION / cost)), 5);
}

/**
 * Nanoseconds per call. Nobody pays for the youngest garbage of what came before; more must not be
 * collected: that would throw away optimised code and shrink the young generation, and be followed
 * by figures that no busy process has.
 */
export async function timed(host, count, act) {
  host.gc();
  await host.nextTurn();
  const start = performance.now();
  await act();
  return ((performance.now() - start) * 1e6) / count;
}

export function shuffled(all) {
  const order = [...all];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function summary(values) {
  return { median: round(median(values)), min: round(Math.min(...values)), max: round(Math.max(...values)) };
}

/** Four digits; more would be noise. */
export function round(value) {
  return Number(value.toPrecision(4));
}
