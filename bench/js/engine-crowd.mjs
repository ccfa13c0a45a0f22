// An engine without the package around it, whose queue is kept at one length while calls come and
// go.

import { loadEngine } from '../../tests/conformance/lib/engines.mjs';

const RUN = 1;
const COMPLETED = 0;
const GRANTED = 1;
const QUEUE_TIMEOUT = 2;
const CANCELLED = 5;

/** Milliseconds between two calls. */
const STEP = 0.001;

const creators = new Map();

/**
 * With `isPatient` nobody times out; otherwise each waits as long as it takes until so many have
 * come after him.
 */
export async function engineCrowd(kind, length, isPatient) {
  if (!creators.has(kind)) creators.set(kind, await loadEngine(kind));
  return new EngineCrowd(creators.get(kind)(1, 10_000_000, isPatient ? Infinity : length * STEP), length);
}

class EngineCrowd {
  constructor(engine, length) {
    this.engine = engine;
    this.now = 0;
    this.holder = engine.acquire(0, 1, Infinity, Infinity, RUN);
    this.ids = new Float64Array(1);
    this.waiters = new Float64Array(length);
    for (let i = 0; i < length; i += 1) this.waiters[i] = this.join();
  }

  join() {
    this.now += STEP;
    return -this.engine.acquire(this.now, 1, Infinity, Infinity, RUN);
  }

  /** A call comes, the running one ends, the first waiter goes on. */
  passOn(count) {
    const { engine } = this;
    for (let i = 0; i < count; i += 1) {
      this.join();
      engine.finish(this.now, this.holder, COMPLETED);
      this.holder = this.take(GRANTED);
      engine.start(this.holder);
    }
  }

  comeAndGo(count) {
    for (let i = 0; i < count; i += 1) this.cancel(this.join());
  }

  /** A waiter gives up, somewhere in the queue, and another call comes. */
  cancelAny(count) {
    for (let i = 0; i < count; i += 1) {
      const place = Math.floor(Math.random() * this.waiters.length);
      this.cancel(this.waiters[place]);
      this.waiters[place] = this.join();
    }
  }

  /** Somebody's time is up, and another call comes. */
  timeOut(count) {
    for (let i = 0; i < count; i += 1) {
      this.engine.handleTimeout(this.now + STEP);
      this.take(QUEUE_TIMEOUT);
      this.join();
    }
  }

  cancel(id) {
    this.ids[0] = id;
    this.engine.abort(this.now, this.ids);
    this.take(CANCELLED);
  }

  /** The one event there must be: whom it is about. */
  take(expected) {
    const { engine } = this;
    const kind = engine.nextEvent();
    if (kind !== expected) throw new Error(`the event is ${kind}, not ${expected}`);
    const id = engine.eventId();
    if (engine.nextEvent() !== 0) throw new Error('one event too many');
    return id;
  }
}
