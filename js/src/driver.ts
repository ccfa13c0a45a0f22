// The one path of a bulkhead, `step`: call the engine, move its events into the FIFO, re-arm the one timer; only then, and only in
// the outermost step, settle promises and run user code. A step inside of that appends, so that the order of the core is kept.
//
// One short cut: while nobody waits, nothing can fall due and nobody watches, a call that comes, runs and goes concerns nobody else,
// and the engine need not be asked what happened to others. Asking costs more than the rest of such a call.

import { Answers } from './answers.js';
import { ABORTED, type Engine, Event, FIRST_ID, type HAND, LEAKED, Rejection, RUN } from './engine.js';
import type { Entry } from './entry.js';
import { host, now } from './host.js';
import type { Request } from './options.js';
import { Hub } from './signals.js';
import { type BulkheadStats, snapshot } from './stats.js';
import { Table } from './table.js';
import { HostTimer } from './timer.js';

export interface Traits {
  readonly hasCallTimeout: boolean;
  readonly stackTraces: boolean;
}

export type Kind = typeof HAND | typeof RUN;

export class Driver {
  readonly name: string;
  readonly #engine: Engine;
  readonly #answers: Answers;
  /** Who may still hear from the core: those who wait, and those who run without an answer. */
  readonly #table = new Table();
  readonly #fifo: (() => void)[] = [];
  readonly #timer = new HostTimer(() => this.#step(() => this.#engine.handleTimeout(now())));
  readonly #idlers = new Set<() => void>();
  readonly #roomers = new Set<() => void>();
  readonly #hasCallTimeout: boolean;
  /** How many stand in the queue, as far as the events go. */
  #waiters = 0;
  /** Whether the core may have a deadline. */
  #isTimed = false;
  #isEmptying = false;
  /** While above zero, outcomes are only collected. */
  #holds = 0;
  #hasWarned = false;

  constructor(name: string, engine: Engine, { hasCallTimeout, stackTraces }: Traits) {
    this.name = name;
    this.#engine = engine;
    this.#hasCallTimeout = hasCallTimeout;
    this.#answers = new Answers(name, engine, stackTraces);
  }

  /** A call arrives; answers whether it has its permits now. Throws for a number out of its range. */
  arrive(entry: Entry, request: Request, kind: Kind): boolean {
    const { weight, timeout, deadline, signal } = request;
    const isAborted = signal?.aborted === true;
    const flags = isAborted ? kind | ABORTED : kind;
    const hub = signal === undefined || isAborted ? undefined : Hub.of(signal);
    hub?.listen();
    const answer = this.#pass(
      () => this.#engine.acquire(now(), weight, timeout, deadline, flags),
      (code) => {
        if (code < 0) this.#enqueue(entry, -code, hub);
        else if (code >= FIRST_ID) this.#admit(entry, code, request, kind, hub);
        hub?.unlistenIfUnused();
      },
    );
    if (answer > 0 && answer < FIRST_ID) {
      entry.refuse(answer === Rejection.cancelled ? signal?.reason : this.#answers.rejection(answer, weight));
    }
    return answer >= FIRST_ID;
  }

  /** The id of a permit by hand, 0 if it cannot be had now. */
  tryAcquire(weight: number): number {
    const answer = this.#pass(() => this.#engine.tryAcquire(now(), weight));
    return answer >= FIRST_ID ? answer : 0;
  }

  /** The code of a granted waiter goes on. */
  start(id: number): void {
    this.#step(() => this.#engine.start(id));
  }

  /** The work of a call has settled. */
  finish(entry: Entry, outcome: number): void {
    this.forget(entry);
    this.#pass(() => this.#engine.finish(now(), entry.id, outcome));
  }

  release(id: number): void {
    this.#pass(() => this.#engine.release(now(), id));
  }

  /** A permit by hand that was dropped. */
  reclaim(id: number): void {
    this.#step(() => this.#engine.finish(now(), id, LEAKED));
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    host().warn(`${this.name}: a permit was dropped without release and has been reclaimed; use exec, using, or release() in a finally`);
  }

  abort(ids: readonly number[]): void {
    this.#step(() => this.#engine.abort(now(), Float64Array.from(ids)));
  }

  resize(limit: number): void {
    this.#step(() => this.#engine.resize(now(), limit));
  }

  close(abort: boolean): void {
    this.#step(() => this.#engine.close(now(), abort));
  }

  drain(): void {
    this.#step(() => this.#engine.drain(now()));
  }

  /** Settles at the first moment when nobody waits and no permit is held. */
  idle(): Promise<void> {
    return new Promise((resolve) =>
      this.#step(
        () => this.#engine.watchIdle(now()),
        (isIdle) => {
          if (isIdle) resolve();
          else this.#idlers.add(resolve);
        },
      ),
    );
  }

  /** Whether a call of this weight would not be turned away as full; if it would, `tell` is called when to ask again. */
  hasRoom(weight: number, tell: () => void): boolean {
    return this.#step(
      () => this.#engine.watchRoom(now(), weight),
      (has) => {
        if (!has) this.#roomers.add(tell);
      },
    );
  }

  /** `tell` no longer matters. */
  forgetRoom(tell: () => void): void {
    this.#roomers.delete(tell);
  }

  /** The permits of this bulkhead. */
  limit(): number {
    return this.#engine.limit();
  }

  stats(): BulkheadStats {
    return snapshot(this.#engine.stats());
  }

  /** Nothing of the core's will reach this entry any more. */
  forget(entry: Entry): void {
    this.#table.remove(entry);
    entry.hub?.remove(entry);
    entry.hub = undefined;
  }

  /** `take` comes after the events of the input: a newcomer may have the slot of somebody whom the same input has ended. */
  #step<Answer>(input: () => Answer, take?: (answer: Answer) => void): Answer {
    const answer = input();
    this.#collect();
    take?.(answer);
    this.#arm();
    this.#tell();
    return answer;
  }

  /** A step of the ordinary life of a call. */
  #pass<Answer>(input: () => Answer, take?: (answer: Answer) => void): Answer {
    if (!this.#isQuiet()) return this.#step(input, take);
    const answer = input();
    take?.(answer);
    if (!this.#isQuiet()) this.#arm();
    return answer;
  }

  #isQuiet(): boolean {
    return this.#waiters === 0 && !this.#isTimed && this.#idlers.size === 0 && this.#roomers.size === 0;
  }

  #arm(): void {
    const at = this.#engine.nextTimer();
    this.#isTimed = at !== Infinity;
    this.#timer.arm(at, this.#isTimed && this.#engine.keepsAlive());
  }

  #collect(): void {
    for (let kind = this.#engine.nextEvent(); kind !== Event.none; kind = this.#engine.nextEvent()) {
      if (kind === Event.idle) this.#fifo.push(...taken(this.#idlers));
      else if (kind === Event.room) this.#fifo.push(...taken(this.#roomers));
      else this.#collectFor(this.#table.get(this.#engine.eventId()), kind);
    }
  }

  hold(): void {
    this.#holds += 1;
  }

  letGo(): void {
    this.#holds -= 1;
    this.#tell();
  }

  #tell(): void {
    if (!this.#isEmptying && this.#holds === 0) this.#empty();
  }

  #empty(): void {
    if (this.#fifo.length === 0) return;
    this.#isEmptying = true;
    let done = 0;
    try {
      // It may grow meanwhile.
      for (let outcome = this.#fifo[done]; outcome !== undefined; outcome = this.#fifo[done]) {
        done += 1;
        outcome();
      }
    } finally {
      this.#fifo.splice(0, done);
      this.#isEmptying = false;
    }
  }

  /** Who it is for is settled now: later the id may stand for somebody else. */
  #collectFor(entry: Entry | undefined, kind: number): void {
    if (entry === undefined) return;
    if (entry.isWaiting) {
      entry.isWaiting = false;
      this.#waiters -= 1;
    }
    this.#fifo.push(this.#outcome(entry, kind, this.#engine.eventTime()));
  }

  #outcome(entry: Entry, kind: number, time: number): () => void {
    switch (kind) {
      case Event.granted:
        return () => entry.granted();
      case Event.cancelled:
        return cancellation(entry);
      case Event.callTimeout:
      case Event.callClosed:
        return () => entry.refuse(this.#answers.early(kind, time));
      default:
        return () => entry.refuse(this.#answers.removal(kind, time, entry.weight));
    }
  }

  #enqueue(entry: Entry, id: number, hub: Hub | undefined): void {
    entry.id = id;
    entry.isWaiting = true;
    this.#waiters += 1;
    this.#track(entry, hub);
    entry.queued();
  }

  /** A permit by hand is its caller's at once: nothing will answer it early. */
  #admit(entry: Entry, id: number, { deadline }: Request, kind: Kind, hub: Hub | undefined): void {
    entry.id = id;
    if (kind !== RUN) return;
    this.#track(entry, hub);
    this.#isTimed ||= this.#hasCallTimeout || deadline !== Infinity;
  }

  #track(entry: Entry, hub: Hub | undefined): void {
    this.#table.add(entry);
    entry.hub = hub;
    hub?.add(entry);
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

function cancellation(entry: Entry): () => void {
  entry.isCancelled = true;
  const reason: unknown = entry.hub?.signal.reason;
  return () => entry.refuse(reason);
}

function taken(listeners: Set<() => void>): (() => void)[] {
  const all = [...listeners];
  listeners.clear();
  return all;
}
