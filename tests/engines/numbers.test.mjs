// Bad numbers never get through, never count, and are distinguished by name; ids of any kind change
// nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked, call, creators, MANUAL, METHODS, onEachEngine, stats, turn } from './engines.mjs';

const COUNTS = [NaN, Infinity, -Infinity, -1, 1.5, 2 ** 31, 2 ** 32 - 1, 2 ** 53, 1e300];
const SPANS = [NaN, -Infinity, -1, 0, -0];
const NO_IDS = [NaN, 0, -0, -1, 1, 15, 0.5, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 2 ** 64, 1e300, Infinity, -Infinity];

onEachEngine('bad numbers', (create) => {
  const options = { maxConcurrent: [0, ...COUNTS], maxQueue: COUNTS, timeoutMs: SPANS, callTimeoutMs: SPANS, abandonAfterMs: SPANS };
  for (const [index, [name, values]] of Object.entries(options).entries()) {
    test(`${name} out of its range is a RangeError that names it`, () => {
      for (const value of values) {
        const given = [1, undefined, undefined, undefined, undefined];
        given[index] = value;
        assert.throws(() => create(...given), rangeError(name, value));
      }
    });
  }

  test('the largest counts are accepted', () => {
    const engine = create(2 ** 31 - 1, 2 ** 31 - 1, Infinity, Infinity, Infinity);
    assert.ok(call(engine, 0, { weight: 2 ** 31 - 1 }) >= 2 ** 32);
    assert.deepEqual([engine.limit, engine.maxQueue(), engine.active()], [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1]);
  });

  test('a bad argument throws and counts nothing', () => {
    const engine = create(2, 2);
    const held = call(engine, 0, { weight: 2, flags: MANUAL });
    const before = engine.stats();
    for (const weight of [0, ...COUNTS]) {
      assert.throws(() => call(engine, 0, { weight }), rangeError('weight', weight));
      assert.throws(() => engine.tryAcquire(0, weight), rangeError('weight', weight));
      assert.throws(() => engine.watchCapacity(0, asked({ weight }), Infinity, undefined, turn()), rangeError('weight', weight));
      assert.throws(() => engine.adjust(0, held, weight), rangeError('weight', weight));
    }
    for (const timeout of [NaN, -1, -Infinity]) assert.throws(() => call(engine, 0, { timeout }), rangeError('timeoutMs', timeout));
    for (const callTimeout of SPANS) assert.throws(() => call(engine, 0, { callTimeout }), rangeError('callTimeoutMs', callTimeout));
    for (const timeout of [NaN, -1, -Infinity]) assert.throws(() => engine.drain(0, timeout), rangeError('timeoutMs', timeout));
    for (const permits of [0, 3, ...COUNTS]) assert.throws(() => engine.releasePart(0, held, permits), rangeError('permits', permits));
    for (const permits of [0, 2, ...COUNTS]) assert.throws(() => engine.split(0, held, permits), rangeError('permits', permits));
    assert.throws(() => call(engine, 0, { deadline: NaN }), rangeError('deadline', NaN));
    for (const limit of COUNTS) assert.throws(() => engine.resize(0, limit), rangeError('maxConcurrent', limit));
    assert.deepEqual(engine.stats(), before);
    engine.release(0, held);
    assert.ok(call(engine, 0) >= 2 ** 32, 'it still works');
  });

  test('an id that is not current changes nothing but the counter of double releases', () => {
    const engine = create(2, 2, undefined, 100);
    const held = call(engine, 0);
    const gone = call(engine, 0);
    engine.finish(0, gone, 0);
    const before = stats(engine);
    for (const id of [...NO_IDS.filter((one) => one !== held), gone]) {
      engine.start(0, id);
      assert.equal(engine.cancel(0, id), 0);
      assert.equal(engine.finish(0, id, 0), false);
      engine.abort(0, Float64Array.of(id, id));
      engine.release(0, id);
    }
    const { doubleReleases, ...rest } = stats(engine);
    assert.deepEqual({ ...rest, doubleReleases: 0 }, before);
    assert.equal(engine.nextEvent(), 0);
    assert.ok(doubleReleases > 0);
    assert.equal(engine.finish(0, held, 0), true);
  });

  test('a clock that goes back, stands still or is no number does no harm', () => {
    const engine = create(1, 5, 50);
    call(engine, 100);
    const waiter = -call(engine, 100);
    for (const now of [50, -1e9, NaN, -Infinity, 0]) engine.handleTimeout(now);
    assert.equal(engine.nextTimer(), 150);
    assert.equal(engine.cancel(0, waiter), 1);
    engine.handleTimeout(Infinity);
    assert.equal(engine.queued(), 0);
  });

  test('time-outs far beyond 2^31 ms are kept exactly', () => {
    const engine = create(1, 1, 3e9);
    call(engine, 0.25);
    call(engine, 0.25);
    assert.equal(engine.nextTimer(), 3e9 + 0.25);
  });

  test('a manual permit knows no call time-out but one of its own', () => {
    const engine = create(1, 1, undefined, 10);
    const held = call(engine, 0, { flags: MANUAL });
    assert.equal(engine.nextTimer(), Infinity);
    engine.release(0, held);
    call(engine, 0, { flags: MANUAL, callTimeout: 4 });
    assert.equal(engine.nextTimer(), 4);
  });
});

test('both engines have the methods of the interface and say the same of every bad number', () => {
  const messages = [...creators.values()].map((create) => {
    const engine = create(1);
    for (const name of METHODS) assert.equal(typeof engine[name], 'function', name);
    const texts = [0, ...COUNTS].flatMap((value) => [message(() => create(value)), message(() => engine.tryAcquire(0, value))]);
    return [...texts, ...SPANS.map((value) => message(() => create(1, 0, value)))];
  });
  assert.deepEqual(messages[0], messages[1]);
});

function message(act) {
  try {
    act();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
  return 'no error';
}

function rangeError(name, value) {
  return (error) => {
    assert.ok(error instanceof RangeError, `${name} ${value}: ${error}`);
    assert.ok(error.message.startsWith(`${name} must be `), error.message);
    return true;
  };
}
