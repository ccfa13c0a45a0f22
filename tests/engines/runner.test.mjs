// The runner of the scenarios fails on whatever it does not understand, and when what came is not
// what was wanted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineSurface } from '../conformance/engine.mjs';
import { run } from '../conformance/scenario.mjs';
import { creators } from './engines.mjs';

const make = (options, tell) => new EngineSurface(creators.get('wasm'), options, tell);

/** What the runner prints of one scenario with these steps. */
async function output(steps, more = {}) {
  return outputOf(JSON.stringify([{ scenario: 's', bulkhead: { max_concurrent: 1, max_queue: 1 }, steps, ...more }]));
}

async function outputOf(...texts) {
  const lines = [];
  const files = texts.map((text, index) => ({ name: `f${index}.json`, text }));
  await run(files, 'wasm-engine', make, (line) => lines.push(line));
  return lines;
}

const arrives = { at: 0, do: 'call', as: 'a' };
const waits = { at: 0, do: 'call', as: 'b' };

test('what came as wanted has passed', async () => {
  const steps = [{ ...arrives, expect: 'running' }, { ...waits, expect: 'waiting' }, { at: 1, do: 'finish', of: 'a', expect: 'completed', then: ['b:running'] }];
  assert.deepEqual(await output(steps), ['1 passed, 0 failed']);
});

const WRONG = {
  'an unknown key of a step': [[{ ...arrives, expects: 'running' }], /step 1 .*unknown key expects/],
  'an unknown key of a bulkhead': [[arrives], /unknown key limit/, { bulkhead: { max_concurrent: 1, limit: 2 } }],
  'an unknown key of a scenario': [[arrives], /unknown key note/, { note: '' }],
  'an unknown surface': [[arrives], /bad surfaces/, { surfaces: ['wasm'] }],
  'an unknown verb': [[{ at: 0, do: 'jump' }], /unknown verb jump/],
  'an unknown figure': [[{ ...arrives, stats: { actives: 1 } }], /bad stats/],
  'an unknown state': [[{ ...arrives, expect: 'runing' }], /bad expect/],
  'no steps': [[], /bad steps/],
  'a verb without its label': [[{ at: 0, do: 'call' }], /call needs as/],
  'time that goes back': [[{ ...arrives, at: 2 }, { at: 1, do: 'tick' }], /step 2 .*time goes back/],
  'a check in the midst of a turn': [[{ at: 0, do: 'drain', idle: true }, { at: 0, do: 'close', same_turn: true }], /carries checks: idle/],
  'an unknown label': [[{ at: 0, do: 'finish', of: 'a' }], /no label a/],
  'a label that stands twice': [[arrives, arrives], /label a stands twice/],
  'the end of work that has ended': [[arrives, { at: 0, do: 'fail', of: 'a' }, { at: 0, do: 'finish', of: 'a' }], /step 3 .*no work/],
  'the end of work that has not begun': [[arrives, waits, { at: 0, do: 'finish', of: 'b' }], /step 3 .*no work/],
  'the release of a call': [[arrives, { at: 0, do: 'release', of: 'a' }], /is no permit/],
  'another state': [[{ ...arrives, expect: 'waiting' }], /state of a: wanted "waiting", came "running"/],
  'a change that was not said': [[arrives, waits, { at: 1, do: 'finish', of: 'a' }], /then: wanted \[\], came \["b:running"\]/],
  'a change that did not come': [[{ ...arrives, then: ['b:running'] }], /then: wanted \["b:running"\], came \[\]/],
  'another figure': [[{ ...arrives, stats: { active: 2 } }], /active: wanted 2, came 1/],
  'another timer': [[arrives, { ...waits, next_timer: null }], /next_timer: wanted null, came 1000/],
  'a timer that is not there': [[{ ...arrives, next_timer: 5 }], /next_timer: wanted 5, came null/],
  'idleness too early': [[{ ...arrives, idle: true }], /idle: wanted true, came false/],
};

for (const [what, [steps, line, more]] of Object.entries(WRONG)) {
  test(`${what} is a failure`, async () => {
    const [first, last, ...rest] = await output(steps, more);
    assert.match(first, line);
    assert.ok(first.startsWith('f0.json: s: step '), first);
    assert.deepEqual([last, rest], ['0 passed, 1 failed', []]);
  });
}

test('no file, an empty file and a file that is none are failures', async () => {
  assert.deepEqual(await outputOf(), ['no scenario found', '0 passed, 1 failed']);
  assert.deepEqual(await outputOf('[]'), ['no scenario found', '0 passed, 1 failed']);
  assert.match((await outputOf('{'))[0], /^f0\.json: /);
  assert.equal((await outputOf('{}', '[1]')).at(-1), '0 passed, 2 failed');
});

test('a scenario for other surfaces is skipped by name, with the reason', async () => {
  assert.deepEqual(await output([arrives], { surfaces: ['core', 'python'] }), [
    'skipped: f0.json: s: only for core, python',
    '0 passed, 0 failed, 1 skipped',
  ]);
});
