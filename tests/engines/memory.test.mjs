// Memory stays flat: engines that are dropped, calls that end in every way, and a queue that makes
// the module's memory grow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadWasm } from '../conformance/lib/engines.mjs';
import { call, collect, COMPLETED, events, onEachEngine, queue, stats } from './engines.mjs';

const { memory: wasmMemory } = await loadWasm();
const MEGABYTE = 2 ** 20;

/** How much more the process holds after `work` than after a first run of it. */
async function growth(work) {
  const measure = async () => {
    await work();
    await collect();
    return { resident: process.memoryUsage.rss(), module: wasmMemory.buffer.byteLength };
  };
  await measure();
  const warm = await measure();
  const after = await measure();
  return { resident: after.resident - warm.resident, module: after.module - warm.module };
}

function assertFlat({ resident, module }) {
  assert.ok(resident < 5 * MEGABYTE, `the process grew by ${(resident / MEGABYTE).toFixed(1)} MB`);
  assert.equal(module, 0, 'the memory of the wasm module grew');
}

onEachEngine('memory', (create) => {
  test('20 000 engines that are made, used and dropped leave nothing', async () => {
    assertFlat(
      await growth(async () => {
        for (let round = 0; round < 20; round += 1) {
          for (let one = 0; one < 1000; one += 1) {
            const engine = create(1, 10);
            call(engine, 0);
            queue(engine, 0);
          }
          await collect();
        }
      }),
    );
  });

  test('300 000 calls, completed, timed out, rejected and aborted, leave nothing', async () => {
    const engine = create(1, 2, 10);
    let now = 0;
    assertFlat(
      await growth(() => {
        for (let round = 0; round < 100_000; round += 1) {
          const runs = call(engine, now);
          const waits = queue(engine, now);
          const aborted = queue(engine, now);
          call(engine, now);
          engine.abort(now, Float64Array.of(aborted));
          now += round % 2 === 0 ? 1 : 20;
          engine.finish(now, runs, COMPLETED);
          engine.start(now, waits);
          engine.finish(now, waits, COMPLETED);
          events(engine);
          engine.stats();
        }
      }),
    );
    assert.equal(stats(engine).running, 0);
  });

  test('a rejected option leaves no engine behind', async () => {
    assertFlat(
      await growth(() => {
        for (let one = 0; one < 20_000; one += 1) assert.throws(() => create(1, NaN), RangeError);
      }),
    );
  });

  test('300 000 waiters: numbers stay right while memory grows under them', () => {
    const engine = create(1, 300_000, Infinity);
    const holds = call(engine, 0);
    const kept = engine.stats();
    const ids = new Float64Array(300_000);
    for (let one = 0; one < ids.length; one += 1) {
      ids[one] = queue(engine, 1);
      if (one % 50_000 === 0) assert.equal(engine.stats()[5], one + 1);
    }
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual([kept.length, kept[5]], [37, 0], 'a snapshot is a value');
    engine.abort(2, ids.subarray(1));
    assert.equal(engine.queued(), 1);
    engine.finish(3, holds, COMPLETED);
    const told = events(engine);
    assert.deepEqual([told.length, told.at(-1)[0], told.at(-1)[1]], [300_000, 'granted', ids[0]]);
    engine.dispose();
  });
});
