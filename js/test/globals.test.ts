// Globals that others replace, before or after this package is loaded: what is promised stays, and
// work runs in its caller's zone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScript } from './support.js';

/** What replaces them. */
const REPLACED = {
  'zone.js': "await import('zone.js');",
  'zone.js for Node': "await import('zone.js/node');",
  'bluebird': "globalThis.Promise = (await import('bluebird')).default;",
  'a promise of somebody’s own': `
    const Host = Promise;
    globalThis.Promise = class Own extends Host {
      then(...reactions) { return super.then(...reactions); }
    };`,
};

const IMPORT = "const { Bulkhead } = await import('bulkheads');";

async function said(setup: string, source: string): Promise<unknown> {
  const { code, stdout, stderr } = await runScript(`${setup}\n${source}`);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Each kind of call and of result, and what is left of them. */
const PROMISED = `
const { setTimeout: wait } = await import('node:timers/promises');
const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: 5000 });
const results = [];
const kinds = {
  native: async () => { await wait(1); return shipping.stats().active; },
  global: () => new Promise((resolve) => setTimeout(() => resolve(shipping.stats().active), 1)),
  thenable: () => ({ then: (done) => { setTimeout(() => done(shipping.stats().active), 1); } }),
  value: () => shipping.stats().active,
};
for (const [kind, work] of Object.entries(kinds)) {
  const both = [shipping.exec(work), shipping.exec(work, { callTimeoutMs: 5000 }), shipping.exec(work)];
  for (const answer of both) results.push(typeof (await answer) === 'number' ? await answer : kind);
  await shipping.exec(() => kinds.global().then(() => { throw new Error(kind); })).catch(({ message }) => results.push(message));
}
const bound = await shipping.exec(() => new Promise(() => 0), { callTimeoutMs: 5 }).catch(({ code }) => code);
const other = new Bulkhead('other', { maxConcurrent: 2, maxQueue: 1, timeoutMs: 5 });
other.tryAcquire(2);
const waited = await other.acquire().catch(({ code }) => code);
const mapped = await new Bulkhead('map', { maxConcurrent: 2 }).map([1, kinds.global()], async (item) => typeof item);
const stream = new Bulkhead('stream', { maxConcurrent: 1, maxQueue: 5 });
const tokens = stream.wrap(async function* () { yield stream.stats().active; await wait(1); yield stream.stats().active; });
const items = [];
await Promise.all([1, 2].map(async () => { for await (const item of await tokens()) items.push(item); }));
const permit = await stream.acquire();
permit.release();
const drained = await Promise.race([stream.drain().then(() => 'drained'), wait(2000, 'hangs')]);
const { active, overrun } = shipping.stats();
console.log(JSON.stringify({ results, bound, waited, mapped, items, drained, left: [active, overrun, stream.stats().active] }));
process.exit();
`;

const WANTED = {
  results: [1, 1, 1, 'native', 1, 1, 1, 'global', 1, 1, 1, 'thenable', 1, 1, 1, 'value'],
  bound: 'call_timeout',
  waited: 'queue_timeout',
  mapped: ['number', 'number'],
  items: [1, 1, 1, 1],
  drained: 'drained',
  left: [1, 1, 0],
};

describe('replaced globals change nothing that is promised', () => {
  for (const [name, replace] of Object.entries(REPLACED)) {
    it(`by ${name}, after the import`, async () => {
      assert.deepEqual(await said(`${IMPORT}\n${replace}`, PROMISED), WANTED);
    });
    it(`by ${name}, before it`, async () => {
      assert.deepEqual(await said(`${replace}\n${IMPORT}`, PROMISED), WANTED);
    });
  }
});

const ZONES = `
const seen = [];
const tasks = [];
const zone = (name) => Zone.current.fork({ name, onScheduleTask(delegate, _, target, task) {
  if (task.type === 'macroTask') tasks.push(name + ' ' + task.source);
  return delegate.scheduleTask(target, task);
} });
const shipping = new Bulkhead('shipping', { maxConcurrent: 1, maxQueue: 9, timeoutMs: 5000 });
const see = (what) => () => { seen.push(what + ' in ' + Zone.current.name); };
const [one, two, three] = ['one', 'two', 'three'].map(zone);
const permit = shipping.tryAcquire();
const answers = [
  one.run(() => shipping.exec(see('first'))),
  two.run(() => shipping.exec(see('second'))),
  two.run(() => shipping.map([1, 2], see('item'))),
  Zone.root.run(() => shipping.exec(see('third'))),
];
three.run(() => permit.release());
await Promise.all(answers);
one.run(see('at once'));
await new Promise((resolve) => one.run(() => answers[1].then(() => { see('answer')(); resolve(); })));
console.log(JSON.stringify({ seen, tasks }));
process.exit();
`;

describe('with zone.js', () => {
  for (const [when, setup] of [['after', `${IMPORT} await import('zone.js');`], ['before', `await import('zone.js'); ${IMPORT}`]] as const) {
    it(`loaded ${when} the import, work runs in its caller's zone, and no timer of ours is anybody's task`, async () => {
      assert.deepEqual(await said(setup, ZONES), {
        seen: ['first in one', 'second in two', 'third in <root>', 'item in two', 'item in two', 'at once in one', 'answer in one'],
        tasks: [],
      });
    });
  }
});
