// Ten million calls of every kind through one bulkhead, ended in all ways that there are: what the
// process holds after them is what it held after the first few. CALLS says how many, SECONDS_EACH
// for how long at most, BULKHEADS_ENGINE through which engine.

import assert from 'node:assert/strict';
import { Bulkhead } from 'bulkheads';
import { VirtualClock } from 'bulkheads/testing';

const CALLS = Number(process.env['CALLS'] ?? 10_000_000);
const SECONDS = Number(process.env['SECONDS_EACH'] ?? Infinity);
/** After these the memory is what it will be. */
const FIRST = 500_000;
const MEGABYTE = 2 ** 20;
/**
 * What a process gains and loses whatever it does. A byte for each of ten million calls would be
 * more than the heap may gain.
 */
const NOISE = { heap: 4 * MEGABYTE, resident: 24 * MEGABYTE };

const turn = setImmediate;
const clock = new VirtualClock().install();
const shipping = new Bulkhead('shipping', { maxConcurrent: 4, maxQueue: 6, timeoutMs: 3, callTimeoutMs: 5, abandonAfterMs: 2 });
const forever = new AbortController();
const aborted = AbortSignal.abort('before');
const broken = new Error('broken');
let calls = 0;
let answered = 0;

await main();

async function main(): Promise<void> {
  const start = seconds();
  while (calls < FIRST) await round();
  const before = await memory();
  while (calls < CALLS && seconds() - start < SECONDS) await round();
  const after = await memory();
  clock.uninstall();
  report(before, after, seconds() - start);
  assert.equal(answered, calls);
  const { admitted, rejected, running, queued, abandonedRuns } = shipping.stats();
  assert.equal(calls, admitted + Object.values(rejected).reduce((sum, one) => sum + one, 0));
  assert.deepEqual([running, queued], [0, 0]);
  const { full, queueTimeout, cancelled, tooHeavy } = rejected;
  for (const [name, count] of Object.entries({ abandonedRuns, full, queueTimeout, cancelled, tooHeavy })) assert.ok(count > 0, name);
  const heap = after.heap - before.heap;
  assert.ok(heap < NOISE.heap, `the heap has grown by ${heap} bytes`);
  const resident = after.resident - before.resident;
  assert.ok(resident < NOISE.resident, `the process has grown by ${resident} bytes`);
}

async function round(): Promise<void> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const own = { signal: forever.signal };
  for (let time = 0; time < 8; time += 1) {
    // At once, and alone.
    exec(() => 1);
    exec(() => { throw broken; });
    exec(() => Promise.resolve(1), own);
    exec(() => Promise.reject(broken));
    exec(() => ({ then: (done: (value: number) => void) => done(1) }));
    shipping.tryAcquire()?.release();
    calls += 1;
    answered += 1;
    await pass();
  }
  // Full, with all that can happen to those who wait.
  const holds = [1, 2].map(() => shipping.tryAcquire());
  calls += 2;
  answered += 2;
  exec(() => new Promise(() => undefined));
  exec(({ signal: inner }) => new Promise((_, fail) => { inner.addEventListener('abort', () => fail(broken)); }), { signal });
  exec(() => 1, { signal });
  exec(() => Promise.resolve(1), own);
  exec(() => 1, { timeoutMs: 1 });
  exec(() => 1, { weight: 3 });
  byHand({ signal });
  byHand(own);
  // No more places, too heavy, too late, aborted before, not willing to wait.
  exec(() => 1);
  exec(() => 1, { weight: 5 });
  exec(() => 1, { deadline: clock.now - 1 });
  exec(() => 1, { signal: aborted });
  exec(() => 1, { timeoutMs: 0 });
  await clock.advance(1);
  leaving.abort('left');
  for (const hold of holds) hold?.release();
  await clock.advance(1);
  shipping.resize(3);
  shipping.resize(4);
  exec(() => 1);
  exec(() => Promise.resolve(1), { signal });
  await clock.advance(6);
  if (calls % 7 === 0) void brief().close({ abort: true });
}

/** One that comes and goes, with a call that runs and one that waits. */
function brief(): Bulkhead {
  const other = new Bulkhead('brief', { maxConcurrent: 1, maxQueue: 1, callTimeoutMs: 5 });
  other.exec(({ signal }) => new Promise((_, fail) => { signal.addEventListener('abort', fail); })).catch(() => undefined);
  other.acquire().catch(() => undefined);
  return other;
}

function exec(work: Parameters<typeof shipping.exec>[0], options?: Parameters<typeof shipping.exec>[1]): void {
  calls += 1;
  shipping.exec(work, options).then(count, count);
}

function byHand(options: Parameters<typeof shipping.acquire>[0]): void {
  calls += 1;
  shipping.acquire(options).then((permit) => { permit.release(); count(); }, count);
}

function count(): void {
  answered += 1;
}

/** All that is ready has run. */
function pass(): Promise<void> {
  return new Promise((resolve) => turn(resolve));
}

function seconds(): number {
  return Number(process.hrtime.bigint()) / 1e9;
}

async function memory(): Promise<{ heap: number; resident: number }> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await pass();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}

function report(before: { heap: number; resident: number }, after: { heap: number; resident: number }, took: number): void {
  const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
  console.log(
    `${Bulkhead.engine}: ${(calls / 1e6).toFixed(1)} million calls in ${took.toFixed(0)} s; heap ${megabytes(before.heap)} MB before, ${megabytes(after.heap)} after; ` +
    `process ${megabytes(before.resident)} MB before, ${megabytes(after.resident)} after`,
  );
}
