// The one path of a bulkhead: call the engine, move its events into the FIFO, re-arm the one timer; only then, and only in the
// outermost step, settle promises and run user code. A step inside of that appends, so that the order of the core is kept.
//
// One short cut: the engine itself knows which calls come and go without concerning anybody else (`admitNow`, `finishNow`). Then
// there is nothing to tell, and neither the clock nor the timer is looked at: they cost more than the rest of such a call.

import { Answers } from './answers.js';
import { Clock } from './clock.js';
import { ABORTED, COMPLETED, type Engine, Event, FIRST_ID, type HAND, LEAKED, Rejection, RUN } from './engine.js';
import type { Entry } from './entry.js';
import { type Holdings, host } from './host.js';
import type { Request, Traits } from './options.js';
import { Hub } from './signals.js';
import { type BulkheadStats, snapshot } from './stats.js';
import { Table } from './table.js';
import { HostTimer } from './timer.js';

export type Kind = typeof HAND | typeof RUN;

/** Who is told of an outcome, in its turn. */
interface Listener {
  tell(): void;
}

export class Driver {
  readonly name: string;
  readonly traits: Traits;
  /** With `detectReentrancy`. */
  readonly holdings: Holdings | undefined;
  readonly #engine: Engine;
  readonly #answers: Answers;
  /** Who may still hear from the core: those who wait, and those who run without an answer. */
  readonly #table = new Table();
  readonly #fifo: Listener[] = [];
  readonly #clock = new Clock();
  readonly #timer = new HostTimer(this.#clock, () => this.#handleTimeout());
  /** Whom to tell of the next idle moment, and whether this thread must live until then. */
  readonly #idlers = new Map<() => void, boolean>();
  readonly #roomers = new Set<() => void>();
  #isEmptying = false;
  /** While above zero, outcomes are only collected. */
  #holds = 0;
  #hasWarned = false;
  /** With which the latest call was judged. */
  #held = 0;

  constructor(name: string, engine: Engine, traits: Traits) {
    this.name = name;
    this.traits = traits;
    this.holdings = traits.detectReentrancy ? host().holdings() : undefined;
    this.#engine = engine;
    this.#answers = new Answers(name, engine, traits.stackTraces);
  }

  /** A call without bounds of its own, if it is an ordinary one: the id, or 0 if it must `arrive`. */
  admitNow(weight: number, kind: Kind): number {
    return this.#engine.admitNow(weight, kind);
  }

  /**
   * A call arrives. At least `FIRST_ID`: it has its permits now; negative: it waits; else it was turned away, see `refusal`. Throws
   * for a number out of its range.
   */
  arrive(entry: Entry, request: Request, kind: Kind): number {
    const { weight, timeout, deadline, signal } = request;
    const isAborted = signal?.aborted === true;
    const flags = isAborted ? kind | ABORTED : kind;
    const hub = signal === undefined || isAborted ? undefined : Hub.of(signal);
    hub?.listen();
    let answer: number;
    let held = 0;
    try {
      const time = this.#clock.now();
      held = this.#holding(time);
      answer = this.#engine.acquire(time, weight, timeout, this.#clock.at(deadline), flags, held);
      // Registered before anything is collected: between the input and a further look at its events another thread may have
      // granted or ended this very call. Whoever had its slot before is still found by his own id.
      if (answer < 0) this.#enqueue(entry, -answer, hub);
      else if (answer >= FIRST_ID) this.#admit(entry, answer, kind, hub);
      this.#collect();
    } finally {
      hub?.unlistenIfUnused();
      this.#arm();
      this.#tell();
    }
    this.#held = held;
    return answer;
  }

  /** What the call that has just arrived and was turned away rejects with. */
  refusal(code: number, { signal, weight }: Request): unknown {
    return code === Rejection.cancelled ? signal?.reason : this.#answers.rejection(code, weight, this.#held);
  }

  /** The id of a permit by hand, 0 if it cannot be had now. */
  tryAcquire(weight: number): number {
    const answer = this.#engine.tryAcquire(this.#clock.now(), weight);
    this.#settle();
    return answer >= FIRST_ID ? answer : 0;
  }

  /** The code of a granted waiter goes on. */
  start(id: number): void {
    this.#engine.start(id);
    this.#settle();
  }

  /** The work of a call has settled. After it `entry.hasOutcome` says whether its caller gets an answer of the core's instead. */
  finish(entry: Entry, outcome: number): void {
    const { id } = entry;
    if (this.#engine.finishNow(id, outcome)) {
      this.forget(entry);
      return;
    }
    this.#engine.finish(this.#clock.now(), id, outcome);
    // Before it is forgotten: another thread may have handled its bound, and then the books say that this was its answer.
    this.#collect();
    this.forget(entry);
    this.#arm();
    this.#tell();
  }

  release(id: number): void {
    if (this.#engine.finishNow(id, COMPLETED)) return;
    this.#engine.release(this.#clock.now(), id);
    this.#settle();
  }

  /** A permit by hand that was dropped. */
  reclaim(id: number, takenAt: string): void {
    this.#engine.finish(this.#clock.now(), id, LEAKED);
    this.#settle();
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    host().warn(`${this.name}: a permit was dropped without release and has been reclaimed; use exec, using, or release() in a finally${takenAt}`);
  }

  abort(ids: readonly number[]): void {
    this.#engine.abort(this.#clock.now(), Float64Array.from(ids));
    this.#settle();
  }

  resize(limit: number): void {
    this.#engine.resize(this.#clock.now(), limit);
    this.#settle();
  }

  close(abort: boolean): void {
    this.#engine.close(this.#clock.now(), abort);
    this.#settle();
  }

  drain(): void {
    this.#engine.drain(this.#clock.now());
    this.#settle();
  }

  /** Settles at the first moment when nobody waits and no permit is held. `keepsAlive`: where another thread may bring it. */
  idle(keepsAlive: boolean): Promise<void> {
    return new Promise((resolve) => {
      // Before anything is collected: the moment may come between the input and a further look at its events.
      this.#idlers.set(resolve, keepsAlive);
      if (this.#engine.watchIdle(this.#clock.now())) {
        this.#idlers.delete(resolve);
        resolve();
      }
      this.#settle();
    });
  }

  /** Whether a call of this weight would not be turned away as full; if it would, `tell` is called when to ask again. */
  hasRoom(weight: number, tell: () => void): boolean {
    const time = this.#clock.now();
    // As in `idle`. To be told without need only makes a map ask again.
    this.#roomers.add(tell);
    const has = this.#engine.watchRoom(time, weight, this.#holding(time));
    if (has) this.#roomers.delete(tell);
    this.#settle();
    return has;
  }

  /** `tell` no longer matters. */
  forgetRoom(tell: () => void): void {
    this.#roomers.delete(tell);
    this.#arm();
  }

  /** The permits that this id holds. */
  permits(id: number): number {
    return this.#engine.permits(id);
  }

  /** The permits of this bulkhead. */
  limit(): number {
    return this.#engine.figures().limit;
  }

  stats(): BulkheadStats {
    return snapshot(this.#engine.stats());
  }

  /** The core has it, under the id that it carries, and may have something to tell it. */
  track(entry: Entry, hub?: Hub): void {
    this.#table.add(entry);
    if (hub === undefined) return;
    entry.hub = hub;
    hub.add(entry);
  }

  /** Nothing of the core's will reach this entry any more. */
  forget(entry: Entry): void {
    this.#table.remove(entry);
    if (entry.hub === undefined) return;
    entry.hub.remove(entry);
    entry.hub = undefined;
  }

  /** Another thread has given this one something to tell. */
  wake(): void {
    this.#engine.show();
    this.#settle();
  }

  hold(): void {
    this.#holds += 1;
  }

  letGo(): void {
    this.#holds -= 1;
    this.#tell();
  }

  /** The permits that the context of whoever calls this holds. What is due comes back before that is asked. */
  #holding(time: number): number {
    if (this.holdings === undefined || this.holdings.permits(this) === 0) return 0;
    this.#engine.handleTimeout(time);
    this.#collect();
    return this.holdings.permits(this);
  }

  #handleTimeout(): void {
    this.#engine.handleTimeout(this.#clock.now());
    this.#settle();
  }

  /** What follows every input. */
  #settle(): void {
    this.#collect();
    this.#arm();
    this.#tell();
  }

  #collect(): void {
    const engine = this.#engine;
    for (let kind = engine.nextEvent(); kind !== Event.none; kind = engine.nextEvent()) {
      if (kind === Event.idle) this.#fifo.push(...taken(this.#idlers, this.#idlers.keys()));
      else if (kind === Event.room) this.#fifo.push(...taken(this.#roomers, this.#roomers));
      else this.#collectFor(this.#table.get(engine.eventId()), kind);
    }
  }

  #arm(): void {
    const at = this.#engine.nextTimer();
    this.#timer.arm(at, at !== Infinity && this.#engine.keepsAlive());
    this.#engine.awaitOthers?.(this.#roomers.size > 0 || [...this.#idlers.values()].includes(true));
  }

  #tell(): void {
    if (this.#fifo.length > 0 && !this.#isEmptying && this.#holds === 0) this.#empty();
  }

  #empty(): void {
    this.#isEmptying = true;
    let done = 0;
    try {
      // It may grow meanwhile.
      for (let listener = this.#fifo[done]; listener !== undefined; listener = this.#fifo[done]) {
        done += 1;
        listener.tell();
      }
    } finally {
      this.#fifo.splice(0, done);
      this.#isEmptying = false;
      // One of them threw, which a signal of somebody's own making can bring about: the others are told all the same.
      if (this.#fifo.length > 0) void Promise.resolve().then(() => this.#tell());
    }
  }

  /** Who it is for is settled now: later the id may stand for somebody else. */
  #collectFor(entry: Entry | undefined, kind: number): void {
    if (entry === undefined) return;
    this.#fifo.push(kind === Event.granted ? entry : new Outcome(this.#answers, entry, kind, this.#engine.eventTime()));
  }

  #enqueue(entry: Entry, id: number, hub: Hub | undefined): void {
    entry.id = id;
    this.track(entry, hub);
    entry.queued();
  }

  /** A permit by hand is its caller's at once: nothing will answer it early. */
  #admit(entry: Entry, id: number, kind: Kind, hub: Hub | undefined): void {
    entry.id = id;
    if (kind === RUN) this.track(entry, hub);
  }
}

/** What one cause brings about in several bulkheads is told when all of it has been: user code must not see half of it. */
export function together(drivers: readonly Driver[], act: () => void): void {
  for (const driver of drivers) driver.hold();
  try {
    act();
  } finally {
    for (const driver of drivers) driver.letGo();
  }
}

/** That a call was not granted, or is answered early. One object: there may be a hundred thousand of them in one step. */
class Outcome implements Listener {
  readonly #answers: Answers;
  readonly #entry: Entry;
  readonly #kind: number;
  readonly #time: number;
  readonly #reason: unknown;

  constructor(answers: Answers, entry: Entry, kind: number, time: number) {
    this.#answers = answers;
    this.#entry = entry;
    this.#kind = kind;
    this.#time = time;
    entry.hasOutcome = true;
    if (kind === Event.cancelled) entry.cancelled();
    // By the time that it is told it may have left its signal.
    this.#reason = kind === Event.cancelled ? entry.hub?.reason() : undefined;
  }

  tell(): void {
    this.#entry.refuse(this.#kind === Event.cancelled ? this.#reason : this.#answers.of(this.#kind, this.#time, this.#entry.weight));
  }
}

function taken(from: { clear(): void }, listeners: Iterable<() => void>): Listener[] {
  const all = Array.from(listeners, (tell) => ({ tell }));
  from.clear();
  return all;
}
