import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { type Gate, gate, onClock, outcome, turn } from './support.js';

function bulkhead(maxConcurrent = 2, maxQueue = 0): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, maxQueue, timeoutMs: Infinity });
}

/** Items by hand: says what was taken, ends when the test says so. */
class Shelf {
  readonly taken: number[] = [];
  readonly works = new Map<number, Gate<string>>();
  isClosed = false;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  *[Symbol.iterator](): Generator<number> {
    try {
      for (let item = 0; item < this.#count; item += 1) {
        this.taken.push(item);
        yield item;
      }
    } finally {
      this.isClosed = true;
    }
  }

  readonly work = (item: number): Promise<string> => {
    const work = gate<string>();
    this.works.set(item, work);
    return work.promise;
  };

  async finish(item: number): Promise<void> {
    this.works.get(item)?.open(`r${item}`);
    await turn();
  }

  async fail(item: number): Promise<void> {
    this.works.get(item)?.fail(new Error(`f${item}`));
    await turn();
  }
}

describe('map', () => {
  const sources: [string, () => Iterable<number> | AsyncIterable<number>][] = [
    ['an array', () => [1, 2, 3]],
    ['a set', () => new Set([1, 2, 3])],
    ['an iterator', () => [1, 2, 3].values()],
    ['an async generator', async function* () { for (const item of [1, 2, 3]) { await turn(); yield item; } }],
    ['an async iterable without return', () => {
      let item = 0;
      return { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(item < 3 ? { value: ++item, done: false } : { value: undefined, done: true }) }) } as AsyncIterable<number>;
    }],
  ];
  for (const [what, source] of sources) {
    it(`keeps the order of ${what} and passes the index on`, async () => {
      const shipping = bulkhead();
      const results = await shipping.map(source(), async (item, { index }) => {
        for (let wait = item; wait < 4; wait += 1) await turn();
        return [item, index];
      });
      assert.deepEqual(results, [[1, 0], [2, 1], [3, 2]]);
      const { admitted, completed, rejected, peakQueued } = shipping.stats();
      assert.deepEqual([admitted, completed, Object.values(rejected), peakQueued], [3, 3, [0, 0, 0, 0, 0, 0], 0]);
    });
  }

  it('of nothing is nothing', async () => {
    assert.deepEqual(await bulkhead().map([], () => assert.fail('it ran')), []);
    assert.deepEqual(await bulkhead().map('ab', (letter) => letter.toUpperCase()), ['A', 'B']);
  });

  it('takes the next item only when it can run', async () => {
    const shipping = bulkhead(2);
    const shelf = new Shelf(5);
    const mapping = shipping.map(shelf, shelf.work);
    assert.deepEqual(shelf.taken, [0, 1]);
    await shelf.finish(1);
    assert.deepEqual(shelf.taken, [0, 1, 2]);
    await shelf.finish(2);
    await shelf.finish(3);
    await shelf.finish(4);
    await shelf.finish(0);
    assert.deepEqual(await mapping, ['r0', 'r1', 'r2', 'r3', 'r4']);
  });

  it('goes on though others hold the permits and there is no queue, without being counted as rejected', async () => {
    const shipping = bulkhead(1);
    const hold = shipping.tryAcquire();
    const mapping = shipping.map([1, 2, 3], (item) => Promise.resolve(item));
    await turn();
    assert.equal(shipping.stats().queued, 0);
    hold?.release();
    assert.deepEqual(await mapping, [1, 2, 3]);
    assert.equal(shipping.stats().rejected.full, 0);
  });

  it('lets those who wait in the queue go first', async () => {
    const shipping = bulkhead(1, 5);
    const order: string[] = [];
    const hold = shipping.tryAcquire();
    const mapping = shipping.map(['m1', 'm2'], async (item) => { order.push(item); await turn(); });
    const others = ['a', 'b'].map((name) => shipping.exec(async () => { order.push(name); await turn(); }));
    hold?.release();
    await Promise.all([mapping, ...others]);
    assert.deepEqual(order, ['a', 'b', 'm1', 'm2']);
  });

  it('waits for a heavy item to fit, and does not hold up lighter maps', async () => {
    const shipping = bulkhead(3);
    const holds = [shipping.tryAcquire(2), shipping.tryAcquire()];
    const order: string[] = [];
    const say = (item: string): Promise<void> => { order.push(item); return turn(); };
    const heavy = shipping.map(['heavy'], say, { weight: 3 });
    const light = shipping.map(['light1', 'light2'], say);
    holds[1]?.release();
    await light;
    assert.deepEqual(order, ['light1', 'light2']);
    holds[0]?.release();
    await heavy;
    assert.deepEqual(order, ['light1', 'light2', 'heavy']);
    assert.equal(shipping.stats().rejected.full, 0);
  });

  it('holds the item for which the room was taken while its source made it', async () => {
    const shipping = bulkhead(1);
    const item = gate<number>();
    const mapping = shipping.map((async function* () { yield await item.promise; })(), (one) => one);
    await turn();
    const hold = shipping.tryAcquire();
    item.open(1);
    await turn();
    assert.equal(shipping.stats().admitted, 1);
    hold?.release();
    assert.deepEqual(await mapping, [1]);
  });

  it('of work that ends at once does not run ahead of everybody', async () => {
    const shipping = bulkhead(2);
    let taken = 0;
    const endless = function* (): Generator<number> { for (;;) yield ++taken; };
    const leaving = new AbortController();
    const mapping = outcome(shipping.map(endless(), (item) => item, { signal: leaving.signal }));
    assert.equal(taken, 2);
    leaving.abort('enough');
    assert.equal(await mapping, 'enough');
  });

  it('rejects with the first error, aborts the rest, closes its source and takes no more', async () => {
    const shipping = bulkhead(2);
    const shelf = new Shelf(9);
    const reasons: unknown[] = [];
    const mapping = outcome(shipping.map(shelf, (item, { signal }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).message));
      return shelf.work(item);
    }));
    await shelf.fail(1);
    assert.equal(await mapping, 'f1');
    assert.deepEqual([reasons, shelf.taken, shelf.isClosed], [['f1'], [0, 1], true]);
    assert.equal(shipping.stats().active, 1, 'the work of the other item goes on');
    await shelf.finish(0);
    assert.equal(shipping.stats().active, 0);
  });

  it('with stopOnError false runs all and collects the errors, in order of the items', async () => {
    const shipping = bulkhead(2);
    const shelf = new Shelf(4);
    const mapping = shipping.map(shelf, shelf.work, { stopOnError: false });
    const error = mapping.then(() => assert.fail('it fulfilled'), (reason: unknown) => reason);
    await shelf.fail(1);
    await shelf.fail(0);
    await shelf.finish(2);
    await shelf.finish(3);
    const caught = await error;
    assert.ok(caught instanceof AggregateError);
    assert.equal(caught.message, 'shipping: 2 of 4 items failed');
    assert.deepEqual(caught.errors.map((one: Error) => one.message), ['f0', 'f1']);
    assert.equal(shelf.isClosed, true);
  });

  it('with stopOnError false fulfils if nothing failed', async () => {
    assert.deepEqual(await bulkhead().map([1, 2], (item) => item * 2, { stopOnError: false }), [2, 4]);
  });

  for (const stopOnError of [true, false]) {
    it(`ends with a source that fails, stopOnError ${stopOnError}`, async () => {
      const shipping = bulkhead(2);
      const broken = async function* (): AsyncGenerator<number> { yield await Promise.resolve(1); throw new Error('broken'); };
      const error: unknown = await shipping.map(broken(), (item) => item, { stopOnError }).catch((reason: unknown) => reason);
      if (stopOnError) assert.equal((error as Error).message, 'broken');
      else assert.deepEqual((error as AggregateError).errors.map((one: Error) => one.message), ['broken']);
    });

    it(`ends when the bulkhead closes, stopOnError ${stopOnError}`, async () => {
      const shipping = bulkhead(1);
      const endless = function* (): Generator<number> { for (let item = 0; ; item += 1) yield item; };
      const mapping = shipping.map(endless(), () => turn(), { stopOnError }).catch((reason: unknown) => reason);
      await turn();
      await shipping.close();
      const error = await mapping;
      assert.equal(codeOf(error), 'closed');
      assert.equal(shipping.stats().rejected.closed, 1);
    });
  }

  it('ends when an item can never fit', async () => {
    const shipping = bulkhead(2);
    assert.equal(await outcome(shipping.map([1, 2], (item) => item, { weight: 3 })), 'too_heavy');
    assert.equal(shipping.stats().rejected.tooHeavy, 1);
  });

  it('waits while the bulkhead is paused', async () => {
    const shipping = bulkhead(2);
    shipping.resize(0);
    const mapping = shipping.map([1, 2], (item) => item);
    await turn();
    assert.equal(shipping.stats().admitted, 0);
    shipping.resize(1);
    assert.deepEqual(await mapping, [1, 2]);
  });

  it('rejects with the reason of its signal at once, also while it waits for room, and leaves no listener', async () => {
    const shipping = bulkhead(1);
    const hold = shipping.tryAcquire();
    const leaving = new AbortController();
    const shelf = new Shelf(3);
    const mapping = outcome(shipping.map(shelf, shelf.work, { signal: leaving.signal }));
    await turn();
    assert.equal(getEventListeners(leaving.signal, 'abort').length, 1);
    leaving.abort('left');
    assert.equal(await mapping, 'left');
    assert.equal(getEventListeners(leaving.signal, 'abort').length, 0);
    assert.deepEqual(shelf.taken, []);
    hold?.release();
    assert.equal(shipping.stats().active, 0);
    assert.equal(await outcome(shipping.map(shelf, shelf.work, { signal: leaving.signal })), 'left');
    assert.deepEqual(shelf.taken, []);
  });

  it('bounds each item by callTimeoutMs', onClock(async (clock) => {
    const shipping = new Bulkhead('shipping', { maxConcurrent: 1, callTimeoutMs: 10 });
    const mapping = outcome(shipping.map([1, 2], () => gate().promise));
    await clock.advance(10);
    assert.equal(await mapping, 'call_timeout');
  }));

  it('rejects what it cannot use', async () => {
    const shipping = bulkhead();
    const bad: [unknown, unknown, unknown, RegExp][] = [
      [null, () => 1, undefined, /items must be an iterable or an async iterable/],
      [3, () => 1, undefined, /items must be an iterable/],
      [[1], 'fn', undefined, /fn must be a function/],
      [[1], () => 1, { weight: 0 }, /weight must be an integer/],
      [[1], () => 1, { concurrency: 2 }, /unknown option concurrency; there are signal, weight, timeoutMs, deadline, callTimeoutMs, stopOnError/],
      [[1], () => 1, null, /options must be an object/],
    ];
    for (const [items, fn, options, text] of bad) {
      assert.match(String(await outcome(shipping.map(items as never, fn as never, options as never))), text);
      assert.throws(() => shipping.mapIterable(items as never, fn as never, options as never), text);
    }
    assert.equal(shipping.stats().admitted, 0);
  });

  it('reports no error twice and none unhandled when all items fail together', async () => {
    const shipping = bulkhead(3);
    assert.equal(await outcome(shipping.map([1, 2, 3, 4], (item) => Promise.reject(new Error(`f${item}`)))), 'f1');
    await shipping.idle();
    const { failed, admitted } = shipping.stats();
    assert.deepEqual([failed, admitted], [3, 3]);
  });
});

function codeOf(error: unknown): unknown {
  const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
  return (last as { code?: unknown }).code;
}

describe('mapIterable', () => {
  it('does nothing before the first result is asked for', async () => {
    const shelf = new Shelf(3);
    const results = bulkhead().mapIterable(shelf, shelf.work);
    await turn();
    assert.deepEqual(shelf.taken, []);
    assert.deepEqual(await results.return(), { value: undefined, done: true });
  });

  it('gives the results in order and runs ahead by the permits of the bulkhead at most', async () => {
    const shipping = bulkhead(2);
    const shelf = new Shelf(5);
    const results = shipping.mapIterable(shelf, shelf.work);
    const first = results.next();
    await turn();
    assert.deepEqual(shelf.taken, [0, 1]);
    await shelf.finish(1);
    assert.deepEqual(shelf.taken, [0, 1], 'one result is not taken yet');
    await shelf.finish(0);
    assert.deepEqual(await first, { value: 'r0', done: false });
    assert.deepEqual(await results.next(), { value: 'r1', done: false });
    const third = results.next();
    await turn();
    assert.deepEqual(shelf.taken, [0, 1, 2, 3]);
    await shelf.finish(2);
    assert.equal((await third).value, 'r2');
    await results.return();
    await shelf.finish(3);
    assert.equal(shipping.stats().active, 0);
  });

  it('left early aborts what is under way, closes its source and holds nothing', async () => {
    const shipping = bulkhead(2);
    const shelf = new Shelf(9);
    const aborted: number[] = [];
    const leave = async (): Promise<string> => {
      for await (const result of shipping.mapIterable(shelf, (item, { signal }) => {
        signal.addEventListener('abort', () => { aborted.push(item); shelf.works.get(item)?.fail(new Error('stopped')); });
        return shelf.work(item);
      })) return result;
      return 'none';
    };
    const leaving = leave();
    await turn();
    await shelf.finish(0);
    assert.equal(await leaving, 'r0');
    await turn();
    assert.deepEqual([aborted, shelf.isClosed, shipping.stats().active], [[1], true, 0]);
  });

  it('left while a result is asked for answers at once', async () => {
    const shipping = bulkhead(1);
    const hold = shipping.tryAcquire();
    const shelf = new Shelf(3);
    const results = shipping.mapIterable(shelf, shelf.work);
    const asked = results.next();
    await turn();
    assert.deepEqual(await results.return(), { value: undefined, done: true });
    assert.deepEqual(await asked, { value: undefined, done: true });
    hold?.release();
    await turn();
    assert.deepEqual([shelf.taken, shipping.stats().active], [[], 0]);
  });

  it('gives what is there in order before it throws the first error', async () => {
    const shelf = new Shelf(3);
    const results = bulkhead(3).mapIterable(shelf, shelf.work);
    const first = results.next();
    await turn();
    await shelf.finish(0);
    await first;
    await shelf.finish(1);
    await shelf.fail(2);
    assert.equal((await results.next()).value, 'r1');
    assert.equal(await outcome(results.next()), 'f2');
    assert.deepEqual(await results.next(), { value: undefined, done: true });
  });

  it('with stopOnError false gives all results and then an AggregateError', async () => {
    const seen: number[] = [];
    await assert.rejects(async () => {
      const results = bulkhead(2).mapIterable([1, 2, 3, 4], (item) => (item % 2 === 0 ? item : Promise.reject(new Error(`f${item}`))), { stopOnError: false });
      for await (const result of results) seen.push(result);
    }, { name: 'AggregateError', message: 'shipping: 2 of 4 items failed' });
    assert.deepEqual(seen, [2, 4]);
  });

  it('streams a hundred thousand items through a few permits in constant memory', async () => {
    const shipping = bulkhead(4);
    const many = function* (): Generator<number> { for (let item = 0; item < 100_000; item += 1) yield item; };
    let expected = 0;
    for await (const result of shipping.mapIterable(many(), (item) => Promise.resolve(item))) assert.equal(result, expected++);
    assert.equal(expected, 100_000);
    assert.equal(shipping.stats().peakActive, 4);
  });
});
