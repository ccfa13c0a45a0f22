// Threads that end with permits and places in the queue, in every way; and that a shared bulkhead
// keeps nothing alive.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type * as threads from 'node:worker_threads';
import { Bulkhead } from 'bulkheads';
import { outcome, runScript, turn } from './support.js';
import { freshName, keepAlive, type Scope, Thread, withThreads } from './threads.js';

keepAlive();

const isNative = process.env['BULKHEADS_ENGINE'] === 'native';
const ENDLESS = { maxConcurrent: 3, maxQueue: 100, timeoutMs: Infinity };

interface Parameter {
  readonly name: string;
  /** 1 when the thread is where it is to be ended. */
  readonly flag: Int32Array;
}

type Ending = readonly [way: string, last: (scope: Scope, parameter: Parameter) => unknown, end?: (thread: Thread) => unknown];

const terminate = (thread: Thread): Promise<number> => thread.worker.terminate();

/** What the thread does last, and what is done to it. */
const endings: Ending[] = [
  ['ends by itself', ({ letEnd }) => letEnd()],
  ['calls process.exit', () => process.exit(3)],
  ['has an uncaught exception', () => void setImmediate(() => { throw new Error('uncaught'); })],
  ['has an unhandled rejection', () => void Promise.reject(new Error('unhandled'))],
  ['is terminated while it is idle', () => undefined, terminate],
  ['is terminated in an endless loop', (_, { flag }) => { Atomics.store(flag, 0, 1); for (;;); }, terminate],
  ['is terminated while it is blocked', (_, { flag }) => { Atomics.store(flag, 0, 1); Atomics.wait(flag, 0, 1); }, terminate],
  ['is terminated in the midst of calls', ({ Bulkhead }, { name, flag }) => {
    const shared = Bulkhead.shared(name);
    Atomics.store(flag, 0, 1);
    for (;;) {
      void shared.exec(() => undefined).catch(() => undefined);
      shared.tryAcquire()?.release();
      shared.resize(3);
    }
  }, terminate],
  ['is terminated as it opens shared bulkheads', ({ Bulkhead }, { name, flag }) => {
    Atomics.store(flag, 0, 1);
    for (let number = 0; ; number += 1) Bulkhead.shared(`${name} ${number}`, { maxConcurrent: 1 });
  }, terminate],
  ['runs out of memory', (_, { flag }) => {
    Atomics.store(flag, 0, 1);
    const all: unknown[] = [];
    for (;;) all.push(new Array(100_000).fill(all.length));
  }],
];

describe('a thread of a shared bulkhead', { skip: !isNative && 'only the native engine shares' }, () => {
  for (const [way, last, end] of endings) {
    it(`gives back what it held and leaves the queue when it ${way}`, async () => {
      const name = freshName();
      const flag = new Int32Array(new SharedArrayBuffer(4));
      const shared = Bulkhead.shared(name, ENDLESS);
      const thread = new Thread(way === 'runs out of memory' ? { resourceLimits: { maxOldGenerationSizeMb: 16 } } : {});
      // That of a waiter under a time-out would have to wait for it, if it were to come by itself.
      const timeouts = [undefined, undefined, way === 'ends by itself' ? undefined : 60_000];
      await thread.run(({ Bulkhead, kept }, { name, timeouts }) => {
        const shared = Bulkhead.shared(name);
        kept['permit'] = shared.tryAcquire(2);
        void shared.exec(() => new Promise(() => undefined));
        for (const timeoutMs of timeouts) void shared.exec(() => 1, { timeoutMs, weight: 2 }).catch(() => undefined);
      }, { name, timeouts });
      const own = shared.exec(() => 'served', { weight: 3 });
      assert.deepEqual([shared.stats().active, shared.stats().queued], [3, 4]);
      void thread.run(last, { name, flag }).catch(() => undefined);
      if (end !== undefined && last.length > 1) while (Atomics.load(flag, 0) === 0) await turn();
      void end?.(thread);
      assert.equal(await own, 'served');
      await thread.ended;
      await shared.idle();
      const { admitted, completed, failed, abandonedRuns, unclaimed, rejected, running, queued } = shared.stats();
      assert.equal(admitted, completed + failed + abandonedRuns + unclaimed);
      assert.ok(abandonedRuns >= 2, `abandonedRuns ${abandonedRuns}`);
      // The loop that calls without end may have been granted what the others waited for.
      assert.ok(rejected.cancelled >= 3, `cancelled ${rejected.cancelled}`);
      assert.deepEqual([running, queued], [0, 0]);
    });
  }

  it('is not heard of any more when it has ended', withThreads(1, async (other) => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { ...ENDLESS, maxConcurrent: 1 });
    const permit = shared.tryAcquire();
    const thread = new Thread();
    await thread.run(({ Bulkhead }, name) => void Bulkhead.shared(name).exec(() => 1).catch(() => undefined), name);
    await other.run(({ Bulkhead, kept }, name) => void (kept['answer'] = Bulkhead.shared(name).exec(() => 'served')), name);
    await thread.end();
    permit?.release();
    assert.equal(await other.run(({ kept }) => kept['answer'] as string), 'served');
    assert.equal(shared.stats().rejected.cancelled, 1);
  }));

  it('that was started by another thread is one as well', async () => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { ...ENDLESS, maxConcurrent: 1 });
    const thread = new Thread();
    await thread.run(({ require, kept }, name) => {
      const { Worker } = require('node:worker_threads') as typeof threads;
      const source = `
        const { Bulkhead } = require('bulkheads');
        globalThis.permit = Bulkhead.shared(${JSON.stringify(name)}).tryAcquire();
        require('node:worker_threads').parentPort.postMessage(0);
        setInterval(() => {}, 1000);
      `;
      const inner = kept['inner'] = new Worker(source, { eval: true, execArgv: [] });
      return new Promise<void>((resolve) => inner.once('message', () => resolve()));
    }, name);
    const own = shared.exec(() => 'served');
    assert.equal(shared.stats().queued, 1);
    await thread.end();
    assert.equal(await own, 'served');
  });

  it('leaves the name free when it was the last that had it', async () => {
    const name = freshName();
    for (const maxConcurrent of [1, 2]) {
      const thread = new Thread();
      const found = await thread.run(({ Bulkhead }, { name, maxConcurrent }) => {
        const shared = Bulkhead.shared(name, { maxConcurrent });
        shared.tryAcquire();
        void shared.close();
        return shared.stats().admitted;
      }, { name, maxConcurrent });
      assert.equal(found, 1);
      await thread.end();
    }
    assert.throws(() => Bulkhead.shared(name), /nobody shares/);
  });

  it('gives way to the next of its name, again and again', async () => {
    const name = freshName();
    const shared = Bulkhead.shared(name, { ...ENDLESS, maxConcurrent: 1 });
    for (let round = 1; round <= 20; round += 1) {
      const thread = new Thread();
      const served = thread.run(({ Bulkhead }, name) => Bulkhead.shared(name).acquire().then(() => undefined), name);
      await served;
      const own = outcome(shared.exec(() => round));
      await thread.end();
      assert.equal(await own, round);
    }
    assert.equal(shared.stats().abandonedRuns, 20);
  });
});

describe('a shared bulkhead', { skip: !isNative && 'only the native engine shares' }, () => {
  const script = (main: string, worker: string): string => `
    import { Worker } from 'node:worker_threads';
    import { Bulkhead } from 'bulkheads';
    const shared = Bulkhead.shared('it', { maxConcurrent: 1, maxQueue: 10, timeoutMs: Infinity });
    const worker = new Worker(${JSON.stringify(`
      const { parentPort } = require('node:worker_threads');
      const { Bulkhead } = require('bulkheads');
      const shared = Bulkhead.shared('it');
      ${worker}
    `)}, { eval: true, execArgv: [] });
    worker.on('exit', (code) => console.log('worker', code));
    process.on('exit', (code) => console.log('main', code));
    ${main}
  `;

  it('that is idle keeps neither its process nor its worker alive', async () => {
    const { code, stdout, stderr } = await runScript(script('', ''));
    assert.deepEqual([code, stdout, stderr], [0, 'worker 0\nmain 0', '']);
  });

  it('keeps nothing alive for waiters without a bound', async () => {
    const wait = "globalThis.permit ??= shared.tryAcquire(); shared.exec(() => 1).then(() => console.log('served'), () => console.log('never'));";
    const { code, stdout } = await runScript(script(wait, wait));
    assert.deepEqual([code, stdout], [0, 'worker 0\nmain 0']);
  });

  it('keeps a worker for a waiter under a time-out until that is answered, and no longer', async () => {
    const main = `
      const permit = globalThis.permit = shared.tryAcquire();
      worker.once('message', () => setImmediate(() => permit.release()));
    `;
    const worker = `
      shared.exec(() => 'served', { timeoutMs: 50_000 }).then(console.log);
      parentPort.postMessage('waits');
    `;
    const { code, stdout } = await runScript(script(main, worker));
    assert.deepEqual([code, stdout], [0, 'served\nworker 0\nmain 0']);
  });

  it('keeps a worker for a waiter under a time-out until that has come', async () => {
    const { stdout } = await runScript(script('globalThis.permit = shared.tryAcquire();', "shared.exec(() => 1, { timeoutMs: 30 }).catch((error) => console.log(error.code));"));
    assert.equal(stdout, 'queue_timeout\nworker 0\nmain 0');
  });

  it('keeps a worker for what it awaits and another thread brings: capacity for a map, an idle moment', async () => {
    const main = `
      const permit = globalThis.permit = shared.tryAcquire();
      // The worker has nothing else to do by then.
      worker.once('message', () => setTimeout(() => permit.release(), 20));
    `;
    const awaited: Record<string, string> = {
      'mapped 2,4': "shared.map([1, 2], (item) => item * 2).then((all) => console.log(`mapped ${all}`));",
      'idle': "shared.idle().then(() => console.log('idle'));",
    };
    for (const [said, wait] of Object.entries(awaited)) {
      const { code, stdout } = await runScript(script(main, `${wait} parentPort.postMessage('waits');`));
      assert.deepEqual([code, stdout], [0, `${said}\nworker 0\nmain 0`]);
    }
  });

  it('keeps a worker no longer for a map that was left', async () => {
    const worker = `
      const leaving = new AbortController();
      shared.map([1, 2], () => 1, { signal: leaving.signal }).catch(() => console.log('left'));
      setImmediate(() => leaving.abort());
    `;
    const { code, stdout } = await runScript(script('globalThis.permit = shared.tryAcquire();', worker));
    assert.deepEqual([code, stdout], [0, 'left\nworker 0\nmain 0']);
  });

  it('is heard of by an event loop that has just run out of all else, in the process and in a worker', async () => {
    const handler = `
      process.once('beforeExit', () => {
        // Now the other thread may release; and it has when this goes on.
        Atomics.store(flag, 0, 1);
        Atomics.notify(flag, 0);
        Atomics.wait(flag, 0, 1);
      });
    `;
    const wait = "shared.exec(() => console.log('served'));";
    const release = 'permit.release(); Atomics.store(flag, 0, 2); Atomics.notify(flag, 0);';
    const script = (first: string, main: string, worker: string): string => `
      import { once } from 'node:events';
      import { Worker } from 'node:worker_threads';
      import { Bulkhead } from 'bulkheads';
      const flag = new Int32Array(new SharedArrayBuffer(4));
      ${first}
      const shared = Bulkhead.shared('it', { maxConcurrent: 1, maxQueue: 10, timeoutMs: Infinity });
      const worker = new Worker(${JSON.stringify(`
        const { parentPort, workerData: flag } = require('node:worker_threads');
        const { Bulkhead } = require('bulkheads');
        ${worker}
      `)}, { eval: true, execArgv: [], workerData: flag });
      ${main}
    `;
    const inMain = script(
      handler,
      `await once(worker, 'message'); worker.unref(); ${wait}`,
      `const permit = Bulkhead.shared('it').tryAcquire(); parentPort.postMessage(0); Atomics.wait(flag, 0, 0); ${release}`,
    );
    const inWorker = script(
      '',
      `const permit = shared.tryAcquire(); worker.postMessage(0); await Atomics.waitAsync(flag, 0, 0).value; ${release}`,
      `parentPort.once('message', () => { ${handler} const shared = Bulkhead.shared('it'); ${wait} });`,
    );
    for (const source of [inMain, inWorker]) {
      const { code, stdout, stderr } = await runScript(source);
      assert.deepEqual([code, stdout, stderr], [0, 'served', '']);
    }
  });

  it('does not keep a process from ending in the midst of calls in several threads', async () => {
    const busy = 'const again = () => shared.exec(() => 1, { timeoutMs: 50_000 }).catch(() => 0).finally(() => setImmediate(again)); for (let n = 0; n < 5; n += 1) again();';
    const { code, stdout, stderr } = await runScript(script(`${busy} worker.once('online', () => setTimeout(() => process.exit(7), 50));`, busy));
    assert.deepEqual([code, stdout, stderr], [7, 'main 7', '']);
  });

  it('reports what a wake throws as uncaught, and goes on', async () => {
    const main = `
      process.on('uncaughtException', (error) => console.log('uncaught', error.message));
      AbortController.prototype.abort = () => { throw new Error('from somebody else'); };
      shared.exec(({ signal }) => new Promise(() => signal)).catch(() => 0);
      shared.exec(() => 1).catch((error) => console.log(error.code));
      worker.postMessage('go on');
    `;
    const worker = "parentPort.once('message', () => shared.close({ abort: true }));";
    const { stdout } = await runScript(script(main, worker));
    assert.deepEqual(stdout.split('\n').slice(0, -1).sort(), ['closed', 'uncaught from somebody else', 'worker 0']);
  });
});
