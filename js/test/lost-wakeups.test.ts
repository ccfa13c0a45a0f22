// A permit that comes back wakes exactly those whose turn it is, whoever has left meanwhile.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { dice, held, probeFull, shuffled } from './books.js';
import { gate, Log, onClock, outcome, turn } from './support.js';

function bulkhead(maxConcurrent: number, maxQueue: number): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, maxQueue, timeoutMs: Infinity });
}

/** Work that ends when its signal aborts. */
function stoppable({ signal }: { signal: AbortSignal }): Promise<never> {
  return new Promise((_, fail) => { signal.addEventListener('abort', () => fail(signal.reason as Error)); });
}

/** The work of several calls: who has begun, and how many are inside at most. */
class Works {
  readonly begun: number[] = [];
  peak = 0;
  readonly #gates = new Map<number, () => void>();

  readonly start = (number: number) => (): Promise<void> => {
    const work = gate();
    this.begun.push(number);
    this.#gates.set(number, work.open);
    this.peak = Math.max(this.peak, this.#gates.size);
    return work.promise;
  };

  async end(): Promise<void> {
    while (this.#gates.size > 0) {
      for (const [number, open] of this.#gates) {
        this.#gates.delete(number);
        open();
      }
      await turn();
    }
  }
}

describe('a permit that comes back', () => {
  it('passes on at once when the one who got it is cancelled before it runs, a thousand times', async () => {
    const shipping = bulkhead(1, 2);
    for (let round = 0; round < 1000; round += 1) {
      const leaving = new AbortController();
      const hold = held(shipping.tryAcquire());
      const gone = outcome(shipping.exec(() => assert.fail('it ran'), { signal: leaving.signal }));
      const next = outcome(shipping.exec(() => 'ran'));
      hold.release();
      leaving.abort('left');
      assert.deepEqual(await Promise.all([gone, next]), ['left', 'ran']);
    }
    assert.equal(shipping.stats().unclaimed, 1000);
    probeFull(shipping, 1);
  });

  const leavings: Record<string, (shipping: Bulkhead, abort: () => void) => Promise<unknown>> = {
    'at the end of its work': (shipping, abort) => shipping.exec(async () => { await turn(); abort(); }),
    'beside its work, as that ends': (shipping, abort) => {
      const work = turn();
      const call = shipping.exec(() => work);
      return Promise.all([call, work.then(abort)]);
    },
    'as soon as it goes on': (shipping, abort) => shipping.exec(() => turn()).then(abort),
    'by hand, right after its release': async (shipping, abort) => {
      const permit = await shipping.acquire();
      await turn();
      permit.release();
      abort();
    },
  };
  for (const [when, leave] of Object.entries(leavings)) {
    it(`is not lost when whoever had it cancels its successor ${when}`, async () => {
      const shipping = bulkhead(1, 1);
      const leaving = new AbortController();
      const first = leave(shipping, () => leaving.abort('left'));
      const successor = outcome(shipping.exec(stoppable, { signal: leaving.signal }));
      await first;
      assert.equal(await successor, 'left');
      await turn();
      const permit = await shipping.acquire({ timeoutMs: 0 });
      permit.release();
      probeFull(shipping, 1);
    });
  }

  for (const seed of [1, 2]) {
    it(`k permits and m cancellations in one turn grant the first k that are left, in order, a thousand times (${seed})`, async () => {
      const roll = dice(seed);
      const shipping = bulkhead(4, 8);
      for (let round = 0; round < 1000; round += 1) {
        const works = new Works();
        const holds = Array.from({ length: 4 }, () => held(shipping.tryAcquire()));
        const leaving = Array.from({ length: 8 }, () => new AbortController());
        const calls = leaving.map(({ signal }, number) => outcome(shipping.exec(works.start(number), { signal })));
        const released = shuffled(holds, roll).slice(roll(5));
        const victims = shuffled([...leaving.keys()], roll).slice(roll(9));
        const acts = [...released.map((hold) => () => hold.release()), ...victims.map((number) => () => leaving[number]?.abort('left'))];
        for (const act of shuffled(acts, roll)) act();
        await turn();
        const live = [...leaving.keys()].filter((number) => !victims.includes(number));
        assert.deepEqual(works.begun, live.slice(0, released.length));
        for (const hold of holds) if (!released.includes(hold)) hold.release();
        await turn();
        await works.end();
        await Promise.all(calls);
        assert.deepEqual(works.begun, live);
        assert.ok(works.peak <= 4);
        probeFull(shipping, 4);
      }
    });
  }

  it('is one permit: a cancellation hands out none of its own', async () => {
    const shipping = bulkhead(1, 3);
    const hold = held(shipping.tryAcquire());
    const works = new Works();
    const leaving = Array.from({ length: 2 }, () => new AbortController());
    const calls = [...leaving.map(({ signal }) => ({ signal })), {}].map((options, number) => outcome(shipping.exec(works.start(number), options)));
    leaving[0]?.abort('left');
    await turn();
    assert.deepEqual(works.begun, []);
    leaving[1]?.abort('left');
    hold.release();
    await turn();
    assert.deepEqual(works.begun, [2]);
    await works.end();
    await Promise.all(calls);
    probeFull(shipping, 1);
  });

  it('serves the third when the two before it were cancelled, and not the fourth', async () => {
    const shipping = bulkhead(1, 4);
    const hold = held(shipping.tryAcquire());
    const works = new Works();
    const leaving = new AbortController();
    const calls = [0, 1, 2, 3].map((number) => outcome(shipping.exec(works.start(number), number < 2 ? { signal: leaving.signal } : {})));
    leaving.abort('left');
    hold.release();
    await turn();
    assert.deepEqual(works.begun, [2]);
    await works.end();
    await Promise.all(calls);
    probeFull(shipping, 1);
  });

  it('is what it was after a thousand waiters were cancelled behind it', async () => {
    const shipping = bulkhead(3, 1000);
    const holds = [1, 2, 3].map(() => held(shipping.tryAcquire()));
    const leaving = new AbortController();
    const { signal } = leaving;
    const calls = Array.from({ length: 1000 }, (_, call) => outcome(call % 2 === 0 ? shipping.exec(() => 1, { signal }) : shipping.acquire({ signal })));
    leaving.abort('left');
    for (const hold of holds) hold.release();
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['left']));
    assert.equal(shipping.stats().queued, 0);
    probeFull(shipping, 3);
  });

  it('is what it was after more waits timed out than there are permits, fifty times', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 2, maxQueue: 10, timeoutMs: 10 });
    for (let round = 0; round < 50; round += 1) {
      const holds = [1, 2].map(() => held(shipping.tryAcquire()));
      const calls = Array.from({ length: 8 }, (_, call) => outcome(call % 2 === 0 ? shipping.exec(() => 1) : shipping.acquire()));
      await clock.advance(10);
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(['queue_timeout']));
      for (const hold of holds) hold.release();
      probeFull(shipping, 2);
    }
  }));
});

describe('a running and a waiting call that are both cancelled', () => {
  const ways: Record<string, (running: AbortController, waiting: AbortController) => void> = {
    'the running one first': (running, waiting) => { running.abort('left'); waiting.abort('left'); },
    'the waiting one first': (running, waiting) => { waiting.abort('left'); running.abort('left'); },
  };
  for (const [way, abort] of Object.entries(ways)) {
    it(`do not hold up the next: ${way}`, async () => {
      const shipping = bulkhead(1, 3);
      const log = new Log();
      const controllers = [new AbortController(), new AbortController()] as const;
      log.watch('running', shipping.exec(stoppable, { signal: controllers[0].signal }));
      log.watch('waiting', shipping.exec(() => log.say('waiting runs'), { signal: controllers[1].signal }));
      log.watch('third', shipping.exec(() => 3));
      log.watch('fourth', shipping.exec(() => 4));
      abort(...controllers);
      await turn();
      assert.deepEqual(log.take().sort(), ['fourth:4', 'running:left', 'third:3', 'waiting:left']);
      probeFull(shipping, 1);
    });
  }

  it('do not hold up the next when one signal ends all but the last', async () => {
    const shipping = bulkhead(1, 3);
    const controller = new AbortController();
    const calls = [0, 1, 2].map(() => outcome(shipping.exec(stoppable, { signal: controller.signal })));
    const last = shipping.exec(() => 'ran');
    controller.abort('left');
    assert.deepEqual(await Promise.all([...calls, last]), ['left', 'left', 'left', 'ran']);
    probeFull(shipping, 1);
  });
});
