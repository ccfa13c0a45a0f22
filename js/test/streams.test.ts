import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { Bulkhead, BulkheadCallTimeoutError, type WorkContext } from 'bulkheads';
import { collectGarbage, gate, Log, onClock, outcome, turn } from './support.js';

async function* count(to: number): AsyncGenerator<number, string, undefined> {
  for (let one = 0; one < to; one += 1) {
    await nextTurn();
    yield one;
  }
  return 'end';
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const given: Item[] = [];
  for await (const item of items) given.push(item);
  return given;
}

function books(bulkhead: Bulkhead): Record<string, number> {
  const { active, admitted, completed, failed, leaked, overrun } = bulkhead.stats();
  return { active, admitted, completed, failed, leaked, overrun };
}

/** Runs that are counted, and runs that the core knows one by one. */
const OPTIONS = { counted: {}, 'under a bound': { callTimeoutMs: 1e6 }, 'behind others': { maxQueue: 5 }, nested: { detectReentrancy: true } };

for (const [name, options] of Object.entries(OPTIONS)) {
  describe(`a stream, ${name}`, () => {
    const bulkhead = (): Bulkhead => new Bulkhead('tokens', { maxConcurrent: 1, ...options });

    /** Its answer, whether it has to wait or not. */
    async function stream<Result>(tokens: Bulkhead, work: (context: WorkContext) => Result): Promise<Awaited<Result>> {
      const first = name === 'behind others' ? gate() : undefined;
      if (first !== undefined) void tokens.exec(() => first.promise);
      const answer = tokens.exec(work);
      first?.open();
      return answer;
    }

    it('keeps its permit until it has ended', async () => {
      const tokens = bulkhead();
      const items = await stream(tokens, () => count(2));
      const before = tokens.stats();
      assert.equal(before.active, 1);
      assert.deepEqual(await items.next(), { done: false, value: 0 });
      assert.equal(tokens.tryAcquire(), null);
      assert.deepEqual(await items.next(), { done: false, value: 1 });
      assert.equal(tokens.stats().active, 1);
      assert.deepEqual(await items.next(), { done: true, value: 'end' });
      assert.equal(tokens.stats().active, 0);
      assert.deepEqual(await items.next(), { done: true, value: undefined });
      assert.deepEqual(await items.return('no'), { done: true, value: 'no' });
      const { active, completed, failed } = tokens.stats();
      assert.deepEqual([active, completed - before.completed, failed], [0, 1, 0]);
    });

    it('keeps it until it is left', async () => {
      const tokens = bulkhead();
      let isClosed = false;
      const items = await stream(tokens, async function* () {
        try {
          yield 1;
        } finally {
          await nextTurn();
          isClosed = tokens.stats().active === 1;
        }
      });
      for await (const item of items) if (item === 1) break;
      assert.equal(isClosed, true, 'the permit was there at its clean-up');
      assert.equal(tokens.stats().active, 0);
    });

    it('that is left by throw, or throws, has failed', async () => {
      const tokens = bulkhead();
      const left = await stream(tokens, () => count(3));
      await left.next();
      await assert.rejects(left.throw(new Error('enough')), /enough/);
      const { active, failed } = tokens.stats();
      assert.deepEqual([active, failed], [0, 1]);
      const broken = await stream(tokens, async function* () {
        yield 1;
        throw new Error('broken');
      });
      await assert.rejects(all(broken), /broken/);
      assert.deepEqual([tokens.stats().active, tokens.stats().failed], [0, 2]);
    });

    it('goes on where it yields in its clean-up', async () => {
      const tokens = bulkhead();
      const items = await stream(tokens, async function* () {
        try {
          yield 1;
        } finally {
          yield 2;
        }
      });
      await items.next();
      assert.deepEqual(await items.return(), { done: false, value: 2 });
      assert.equal(tokens.stats().active, 1);
      await items.next();
      assert.equal(tokens.stats().active, 0);
    });

    it('may be promised, and be any iterator that can be left', async () => {
      const tokens = bulkhead();
      assert.deepEqual(await all(await stream(tokens, async () => count(2))), [0, 1]);
      class Rows {
        readonly table = 'rates';
        #at = 0;
        next(): Promise<IteratorResult<number>> {
          this.#at += 1;
          return Promise.resolve(this.#at > 2 ? { done: true, value: undefined } : { done: false, value: this.#at });
        }
        return(): Promise<IteratorResult<number>> {
          return Promise.resolve({ done: true, value: undefined });
        }
        [Symbol.asyncIterator](): this {
          return this;
        }
      }
      const rows = await stream(tokens, () => new Rows());
      assert.ok(rows instanceof Rows);
      assert.equal(rows.table, 'rates');
      assert.equal(tokens.stats().active, 1);
      assert.deepEqual(await all(rows), [1, 2]);
      assert.equal(tokens.stats().active, 0);
    });

    it('that is dropped is collected, and its permit reclaimed as leaked', async () => {
      const tokens = bulkhead();
      const warnings: string[] = [];
      const listen = ({ message }: Error): number => warnings.push(message);
      process.on('warning', listen);
      await (async () => {
        await (await stream(tokens, ({ signal }) => (signal.aborted ? count(0) : count(3)))).next();
      })();
      for (let round = 0; round < 20 && tokens.stats().leaked === 0; round += 1) {
        await turn();
        collectGarbage();
      }
      await turn();
      process.off('warning', listen);
      assert.deepEqual([tokens.stats().leaked, tokens.stats().active], [1, 0]);
      assert.deepEqual(warnings, [
        'tokens: a stream was dropped before its end and its permit has been reclaimed; iterate it to its end, or leave it by return()',
      ]);
    });

    it('has a signal that aborts when the bulkhead is closed with abort', async () => {
      for (const isLate of [false, true]) {
        const tokens = bulkhead();
        const items = await stream(tokens, async function* (context) {
          const early = isLate ? undefined : context.signal;
          yield 1;
          const signal = early ?? context.signal;
          await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason as Error)));
        });
        await items.next();
        const step = outcome(items.next());
        await turn();
        await tokens.close({ abort: true });
        assert.equal(await step, 'closed');
      }
    });

    it('that has ended hears of no close', async () => {
      const tokens = bulkhead();
      const signals: AbortSignal[] = [];
      const items = await stream(tokens, ({ signal }) => (signals.push(signal), count(1)));
      await all(items);
      await tokens.close({ abort: true });
      assert.deepEqual(signals.map(({ aborted }) => aborted), [false]);
    });
  });
}

describe('streams', () => {
  it('that are wrapped run as many at a time as there are permits, also without await', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1, maxQueue: 5 });
    let now = 0;
    let most = 0;
    const wrapped = tokens.wrap(async function* (to: number) {
      most = Math.max(most, (now += 1));
      yield* count(to);
      now -= 1;
    });
    const given = await Promise.all([1, 2, 3].map(async (to) => (to === 2 ? all(wrapped(to)) : all(await wrapped(to)))));
    assert.deepEqual(given, [[0], [0, 1], [0, 1, 2]]);
    assert.equal(most, 1);
    assert.deepEqual(await all(wrapped.with({ weight: 1 })(2)), [0, 1]);
    assert.deepEqual(await all(tokens.exec(async function* () { yield 1; })), [1]);
  });

  it('reject the loop that iterates a rejected answer', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1 });
    tokens.tryAcquire();
    assert.equal(await outcome(all(tokens.exec(async function* () { yield 1; }))), 'full');
  });

  it('of ordinary calls have no more than a promise has', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1 });
    const answer = tokens.exec(async () => [1]);
    assert.equal(Symbol.asyncIterator in answer, false);
    assert.deepEqual(await answer, [1]);
    assert.equal(tokens.stats().active, 0);
  });

  it('are results like others in a map', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 2, callTimeoutMs: 1e6 });
    const streams = await tokens.map([1, 2, 3], (to) => count(to));
    assert.equal(tokens.stats().active, 0);
    assert.deepEqual(await Promise.all(streams.map(all)), [[0], [0, 1], [0, 1, 2]]);
  });

  it('count for the calls from inside of them, with detectReentrancy', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1, maxQueue: 5, detectReentrancy: true });
    const items = await tokens.exec(async function* () {
      yield 1;
      yield await outcome(tokens.exec(() => 'never runs'));
    });
    assert.deepEqual(await all(items), [1, 'reentrant']);
  });

  it('what is no stream, and what throws when it is looked at, is a result', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1 });
    const lists = [{ next: () => 1, return: () => 1 }, { [Symbol.asyncIterator]: () => count(1) }, null, [1].values()];
    for (const list of lists) assert.equal(await tokens.exec(() => list), list);
    const odd = Object.defineProperty({}, Symbol.asyncIterator, { get: () => { throw new Error('not this way'); } });
    assert.equal(await tokens.exec(() => odd), odd);
    assert.deepEqual([tokens.stats().active, tokens.stats().completed], [0, 5]);
  });
});

describe('the bound of a stream', () => {
  it('passes in a step: that rejects, the generator is closed, and the permit stays until it is', onClock(async (clock) => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1, callTimeoutMs: 50 });
    const log = new Log();
    const step = gate();
    const items = await tokens.exec(async function* ({ signal }) {
      signal.addEventListener('abort', () => log.say('aborted'));
      try {
        yield 1;
        await step.promise;
        yield 2;
      } finally {
        log.say('closed');
      }
    });
    await items.next();
    log.watch('second', items.next().then(({ value }) => value));
    log.watch('third', items.next().then(({ done }) => done));
    await clock.advance(50);
    assert.deepEqual(log.take(), ['aborted', 'second:call_timeout', 'third:true']);
    assert.deepEqual(books(tokens), { active: 1, admitted: 1, completed: 0, failed: 0, leaked: 0, overrun: 1 });
    step.open();
    await clock.settle();
    assert.deepEqual(log.take(), ['closed']);
    assert.deepEqual(books(tokens), { active: 0, admitted: 1, completed: 0, failed: 1, leaked: 0, overrun: 0 });
    assert.deepEqual(await items.next(), { done: true, value: undefined });
  }));

  it('passes between two steps: the next one rejects', onClock(async (clock) => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1 });
    let isClosed = false;
    const items = await tokens.exec(async function* (): AsyncGenerator<number, string | undefined> {
      try {
        yield 1;
      } finally {
        isClosed = true;
      }
      return undefined;
    }, { callTimeoutMs: 50 });
    await items.next();
    await clock.advance(50);
    assert.equal(isClosed, true);
    assert.deepEqual([tokens.stats().active, tokens.stats().callTimeouts, tokens.stats().failed], [0, 1, 1]);
    await assert.rejects(items.next(), BulkheadCallTimeoutError);
    assert.deepEqual(await items.next(), { done: true, value: undefined });
    assert.deepEqual(await items.return('left'), { done: true, value: 'left' });
    await assert.rejects(items.throw(new Error('late')), /late/);
  }));

  it('passes before there is a stream: nobody will iterate it, so it is closed', onClock(async (clock) => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1, callTimeoutMs: 50 });
    const opening = gate();
    let isClosed = false;
    const answer = outcome(tokens.exec(async () => {
      await opening.promise;
      const items = {
        next: () => Promise.resolve({ done: true as const, value: 1 }),
        return: () => ((isClosed = true), Promise.resolve({ done: true as const, value: 1 })),
        [Symbol.asyncIterator]: () => items,
      };
      return items;
    }));
    await clock.advance(50);
    assert.equal(await answer, 'call_timeout');
    assert.equal(tokens.stats().overrun, 1);
    opening.open();
    await clock.settle();
    assert.equal(isClosed, true);
    assert.deepEqual([tokens.stats().active, tokens.stats().failed], [0, 1]);
  }));

  it('and a grace: the permit of one that does not end comes back', onClock(async (clock) => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1, callTimeoutMs: 50, abandonAfterMs: 20 });
    const items = await tokens.exec(async function* () {
      yield await gate<number>().promise;
    });
    const step = outcome(items.next());
    await clock.advance(70);
    assert.equal(await step, 'call_timeout');
    assert.deepEqual([tokens.stats().active, tokens.stats().abandonedRuns], [0, 1]);
  }));

  it('is its caller’s signal too', async () => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1 });
    const gone = new AbortController();
    const items = await tokens.exec(() => count(5), { signal: gone.signal });
    await items.next();
    gone.abort(new Error('the customer has left'));
    assert.equal(await outcome(items.next()), 'the customer has left');
    await tokens.idle();
    assert.deepEqual([tokens.stats().failed, tokens.stats().active], [1, 0]);
  });

  it('a consumer that waits for a step that never comes hears of it, whatever the collector does', onClock(async (clock) => {
    const tokens = new Bulkhead('tokens', { maxConcurrent: 1, callTimeoutMs: 50 });
    const answer = outcome(all(await tokens.exec(async function* () { yield await gate<number>().promise; })));
    await clock.settle();
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await clock.settle();
    }
    await clock.advance(50);
    assert.equal(await answer, 'call_timeout');
  }));
});
