// The two engines are one machine: the same random history gets the same answers, events, timers
// and books from both.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asked, creators, events, random, turn } from './engines.mjs';

const SEEDS = 40;
const STEPS = 400;

test('the same history has the same outcome on both engines', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const [wasm, native] = [...creators.values()].map((create) => history(create, seed));
    for (let step = 0; step < STEPS; step += 1) assert.deepEqual(wasm[step], native[step], `seed ${seed}, step ${step}`);
    assert.equal(wasm.length, native.length);
  }
});

function history(create, seed) {
  const next = random(seed);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const [timeout, callTimeout, abandonAfter] = [pick([undefined, 20, Infinity]), pick([undefined, 15, 40.5]), pick([undefined, 7])];
  const engine = create(pick([1, 2, 3, 4]), pick([0, 1, 4, 8]), timeout, callTimeout, abandonAfter);
  const ids = [0];
  const log = [];
  let now = 0;
  for (let step = 0; step < STEPS; step += 1) {
    now += pick([0, 0, 0.3, 1, 5, 12]);
    const answer = act(engine, now, next, pick, ids);
    const told = events(engine);
    for (const [kind, id] of told) if (kind === 'granted' && next() < 0.8) engine.start(now, id);
    log.push([answer, told, engine.nextTimer(), engine.keepsAlive(), [...engine.stats()]]);
  }
  engine.dispose();
  return log;
}

function act(engine, now, next, pick, ids) {
  const dice = next();
  if (dice < 0.4) {
    const [timeout, deadline] = [pick([Infinity, Infinity, 0, 9]), pick([Infinity, now + 10, now - 1])];
    const wish = asked({ weight: pick([1, 1, 1, 2, 3]), timeout, callTimeout: pick([Infinity, Infinity, 6]) });
    const answer = engine.acquire(now, wish, deadline, pick([0, 1, 1, 3]), pick([undefined, undefined, Float64Array.of(pick(ids), pick(ids))]));
    ids.push(Math.abs(answer));
    return answer;
  }
  if (dice < 0.42) {
    const id = engine.acquireUntimed(pick([1, 2]), pick([0, 1]));
    ids.push(id);
    return id;
  }
  if (dice < 0.43) return engine.finishUntimed(pick(ids), pick([0, 1]));
  if (dice < 0.44) return counted(engine, now, pick);
  if (dice < 0.45) return engine.tryAcquire(now, pick([1, 2]));
  if (dice < 0.65) return engine.finish(now, pick(ids), pick([0, 1]));
  if (dice < 0.72) return engine.release(now, pick(ids));
  if (dice < 0.77) return inPart(engine, now, pick, ids);
  if (dice < 0.82) return engine.cancel(now, pick(ids));
  if (dice < 0.86) return engine.abort(now, Float64Array.of(pick(ids), pick(ids), pick(ids)));
  if (dice < 0.9) return engine.resize(now, pick([0, 1, 2, 5]));
  if (dice < 0.905) return engine.close(now, next() < 0.5);
  if (dice < 0.91) return engine.drain(now, pick([Infinity, 0, 8, 25]));
  if (dice < 0.94) return engine.watchIdle(now);
  if (dice < 0.945) return engine.watchCapacity(now, ...item(now, pick));
  if (dice < 0.95) return engine.unwatchCapacity(now);
  if (dice < 0.955) return engine.acquireOrWatch(now, ...item(now, pick));
  if (dice < 0.96) return engine.reclaim(now, pick(ids));
  if (dice < 0.965) return engine.permits(pick(ids));
  return engine.handleTimeout(now);
}

/** Some of a permit, or more of it; a fault is an answer too. */
function inPart(engine, now, pick, ids) {
  const id = pick(ids);
  try {
    const [part, weight] = [pick(['releasePart', 'split', 'adjust']), pick([0, 1, 1, 2, 3])];
    const answer = engine[part](now, id, weight);
    if (part === 'split' && answer > 0) ids.push(answer);
    return answer;
  } catch (error) {
    return error.message;
  }
}

/** What an item of a map asks for. */
function item(now, pick) {
  return [asked({ weight: pick([1, 2]), timeout: pick([Infinity, 9]) }), pick([Infinity, now + 5]), undefined, turn(now - pick([0, 4]), pick([0, 0, 1, 2]))];
}

/** A run by the credit, as the package makes it. */
function counted(engine, now, pick) {
  if (!engine.beginCounted()) return 'asks';
  const outcome = pick([0, 1]);
  if (engine.starts === 0) return engine.finishMeasured(now, outcome, 1);
  return engine.endCounted(outcome);
}
