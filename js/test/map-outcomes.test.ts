// What a map gives when items fail, when the source does, and in which order.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { gate, outcome, turn } from './support.js';

function bulkhead(maxConcurrent = 2): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, timeoutMs: Infinity });
}

/** Of each outcome its value or the message of its error. */
function words(outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message));
}

function oddOnly(item: number): Promise<number> {
  return item % 2 === 1 ? Promise.resolve(item) : Promise.reject(new Error(`f${item}`));
}

describe('mapSettled', () => {
  it('gives an outcome for each item, in order', async () => {
    assert.deepEqual(words(await bulkhead().mapSettled([1, 2, 3, 4], oddOnly)), [1, 'f2', 3, 'f4']);
  });

  it('gives the error of a source in its place, behind the results', async () => {
    const broken = function* (): Generator<number> { yield 1; yield 3; throw new Error('broken'); };
    assert.deepEqual(words(await bulkhead().mapSettled(broken(), oddOnly)), [1, 3, 'broken']);
  });

  it('has an outcome for every item of an array also when the bulkhead closes', async () => {
    const shipping = bulkhead(1);
    const end = gate<number>();
    const mapping = shipping.mapSettled([1, 2, 3], () => end.promise);
    void shipping.close();
    end.open(7);
    const outcomes = await mapping;
    assert.deepEqual(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as { code: string }).code)), [7, 'closed', 'closed']);
  });

  it('does not know stopOnError', async () => {
    assert.match(String(await outcome(bulkhead().mapSettled([1], oddOnly, { stopOnError: false } as never))), /unknown option stopOnError/);
  });
});

describe('errors of a map', () => {
  it('carry the places of their items', async () => {
    const error: unknown = await bulkhead().map([1, 2, 3, 4], oddOnly, { stopOnError: false }).catch((reason: unknown) => reason);
    assert.ok(error instanceof AggregateError);
    assert.deepEqual((error as AggregateError & { indices: number[] }).indices, [1, 3]);
  });

  it('come behind the results of the items before, which are not aborted', async () => {
    const shipping = bulkhead(3);
    const [slow, aborted] = [gate<string>(), [] as number[]];
    const results = shipping.mapIterable([0, 1, 2], (item, { signal, index }) => {
      signal.addEventListener('abort', () => aborted.push(index));
      if (item === 0) return slow.promise;
      return item === 1 ? Promise.reject(new Error('f1')) : new Promise<string>(() => undefined);
    });
    const first = results.next();
    await turn();
    assert.deepEqual(aborted, [2], 'what comes behind the error ends');
    slow.open('r0');
    assert.equal((await first).value, 'r0');
    assert.equal(await outcome(results.next()), 'f1');
  });

  it('of a source come behind the results of the items before it', async () => {
    const slow = gate<string>();
    const broken = function* (): Generator<number> { yield 0; throw new Error('broken'); };
    const results = bulkhead(3).mapIterable(broken(), () => slow.promise);
    const first = results.next();
    await turn();
    slow.open('r0');
    assert.equal((await first).value, 'r0');
    assert.equal(await outcome(results.next()), 'broken');
  });

  it('of the admission of an item come behind the results of the items before it', async () => {
    const shipping = bulkhead(2);
    const slow = gate<string>();
    const results = shipping.mapIterable([0, 1, 2], (item) => (item === 0 ? slow.promise : Promise.resolve(`r${item}`)));
    const first = results.next();
    void shipping.drain();
    await turn();
    slow.open('r0');
    assert.equal((await first).value, 'r0');
    assert.equal((await results.next()).value, 'r1');
    assert.equal(await outcome(results.next()), 'closed');
    assert.equal(shipping.stats().failed, 0);
  });
});

describe('promises among the items', () => {
  it('are awaited before their item takes a permit', async () => {
    const shipping = bulkhead(1);
    const item = gate<number>();
    const mapping = shipping.map([item.promise, Promise.resolve(2)], (one) => one * 10);
    await turn();
    assert.equal(shipping.stats().active, 0);
    item.open(1);
    assert.deepEqual(await mapping, [10, 20]);
  });

  it('that reject are the error of their item', async () => {
    const outcomes = await bulkhead().mapSettled([Promise.resolve(1), Promise.reject(new Error('gone')), 3], (one) => one);
    assert.deepEqual(words(outcomes), [1, 'gone', 3]);
  });
});

describe('mapIterable without order', () => {
  it('gives each result as soon as it is there, and goes on with others behind a slow one', async () => {
    const slow = gate<number>();
    const seen: number[] = [];
    for await (const result of bulkhead(2).mapIterable([0, 1, 2, 3], (item) => (item === 0 ? slow.promise : Promise.resolve(item)), { ordered: false })) {
      seen.push(result);
      if (result === 3) slow.open(0);
    }
    assert.deepEqual(seen, [1, 2, 3, 0]);
  });

  it('ends with the first error, and aborts the rest', async () => {
    const reasons: unknown[] = [];
    const results = bulkhead(2).mapIterable([0, 1], (item, { signal }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).message));
      return item === 1 ? Promise.reject(new Error('f1')) : new Promise<number>(() => undefined);
    }, { ordered: false });
    assert.equal(await outcome(results.next()), 'f1');
    assert.deepEqual(reasons, ['f1']);
  });
});

describe('the buffer of mapIterable', () => {
  for (const [buffer, started] of [[0, 2], [3, 5], [Infinity, 8]] as const) {
    it(`${buffer}: ${started} items start behind a slow one`, async () => {
      const slow = gate<number>();
      let most = 0;
      const results = bulkhead(2).mapIterable([0, 1, 2, 3, 4, 5, 6, 7], (item) => {
        most += 1;
        return item === 0 ? slow.promise : Promise.resolve(item);
      }, { buffer });
      const first = results.next();
      await turn();
      assert.equal(most, started);
      slow.open(0);
      assert.equal((await first).value, 0);
      await results.return();
    });
  }

  it('below 0, or no number, is an error', () => {
    const shipping = bulkhead();
    assert.throws(() => shipping.mapIterable([1], (item) => item, { buffer: -1 }), /buffer must be 0 or more, got -1/);
    assert.throws(() => shipping.mapIterable([1], (item) => item, { buffer: NaN }), /buffer must be 0 or more, got NaN/);
    assert.throws(() => shipping.mapIterable([1], (item) => item, { buffer: '1' as never }), /buffer must be a number, got "1"/);
  });
});
