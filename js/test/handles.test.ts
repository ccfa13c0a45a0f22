// Permits and bulkheads in the hands of their users: shared, copied, handed in twice, forgotten,
// dropped.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, type Permit } from 'bulkheads';
import { checkBooks, held, probeFull } from './books.js';
import { collectGarbage, gate, onClock, outcome, turn } from './support.js';

async function untilCollected(isOver: () => boolean): Promise<void> {
  for (let round = 0; round < 100 && !isOver(); round += 1) {
    // In a turn of its own: what was looked at lives until the end of that turn.
    await turn();
    collectGarbage();
    await turn();
  }
}

describe('one limit', () => {
  it('is that of all functions that a bulkhead wraps', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 3, maxQueue: 200, timeoutMs: Infinity });
    let running = 0;
    let peak = 0;
    const wrapped = Array.from({ length: 20 }, () => shipping.wrap(async () => {
      running += 1;
      peak = Math.max(peak, running);
      await turn();
      running -= 1;
    }));
    await Promise.all(Array.from({ length: 10 }).flatMap(() => wrapped.map((one) => one())));
    assert.equal(peak, 3);
    assert.equal(shipping.stats().completed, 200);
    probeFull(shipping, 3);
  });

  it('does nothing while those who wait wait: no timer, no turn', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: Infinity });
    const hold = shipping.tryAcquire();
    const waiting = Array.from({ length: 9 }, () => outcome(shipping.exec(() => 1)));
    await clock.settle();
    assert.equal(clock.nextTimer, null);
    hold?.release();
    await Promise.all(waiting);
  }));

  for (let limit = 1; limit <= 4; limit += 1) {
    it(`of ${limit} and a queue take, of any number at once, as many as both and turn the last ones away`, async () => {
      for (let queue = 0; queue <= 4; queue += 1) {
        for (let calls = 0; calls <= limit + queue + 2; calls += 1) {
          const shipping = new Bulkhead('shipping', { maxConcurrent: limit, maxQueue: queue, timeoutMs: Infinity });
          const work = gate();
          const ran: number[] = [];
          const answers = Array.from({ length: calls }, (_, call) => outcome(shipping.exec(() => { ran.push(call); return work.promise.then(() => 'ran'); })));
          const { active, queued, rejected } = shipping.stats();
          const waiting = Math.min(queue, Math.max(0, calls - limit));
          const refused = Math.max(0, calls - limit - queue);
          assert.deepEqual([active, queued, rejected.full], [Math.min(calls, limit), waiting, refused]);
          work.open();
          assert.deepEqual(await Promise.all(answers), Array.from({ length: calls }, (_, call) => (call < limit + queue ? 'ran' : 'full')));
          assert.deepEqual(ran, Array.from({ length: calls - refused }, (_, call) => call));
          probeFull(shipping, limit);
        }
      }
    });
  }

  it('counts those who wait whatever they carry', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 8 });
    const holds = [shipping.tryAcquire(), shipping.tryAcquire()];
    const { signal } = new AbortController();
    const answers: Promise<unknown>[] = [];
    for (const timeoutMs of [undefined, 500]) {
      for (const own of [undefined, signal]) {
        for (const weight of [1, 2]) answers.push(shipping.exec(() => 1, { timeoutMs, signal: own, weight }));
        assert.equal(shipping.stats().queued, answers.length);
      }
    }
    assert.equal(await outcome(shipping.exec(() => 1, { signal })), 'full');
    for (const hold of holds) hold?.release();
    assert.equal((await Promise.all(answers)).length, 8);
    probeFull(shipping, 2);
  });
});

describe('a permit', () => {
  it('is given back by itself only: a bulkhead has nothing to release with', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1 });
    assert.equal('release' in shipping, false);
    const { release } = held(shipping.tryAcquire());
    for (const stranger of [undefined, {}, shipping, { release }]) assert.throws(() => release.call(stranger as never), TypeError);
    const { active, doubleReleases } = shipping.stats();
    assert.deepEqual([active, doubleReleases], [1, 0]);
  });

  it('that was copied is no second one', () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2 });
    const permit = held(shipping.tryAcquire(2));
    const copies = [{ ...permit }, Object.assign({}, permit), Object.create(permit) as Permit];
    for (const copy of copies) assert.throws(() => copy.release(), TypeError);
    assert.equal(shipping.stats().active, 2);
    permit.release();
    probeFull(shipping, 2);
  });

  it('goes back to its own bulkhead, and to no other of that name', () => {
    const [one, other] = [1, 2].map(() => new Bulkhead('shipping', { maxConcurrent: 1 })) as [Bulkhead, Bulkhead];
    const [mine, theirs] = [one.tryAcquire(), other.tryAcquire()];
    mine?.release();
    mine?.release();
    assert.deepEqual([one.stats().active, other.stats().active], [0, 1]);
    assert.deepEqual([one.stats().doubleReleases, other.stats().doubleReleases], [1, 0]);
    theirs?.release();
    probeFull(one, 1);
    probeFull(other, 1);
  });

  it('keeps its bulkhead, whoever drops that', async () => {
    const permits: Permit[] = [];
    let waiting: Promise<unknown> = Promise.resolve();
    (() => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity });
      permits.push(held(shipping.tryAcquire()));
      waiting = shipping.exec(() => 'ran');
    })();
    await untilCollected(() => false);
    permits[0]?.release();
    assert.equal(await waiting, 'ran');
  });

  it('that a caller no longer waits for is not lost: whoever takes it may give it back', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity });
    const hold = shipping.tryAcquire();
    const acquisition = shipping.acquire();
    assert.equal(await Promise.race([acquisition, turn().then(() => 'gave up')]), 'gave up');
    void acquisition.then((permit) => permit.release());
    hold?.release();
    await turn();
    probeFull(shipping, 1);
  });

  it('that a caller no longer waits for is not granted at all when its signal says so', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity });
    const hold = shipping.tryAcquire();
    const leaving = new AbortController();
    const acquisition = outcome(shipping.acquire({ signal: leaving.signal }));
    await Promise.race([acquisition, turn()]);
    leaving.abort('gave up');
    hold?.release();
    assert.equal(await acquisition, 'gave up');
    probeFull(shipping, 1);
  });

  it('whose promise nobody has kept is taken back as a dropped one', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity });
    const hold = shipping.tryAcquire();
    (() => { void shipping.acquire(); })();
    hold?.release();
    await untilCollected(() => shipping.stats().leaked === 1);
    assert.equal(shipping.stats().leaked, 1);
    probeFull(shipping, 1);
  });

  it('is not taken back within a turn, however many were dropped: collecting needs the host', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 100 });
    (() => { for (let one = 0; one < 100; one += 1) shipping.tryAcquire(); })();
    collectGarbage();
    assert.equal(shipping.tryAcquire(), null);
    await untilCollected(() => shipping.stats().leaked === 100);
    probeFull(shipping, 100);
  });
});

describe('a bulkhead', () => {
  it('that nobody holds any more still ends the work it runs', async () => {
    const work = gate<string>();
    let answers: Promise<unknown>[] = [];
    (() => {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2, timeoutMs: Infinity });
      answers = [shipping.exec(() => work.promise), shipping.exec(() => 'second'), shipping.acquire().then((permit) => permit.release())];
    })();
    await untilCollected(() => false);
    work.open('first');
    assert.deepEqual(await Promise.all(answers), ['first', 'second', undefined]);
  });

  it('keeps nothing of a call that is over, not even of the last one', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 1 });
    const refs: WeakRef<object>[] = [];
    const work = (): object => {
      const result = { rows: [] };
      refs.push(new WeakRef(result));
      return result;
    };
    for (const make of [work, () => Promise.resolve(work()), () => turn().then(work), () => { throw work(); }]) {
      await shipping.exec(make).then(() => undefined, () => undefined);
      await untilCollected(() => refs.at(-1)?.deref() === undefined);
      assert.equal(refs.at(-1)?.deref(), undefined);
    }
    assert.equal(shipping.stats().active, 0);
  });

  it('is not in the way of itself: fifty calls at once, with everything else between them', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 4, maxQueue: 50, timeoutMs: Infinity });
    const answers: Promise<unknown>[] = [];
    for (let call = 0; call < 50; call += 1) {
      answers.push(outcome(shipping.exec(async () => { shipping.stats(); await turn(); shipping.tryAcquire()?.release(); return call; })));
      shipping.tryAcquire()?.release();
      shipping.resize(3 + (call % 3));
      assert.ok(shipping.stats().queued <= 50);
    }
    const closing = shipping.drain();
    assert.deepEqual(await Promise.all(answers), Array.from({ length: 50 }, (_, call) => call));
    await closing;
    checkBooks(shipping);
  });

  it('after a hundred waits that timed out or were cancelled closes with nothing left to turn away', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 100, timeoutMs: 10 });
    const hold = shipping.tryAcquire();
    const leaving = new AbortController();
    const answers = Array.from({ length: 100 }, (_, call) => outcome(shipping.exec(() => 1, call % 2 === 0 ? {} : { signal: leaving.signal })));
    leaving.abort('left');
    assert.equal(shipping.stats().queued, 50);
    await clock.advance(10);
    assert.equal(shipping.stats().queued, 0);
    await Promise.all(answers);
    const closing = shipping.close();
    assert.equal(shipping.stats().rejected.closed, 0);
    hold?.release();
    await closing;
    checkBooks(shipping);
  }));
});
