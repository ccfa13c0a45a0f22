// What only the native engine has: workers, further owners of one core, methods that outlive their object, wrong types.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { addonPath } from '../conformance/lib/engines.mjs';
import { call, collect, creators, events, queue, random, stats } from './engines.mjs';

const create = creators.get('native');

test('the addon loads in workers, and the end of one is nothing to the others', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { createEngine } = require(workerData);
    const engines = Array.from({ length: 100 }, () => createEngine(1, 10));
    for (const { mailbox, exchange } of [...engines, ...engines]) { mailbox.set([3, 0, 1, Infinity, Infinity, 1]); exchange(); }
    parentPort.postMessage(engines[99].stats()[5]);
    setInterval(() => engines.forEach((engine) => engine.stats()), 1);
  `;
  const engine = create(1, 10);
  const holds = call(engine, 0);
  const waits = queue(engine, 0);
  const workers = Array.from({ length: 4 }, () => new Worker(source, { eval: true, workerData: addonPath }));
  const answers = await Promise.all(workers.map(firstMessage));
  assert.deepEqual(answers, [1, 1, 1, 1]);
  await Promise.all(workers.map((worker) => worker.terminate()));
  engine.finish(1, holds, 0);
  assert.deepEqual(events(engine), [['granted', waits, 0]]);
});

test('the bound method and the mailbox work when their object is gone', async () => {
  const { exchange, mailbox } = create(1, 10).raw;
  await collect();
  mailbox.set([3, 0, 1, Infinity, Infinity, 1]);
  exchange();
  const [id] = mailbox;
  assert.ok(id >= 2 ** 32);
  await collect();
  mailbox.set([6, 1, id, 0]);
  exchange();
  assert.equal(mailbox[0], 1);
});

test('the mailbox outlives its engine and its method', async () => {
  const { mailbox } = create(1, 10).raw;
  await collect();
  mailbox.fill(7);
  assert.equal(mailbox.at(-1), 7);
});

test('a method takes no object but an engine', () => {
  const engine = create(1).raw;
  for (const other of [{}, undefined, Object.create(Object.getPrototypeOf(engine)), new Proxy(engine, {}), new Date()]) {
    for (const name of ['abort', 'throwFault', 'stats', 'attach', 'takeWakes', 'owner']) {
      assert.throws(() => engine[name].call(other, 0, 0), TypeError, name);
    }
  }
  const hollow = new engine.constructor();
  assert.throws(() => hollow.stats(), { name: 'TypeError', message: /createEngine/ });
});

test('a value of the wrong type is a TypeError that names the argument, and counts nothing', () => {
  const engine = create(1, 1);
  const before = engine.stats();
  for (const bad of [undefined, null, '1', 1n, {}, Symbol('x'), () => 1, { valueOf: () => assert.fail('ran user code') }]) {
    assert.throws(() => create(bad), { name: 'TypeError', message: 'argument 1 must be a number' });
    if (bad !== undefined) assert.throws(() => create(1, bad), { name: 'TypeError', message: 'argument 2 must be a number' });
    assert.throws(() => engine.abort(0, bad), { name: 'TypeError', message: 'argument 2 must be a Float64Array' });
  }
  for (const list of [[1], new Float32Array(1), new DataView(new ArrayBuffer(8)), new BigInt64Array(1)]) {
    assert.throws(() => engine.abort(0, list), TypeError);
  }
  const { buffer } = Float64Array.of(1, 2);
  const detached = new Float64Array(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  engine.abort(0, detached);
  assert.deepEqual(engine.stats(), before);
});

test('whatever lies in the mailbox does no harm', () => {
  const { mailbox, exchange, stats } = create(2, 2).raw;
  const next = random(7);
  const odd = [NaN, Infinity, -Infinity, -1, 0.5, 1e300, 2 ** 31, 2 ** 53, ...Array.from({ length: 20 }, (_, code) => code)];
  for (let round = 0; round < 20_000; round += 1) {
    for (let place = 0; place < mailbox.length; place += 1) mailbox[place] = odd[Math.floor(next() * odd.length)];
    exchange();
  }
  assert.equal(typeof stats, 'function');
});

test('a further owner shares the permits and keeps its own events and timers', () => {
  const one = create(1, 5, 50);
  const two = one.attach();
  assert.notEqual(one.owner(), two.owner());
  const holds = call(one, 0);
  const waits = queue(two, 10);
  assert.deepEqual([one.queued(), one.nextTimer(), two.nextTimer()], [1, Infinity, 60]);
  one.finish(20, holds, 0);
  assert.deepEqual([...one.takeWakes()], [two.owner()]);
  assert.deepEqual([...one.takeWakes()], []);
  two.show();
  assert.deepEqual([events(one), events(two)], [[], [['granted', waits, 0]]]);
  two.start(waits);
  const next = queue(one, 30);
  two.evict(40);
  one.show();
  assert.deepEqual(events(one), [['granted', next, 0]]);
  assert.equal(stats(one).abandonedRuns, 1);
  assert.equal(two.nextTimer(), Infinity);
});

test('an owner whose handle is collected holds nothing of a core that others use', async () => {
  const engine = create(1, 5);
  (() => {
    const dropped = engine.attach();
    call(dropped, 0);
    queue(dropped, 0);
  })();
  assert.deepEqual([engine.active(), engine.queued()], [1, 1]);
  await collect();
  assert.deepEqual([engine.active(), engine.queued()], [0, 0]);
  assert.equal(stats(engine).abandonedRuns, 1);
  assert.equal(stats(engine).cancelled, 1);
});

function firstMessage(worker) {
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}
