import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, type Permit } from 'bulkheads';
import { Log, onClock, outcome, turn } from './support.js';

describe('calling back into the same bulkhead', () => {
  it('from an abort handler keeps the order of the core', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 5, timeoutMs: Infinity });
    const log = new Log();
    const leaving = new AbortController();
    const hold = shipping.tryAcquire();
    log.watch('a', shipping.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => {
        // Within the outcomes of the abort: the first waiter is granted here, after those of the
        // abort have ended.
        log.say('a aborts');
        hold?.release();
        log.watch('late', shipping.exec(() => { log.say('late runs'); }));
        fail(new Error('stopped'));
      });
    }), { signal: leaving.signal }));
    log.watch('b', shipping.exec(() => 1, { signal: leaving.signal }));
    log.watch('c', shipping.exec(() => { log.say('c runs'); }));
    leaving.abort('left');
    await turn();
    assert.deepEqual(log.take(), ['a aborts', 'a:left', 'b:left', 'c runs', 'late runs', 'c:undefined', 'late:undefined']);
    const { active, queued } = shipping.stats();
    assert.deepEqual([active, queued], [0, 0]);
  });

  it('a new call in the slot of one that has just ended is told its own outcomes only', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 3, timeoutMs: 10, callTimeoutMs: 10 });
    const log = new Log();
    log.watch('a', shipping.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => {
        for (const name of ['x', 'y', 'z']) log.watch(name, shipping.exec(() => name));
        fail(new Error('stopped'));
      });
    })));
    for (const name of ['b', 'c']) log.watch(name, shipping.exec(() => name));
    await clock.advance(10);
    assert.deepEqual(log.take(), ['b:queue_timeout', 'c:queue_timeout', 'a:call_timeout', 'x:x', 'y:y', 'z:z']);
  }));

  it('from every kind of outcome loses nothing', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 6, timeoutMs: 20, callTimeoutMs: 30 });
    let submitted = 0;
    let running = 0;
    let peak = 0;
    const answers: Promise<unknown>[] = [];
    const submit = (depth: number): void => {
      submitted += 1;
      const leaving = new AbortController();
      const call = submitted;
      const answer = shipping.exec(async ({ signal }) => {
        running += 1;
        peak = Math.max(peak, running);
        signal.addEventListener('abort', () => { if (depth < 4) submit(depth + 1); });
        await new Promise((done) => setTimeout(done, (call * 7) % 45));
        running -= 1;
        if (call % 5 === 0) throw new Error('broken');
      }, { signal: leaving.signal });
      const follow = (): void => { if (depth < 4) for (let more = 0; more < 3; more += 1) submit(depth + 1); };
      answers.push(answer.then(follow, follow));
      if (call % 4 === 0) setTimeout(() => leaving.abort(), call % 25);
    };
    submit(0);
    await clock.advance(5000);
    await Promise.all(answers);
    const stats = shipping.stats();
    assert.equal(peak, 2);
    assert.deepEqual([stats.active, stats.queued, stats.overrun], [0, 0, 0]);
    assert.equal(submitted, stats.admitted + Object.values(stats.rejected).reduce((sum, one) => sum + one, 0));
    assert.equal(stats.admitted, stats.completed + stats.failed + stats.unclaimed);
  }));

  it('nested in its own work ends by the time-out of the wait', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 10, timeoutMs: 50 });
    const outer = [1, 2].map(() => shipping.exec(async () => { await turn(); return outcome(shipping.exec(() => 'inner')); }));
    await turn();
    await clock.advance(50);
    assert.deepEqual(await Promise.all(outer), ['queue_timeout', 'queue_timeout']);
    assert.equal(shipping.stats().active, 0);
  }));

  it('release and start in one block: the newcomer stands behind the waiter', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 2 });
    const order: string[] = [];
    const hold = shipping.tryAcquire();
    const waiter = shipping.exec(() => { order.push('waiter'); });
    hold?.release();
    assert.equal(shipping.tryAcquire(), null);
    const newcomer = shipping.exec(() => { order.push('newcomer'); });
    await Promise.all([waiter, newcomer]);
    assert.deepEqual(order, ['waiter', 'newcomer']);
  });

  it('loops that release and come again take turns', async () => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 3 });
    const order: string[] = [];
    await Promise.all(['a', 'b', 'c'].map(async (name) => {
      for (const round of [1, 2]) await shipping.exec(async () => { order.push(`${name}${round}`); await turn(); });
    }));
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });
});

describe('random lives of many calls', () => {
  /** A small generator of its own, so that a failure can be had again. */
  function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  }

  for (const seed of [1, 2, 3, 4]) {
    it(`seed ${seed}: each call has one outcome, never more than the limit run, and the books balance`, onClock(async (clock) => {
      const roll = random(seed);
      const shipping = new Bulkhead('shipping', { maxConcurrent: 4, maxQueue: 6, timeoutMs: 12, callTimeoutMs: 20 });
      const signals = Array.from({ length: 3 }, () => new AbortController());
      const works: { finish: () => void }[] = [];
      const permits: Permit[] = [];
      let calls = 0;
      let answered = 0;
      const count = (): void => void (answered += 1);
      for (let step = 0; step < 4000; step += 1) {
        const slot = roll(3);
        const signal = roll(2) === 0 ? undefined : signals[slot]?.signal;
        switch (roll(8)) {
          case 0: case 1: case 2:
            calls += 1;
            shipping.exec(() => new Promise<void>((finish) => works.push({ finish })), { weight: 1 + roll(3), timeoutMs: roll(15), signal }).then(count, count);
            break;
          case 3:
            calls += 1;
            shipping.acquire({ weight: 1 + roll(2), signal }).then((permit) => { permits.push(permit); count(); }, count);
            break;
          case 4:
            works.splice(roll(works.length + 1), 1)[0]?.finish();
            break;
          case 5:
            permits.splice(roll(permits.length + 1), 1)[0]?.release();
            break;
          case 6:
            if (roll(4) === 0) { signals[slot]?.abort(); signals[slot] = new AbortController(); }
            if (roll(20) === 0) shipping.resize(roll(6));
            break;
          default:
            await clock.advance(roll(4));
        }
        const { active, limit, queued, available, running, overrun } = shipping.stats();
        assert.ok(queued <= 6 && available === Math.max(0, limit - active) && running >= overrun);
      }
      shipping.resize(4);
      for (let round = 0; round < 100; round += 1) {
        for (const work of works.splice(0)) work.finish();
        for (const permit of permits.splice(0)) permit.release();
        await clock.advance(1);
      }
      await shipping.close();
      const stats = shipping.stats();
      assert.equal(answered, calls);
      assert.equal(calls, stats.admitted + Object.values(stats.rejected).reduce((sum, one) => sum + one, 0));
      assert.equal(stats.admitted, stats.completed + stats.failed + stats.unclaimed);
      assert.equal(stats.doubleReleases, 0);
    }));
  }
});
