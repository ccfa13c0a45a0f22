// What only the native engine has: workers, methods that outlive their object, wrong types. Its shared cores: shared.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { addonPath } from '../conformance/lib/engines.mjs';
import { call, collect, creators, events, queue, random } from './engines.mjs';

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
    for (const name of ['abort', 'throwFault', 'stats']) {
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

function firstMessage(worker) {
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}
