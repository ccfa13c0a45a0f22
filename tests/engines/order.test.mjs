// What the scenario format cannot say: an abort of many callers as one step, the notice of a close
// with abort, the moment of idleness, capacity.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked, call, events, FAILED, onEachEngine, queue, stats, turn } from './engines.mjs';

onEachEngine('order', (create) => {
  test('an abort ends every caller of its signal before it grants anybody', () => {
    const engine = create(3, 9);
    const runs = call(engine, 0);
    const holds = call(engine, 0, { weight: 2 });
    const first = queue(engine, 0, { weight: 3 });
    const other = queue(engine, 0);
    const second = queue(engine, 0);
    const last = queue(engine, 0);
    engine.finish(5, holds, 0);
    assert.deepEqual(events(engine), [], 'the heavy head holds everybody back');
    engine.abort(10, Float64Array.of(runs, first, second));
    assert.deepEqual(events(engine), [
      ['cancelled', runs, 0],
      ['cancelled', first, 0],
      ['cancelled', second, 0],
      ['granted', other, 0],
      ['granted', last, 0],
    ]);
    assert.equal(stats(engine).overrun, 1, 'the run is answered and keeps its permit');
    assert.equal(stats(engine).rejectedCancelled, 2);
  });

  test('an abort takes back a grant that was not delivered, as unclaimed, and passes it on', () => {
    const engine = create(1, 9);
    const holds = call(engine, 0);
    const granted = queue(engine, 0);
    const next = queue(engine, 0);
    engine.finish(1, holds, 0);
    engine.abort(1, Float64Array.of(granted, next));
    const last = queue(engine, 1);
    assert.ok(last < 0, 'the permit is free again: admitted at once');
    assert.deepEqual(events(engine).map(([kind, id]) => [kind, id]), [['granted', granted], ['cancelled', granted], ['cancelled', next]]);
    assert.equal(stats(engine).unclaimed, 1);
    assert.equal(stats(engine).rejectedCancelled, 1);
  });

  test('an abort of nobody, and of the same caller twice, is an abort', () => {
    const engine = create(1, 9);
    call(engine, 0);
    const waits = queue(engine, 0);
    engine.abort(1, new Float64Array(0));
    engine.abort(1, Float64Array.of(waits, waits));
    assert.deepEqual(events(engine), [['cancelled', waits, 0]]);
  });

  test('the ids of an abort may lie in the middle of a larger buffer', () => {
    const engine = create(1, 9);
    call(engine, 0);
    const [a, b, c] = [queue(engine, 0), queue(engine, 0), queue(engine, 0)];
    engine.abort(1, Float64Array.of(a, b, c).subarray(1, 2));
    assert.deepEqual(events(engine), [['cancelled', b, 0]]);
  });

  test('close with abort ends the waiters and gives one notice; the runs answer by themselves', () => {
    const engine = create(1, 9, undefined, 100);
    const runs = call(engine, 0);
    const waits = queue(engine, 0);
    engine.close(5, true);
    assert.deepEqual(events(engine), [['closed', waits, 5], ['abort', 0, 0]]);
    const ticket = engine.watchIdle(5);
    assert.ok(ticket > 0);
    assert.equal(engine.nextTimer(), 100, 'a bound of its own still acts');
    engine.finish(9, runs, FAILED);
    assert.deepEqual(events(engine), [['idle', ticket, 0]]);
    const { state, overrun } = stats(engine);
    assert.deepEqual([state, overrun], [2, 0]);
    assert.equal(call(engine, 9), 6);
  });

  test('only a caller without an answer keeps the host alive', () => {
    const engine = create(1, 9, 50, 10, 1000);
    assert.equal(engine.keepsAlive(), false);
    const runs = call(engine, 0);
    assert.equal(engine.keepsAlive(), true);
    engine.handleTimeout(10);
    assert.deepEqual(events(engine), [['call_timeout', runs, 10]]);
    assert.deepEqual([engine.nextTimer(), engine.keepsAlive()], [1010, false], 'only its abandonment is left');
    queue(engine, 10);
    assert.deepEqual([engine.nextTimer(), engine.keepsAlive()], [60, true]);
  });

  test('capacity is notified once, when a call would no longer be full', () => {
    const engine = create(1);
    assert.equal(engine.watchCapacity(0, asked(), Infinity, undefined, turn()), true);
    const runs = call(engine, 0);
    assert.equal(engine.watchCapacity(0, asked(), Infinity, undefined, turn()), false);
    assert.equal(engine.acquireOrWatch(0, asked(), Infinity, undefined, turn()), 0);
    engine.finish(1, runs, 0);
    assert.deepEqual(events(engine), [['capacity', 0, 0]]);
    assert.ok(engine.acquireOrWatch(1, asked(), Infinity, undefined, turn()) >= 2 ** 32);
  });

  test('an item waits for room no longer than a call would, and says how long it did', () => {
    const engine = create(1, 0, 50);
    call(engine, 0);
    assert.equal(engine.acquireOrWatch(10, asked(), Infinity, undefined, turn(5)), 0);
    assert.deepEqual([engine.nextTimer(), engine.keepsAlive()], [55, true]);
    engine.unwatchCapacity(10);
    assert.deepEqual([engine.nextTimer(), engine.keepsAlive()], [Infinity, false]);
    assert.equal(engine.watchCapacity(10, asked(), 30, undefined, turn(5)), false);
    assert.equal(engine.nextTimer(), 30);
    engine.handleTimeout(30);
    assert.deepEqual(events(engine), [['capacity', 0, 0]]);
    assert.equal(engine.acquireOrWatch(30, asked(), 30, undefined, turn(5)), 10);
    assert.deepEqual([engine.detail(), stats(engine).rejectedQueueTimeout], [25, 1]);
  });

  test('a call that would wait for itself is turned away, and need not wait for capacity', () => {
    const engine = create(2, 9);
    const holds = call(engine, 0, { weight: 2 });
    assert.equal(engine.permits(holds), 2);
    assert.equal(engine.watchCapacity(0, asked(), Infinity, Float64Array.of(holds), turn()), true);
    assert.equal(call(engine, 0, { held: [holds] }), 9);
    assert.equal(engine.detail(), 2);
    assert.deepEqual([stats(engine).rejectedReentrant, engine.queued()], [1, 0]);
    const waits = queue(engine, 0, { held: [] });
    assert.equal(engine.permits(waits), 0);
    engine.finish(1, holds, 0);
    assert.deepEqual([engine.permits(holds), engine.permits(waits)], [0, 1]);
  });

  test('each way of being full has a code of its own', () => {
    const none = create(1);
    call(none, 0);
    assert.equal(call(none, 0), 2);
    const full = create(1, 1);
    call(full, 0);
    call(full, 0);
    assert.equal(call(full, 0), 1);
    assert.equal(call(full, 0, { deadline: 0 }), 5);
    assert.equal(call(full, 0, { weight: 2 }), 7);
    assert.equal(call(full, 0, { flags: 3 }), 8);
    const unwilling = create(1, 1);
    call(unwilling, 0);
    assert.equal(call(unwilling, 0, { timeout: 0 }), 3);
    const paused = create(1);
    paused.resize(0, 0);
    assert.equal(call(paused, 0), 4);
  });
});
