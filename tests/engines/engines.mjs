// What the tests of the engines share: both of them, and names for their numbers.

import { describe } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ENGINES, loadEngine, tables } from '../conformance/lib/engines.mjs';

const { Event, Flag, Stat } = tables;
/** Of a table, in the order of its numbers. */
const namesOf = (table) => Object.keys(table).filter((name) => Number.isNaN(Number(name)));
const STATS = namesOf(Stat);

export const RUN = Flag.run;
export const MANUAL = 0;
export const COMPLETED = 0;
export const FAILED = 1;

/** What every engine has. */
export const METHODS = [
  'beginCounted', 'endCounted', 'acquire', 'acquireUntimed', 'acquireOrWatch', 'watchCapacity', 'unwatchCapacity', 'tryAcquire', 'start', 'startLater', 'finish',
  'finishUntimed', 'finishCounted', 'finishMeasured', 'release', 'releasePart', 'split', 'adjust', 'reclaim', 'cancel', 'abort', 'resize', 'close', 'drain', 'watchIdle',
  'handleTimeout', 'permits', 'show', 'nextEvent', 'eventId', 'eventTime', 'nextTimer', 'keepsAlive', 'figures', 'detail', 'stats',
];

export const creators = new Map();
for (const kind of ENGINES) creators.set(kind, await loadEngine(kind));

/** Declares the same tests for each engine. */
export function onEachEngine(title, declare) {
  for (const [kind, create] of creators) describe(`${title}, ${kind}`, () => declare(create, kind));
}

/** A call without bounds of its own, at `now`. */
export function call(engine, now, { deadline = Infinity, flags = RUN, held, ...bounds } = {}) {
  return engine.acquire(now, asked(bounds), deadline, flags, held && Float64Array.from(held));
}

/** What an arrival asks for. */
export function asked({ weight = 1, timeout = Infinity, callTimeout = Infinity } = {}) {
  return { weight, timeout, callTimeout };
}

/** An item of a map that waits since `since`, beside `running` others. */
export function turn(since = 0, running = 0) {
  return { running, since };
}

/** A call that must be queued: its id. */
export function queue(engine, now, options) {
  return -call(engine, now, options);
}

/** The kinds of events, as the format of the scenarios names them. */
const NAMES = namesOf(Event).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The events so far, each as `[kind, id, time]`. */
export function events(engine) {
  const all = [];
  // All engines share one mailbox: another's input may have taken the place of what was shown.
  engine.show();
  for (let kind = engine.nextEvent(); kind !== 0; kind = engine.nextEvent()) {
    all.push([NAMES[kind], engine.eventId(), engine.eventTime()]);
  }
  return all;
}

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

/** Collects garbage, and lets the finalizers run, which have turns of their own. */
export async function collect() {
  for (let round = 0; round < 4; round += 1) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function stats(engine) {
  const figures = engine.stats();
  return Object.fromEntries(STATS.map((name, index) => [name, figures[index]]));
}

/** A generator of numbers in [0, 1) that says the same for the same seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
