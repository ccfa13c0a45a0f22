// Work that does not do what work should: it throws at once, it settles twice, it never settles.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { checkBooks, probeFull } from './books.js';
import { gate, onClock, outcome, turn } from './support.js';

type Done = (value: unknown) => void;

const broken = new Error('broken');

/** What it returns, and how the call ends. */
const ODD: Record<string, [work: () => unknown, answer: unknown]> = {
  'throws at once': [() => { throw broken; }, 'broken'],
  'is fulfilled twice': [() => ({ then: (done: Done) => { done(1); done(2); } }), 1],
  'is fulfilled and then fails': [() => ({ then: (done: Done, fail: Done) => { done(1); fail(broken); } }), 1],
  'fails and then is fulfilled': [() => ({ then: (done: Done, fail: Done) => { fail(broken); done(1); } }), 'broken'],
  'is fulfilled and then throws': [() => ({ then: (done: Done) => { done(1); throw broken; } }), 1],
  'is fulfilled later, twice': [() => ({ then: (done: Done) => { void turn().then(() => { done(1); done(2); }); } }), 1],
  'is fulfilled with what fails': [() => ({ then: (done: Done) => done(Promise.reject(broken)) }), 'broken'],
  'is lazy, and lazy again': [() => ({ then: (done: Done) => done({ then: (inner: Done) => inner(1) }) }), 1],
  'is itself a bulkhead\'s call': [() => new Bulkhead('inner', { maxConcurrent: 1 }).exec(() => 1), 1],
};

describe('work that', () => {
  for (const [what, [work, answer]] of Object.entries(ODD)) {
    it(`${what} gives its permit back once, at once and from the queue`, async () => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2 });
      const calls = [1, 2, 3].map(() => outcome(shipping.exec(work)));
      assert.deepEqual(await Promise.all(calls), [answer, answer, answer]);
      await turn();
      const { completed, failed, doubleReleases } = shipping.stats();
      assert.deepEqual([completed, failed, doubleReleases], answer === 1 ? [3, 0, 0] : [0, 3, 0]);
      probeFull(shipping, 1);
    });
  }

  it('starts only when somebody listens is started once, in its turn, within its permit', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 5, timeoutMs: Infinity });
    const seen: number[] = [];
    const lazy = (id: number) => () => ({ then: (done: Done) => { seen.push(id, shipping.stats().active); void turn().then(() => done(id)); } });
    const answers = await Promise.all([1, 2, 3].map((id) => shipping.exec(lazy(id))));
    assert.deepEqual([answers, seen], [[1, 2, 3], [1, 1, 2, 1, 3, 1]]);
    probeFull(shipping, 1);
  });
});

describe('work that never settles', () => {
  const never = (): Promise<never> => new Promise<never>(() => undefined);
  const deaf: Record<string, () => unknown> = { 'a promise': never, 'a thenable': () => ({ then: () => undefined }) };

  for (const [what, work] of Object.entries(deaf)) {
    it(`(${what}) is answered at its bound and keeps its permit, until it is abandoned`, onClock(async (clock) => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 2, timeoutMs: Infinity, callTimeoutMs: 10, abandonAfterMs: 5 });
      const calls = [1, 2].map(() => outcome(shipping.exec(work)));
      const next = outcome(shipping.exec(() => 'next'));
      await clock.advance(10);
      assert.deepEqual(await Promise.all(calls), ['call_timeout', 'call_timeout']);
      assert.deepEqual([shipping.stats().overrun, shipping.stats().queued], [2, 1]);
      await clock.advance(5);
      assert.equal(await next, 'next');
      assert.equal(shipping.stats().abandonedRuns, 2);
      probeFull(shipping, 2);
    }));
  }

  it('and has no bound holds its permit, and those behind it are answered by theirs', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, timeoutMs: 10 });
    const leaving = new AbortController();
    const stuck = outcome(shipping.exec(never, { signal: leaving.signal }));
    const behind = outcome(shipping.exec(() => 1));
    await clock.advance(10);
    assert.equal(await behind, 'queue_timeout');
    assert.equal(shipping.tryAcquire(), null);
    leaving.abort('left');
    assert.equal(await stuck, 'left');
    assert.deepEqual([shipping.stats().active, shipping.stats().overrun], [1, 1]);
    checkBooks(shipping);
  }));

  it('holds up the end of close until it is abandoned after its call time-out', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, callTimeoutMs: 10, abandonAfterMs: 40 });
    const calls = [1, 2].map(() => outcome(shipping.exec(never)));
    let isClosed = false;
    void shipping.close({ abort: true }).then(() => { isClosed = true; });
    await clock.advance(49);
    assert.deepEqual(await Promise.all(calls), ['call_timeout', 'closed']);
    assert.equal(isClosed, false);
    await clock.advance(1);
    assert.equal(isClosed, true);
    checkBooks(shipping);
  }));

  it('and settles after all, long after it was abandoned, changes nothing', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 10, abandonAfterMs: 5 });
    const late = gate<string>();
    const call = outcome(shipping.exec(() => late.promise));
    await clock.advance(15);
    const other = gate<string>();
    const after = outcome(shipping.exec(() => other.promise));
    late.open('late');
    await clock.settle();
    assert.equal(shipping.stats().active, 1, 'the permit is that of the other call');
    other.open('other');
    assert.deepEqual(await Promise.all([call, after]), ['call_timeout', 'other']);
    probeFull(shipping, 1);
  }));
});
