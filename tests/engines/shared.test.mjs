// The shared cores of the native engine: names and settings, several owners, wakes, and what is
// each handle's own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { addonPath, loadAddon, openShared, tables } from '../conformance/lib/engines.mjs';
import { call, COMPLETED, events, queue, stats } from './engines.mjs';

const { addon } = loadAddon();
const { Input, Place } = tables;
const SETTINGS = [1, 5, 50, Infinity, Infinity, 0];

let names = 0;

/** Handles of a new core, and how often each was woken. */
function open(count, settings = SETTINGS) {
  const name = `core ${++names}`;
  const wakes = Array.from({ length: count }, () => 0);
  const handles = wakes.map((_, index) => openShared(name, () => (wakes[index] += 1), settings));
  return { name, wakes, handles };
}

/**
 * Until every wake that was sent has come: the second turn has the host look at all there was
 * before the first.
 */
async function turn() {
  for (let count = 0; count < 2; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('settings are the options in effect, and bad ones throw as those of an engine', () => {
  assert.deepEqual([...addon.settings(3)], [3, 0, 1000, Infinity, Infinity]);
  assert.deepEqual([...addon.settings(3, 4, undefined, 20, 0.5)], [3, 4, 20, 20, 0.5]);
  assert.equal(addon.settings(0), undefined);
  assert.deepEqual([addon.fault(), addon.mailbox[Place.code]], [1 + tables.ARGUMENTS.indexOf('maxConcurrent') + tables.ARGUMENTS.length * 4, 0]);
  assert.throws(() => addon.settings('3'), { name: 'TypeError', message: 'argument 1 must be a number' });
});

test('a core is made by the first with settings, joined by those without or with the same, and by no others', () => {
  const { name, handles: [one] } = open(1);
  assert.equal(openShared('nobody', () => 0), undefined);
  const two = openShared(name, () => 0);
  const three = openShared(name, () => 0, SETTINGS);
  call(one, 0);
  queue(two, 0);
  queue(three, 0);
  assert.deepEqual([one.active(), two.queued(), three.queued()], [1, 2, 2]);
  for (let place = 0; place < SETTINGS.length; place += 1) {
    assert.deepEqual([...openShared(name, () => 0, SETTINGS.with(place, 7))], SETTINGS, `place ${place}`);
  }
  assert.deepEqual([...one.settings], SETTINGS);
});

test('bad arguments are named, and nothing is made', () => {
  const wake = () => 0;
  const settings = Float64Array.from(SETTINGS);
  const open = (...parameters) => () => addon.openShared(...parameters);
  assert.throws(open(1, wake, 0, settings), { name: 'TypeError', message: 'argument 1 must be a string' });
  assert.throws(open('bad', {}, 0, settings), { name: 'TypeError', message: 'argument 2 must be a function' });
  assert.throws(open('bad', wake, '0', settings), { name: 'TypeError', message: 'argument 3 must be a number' });
  assert.throws(open('bad', wake, 0, [...settings]), { name: 'TypeError', message: 'argument 4 must be a Float64Array' });
  assert.throws(open('bad', wake, 0, settings.subarray(1)), { name: 'TypeError', message: 'argument 4 must be 6 numbers' });
  assert.throws(open('bad', wake, 0, settings.map(() => -1)), { name: 'RangeError', message: /^maxConcurrent must be/ });
  assert.equal(addon.openShared('bad', wake, 0), undefined);
});

test('owners share the permits, and each has its own events and timers', async () => {
  const { wakes, handles: [one, two] } = open(2);
  const holds = call(one, 0);
  const waits = queue(two, 10);
  assert.deepEqual([one.queued(), one.nextTimer(), two.nextTimer()], [1, Infinity, 60]);
  one.finish(20, holds, COMPLETED);
  assert.deepEqual(wakes, [0, 0], 'in a turn of its own');
  await turn();
  assert.deepEqual(wakes, [0, 1]);
  two.show();
  assert.deepEqual([events(one), events(two)], [[], [['granted', waits, 0]]]);
  two.start(20, waits);
  const next = queue(one, 30);
  two.evict(40);
  await turn();
  assert.deepEqual(wakes, [1, 1]);
  one.show();
  assert.deepEqual(events(one), [['granted', next, 0]]);
  assert.deepEqual([stats(one).abandonedRuns, two.nextTimer()], [1, Infinity]);
});

test('wakes that are still on their way are one, and the next is another', async () => {
  const { wakes, handles: [one, two] } = open(2, [4, 100, Infinity, Infinity, Infinity, 0]);
  const held = Array.from({ length: 4 }, () => call(one, 0));
  for (let number = 0; number < 8; number += 1) queue(two, 0);
  for (const id of held) one.finish(1, id, COMPLETED);
  await turn();
  assert.deepEqual(wakes, [0, 1]);
  // Without a look at the events: there are more all the same.
  one.resize(2, 6);
  await turn();
  assert.deepEqual(wakes, [0, 2]);
  two.show();
  assert.equal(events(two).length, 6);
});

test('a wake comes for every kind of outcome, and for nothing else', async () => {
  const outcomes = [
    ['queue_timeout', (one) => one.handleTimeout(60)],
    ['closed', (one) => one.close(10, false)],
    ['too_heavy', (one) => one.resize(10, 1)],
    ['granted', (one, id) => one.finish(10, id, COMPLETED)],
    ['granted', (one) => one.evict(10)],
  ];
  for (const [kind, input] of outcomes) {
    const { wakes, handles: [one, two] } = open(2, [2, 5, 50, Infinity, Infinity, 0]);
    const id = call(one, 0, { weight: 2 });
    queue(two, 0, { weight: 2 });
    one.stats();
    one.figures();
    one.watchIdle(0);
    one.abort(0, Float64Array.of(7));
    await turn();
    assert.deepEqual(wakes, [0, 0]);
    input(one, id);
    await turn();
    assert.equal(wakes[1], 1, kind);
    two.show();
    assert.equal(events(two)[0][0], kind);
  }
});

test('an abort wakes those whom it lets go on', async () => {
  const { wakes, handles: [one, two] } = open(2, [2, 5, Infinity, Infinity, Infinity, 0]);
  call(one, 0);
  const heavy = queue(one, 0, { weight: 2 });
  queue(two, 0);
  one.abort(1, Float64Array.of(heavy));
  await turn();
  assert.deepEqual(wakes, [0, 1]);
});

test('what was wrong with an input of one is not told to another', () => {
  const { handles: [one, two] } = open(2);
  assert.throws(() => call(one, 0, { weight: 0.5 }), /^RangeError: weight must be/);
  assert.throws(() => call(two, 0, { timeout: -1 }), /^RangeError: timeoutMs must be/);
  assert.equal(addon.fault(), 0);
  assert.ok(call(one, 0) >= 2 ** 32);
});

test('whatever lies in the mailboxes of several owners does no harm', () => {
  const { handles } = open(4, [2, 2, Infinity, Infinity, Infinity, 0]);
  let state = 7;
  const next = (below) => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % below;
  const odd = [NaN, Infinity, -Infinity, -1, 0.5, 1e300, 2 ** 31, 2 ** 53, ...Array.from({ length: 20 }, (_, code) => code)];
  for (let round = 0; round < 20_000; round += 1) {
    const { mailbox } = addon;
    for (let place = 0; place < mailbox.length; place += 1) mailbox[place] = odd[next(odd.length)];
    mailbox[Place.engine] = handles[next(4)].handle;
    addon.exchange();
  }
});

test('a thread that ends gives its permits to another, which is woken for them', async () => {
  // The end of a thread is at its real time.
  const { name, wakes, handles: [one] } = open(1, [1, 5, Infinity, Infinity, Infinity, 0]);
  const source = `
    const { parentPort, workerData: [path, name, { Place, Input }] } = require('node:worker_threads');
    const addon = require(path);
    const { mailbox } = addon;
    mailbox[Place.engine] = addon.openShared(name, () => 0, 0).handle;
    mailbox[Place.code] = Input.acquire;
    mailbox.set([1, Infinity, Infinity, 1, Infinity], Place.arguments);
    addon.exchange();
    parentPort.postMessage(mailbox[Place.code]);
    setInterval(() => addon.stats(), 1);
  `;
  const worker = new Worker(source, { eval: true, workerData: [addonPath, name, { Place, Input }] });
  assert.ok(await new Promise((resolve) => worker.once('message', resolve)) >= 2 ** 32);
  const waits = queue(one, 0);
  await worker.terminate();
  await turn();
  assert.deepEqual(wakes, [1]);
  one.show();
  assert.deepEqual(events(one), [['granted', waits, 0]]);
  assert.equal(stats(one).abandonedRuns, 1);
});
