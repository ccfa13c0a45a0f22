import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { gate, outcome } from './support.js';

function bulkhead(maxConcurrent = 1, maxQueue = 0): Bulkhead {
  return new Bulkhead('shipping', { maxConcurrent, maxQueue, timeoutMs: Infinity });
}

describe('what work may return', () => {
  const object = { a: 1 };
  const results: [string, () => unknown, unknown][] = [
    ['a number', () => 1, 1],
    ['nothing', () => undefined, undefined],
    ['null', () => null, null],
    ['an object', () => object, object],
    ['a function', () => gate, gate],
    ['a promise', () => Promise.resolve(object), object],
    ['a promise of a promise', () => Promise.resolve(Promise.resolve(3)), 3],
    ['a subclass of a promise', () => Sub.resolve(4), 4],
    ['a thenable', () => ({ then: (done: (value: number) => void) => done(5) }), 5],
    ['a thenable of a thenable', () => ({ then: (done: (value: unknown) => void) => done(Promise.resolve(6)) }), 6],
    ['an object whose then is no function', () => ({ then: 7 }).then, 7],
  ];
  for (const [what, work, wanted] of results) {
    it(`${what}, at once and from the queue`, async () => {
      const shipping = bulkhead(1, 1);
      assert.equal(await shipping.exec(work), wanted);
      const hold = shipping.tryAcquire();
      const queued = shipping.exec(work);
      hold?.release();
      assert.equal(await queued, wanted);
      const { completed, active, failed } = shipping.stats();
      assert.deepEqual({ completed, active, failed }, { completed: 3, active: 0, failed: 0 });
    });
  }

  const failures: [string, (reason: unknown) => unknown][] = [
    ['throws', (reason) => { throw reason; }],
    ['returns a rejected promise', (reason) => Promise.reject(reason)],
    ['returns a thenable that fails', (reason) => ({ then: (_: unknown, fail: (reason: unknown) => void) => fail(reason) })],
    ['returns a thenable that throws', (reason) => ({ then: () => { throw reason; } })],
    ['returns an object whose then cannot be read', (reason) => ({ get then() { throw reason; } })],
  ];
  for (const [what, work] of failures) {
    for (const reason of [new Error('broken'), 'text', undefined, null, 0]) {
      it(`${what}: the caller gets ${String(reason)} as it is, and the permit comes back`, async () => {
        const shipping = bulkhead();
        let caught: unknown = 'nothing';
        try {
          await shipping.exec(() => work(reason));
        } catch (error) {
          caught = error;
        }
        assert.equal(caught, reason);
        const { active, failed } = shipping.stats();
        assert.deepEqual({ active, failed }, { active: 0, failed: 1 });
      });
    }
  }

  it('then is called once, also on what starts its work only then', async () => {
    let calls = 0;
    const lazy = { then: (done: (value: string) => void) => { calls += 1; done('rows'); } };
    assert.equal(await bulkhead().exec(() => lazy), 'rows');
    assert.equal(calls, 1);
  });

  it('then is read once, even if reading it does something', async () => {
    let reads = 0;
    const odd = { get then() { reads += 1; return (done: (value: number) => void) => done(1); } };
    assert.equal(await bulkhead().exec(() => odd), 1);
    assert.equal(reads, 1);
  });
});

class Sub<Value> extends Promise<Value> {}

describe('exec', () => {
  it('starts work that is admitted at once before it returns', () => {
    const shipping = bulkhead();
    let started = false;
    void shipping.exec(() => { started = true; });
    assert.ok(started);
  });

  it('starts a granted waiter in a later turn, in grant order', async () => {
    const shipping = bulkhead(2, 4);
    const order: string[] = [];
    const holds = [shipping.tryAcquire(), shipping.tryAcquire()];
    const queued = ['a', 'b'].map((name) => shipping.exec(() => { order.push(name); }));
    for (const hold of holds) hold?.release();
    assert.deepEqual(order, []);
    await Promise.all(queued);
    assert.deepEqual(order, ['a', 'b']);
  });

  it('shows exact figures at once', () => {
    const shipping = bulkhead(2, 5);
    const seen = Array.from({ length: 5 }, () => {
      void shipping.exec(() => gate().promise);
      const { active, queued } = shipping.stats();
      return [active, queued];
    });
    assert.deepEqual(seen, [[1, 0], [2, 0], [2, 1], [2, 2], [2, 3]]);
  });

  it('gives the permit back before the caller goes on', async () => {
    const shipping = bulkhead();
    const seen: number[] = [];
    await shipping.exec(() => Promise.resolve()).then(() => seen.push(shipping.stats().active));
    await shipping.exec(() => Promise.reject(new Error('broken'))).catch(() => seen.push(shipping.stats().active));
    assert.deepEqual(seen, [0, 0]);
  });

  it('never throws', async () => {
    const shipping = bulkhead();
    for (const fn of [undefined, null, 1, 'fetch', Promise.resolve()]) {
      assert.match(String(await outcome(shipping.exec(fn as never))), /^fn must be a function, got /);
    }
    assert.match(String(await outcome(shipping.exec(() => 1, { weight: 0 }))), /^weight must be an integer from 1/);
    assert.equal(shipping.stats().admitted, 0);
  });

  it('rejects with the reason of a signal that is aborted already, and does not run', async () => {
    const shipping = bulkhead();
    let ran = false;
    const reason = { why: 'left' };
    const answer = shipping.exec(() => { ran = true; }, { signal: AbortSignal.abort(reason) });
    assert.equal(await answer.catch((error: unknown) => error), reason);
    assert.ok(!ran);
    assert.equal(shipping.stats().rejected.cancelled, 1);
  });
});

describe('wrap', () => {
  it('keeps this, the parameters, the name and the length', async () => {
    const shipping = bulkhead();
    const shop = {
      rate: 2,
      quote: shipping.wrap(function quote(this: { rate: number }, weight: number, express: boolean) {
        return Promise.resolve(weight * this.rate + (express ? 1 : 0));
      }),
    };
    assert.equal(await shop.quote(3, true), 7);
    assert.equal(shop.quote.name, 'quote');
    assert.equal(shop.quote.length, 2);
    assert.equal(shipping.stats().completed, 1);
  });

  it('takes its options once, and throws for bad ones', () => {
    const shipping = bulkhead();
    assert.throws(() => shipping.wrap(() => 1, { weight: 0 }), RangeError);
    assert.throws(() => shipping.wrap(() => 1, { timeoutMs: Number.NaN }), RangeError);
    assert.throws(() => shipping.wrap(() => 1, { wieght: 2 } as never), /unknown option wieght/);
    assert.throws(() => shipping.wrap(1 as never), TypeError);
    const { admitted, rejected } = shipping.stats();
    assert.deepEqual([admitted, rejected.cancelled], [0, 0]);
  });

  it('rejects when there is no room, and passes the weight on', async () => {
    const shipping = bulkhead(2);
    const heavy = shipping.wrap(() => gate().promise, { weight: 2 });
    void heavy();
    assert.equal(shipping.stats().active, 2);
    assert.equal(await outcome(heavy()), 'full');
  });
});
