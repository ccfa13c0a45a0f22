// Values that run user code when somebody looks at them.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Bulkhead } from 'bulkheads';

function throwing(property: 'constructor' | 'then'): unknown {
  return Object.defineProperty(Promise.resolve(1), property, {
    get() {
      throw new Error('looked at');
    },
  });
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const RESULTS: Record<string, () => unknown> = {
  'a promise whose constructor throws': () => throwing('constructor'),
  'a promise whose then throws': () => throwing('then'),
  'a revoked proxy': revoked,
};

for (const [what, make] of Object.entries(RESULTS)) {
  it(`${what} is a failure and gives its permit back, at once and from the queue`, async () => {
    const bulkhead = new Bulkhead('b', { maxConcurrent: 1, maxQueue: 1, timeoutMs: Infinity });
    const permit = bulkhead.tryAcquire();
    const queued = bulkhead.exec(make);
    permit?.release();
    await assert.rejects(queued);
    await assert.rejects(bulkhead.exec(make));
    const { active, failed } = bulkhead.stats();
    assert.deepEqual({ active, failed }, { active: 0, failed: 2 });
  });
}

it('a signal that takes no listener loses nothing', async () => {
  const bulkhead = new Bulkhead('b', { maxConcurrent: 1 });
  const signal = {
    aborted: false,
    addEventListener() {
      throw new Error('no listeners');
    },
    removeEventListener() {
      // There is none.
    },
  } as unknown as AbortSignal;
  await assert.rejects(bulkhead.exec(() => 1, { signal }), /no listeners/);
  assert.equal(bulkhead.stats().admitted, 0);
});

it('a signal that does not let go of its listener costs no permit and no answer', async () => {
  const bulkhead = new Bulkhead('b', { maxConcurrent: 1, maxQueue: 3, timeoutMs: Infinity });
  const signal = { aborted: false, addEventListener: () => undefined, removeEventListener() { throw new Error('no'); } } as unknown as AbortSignal;
  assert.equal(await bulkhead.exec(() => 'at once', { signal }), 'at once');
  assert.equal(await bulkhead.exec(async () => Promise.resolve('later'), { signal }), 'later');
  const permit = await bulkhead.acquire({ signal });
  const waiting = bulkhead.exec(() => 'from the queue', { signal });
  permit.release();
  assert.equal(await waiting, 'from the queue');
  assert.deepEqual(await bulkhead.map([1, 2], (item) => item, { signal }), [1, 2]);
  bulkhead.tryAcquire();
  const told: string[] = [];
  const others = ['with it', 'without', 'without'].map((name) => bulkhead.exec(() => 1, name === 'with it' ? { signal } : {}).catch(() => told.push(name)));
  void bulkhead.close();
  await Promise.all(others);
  assert.deepEqual(told, ['with it', 'without', 'without']);
  assert.deepEqual([bulkhead.stats().active, bulkhead.stats().failed], [1, 0]);
});

it('a signal that does not say why it aborts ends its calls, and keeps nobody else from being told', async () => {
  const bulkhead = new Bulkhead('b', { maxConcurrent: 2, maxQueue: 3, timeoutMs: Infinity });
  const target = new EventTarget();
  const signal = Object.defineProperties(target, {
    aborted: { value: false },
    reason: { get() { throw new Error('none of your business'); } },
  }) as AbortSignal;
  const permit = bulkhead.tryAcquire();
  const ended = [bulkhead.exec(() => new Promise(() => undefined), { signal }), bulkhead.exec(() => 1, { signal }), bulkhead.acquire({ signal })];
  const served = bulkhead.exec(() => 'served');
  target.dispatchEvent(new Event('abort'));
  for (const one of ended) await assert.rejects(one, /none of your business/);
  permit?.release();
  assert.equal(await served, 'served');
});

it('what throws as a call is told keeps nobody else from being told', async () => {
  const bulkhead = new Bulkhead('b', { maxConcurrent: 1, maxQueue: 3, timeoutMs: Infinity });
  const told: string[] = [];
  void bulkhead.exec(({ signal }) => new Promise((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason as Error));
  })).catch(() => told.push('first'));
  const others = ['second', 'third'].map((name) => bulkhead.exec(() => 1).catch(() => told.push(name)));
  const { abort } = AbortController.prototype;
  AbortController.prototype.abort = () => { throw new Error('no'); };
  const closing = bulkhead.close({ abort: true });
  AbortController.prototype.abort = abort;
  await assert.rejects(closing, /^Error: no$/);
  await Promise.all(others);
  assert.deepEqual(told.sort(), ['second', 'third'], 'the signal of the first could not be aborted');
});

it('an abort that ends calls of two bulkheads ends all of them before anybody hears of it', async () => {
  const first = new Bulkhead('first', { maxConcurrent: 1 });
  const second = new Bulkhead('second', { maxConcurrent: 1, maxQueue: 1 });
  const permit = second.tryAcquire();
  const controller = new AbortController();
  const { signal } = controller;
  const runs = first.exec(
    (work) =>
      new Promise<void>((end) => {
        work.signal.addEventListener('abort', () => {
          permit?.release();
          end();
        });
      }),
    { signal },
  );
  const waits = second.acquire({ signal });
  controller.abort('gone');
  const answers = await Promise.allSettled([runs, waits]);
  assert.deepEqual(answers, [
    { status: 'rejected', reason: 'gone' },
    { status: 'rejected', reason: 'gone' },
  ]);
  const { rejected, unclaimed, active } = second.stats();
  assert.deepEqual({ cancelled: rejected.cancelled, unclaimed, active }, { cancelled: 1, unclaimed: 0, active: 0 });
});

it('a Date deadline of a wrapped function is converted at the call', async (context) => {
  const bulkhead = new Bulkhead('b', { maxConcurrent: 1 });
  const guarded = bulkhead.wrap(() => 1, { deadline: new Date(Date.now() + 1000) });
  const inAnHour = Date.now() + 3_600_000;
  context.mock.method(Date, 'now', () => inAnHour);
  await assert.rejects(guarded(), { code: 'queue_timeout' });
});
