import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead, type WorkContext } from 'bulkheads';
import { gate, onClock, outcome, turn } from './support.js';

const bulkhead = (): Bulkhead => new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 5 });

describe("wrap with context: 'first'", () => {
  it('gives the function the context of its call before its own parameters', async () => {
    const shipping = bulkhead();
    const quoteWithin = shipping.wrap(
      function quote(this: unknown, { signal }: WorkContext, ...words: string[]) {
        return [this, signal.aborted, ...words];
      },
      { context: 'first' },
    );
    assert.equal(quoteWithin.name, 'quote');
    const shop = { quote: quoteWithin };
    const [self, ...rest] = await shop.quote('Quay', '7');
    assert.equal(self, shop);
    assert.deepEqual(rest, [false, 'Quay', '7']);
    assert.equal(shipping.wrap((_: WorkContext, one: number) => one, { context: 'first' }).length, 1);
    assert.equal(shipping.wrap((one: number) => one).length, 1);
  });

  it('aborts the signal at the bound of the call', onClock(async (clock) => {
    const seen: string[] = [];
    const load = bulkhead().wrap(
      async ({ signal }, url: string) => {
        signal.addEventListener('abort', () => seen.push(`${url}: ${(signal.reason as { code: string }).code}`));
        await gate().promise;
      },
      { context: 'first', callTimeoutMs: 20 },
    );
    const answer = outcome(load('rates'));
    await clock.advance(20);
    assert.equal(await answer, 'call_timeout');
    assert.deepEqual(seen, ['rates: call_timeout']);
  }));

  it('takes no other place', () => {
    const shipping = bulkhead();
    const wrap = (context: unknown): unknown => shipping.wrap(() => 1, { context } as never);
    assert.throws(() => wrap('last'), new TypeError(`context must be 'first', got "last"`));
    assert.throws(() => wrap(null), new TypeError("context must be 'first', got null"));
    assert.equal(typeof wrap(undefined), 'function');
  });
});

describe('a wrapped function with options for one call', () => {
  it('has them on top of those of wrap', async () => {
    const shipping = bulkhead();
    const held = shipping.tryAcquire();
    const quote = shipping.wrap(() => 'quote', { timeoutMs: 0 });
    assert.equal(await outcome(quote()), 'full');
    assert.equal(await outcome(quote.with({ timeoutMs: undefined })()), 'full');
    const waiting = quote.with({ timeoutMs: 500 })();
    const gone = new AbortController();
    const leaving = outcome(quote.with({ timeoutMs: 500, signal: gone.signal })());
    assert.equal(shipping.stats().queued, 2);
    gone.abort(new Error('left'));
    assert.equal(await leaving, 'left');
    assert.equal(await outcome(quote.with({ timeoutMs: 500, weight: 2 })()), 'too_heavy');
    held?.release();
    assert.equal(await waiting, 'quote');
  });

  it('keeps this, the parameters and the context', async () => {
    const shipping = bulkhead();
    const shop = {
      rate: 2,
      quote: shipping.wrap(
        function (this: { rate: number }, context: WorkContext, weight: number) {
          return [this.rate * weight, context.signal.aborted];
        },
        { context: 'first' },
      ),
    };
    assert.deepEqual(await shop.quote.with({ weight: 1 }).call(shop, 3), [6, false]);
  });

  it('throws for bad ones, as wrap does', () => {
    const quote = bulkhead().wrap(() => 1, { weight: 1 });
    assert.throws(() => quote.with({ timeout: 5 } as never), /unknown option timeout/);
    assert.throws(() => quote.with({ context: 'first' } as never), /unknown option context/);
    assert.throws(() => quote.with(undefined as never), new TypeError('options are missing: with({ signal, … })'));
    assert.throws(() => quote.with(5 as never), /options must be an object, got 5/);
    assert.throws(() => quote.with({ weight: 0 }), RangeError);
    assert.throws(() => quote.with({ callTimeoutMs: 0 }), /callTimeoutMs must be more than 0, or infinite, got 0/);
  });

  it('is no name that shows', () => {
    assert.deepEqual(Object.keys(bulkhead().wrap(() => 1)), []);
  });
});

describe('callTimeoutMs of a call', () => {
  it('bounds its run from its grant, and can only shorten', onClock(async (clock) => {
    for (const [given, own, ends] of [[undefined, 20, 20], [50, 20, 20], [20, 50, 20]] as const) {
      const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 5, timeoutMs: 500, callTimeoutMs: given });
      const first = gate();
      void shipping.exec(() => first.promise);
      const answer = outcome(shipping.exec(() => gate().promise, { callTimeoutMs: own }));
      const wrapped = outcome(shipping.wrap(() => gate().promise, { callTimeoutMs: own })());
      await clock.advance(10);
      first.open();
      await clock.advance(ends - 1);
      assert.equal(shipping.stats().callTimeouts, 0);
      await clock.advance(1);
      assert.equal(await answer, 'call_timeout');
      assert.equal(shipping.stats().overrun, 1);
      void shipping.close();
      assert.equal(await wrapped, 'closed');
    }
  }));

  it('is checked', async () => {
    const shipping = bulkhead();
    const bad = shipping.exec(() => 1, { callTimeoutMs: -1 });
    await assert.rejects(bad, new RangeError('callTimeoutMs must be more than 0, or infinite, got -1'));
    await assert.rejects(shipping.acquire({ callTimeoutMs: 'soon' as never }), new TypeError('callTimeoutMs must be a number, got "soon"'));
    await turn();
  });
});
