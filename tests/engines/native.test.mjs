// What only the native engine has: workers, handles, wrong types. Its shared cores:
// shared.test.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { addonPath, loadAddon, tables } from '../conformance/lib/engines.mjs';
import { call, creators, events, queue, random } from './engines.mjs';

const create = creators.get('native');
const { addon } = loadAddon();
const { Input, MAILBOX_LENGTH, Place, VERSION } = tables;

test('the addon loads in workers, and the end of one is nothing to the others', async () => {
  const source = `
    const { parentPort, workerData: [path, { Place, Input }] } = require('node:worker_threads');
    const addon = require(path);
    const { mailbox } = addon;
    const handles = Array.from({ length: 100 }, () => addon.open(1, 10));
    for (const handle of [...handles, ...handles]) {
      mailbox[Place.engine] = handle;
      mailbox[Place.code] = Input.acquire;
      mailbox.set([1, Infinity, Infinity, 1, Infinity], Place.arguments);
      addon.exchange();
    }
    parentPort.postMessage(addon.stats()[5]);
    setInterval(() => handles.forEach((handle) => { mailbox[Place.engine] = handle; addon.stats(); }), 1);
  `;
  const engine = create(1, 10);
  const holds = call(engine, 0);
  const waits = queue(engine, 0);
  const workerData = [addonPath, { Place, Input }];
  const workers = Array.from({ length: 4 }, () => new Worker(source, { eval: true, workerData }));
  const answers = await Promise.all(workers.map(firstMessage));
  assert.deepEqual(answers, [1, 1, 1, 1]);
  await Promise.all(workers.map((worker) => worker.terminate()));
  engine.finish(1, holds, 0);
  assert.deepEqual(events(engine), [['granted', waits, 0]]);
});

test('the mailbox says its version and length, which the package compares', () => {
  assert.deepEqual([addon.mailbox.length, addon.mailbox[Place.version]], [MAILBOX_LENGTH, VERSION]);
});

test('a handle that names no engine does nothing, whatever it is', () => {
  const { mailbox } = addon;
  const gone = addon.open(1);
  addon.drop(gone);
  addon.drop(gone);
  for (const handle of [0, gone, -1, 0.5, NaN, Infinity, 2 ** 32, 1e300]) {
    mailbox[Place.engine] = handle;
    for (const exchange of [() => addon.exchange(), () => addon.exchangeHolding(new Float64Array(2))]) {
      mailbox[Place.code] = Input.close;
      exchange();
      assert.ok(Number.isNaN(mailbox[Place.code]), 'the answer is not that of another engine');
      assert.deepEqual([mailbox[Place.count], mailbox[Place.free]], [0, -1]);
    }
    addon.exchangeHolding(new Float64Array(2));
    addon.abort(new Float64Array(2));
    assert.equal(addon.fault(), 0);
    assert.equal(addon.stats(), undefined);
    addon.keepAlive(handle, 1);
  }
});

test('a value of the wrong type is a TypeError that names the argument, and counts nothing', () => {
  const engine = create(1, 1);
  const before = engine.stats();
  for (const bad of [undefined, null, '1', 1n, {}, Symbol('x'), () => 1, { valueOf: () => assert.fail('ran user code') }]) {
    assert.throws(() => create(bad), { name: 'TypeError', message: 'argument 1 must be a number' });
    if (bad !== undefined) assert.throws(() => create(1, bad), { name: 'TypeError', message: 'argument 2 must be a number' });
    assert.throws(() => engine.abort(0, bad), { name: 'TypeError', message: 'argument 1 must be a Float64Array' });
    assert.throws(() => addon.drop(bad), TypeError);
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
  const handle = addon.open(2, 2);
  const { mailbox } = addon;
  const next = random(7);
  const odd = [NaN, Infinity, -Infinity, -1, 0.5, 1e300, 2 ** 31, 2 ** 53, ...Array.from({ length: 24 }, (_, code) => code)];
  for (let round = 0; round < 20_000; round += 1) {
    for (let place = 0; place < mailbox.length; place += 1) mailbox[place] = odd[Math.floor(next() * odd.length)];
    mailbox[Place.engine] = handle;
    addon.exchange();
  }
  assert.ok(addon.stats().length > 0);
  addon.drop(handle);
  mailbox[Place.version] = VERSION;
});

function firstMessage(worker) {
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}
