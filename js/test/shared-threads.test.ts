// One bulkhead in several threads: the order, the wakes, and that every input acts on all of it.

import assert from 'node:assert/strict';
import type * as hooks from 'node:async_hooks';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import { Bulkhead } from 'bulkheads';
import { collectGarbage, outcome, turn } from './support.js';
import { freshName, keepAlive, type Scope, withThreads } from './threads.js';

keepAlive();

const isNative = process.env['BULKHEADS_ENGINE'] === 'native';
const ENDLESS = { maxConcurrent: 1, maxQueue: 100, timeoutMs: Infinity };

/** Calls in a thread; `ends` says how that ended. */
function call({ Bulkhead, kept, outcome }: Scope, { name, key, weight }: { name: string; key: string; weight?: number }): void {
  kept[key] = outcome(Bulkhead.shared(name).exec(() => key, { weight }));
}

/** A call in a thread that does not end by itself. */
function hold({ Bulkhead, kept, outcome }: Scope, { name, key }: { name: string; key: string }): void {
  kept[key] = outcome(Bulkhead.shared(name).exec(({ signal }) => new Promise((resolve) => {
    kept[`end ${key}`] = () => resolve(key);
    signal.addEventListener('abort', () => (kept[`aborted ${key}`] = true));
  })));
}

function ends({ get }: Scope, key: string): unknown {
  return get(key);
}

function end({ get }: Scope, key: string): void {
  get<() => void>(`end ${key}`)();
}

/** From here on a thread counts how often it is woken. */
function countWakes({ kept, get, require }: Scope): void {
  const { createHook } = require('node:async_hooks') as typeof hooks;
  const wakers = new Set<number>();
  kept['wakes'] = 0;
  createHook({
    init: (id, type) => {
      if (type === 'bulkheads') wakers.add(id);
    },
    before: (id) => {
      if (wakers.has(id)) kept['wakes'] = get<number>('wakes') + 1;
    },
  }).enable();
}

const counters = ({ active, queued, running }: { active: number; queued: number; running: number }): number[] => [active, queued, running];

describe('a bulkhead that threads share', { skip: !isNative && 'only the native engine shares' }, () => {
  it('has one limit and one queue, first come, first served across threads', withThreads(3, async (...threads) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    const permit = await shared.acquire();
    const log = new Int32Array(new SharedArrayBuffer(4 * 32));
    const own: Promise<unknown>[] = [];
    const queueThere = ({ Bulkhead, kept, get }: Scope, { name, log, number }: { name: string; log: Int32Array; number: number }): void => {
      kept['calls'] ??= [];
      get<unknown[]>('calls').push(Bulkhead.shared(name).exec(() => void Atomics.store(log, Atomics.add(log, 0, 1) + 1, number)));
    };
    for (let number = 1; number <= 20; number += 1) {
      if (number % 4 === 0) own.push(shared.exec(() => void Atomics.store(log, Atomics.add(log, 0, 1) + 1, number)));
      else await threads[number % 4 - 1]?.run(queueThere, { name, log, number });
    }
    assert.deepEqual([shared.stats().active, shared.stats().queued], [1, 20]);
    permit.release();
    await Promise.all(own);
    await Promise.all(threads.map((thread) => thread.run(({ get }) => Promise.all(get<unknown[]>('calls')).then(() => undefined))));
    assert.deepEqual([...log.subarray(0, 21)], [20, ...Array.from({ length: 20 }, (_, index) => index + 1)]);
    assert.deepEqual([...counters(shared.stats()), shared.stats().peakActive], [0, 0, 0, 1]);
  }));

  it('wakes whose turn it is, once, without polling, and nobody else', withThreads(3, async (first, second, idle) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    const permit = shared.tryAcquire();
    for (const thread of [first, second, idle]) await thread.run(countWakes);
    await idle.run(({ Bulkhead }, name) => void Bulkhead.shared(name), name);
    await first.run(hold, { name, key: 'first' });
    await second.run(call, { name, key: 'second' });
    for (const thread of [first, second]) {
      assert.deepEqual(await thread.run(() => process.getActiveResourcesInfo().filter((type) => type === 'Timeout')), []);
    }
    permit?.release();
    while (!await first.run(({ kept }) => 'end first' in kept)) await turn();
    const wakes = (): Promise<number[]> => Promise.all([first, second, idle].map((thread) => thread.run(({ get }) => get<number>('wakes'))));
    assert.deepEqual(await wakes(), [1, 0, 0]);
    await first.run(end, 'first');
    assert.equal(await first.run(ends, 'first'), 'first');
    assert.equal(await second.run(ends, 'second'), 'second');
    assert.deepEqual(await wakes(), [1, 1, 0]);
  }));

  it('tells a thread of many grants by one wake, in order', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 1000, maxQueue: 1000, timeoutMs: Infinity });
    const permit = await shared.acquire({ weight: 1000 });
    await thread.run(countWakes);
    const order = thread.run(async ({ Bulkhead }, name) => {
      const order: number[] = [];
      await Promise.all(Array.from({ length: 1000 }, (_, number) => Bulkhead.shared(name).exec(() => void order.push(number))));
      return order;
    }, name);
    while (shared.stats().queued < 1000) await turn();
    permit.release();
    assert.deepEqual(await order, Array.from({ length: 1000 }, (_, number) => number));
    assert.equal(await thread.run(({ get }) => get<number>('wakes')), 1);
  }));

  it('shows the same books in every thread', withThreads(2, async (one, other) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    await one.run(hold, { name, key: 'held' });
    await other.run(call, { name, key: 'waits' });
    const books = ({ Bulkhead }: Scope, name: string): unknown => Bulkhead.shared(name).stats();
    assert.deepEqual(counters(shared.stats()), [1, 1, 1]);
    assert.deepEqual(await one.run(books, name), shared.stats());
    assert.deepEqual(await other.run(books, name), shared.stats());
    await one.run(end, 'held');
    assert.equal(await other.run(ends, 'waits'), 'waits');
  }));

  it('closed in one thread turns away the waiters of all, and each hears when the last permit is back', withThreads(2, async (one, other) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    await one.run(hold, { name, key: 'held' });
    await one.run(call, { name, key: 'waits' });
    const waiting = outcome(shared.exec(() => 1));
    await other.run(({ Bulkhead, kept }, name) => {
      kept['closed'] = Bulkhead.shared(name).close();
    }, name);
    assert.equal(await one.run(ends, 'waits'), 'closed');
    assert.equal(await waiting, 'closed');
    const own = shared.close();
    assert.equal(await outcome(shared.exec(() => 1)), 'closed');
    await one.run(call, { name, key: 'late' });
    assert.equal(await one.run(ends, 'late'), 'closed');
    assert.equal(shared.stats().active, 1);
    await one.run(end, 'held');
    await own;
    await other.run(ends, 'closed');
    assert.deepEqual([shared.stats().state, ...counters(shared.stats())], ['closed', 0, 0, 0]);
  }));

  it('closed with abort aborts the signals of what runs in all threads, and the work answers', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { ...ENDLESS, maxConcurrent: 2 });
    await thread.run(hold, { name, key: 'held' });
    const own = outcome(shared.exec(({ signal }) => new Promise((_, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    })));
    const closed = shared.close({ abort: true });
    assert.equal(await own, 'closed');
    await thread.run(async ({ kept, turn }) => {
      while (kept['aborted held'] !== true) await turn();
    });
    assert.deepEqual([shared.stats().overrun, shared.stats().active], [0, 1]);
    await thread.run(end, 'held');
    assert.equal(await thread.run(ends, 'held'), 'held');
    await closed;
    const { completed, failed } = shared.stats();
    assert.deepEqual([completed, failed], [1, 1]);
  }));

  it('drained in one thread serves the waiters of all', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    const permit = shared.tryAcquire();
    await thread.run(call, { name, key: 'waits' });
    const drained = shared.drain();
    await thread.run(call, { name, key: 'late' });
    permit?.release();
    assert.equal(await thread.run(ends, 'waits'), 'waits');
    assert.equal(await thread.run(ends, 'late'), 'closed');
    await drained;
    assert.equal(shared.stats().state, 'closed');
  }));

  it('resized in one thread grants or ends waiters of others', withThreads(2, async (one, other) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { ...ENDLESS, maxConcurrent: 3 });
    const permit = await shared.acquire({ weight: 3 });
    await one.run(call, { name, key: 'light' });
    await other.run(call, { name, key: 'heavy', weight: 3 });
    shared.resize(2);
    assert.equal(await other.run(ends, 'heavy'), 'too_heavy');
    assert.deepEqual(counters(shared.stats()), [3, 1, 1]);
    await other.run(({ Bulkhead }, name) => Bulkhead.shared(name).resize(4), name);
    assert.equal(await one.run(ends, 'light'), 'light');
    permit.release();
    assert.equal(shared.stats().limit, 4);
  }));

  it('is idle when all threads are', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    await thread.run(hold, { name, key: 'held' });
    let isIdle = false;
    const idle = shared.idle().then(() => (isIdle = true));
    await thread.run(() => undefined);
    assert.equal(isIdle, false);
    await thread.run(end, 'held');
    await idle;
  }));

  it('tells a map in one thread of the room that another makes', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { maxConcurrent: 2 });
    const permits = [shared.tryAcquire(), shared.tryAcquire()];
    const mapped = thread.run(({ Bulkhead, kept }, name) => {
      return Bulkhead.shared(name).map([1, 2, 3, 4], (item) => { kept['started'] = true; return item * 2; });
    }, name);
    assert.equal(await thread.run(({ kept }) => 'started' in kept), false);
    for (const permit of permits) permit?.release();
    assert.deepEqual(await mapped, [2, 4, 6, 8]);
    assert.equal(shared.stats().rejected.full, 0);
  }));

  it('passes the grant of a waiter on that is cancelled before it hears of it', withThreads(2, async (busy, next) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    const permit = shared.tryAcquire();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const cancelled = busy.run(async ({ Bulkhead, outcome }, { name, flag }) => {
      const controller = new AbortController();
      const waiting = outcome(Bulkhead.shared(name).exec(() => 'ran', { signal: controller.signal }));
      // It sees nothing until it has been granted.
      Atomics.wait(flag, 0, 0);
      controller.abort('gave up');
      return waiting;
    }, { name, flag });
    while (shared.stats().queued < 1) await turn();
    await next.run(call, { name, key: 'next' });
    permit?.release();
    assert.deepEqual(counters(shared.stats()), [1, 1, 1]);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    assert.equal(await cancelled, 'gave up');
    assert.equal(await next.run(ends, 'next'), 'next');
    assert.deepEqual([shared.stats().unclaimed, shared.stats().completed], [1, 2]);
  }));

  it('goes on with those of other threads when a signal ends the wait at the head', withThreads(2, async (head, next) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { ...ENDLESS, maxConcurrent: 2 });
    const permit = shared.tryAcquire();
    await head.run(({ Bulkhead, kept, outcome }, name) => {
      const controller = kept['controller'] = new AbortController();
      kept['heavy'] = outcome(Bulkhead.shared(name).exec(() => 'ran', { weight: 2, signal: controller.signal }));
    }, name);
    await next.run(call, { name, key: 'light' });
    assert.deepEqual(counters(shared.stats()), [1, 2, 1]);
    await head.run(({ get }) => get<AbortController>('controller').abort('gave up'));
    assert.equal(await next.run(ends, 'light'), 'light');
    assert.equal(await head.run(ends, 'heavy'), 'gave up');
    permit?.release();
  }));

  it('runs work in the context of its caller, whichever thread released', withThreads(1, async (thread) => {
    const name = freshName();
    const contexts = new AsyncLocalStorage<string>();
    const shared = contexts.run('opener', () => Bulkhead.shared(name, ENDLESS));
    await thread.run(hold, { name, key: 'held' });
    const seen = contexts.run('caller', () => shared.exec(() => contexts.getStore()));
    await thread.run(end, 'held');
    assert.equal(await seen, 'caller');
  }));

  it('does not keep the context in which it was opened', async () => {
    const contexts = new AsyncLocalStorage<object>();
    const store = new WeakRef({ of: 'a request' });
    contexts.run(store.deref() ?? {}, () => Bulkhead.shared(freshName(), ENDLESS));
    await turn();
    collectGarbage();
    assert.equal(store.deref(), undefined);
  });

  it('loses no call though nobody holds the object', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    const permit = shared.tryAcquire();
    await thread.run(({ Bulkhead, kept }, name) => void Bulkhead.shared(name).exec(() => (kept['ran'] = true)), name);
    const collect = async ({ turn }: Scope): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        globalThis.gc?.();
        await turn();
      }
    };
    await thread.run(collect);
    permit?.release();
    while (shared.stats().completed < 2) await turn();
    assert.equal(await thread.run(({ kept }) => kept['ran'] as boolean), true);
  }));

  it('counts a permit that is dropped in any thread as leaked', withThreads(1, async (thread) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, ENDLESS);
    await thread.run(({ Bulkhead }, name) => void Bulkhead.shared(name).tryAcquire(), name);
    const waiting = shared.exec(() => 'served');
    while (shared.stats().leaked === 0) await thread.run(({ turn }) => { globalThis.gc?.(); return turn(); });
    assert.equal(await waiting, 'served');
  }));
});
