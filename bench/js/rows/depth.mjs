// 11: what an operation costs while very many wait, beside the same while few do. Through the
// package, where the garbage collector has the objects of all who wait to look at, its share said
// beside it.

import { garbageWatch } from '../garbage.mjs';
import { round } from '../harness.mjs';
import { growing } from '../row.mjs';

const FEW = 1_000;
const depth = ({ quick }) => (quick ? 100_000 : 1_000_000);
const OPERATIONS = 20_000;
const VICTIMS = 100;

const never = () => new Promise(() => {});
const ignore = () => {};

const PARTS = {
  grant: 'one enqueue + one release that grants the first in the queue',
  cancel: 'one enqueue + one cancellation somewhere in the queue',
  timeout: 'one enqueue + one time-out',
};

export const jobs = [{ id: '11-facade', use: 'waiting', isOurs: true, isLong: true, rounds: () => 1, sample, assemble }];

async function sample({ make }, host) {
  const costs = {};
  const garbage = {};
  for (const count of [FEW, depth(host)]) {
    const crowd = await gather(make, count);
    for (const [part, act] of Object.entries({ cancel, timeout, grant })) {
      if (part === 'grant') for (const victim of crowd.victims) victim.abort();
      if (count === FEW) await act(crowd, host);
      const watch = garbageWatch(host);
      const cost = await act(crowd, host);
      costs[part] = { ...costs[part], [count]: round(cost) };
      garbage[part] = { ...garbage[part], [count]: await watch.milliseconds() };
    }
  }
  return { costs, garbage };
}

/**
 * A bulkhead with one permit, which is held, and so many who wait for it: the first promise is that
 * of the holder. Evenly among them stand a few who can be cancelled.
 */
async function gather(make, count) {
  const bulkhead = make();
  const permits = [];
  const victims = [];
  for (let i = 0; i <= count; i += 1) {
    permits.push(bulkhead.acquire());
    if (i > 0 && i % (count / VICTIMS) === 0) victims.push(enter(bulkhead, new AbortController()));
  }
  await permits[0];
  return { bulkhead, permits, victims };
}

/** Nanoseconds. The queue keeps its length: one comes, one goes. */
async function grant({ bulkhead, permits }) {
  const start = performance.now();
  let holder = await permits[0];
  for (let i = 1; i <= OPERATIONS; i += 1) {
    permits[(i - 1) % permits.length] = bulkhead.acquire();
    holder.release();
    holder = await permits[i % permits.length];
  }
  const cost = ((performance.now() - start) * 1e6) / OPERATIONS;
  // The holder comes first again.
  permits.push(...permits.splice(0, OPERATIONS % permits.length));
  return cost;
}

/** One of those who have a signal, wherever it stands, makes way for a newcomer. */
async function cancel({ bulkhead, victims }, host) {
  const newcomers = Array.from({ length: OPERATIONS }, () => new AbortController());
  await host.nextTurn();
  const start = performance.now();
  for (let i = 0; i < OPERATIONS; i += 1) {
    const slot = Math.floor(Math.random() * victims.length);
    victims[slot].abort();
    victims[slot] = enter(bulkhead, newcomers[i]);
    if (i % 100 === 99) await host.nextTurn();
  }
  return ((performance.now() - start) * 1e6) / OPERATIONS;
}

function enter(bulkhead, controller) {
  bulkhead.exec(never, { signal: controller.signal }).catch(ignore);
  return controller;
}

/** A few at a time; their wait is not counted. */
async function timeout({ bulkhead }, host) {
  const batch = 500;
  let spent = 0;
  for (let done = 0; done < OPERATIONS; done += batch) {
    const start = performance.now();
    const last = [];
    for (let i = 0; i < batch; i += 1) last[0] = bulkhead.exec(never, { timeoutMs: 10 }).catch(ignore);
    const entered = performance.now();
    while (performance.now() < entered + 12);
    const awake = performance.now();
    await last[0];
    spent += entered - start + performance.now() - awake;
    await host.nextTurn();
  }
  return (spent * 1e6) / OPERATIONS;
}

function assemble(measured, host) {
  const many = depth(host);
  return {
    rows: measured.flatMap((each) => Object.keys(PARTS).map((part) => rowOf(part, each, many))),
  };
}

function rowOf(part, { samples, ...rest }, many) {
  const [first] = samples.get('bulkheads');
  const row = {
    id: `11-${part}-facade`,
    title: `${PARTS[part]}: ${many.toLocaleString('en')} waiters against 1,000, through the package`,
    unit: 'ns per operation',
    measure: 'whole time',
    work: PARTS[part],
    options: 'maxConcurrent: 1, maxQueue: 2000000, timeoutMs: 3600000',
  };
  const costs = samples.get('bulkheads').map((sample) => ({ costs: sample.costs[part] }));
  const collecting = (count) => ({ median: round(((first.garbage[part][count] ?? 0) * 1e6) / OPERATIONS) });
  const built = growing(row, { ...rest, samples: new Map([['bulkheads', costs]]) }, FEW, many);
  return { ...built, ours: { ...built.ours, collecting: collecting(many), collecting_of_1000: collecting(FEW) } };
}
