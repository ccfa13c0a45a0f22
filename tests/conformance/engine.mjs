// The scenarios at engine level: `node tests/conformance/engine.mjs wasm|native FOLDER|FILE…`. The
// smallest driver there can be: numbers in, events out, no promises; virtual time is a variable.

import { pathToFileURL } from 'node:url';
import { ENGINES, loadEngine, tables } from './lib/engines.mjs';
import { readScenarioFiles } from './lib/files.mjs';
import { run, timeOf } from './scenario.mjs';

const RUN = 1;
const ABORTED = 2;
const COMPLETED = 0;
const FAILED = 1;
const QUEUED = (answer) => answer < 0;
const ADMITTED = (answer) => answer >= 2 ** 32;
const REJECTIONS = [undefined, 'full', 'full', 'full', 'full', 'queue_timeout', 'closed', 'too_heavy', 'cancelled', 'reentrant', 'queue_timeout'];
const { Event, Stat } = tables;
/** The names of the figures, in their order. */
const STATS = Object.keys(Stat).filter((name) => Number.isNaN(Number(name)));
/** The states of a bulkhead, by their numbers. */
const STATES = ['open', 'draining', 'closed'];
/** The state that an event brings its label. */
const EVENTS = [undefined, 'running', 'queue_timeout', 'closed', 'too_heavy', 'cancelled', 'call_timeout'];

/** A figure as the format names it. */
function nameOf(figure) {
  const snake = figure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace('rejected_', '');
  return snake === 'call_timeouts' ? 'call_timeout' : snake;
}

/** A surface of lib/timeline.mjs over one engine. */
export class EngineSurface {
  #engine;
  #tell;
  #now = 0;
  #labels = new Map();
  /** Labels in the order in which they got their permits. */
  #admitted = [];
  #ended = false;
  #idle = false;

  constructor(create, options, tell) {
    const { maxConcurrent, maxQueue, timeoutMs, callTimeoutMs, abandonAfterMs } = options;
    this.#engine = create(maxConcurrent, maxQueue, timeoutMs, callTimeoutMs, abandonAfterMs);
    this.#tell = tell;
  }

  advance(at) {
    this.#fireUntil(at);
    this.#now = at;
  }

  jump(at) {
    this.#now = at;
  }

  act(step, label) {
    switch (step.do) {
      case 'call':
        return this.#arrive(label, this.#acquire(step, RUN));
      case 'acquire':
        return this.#arrive(label, this.#acquire(step, 0));
      case 'try_acquire': {
        const answer = this.#engine.tryAcquire(this.#now, step.weight ?? 1);
        return ADMITTED(answer) ? this.#arrive(label, answer) : this.#tell(label.name, 'rejected');
      }
      case 'finish':
        return this.#finish(label, COMPLETED, 'completed');
      case 'fail':
        return this.#finish(label, FAILED, 'failed');
      case 'cancel':
        return this.#cancel(label);
      case 'release':
        return this.#release(step, label);
      case 'split':
        return this.#arrive(label, this.#engine.split(this.#now, label.whole.own, step.permits));
      case 'adjust':
        return void this.#engine.adjust(this.#now, label.own, step.weight);
      case 'resize':
        return this.#engine.resize(this.#now, step.to);
      case 'close':
        return this.#end(() => this.#engine.close(this.#now, step.abort === true));
      case 'drain':
        return this.#end(() => this.#engine.drain(this.#now, timeOf(step.timeout_ms ?? 'infinity')));
      case 'tick':
        return this.#engine.handleTimeout(this.#now);
      default:
        throw new Error(`no such verb: ${step.do}`);
    }
  }

  settle() {
    this.#drain();
    this.#fireUntil(this.#now);
  }

  stats() {
    const figures = this.#engine.stats();
    const named = Object.fromEntries(STATS.map((name, index) => [nameOf(name), figures[index]]));
    return { ...named, state: STATES[named.state] };
  }

  nextTimer() {
    const at = this.#engine.nextTimer();
    return at === Infinity ? null : at;
  }

  idle() {
    return this.#ended && this.#idle;
  }

  dispose() {
    this.#engine.dispose();
  }

  #acquire(step, kind) {
    const flags = kind | (step.aborted ? ABORTED : 0);
    const { weight = 1, timeout_ms: timeout = Infinity, deadline_ms: deadline = Infinity, call_timeout_ms: callTimeout = Infinity } = step;
    return this.#engine.acquire(this.#now, { weight, timeout: timeOf(timeout), callTimeout }, deadline, flags, undefined);
  }

  #release(step, label) {
    if (step.permits === undefined) this.#engine.release(this.#now, label.own);
    else this.#engine.releasePart(this.#now, label.own, step.permits);
    // One whose bound has passed keeps that answer.
    if (this.#engine.permits(label.own) === 0 && label.state === 'running') this.#tell(label.name, 'released');
  }

  #arrive(label, answer) {
    if (!ADMITTED(answer) && !QUEUED(answer)) return this.#tell(label.name, REJECTIONS[answer] ?? `an unknown answer ${answer}`);
    label.own = Math.abs(answer);
    this.#labels.set(label.own, label);
    if (!QUEUED(answer)) this.#admitted.push(label);
    this.#tell(label.name, QUEUED(answer) ? 'waiting' : 'running');
  }

  #finish(label, outcome, state) {
    this.#engine.finish(this.#now, label.own, outcome);
    // One that was answered keeps its answer.
    if (label.state === 'running') this.#tell(label.name, state);
  }

  #cancel(label) {
    const outcome = this.#engine.cancel(this.#now, label.own ?? 0);
    if (outcome === 0) return;
    this.#tell(label.name, 'cancelled');
    if (outcome === 2 && !label.ignoresSignal) this.#engine.finish(this.#now, label.own, FAILED);
  }

  #end(act) {
    act();
    this.#ended = true;
    // Asked again after each: a promise that has settled stays settled.
    this.#idle ||= this.#engine.watchIdle(this.#now) === 0;
  }

  /** Each timer due by `at` fires at its own time, and the host runs in between. */
  #fireUntil(at) {
    for (let timer = this.#engine.nextTimer(); timer <= at; timer = this.#engine.nextTimer()) {
      this.#now = Math.max(this.#now, timer);
      this.#engine.handleTimeout(this.#now);
      if (this.#engine.nextTimer() === timer && !this.#drain()) throw new Error(`the timer at ${timer} is still due after it fired`);
      this.#drain();
    }
  }

  /** Takes the events of a turn; only then do the granted go on. Answers whether there were any. */
  #drain() {
    const granted = [];
    let any = false;
    let aborts = false;
    for (let kind = this.#engine.nextEvent(); kind !== 0; kind = this.#engine.nextEvent()) {
      any = true;
      if (kind === Event.idle) this.#idle = true;
      else if (kind === Event.abort) aborts = true;
      else this.#take(kind, this.#labels.get(this.#engine.eventId()), granted);
    }
    for (const label of granted) this.#engine.start(this.#now, label.own);
    this.#admitted.push(...granted);
    if (aborts) this.#abortSignals();
    // What that has ended may have events of its own.
    return any && (this.#drain(), true);
  }

  /**
   * Closed with abort: work that honours its signal ends with the reason, in order of admission.
   */
  #abortSignals() {
    for (const label of this.#admitted) {
      if (label.kind !== 'call' || label.state !== 'running' || label.ignoresSignal) continue;
      label.working = false;
      this.#tell(label.name, 'closed');
      this.#engine.finish(this.#now, label.own, FAILED);
    }
  }

  #take(kind, label, granted) {
    if (!label) throw new Error(`event ${kind} of an id that nobody holds: ${this.#engine.eventId()}`);
    // A grant of this turn whose caller was cancelled since.
    if (label.state !== 'waiting' && label.state !== 'running') return;
    this.#tell(label.name, EVENTS[kind] ?? `an unknown event ${kind}`);
    if (kind === Event.granted) granted.push(label);
  }
}

async function main([kind, ...paths]) {
  if (!ENGINES.includes(kind) || paths.length === 0) throw new Error(`usage: engine.mjs ${ENGINES.join('|')} FOLDER|FILE…`);
  const create = await loadEngine(kind);
  const surface = kind === 'native' ? 'node-engine' : 'wasm-engine';
  const make = (options, tell) => new EngineSurface(create, options, tell);
  const { failed } = await run(readScenarioFiles(paths), surface, make, console.log);
  process.exitCode = failed === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
