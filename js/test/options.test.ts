import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, type BulkheadOptions, type CallOptions } from 'bulkheads';
import { gate, onClock, outcome } from './support.js';

type Verdict = 'ok' | 'TypeError' | 'RangeError';

const values = new Map<string, unknown>([
  ['undefined', undefined], ['null', null], ['NaN', Number.NaN], ['-1', -1], ['-0', -0], ['0', 0], ['0.5', 0.5], ['1', 1], ['1.5', 1.5],
  ['2^31-1', 2 ** 31 - 1], ['2^31', 2 ** 31], ['1e21', 1e21], ['Infinity', Infinity], ['-Infinity', -Infinity], ['"2"', '2'], ['""', ''],
  ['true', true], ['false', false], ['{}', {}], ['[]', []], ['2n', 2n], ['a function', () => 1], ['a symbol', Symbol('one')], ['new Number(2)', new Number(2)],
]);
const numbers = [...values].filter(([, value]) => typeof value === 'number').map(([name]) => name);

/**
 * What happens to each value: wrong types are always a TypeError, numbers are good or a RangeError.
 */
function verdict(name: string, good: readonly string[], whenLeftOut: Verdict = 'ok'): Verdict {
  if (name === 'undefined') return whenLeftOut;
  if (!numbers.includes(name)) return 'TypeError';
  return good.includes(name) ? 'ok' : 'RangeError';
}

const COUNTS = ['1', '2^31-1'];
const COUNTS_AND_ZERO = ['0', '-0', ...COUNTS];
const SPANS = ['0.5', '1', '1.5', '2^31-1', '2^31', '1e21', 'Infinity'];
const SPANS_AND_ZERO = ['0', '-0', ...SPANS];

function check(option: string, value: unknown, wanted: Verdict, act: () => unknown): void {
  if (wanted === 'ok') return void act();
  assert.throws(act, (error: Error) => {
    assert.equal(error.name, wanted);
    assert.ok(error.message.startsWith(`${option} must be `), error.message);
    if (typeof value === 'number') assert.ok(Object.is(Number(error.message.split(', got ')[1]), value), error.message);
    return true;
  });
}

describe('the options of a bulkhead', () => {
  const options: [keyof BulkheadOptions, readonly string[], Verdict?][] = [
    ['maxConcurrent', COUNTS, 'TypeError'],
    ['maxQueue', COUNTS_AND_ZERO],
    ['timeoutMs', SPANS],
    ['callTimeoutMs', SPANS],
    ['abandonAfterMs', SPANS],
  ];
  for (const [option, good, whenLeftOut] of options) {
    for (const [name, value] of values) {
      const wanted = verdict(name, good, whenLeftOut);
      it(`${option}: ${name} is ${wanted}`, () => {
        check(option, value, wanted, () => new Bulkhead('shipping', { maxConcurrent: 1, [option]: value }));
      });
    }
  }

  // Where it is none, detectReentrancy may only be left out.
  for (const [option, ...good] of [['stackTraces', true], ['trackPermits', true], ['detectReentrancy']] as const) {
    it(`${option} is true or false`, () => {
      for (const value of [...good, false, undefined]) assert.ok(new Bulkhead('shipping', { maxConcurrent: 1, [option]: value }));
      for (const value of [0, 1, 'yes', null, {}]) {
        const message = new RegExp(`^${option} must be true or false, got `);
        assert.throws(() => new Bulkhead('shipping', { maxConcurrent: 1, [option]: value }), { name: 'TypeError', message });
      }
    });
  }

  it('a typo is named, with what there is', () => {
    assert.throws(() => new Bulkhead('shipping', { maxConcurrent: 1, maxQueueSize: 3 } as never), {
      name: 'TypeError',
      message: 'unknown option maxQueueSize; there are maxConcurrent, maxQueue, timeoutMs, callTimeoutMs, abandonAfterMs, stackTraces, trackPermits, detectReentrancy',
    });
  });

  it('there must be some', () => {
    for (const options of [undefined, null, 3, 'three', [], () => 1]) {
      assert.throws(() => new Bulkhead('shipping', options as never), TypeError);
    }
    assert.throws(() => new Bulkhead(1 as never, { maxConcurrent: 1 }), { name: 'TypeError', message: 'name must be a string, got 1' });
    assert.throws(() => new Bulkhead({ maxConcurrent: 1 } as never, undefined as never), {
      name: 'TypeError',
      message: 'name must be a string, got [object Object]',
    });
  });

  it('timeoutMs is 1000, or callTimeoutMs if that is less', onClock(async (clock) => {
    for (const [callTimeoutMs, wanted] of [[undefined, 1000], [300, 300], [5000, 1000], [Infinity, 1000]] as const) {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, callTimeoutMs });
      const hold = shipping.tryAcquire();
      const start = clock.now;
      const waiting = shipping.acquire().then(() => undefined, (error: unknown) => (error as { waitedMs: number }).waitedMs);
      await clock.advance(6000);
      assert.equal(await waiting, wanted, `callTimeoutMs ${callTimeoutMs} at ${start}`);
      hold?.release();
    }
  }));
});

describe('the options of a call', () => {
  const options: [keyof CallOptions, readonly string[]][] = [
    ['weight', COUNTS],
    ['timeoutMs', SPANS_AND_ZERO],
    ['deadline', numbers.filter((name) => name !== 'NaN' && name !== '1e21')],
  ];
  for (const [option, good] of options) {
    for (const [name, value] of values) {
      const wanted = verdict(name, good);
      it(`${option}: ${name} is ${wanted}, and nothing is counted if it is bad`, async () => {
        const shipping = new Bulkhead('shipping', { maxConcurrent: 2 ** 31 - 1, maxQueue: 1 });
        for (const act of [() => shipping.exec(() => 1, { [option]: value }), () => shipping.acquire({ [option]: value })]) {
          const error = await act().then(() => undefined, (reason: unknown) => reason) as Error | undefined;
          if (wanted === 'ok') assert.ok(error === undefined || (error as { code?: unknown }).code === 'queue_timeout', String(error));
          else if (option === 'deadline' && name === '1e21') assert.match(String(error), /RangeError: deadline must be .* looks like Date.now/);
          else check(option, value, wanted, () => { if (error !== undefined) throw error; });
        }
        const { admitted, rejected } = shipping.stats();
        if (wanted !== 'ok') assert.deepEqual([admitted, Object.values(rejected)], [0, [0, 0, 0, 0, 0, 0]]);
      });
    }
  }

  it('unknown ones, and what is no object, are TypeErrors', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    assert.equal(await outcome(shipping.exec(() => 1, { wait: 3 } as never)), 'unknown option wait; there are signal, weight, timeoutMs, deadline, callTimeoutMs');
    for (const bad of [null, 3, 'three', []]) await assert.rejects(shipping.acquire(bad as never), TypeError);
  });

  it('signal is an AbortSignal, of whatever make', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    for (const bad of [null, 1, 'abort', {}, new AbortController()]) {
      assert.match(String(await outcome(shipping.exec(() => 1, { signal: bad as never }))), /^signal must be an AbortSignal, got /);
    }
    const foreign = { aborted: false, reason: undefined, addEventListener: () => undefined, removeEventListener: () => undefined };
    assert.equal(await shipping.exec(() => 1, { signal: foreign as never }), 1);
  });
});

describe('the deadline of a call', () => {
  it('is performance.now() milliseconds or a Date, converted once', onClock(async (clock) => {
    await clock.advance(500);
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2 });
    const hold = shipping.tryAcquire();
    const number = shipping.acquire({ deadline: 550 });
    const date = shipping.acquire({ deadline: new Date(Date.now() + 70) });
    const outcomes = Promise.all([number, date].map(outcome));
    assert.equal(clock.nextTimer, 550);
    await clock.advance(70);
    assert.equal(shipping.stats().rejected.queueTimeout, 2);
    assert.deepEqual(await outcomes, ['queue_timeout', 'queue_timeout']);
    hold?.release();
  }));

  it('that has passed, zero and negative included, is a queue_timeout', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    for (const deadline of [0, -1, -Infinity, new Date(0), new Date(Date.now() - 1)]) {
      assert.equal(await outcome(shipping.exec(() => 1, { deadline })), 'queue_timeout');
    }
  });

  it('must not be Date.now() or an invalid date', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    assert.match(String(await outcome(shipping.exec(() => 1, { deadline: Date.now() + 50 }))), /looks like Date\.now\(\)$/);
    assert.equal(await outcome(shipping.exec(() => 1, { deadline: new Date(Number.NaN) })), 'deadline must be a valid Date, got Invalid Date');
    await assert.rejects(shipping.exec(() => 1, { deadline: 1e12 }), RangeError);
  });
});

describe('what throws, and keeps everything as it was', () => {
  for (const [name, value] of values) {
    it(`resize(${name}) is ${verdict(name, COUNTS_AND_ZERO, 'TypeError')}`, () => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 3 });
      check('maxConcurrent', value, verdict(name, COUNTS_AND_ZERO, 'TypeError'), () => shipping.resize(value as number));
      if (verdict(name, COUNTS_AND_ZERO, 'TypeError') !== 'ok') assert.equal(shipping.stats().limit, 3);
    });

    it(`tryAcquire(${name}) is ${verdict(name, COUNTS)}`, () => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 2 ** 31 - 1 });
      check('weight', value, verdict(name, COUNTS), () => shipping.tryAcquire(value as number)?.release());
    });
  }

  it('close({ abort }) wants a flag, and rejects', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    assert.equal(await outcome(shipping.close({ abort: 1 } as never)), 'abort must be true or false, got 1');
    assert.equal(await outcome(shipping.close({ force: true } as never)), 'unknown option force; there are abort');
    assert.equal(shipping.stats().state, 'open');
  });
});

it('sums of the largest weights do not overflow', async () => {
  const most = 2 ** 31 - 1;
  const shipping = new Bulkhead('shipping', { maxConcurrent: most, maxQueue: most, timeoutMs: Infinity });
  const hold = shipping.tryAcquire(most);
  const waiting = [most, 3, 1].map((weight) => shipping.acquire({ weight }));
  assert.equal(shipping.stats().queued, 3);
  hold?.release();
  (await waiting[0])?.release();
  const others = await Promise.all(waiting.slice(1));
  assert.equal(shipping.stats().active, 4);
  for (const other of others) other.release();
  const blocked = gate();
  void shipping.exec(() => blocked.promise, { weight: most });
  assert.equal(shipping.stats().available, 0);
});
