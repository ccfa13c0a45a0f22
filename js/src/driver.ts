// The one path of a bulkhead: call the engine, register the caller, move the events into the FIFO,
// arm the one timer; only then, and only in the outermost step, settle promises and run user code.
// A step inside of that appends, so the order of the core is kept.
//
// The caller is registered before the events are looked at: between the two another thread may have
// granted or ended its call.
//
// One short cut: ordinary runs begin and end by the engine's credit, without any call of it. There
// is nothing to deliver then, and neither the clock nor the timer is looked at: they cost more than
// the rest of such a call.

import { AbortListener, type Aborter } from './abort-listener.js';
import { Answers } from './answers.js';
import { Clock } from './clock.js';
import { COMPLETED, type Engine, type Figures, FIRST_ID, type Kind, type Outcome, RUN, type Turn } from './engines/engine.js';
import { Event, Flag, Rejection } from './engines/tables.js';
import { Fifo } from './fifo.js';
import { type HeldPermits, type Holdable, host } from './host.js';
import { DEFAULT_REQUEST, type Request, type Traits } from './options.js';
import type { PendingCall } from './pending-call.js';
import { HostPromise } from './promise.js';
import { type BulkheadStats, snapshot } from './stats.js';
import { Table } from './table.js';
import { HostTimer } from './timer.js';
import { type Place, placeHere, showPlace } from './trace.js';

/** To whom an outcome is delivered, in its turn. */
interface Listener {
  deliver(): void;
}

export class Driver implements Aborter, Holdable {
  readonly name: string;
  readonly traits: Traits;
  /** Every run has a deadline. */
  readonly hasCallTimeout: boolean;
  /** With `detectReentrancy`. */
  readonly heldPermits: HeldPermits | undefined;
  /** Closed with abort: why. Signals that are read from now on are aborted already. */
  #abortReason: unknown = undefined;
  /** What counted runs of this bulkhead settle by: one pair for all. */
  reactions: Reactions | undefined = undefined;
  readonly #engine: Engine;
  readonly #answers: Answers;
  /** Calls that the core may still have an outcome for. */
  #table: Table | undefined = undefined;
  #fifo: Fifo<Listener> | undefined = undefined;
  readonly #clock = new Clock();
  #timer: HostTimer | undefined = undefined;
  /** Of `idle`: how to settle each, its ticket, and whether this thread must live until then. */
  #idleWaiters: IdleWaiter[] | undefined = undefined;
  #capacityWaiters: Set<() => void> | undefined = undefined;
  /** How to notify the maps that go on. */
  #maps: Set<() => void> | undefined = undefined;
  /**
   * The signals that were read, by the context of their work: they abort when the bulkhead is
   * closed with abort.
   */
  #controllers: Map<object, AbortController> | undefined = undefined;
  /** With `stackTraces`: where each call came from. */
  readonly #places: WeakMap<PendingCall, Place> | undefined;
  /** With it: the wrapped function that is being called. */
  entrance: unknown = undefined;
  #isEmptying = false;
  #awaitsOthers = false;
  /** While above zero, outcomes are only collected. */
  #holds = 0;

  constructor(name: string, engine: Engine, traits: Traits, hasCallTimeout: boolean) {
    this.name = name;
    this.traits = traits;
    this.hasCallTimeout = hasCallTimeout;
    this.heldPermits = traits.detectReentrancy ? host().heldPermits() : undefined;
    this.#engine = engine;
    this.#places = traits.stackTraces ? new WeakMap() : undefined;
    this.#answers = new Answers(name, traits.stackTraces);
    engine.show();
  }

  /** Begins an ordinary run, if that concerns nothing else; to be ended with `endCounted`. */
  beginCounted(): boolean {
    return this.heldPermits === undefined && this.#engine.beginCounted();
  }

  canBeginCounted(): boolean {
    return this.heldPermits === undefined && this.#engine.canBeginCounted();
  }

  /** Whether the run that has just begun is to be measured. */
  isToMeasure(): boolean {
    return this.#engine.starts === 0;
  }

  /** The clock, for a run that is measured. */
  now(): number {
    return this.#clock.now();
  }

  endMeasured(outcome: Outcome, since: number): void {
    const now = this.#clock.now();
    this.#engine.finishMeasured(now, outcome, now - since);
    this.#settle();
  }

  endCounted(outcome: Outcome): void {
    if (this.#engine.endCounted(outcome)) return;
    this.#engine.finishCounted(this.#clock.now(), outcome);
    this.#settle();
  }

  /**
   * A call arrives. One that is not turned away is what `make` makes, with its id, and registered.
   * Throws for a number out of its range.
   */
  arrive<Call extends PendingCall>(request: Request, kind: Kind, make: Make<Call>): Arrival<Call> | Refused {
    const { deadline, signal } = request;
    const listener = listenerOf(signal);
    // Looked at after the subscription: a signal may abort while a listener is added, and then no event follows.
    const flags = signal?.aborted === true ? kind | Flag.aborted : kind;
    try {
      const answer =
        this.#acquireUntimed(request, kind) ||
        this.#engine.acquire(this.#clock.now(), request, this.#clock.at(deadline), flags, this.#held());
      return this.#arrived(answer, request, kind, listener, make);
    } finally {
      listener?.unlistenIfUnused();
      this.#settle();
    }
  }

  /** As `arrive` for an item of a map; `undefined` if `notify` is called when to ask again. */
  offer<Call extends PendingCall>(
    request: Request,
    turn: Turn,
    notify: () => void,
    make: Make<Call>,
  ): Arrival<Call> | Refused | undefined {
    const { deadline, signal } = request;
    const listener = listenerOf(signal);
    try {
      this.#addCapacityWaiter(notify);
      const answer = this.#engine.acquireOrWatch(this.#clock.now(), request, this.#clock.at(deadline), this.#held(), turn);
      if (answer === 0) return undefined;
      this.#capacityWaiters?.delete(notify);
      return this.#arrived(answer, request, RUN, listener, make);
    } finally {
      listener?.unlistenIfUnused();
      this.#settle();
    }
  }

  /** The id of a manual permit, 0 if it cannot be had now. */
  tryAcquire(weight: number): number {
    const answer = this.#engine.tryAcquire(this.#clock.now(), weight);
    this.#settle();
    return answer >= FIRST_ID ? answer : 0;
  }

  /** A granted call goes on. `isBounded`: it has a run deadline. */
  start(call: PendingCall, isBounded: boolean): void {
    if (!isBounded) {
      this.#engine.startLater(call.id);
      return;
    }
    this.#engine.start(this.#clock.now(), call.id);
    this.#settle();
  }

  /**
   * The work of a call has settled. After it `call.hasOutcome` says whether its caller gets an
   * answer of the core's instead.
   */
  finish(call: PendingCall, outcome: Outcome, isBounded: boolean): void {
    if (!isBounded && this.#engine.mayBeUntimed() && this.#engine.finishUntimed(call.id, outcome)) {
      this.forget(call);
      return;
    }
    this.#engine.finish(this.#clock.now(), call.id, outcome);
    // Before it is forgotten: another thread may have handled its deadline, and then the books say
    // that this was its answer.
    this.#collect();
    this.forget(call);
    this.#arm();
    this.#deliverAll();
  }

  release(id: number): void {
    if (this.#engine.mayBeUntimed() && this.#engine.finishUntimed(id, COMPLETED)) return;
    this.#engine.release(this.#clock.now(), id);
    this.#settle();
  }

  /** Some of a manual permit. Throws for a number that it does not hold. */
  releasePart(id: number, permits: number): void {
    try {
      this.#engine.releasePart(this.#clock.now(), id, permits);
    } finally {
      this.#settle();
    }
  }

  /** The id of a new permit with some of this one's; 0 if this one holds none. `part` hears of its bound. Throws as above. */
  split(id: number, permits: number, part: PendingCall | undefined): number {
    try {
      const answer = this.#engine.split(this.#clock.now(), id, permits);
      if (part !== undefined && answer !== 0) {
        part.id = answer;
        this.#track(part, undefined);
      }
      return answer;
    } finally {
      this.#settle();
    }
  }

  /** Whether the permit has this weight now. Throws for a number out of its range. */
  adjust(id: number, weight: number): boolean {
    try {
      return this.#engine.adjust(this.#clock.now(), id, weight);
    } finally {
      this.#settle();
    }
  }

  /** What held a permit was dropped; `text` says what that was. */
  reclaim(id: number, text: string): void {
    this.#reclaimed(this.#engine.reclaim(this.#clock.now(), id), text);
  }

  /** The stream of a counted run was dropped. */
  reclaimCounted(): void {
    this.#reclaimed(this.#engine.reclaimCounted(this.#clock.now()), DROPPED_STREAM);
  }

  #reclaimed(isFirst: boolean, text: string): void {
    this.#settle();
    if (isFirst) host().warn(`${this.name}: ${text}`);
  }

  abort(ids: readonly number[]): void {
    this.#engine.abort(this.#clock.now(), Float64Array.from(ids));
    this.#settle();
  }

  resize(limit: number): void {
    this.#engine.resize(this.#clock.now(), limit);
    for (const notify of this.#maps ?? []) this.#push({ deliver: notify });
    this.#settle();
  }

  close(abort: boolean): void {
    this.#engine.close(this.#clock.now(), abort);
    this.#settle();
  }

  drain(timeout: number): void {
    this.#engine.drain(this.#clock.now(), timeout);
    this.#settle();
  }

  /**
   * Settles at the first moment without waiters and permits in use. `keepsAlive`: this thread lives
   * until another brings it.
   */
  idle(keepsAlive: boolean): Promise<void> {
    return new HostPromise((resolve) => {
      const ticket = this.#engine.watchIdle(this.#clock.now());
      if (ticket === 0) resolve();
      else (this.#idleWaiters ??= []).push({ resolve, ticket, keepsAlive });
      this.#settle();
    });
  }

  /** Whether an item of a map could run, or would be rejected for good; if not, `notify` is called when to ask again. */
  hasCapacity(request: Request, turn: Turn, notify: () => void): boolean {
    const { weight } = request;
    if (this.#isFilledBy(weight, turn.running)) return false;
    if (weight === 1 && this.canBeginCounted()) return true;
    this.#addCapacityWaiter(notify);
    const has = this.#engine.watchCapacity(this.#clock.now(), request, this.#clock.at(request.deadline), this.#held(), turn);
    if (has) this.#capacityWaiters?.delete(notify);
    this.#settle();
    return has;
  }

  /** `notify` no longer matters. */
  forgetCapacity(notify: () => void): void {
    if (this.#capacityWaiters?.delete(notify) !== true) return;
    if (this.#capacityWaiters.size === 0) this.#engine.unwatchCapacity(this.#clock.now());
    this.#settle();
  }

  /** A map goes on from here until `leaveMap`: `notify` is called when the limit changes. */
  joinMap(notify: () => void): void {
    (this.#maps ??= new Set()).add(notify);
  }

  leaveMap(notify: () => void): void {
    this.#maps?.delete(notify);
    this.forgetCapacity(notify);
  }

  /** Asked in the middle of an arrival too, so what it brings is delivered with the next input. */
  permits(id: number): number {
    const permits = this.#engine.permits(id);
    this.#collect();
    return permits;
  }

  /** For an error that is made when an outcome is delivered. */
  figures(): Figures {
    this.#engine.show();
    const figures = this.#engine.figures();
    // At once: the next input of another engine takes the place of these events.
    this.#collect();
    this.#arm();
    return figures;
  }

  stats(): BulkheadStats {
    const stats = snapshot(this.#engine.stats());
    this.#settle();
    return stats;
  }

  /** Nothing of the core's will reach this call any more. */
  forget(call: PendingCall): void {
    this.#table?.remove(call);
    this.ignoreSignal(call);
  }

  /** The signal of its caller does not concern it any more. */
  ignoreSignal(call: PendingCall): void {
    if (call.listener === undefined) return;
    call.listener.remove(call);
    call.listener = undefined;
  }

  /** The signal of this context was read. */
  abortable(context: object, controller: AbortController): void {
    // Ending 4.3
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
    else (this.#controllers ??= new Map()).set(context, controller);
  }

  /** The work of this context has ended, or its caller has another answer. */
  ended(context: object): void {
    this.#controllers?.delete(context);
  }

  /** Another thread has notified this one. */
  wake(): void {
    this.#engine.show();
    this.#settle();
  }

  hold(): void {
    this.#holds += 1;
  }

  letGo(): void {
    this.#holds -= 1;
    this.#deliverAll();
  }

  /** The host timer has fired. */
  handleTimeout(): void {
    this.#engine.handleTimeout(this.#clock.now());
    this.#settle();
  }

  #arrived<Call extends PendingCall>(
    answer: number,
    request: Request,
    kind: Kind,
    listener: AbortListener | undefined,
    make: Make<Call>,
  ): Arrival<Call> | Refused {
    if (answer > 0 && answer < FIRST_ID) {
      // Now, while the figures are those of this input.
      const reason: unknown =
        // Errors 6
        answer === Rejection.cancelled
          ? request.signal?.reason
          : this.#rejection(answer, request.weight);
      return new Refused(reason);
    }
    const waits = answer < 0;
    const call = make(waits);
    call.id = Math.abs(answer);
    this.#places?.set(call, placeHere(this.entrance));
    // A manual permit is its caller's at once: its bound is all that the core may still have for it.
    if (waits || kind === RUN) this.#track(call, listener);
    else if (request.callTimeout !== Infinity) this.#track(call, undefined);
    return { call, waits };
  }

  #rejection(code: number, weight: number): unknown {
    const error = this.#answers.rejection(code, weight, this.#engine.figures(), this.#engine.detail());
    if (this.#places !== undefined) showPlace(error, placeHere(this.entrance));
    return error;
  }

  /** Why a call gets no result, or only later. */
  early(kind: number, timeMs: number, call: PendingCall): unknown {
    const error = this.#answers.of(kind, timeMs, call, this.figures());
    showPlace(error, this.#places?.get(call));
    return error;
  }

  /** 0: the clock is needed. */
  #acquireUntimed(request: Request, kind: Kind): number {
    if (request !== DEFAULT_REQUEST || this.heldPermits !== undefined || !this.#engine.mayBeUntimed()) return 0;
    return this.#engine.acquireUntimed(1, kind);
  }

  #track(call: PendingCall, listener: AbortListener | undefined): void {
    (this.#table ??= new Table()).add(call);
    if (listener === undefined) return;
    call.listener = listener;
    listener.add(call);
  }

  #held(): Float64Array | undefined {
    // Nested calls 5
    if (this.heldPermits === undefined) return undefined;
    const ids = this.heldPermits.ids(this);
    return ids.length === 0 ? undefined : Float64Array.from(ids);
  }

  // Map 1.3: then only the end of one of its own items frees capacity for it, or a resize; it hears
  // of both without a watch.
  #isFilledBy(weight: number, running: number): boolean {
    return this.#engine.isAlone && running > 0 && (running + 1) * weight > this.#engine.limit;
  }

  #addCapacityWaiter(notify: () => void): void {
    (this.#capacityWaiters ??= new Set()).add(notify);
  }

  /** What follows every input. */
  #settle(): void {
    this.#collect();
    this.#arm();
    // Running 9: the engine has returned, so user code may call it.
    this.#deliverAll();
  }

  #collect(): void {
    const engine = this.#engine;
    for (let kind = engine.nextEvent(); kind !== Event.none; kind = engine.nextEvent()) {
      if (kind === Event.idle) this.#collectIdle(engine.eventId());
      else if (kind === Event.capacity) this.#collectCapacity();
      else if (kind === Event.abort) this.#push({ deliver: () => this.#abortAll() });
      else this.#collectFor(this.#table?.get(engine.eventId()), kind);
    }
  }

  #arm(): void {
    const at = this.#engine.nextTimer();
    if (at !== Infinity) this.#timer ??= new HostTimer(this.#clock, this);
    this.#timer?.arm(at, at !== Infinity && this.#engine.keepsAlive());
    this.#setAwaitsOthers();
  }

  #setAwaitsOthers(): void {
    const [capacityWaiters, idleWaiters] = [this.#capacityWaiters, this.#idleWaiters];
    if (capacityWaiters === undefined && idleWaiters === undefined) return;
    const awaits = (capacityWaiters?.size ?? 0) > 0 || idleWaiters?.some((waiter) => waiter.keepsAlive) === true;
    if (awaits === this.#awaitsOthers) return;
    this.#awaitsOthers = awaits;
    // Shared in Node 3.2
    this.#engine.awaitOthers(awaits);
  }

  #deliverAll(): void {
    const fifo = this.#fifo;
    // Running 8: a step inside of user code only appends, and the outermost goes on.
    if (fifo !== undefined && !fifo.isEmpty && !this.#isEmptying && this.#holds === 0) this.#empty(fifo);
  }

  #push(listener: Listener): void {
    (this.#fifo ??= new Fifo()).push(listener);
  }

  #empty(fifo: Fifo<Listener>): void {
    this.#isEmptying = true;
    try {
      // It may grow meanwhile.
      for (let listener = fifo.take(); listener !== undefined; listener = fifo.take()) listener.deliver();
    } finally {
      this.#isEmptying = false;
      // One of them threw, which a signal that is no native one can bring about: the others are delivered all the same.
      if (!fifo.isEmpty) void HostPromise.resolve().then(() => this.#deliverAll());
    }
  }

  /** The call is looked up now: later its slot may be another's. */
  #collectFor(call: PendingCall | undefined, kind: number): void {
    if (call === undefined) return;
    this.#push(kind === Event.granted ? call : new EarlyEnd(call, kind, this.#engine.eventTime(), this));
  }

  #collectIdle(ticket: number): void {
    const waiters = this.#idleWaiters ?? [];
    this.#idleWaiters = waiters.filter((waiter) => waiter.ticket > ticket);
    for (const waiter of waiters) if (waiter.ticket <= ticket) this.#push({ deliver: waiter.resolve });
  }

  #collectCapacity(): void {
    for (const notify of this.#capacityWaiters ?? []) this.#push({ deliver: notify });
    this.#capacityWaiters?.clear();
  }

  /** Closed with abort: the signals of the work that runs abort, and the work answers by itself. */
  #abortAll(): void {
    this.#abortReason ??= this.#answers.closedWhileRunning();
    const controllers = [...(this.#controllers?.values() ?? [])];
    this.#controllers = undefined;
    // Each by itself: a listener of one that throws must not keep the others from hearing of it.
    for (const controller of controllers) this.#push({ deliver: () => controller.abort(this.#abortReason) });
  }
}

/** Makes the call of an arrival that was not turned away. */
type Make<Call> = (waits: boolean) => Call;

/** A call that has its permits, or waits for them. */
interface Arrival<Call> {
  readonly call: Call;
  readonly waits: boolean;
}

/** What the promise of a counted run is derived by. */
interface Reactions {
  readonly fulfilled: (value: unknown) => unknown;
  readonly rejected: (reason: unknown) => never;
}

export const DROPPED_PERMIT =
  'a permit was dropped without release and has been reclaimed; use exec, using, or release() in a finally';
export const DROPPED_STREAM =
  'a stream was dropped before its end and its permit has been reclaimed; iterate it to its end, or leave it by return()';

/** A call that was turned away, and why. */
export class Refused {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

interface IdleWaiter {
  readonly resolve: () => void;
  readonly ticket: number;
  readonly keepsAlive: boolean;
}

/**
 * That a call was not granted, or is answered early. One object: there may be a hundred thousand of
 * them in one step.
 */
class EarlyEnd implements Listener {
  readonly #call: PendingCall;
  readonly #kind: number;
  readonly #time: number;
  readonly #driver: Driver;
  readonly #reason: unknown;

  constructor(call: PendingCall, kind: number, time: number, driver: Driver) {
    this.#call = call;
    this.#kind = kind;
    this.#time = time;
    this.#driver = driver;
    call.hasOutcome = true;
    if (kind === Event.cancelled) call.cancelled();
    // By the time that it is delivered the call may have left its signal.
    this.#reason = kind === Event.cancelled ? call.listener?.reason() : undefined;
  }

  deliver(): void {
    const call = this.#call;
    const driver = this.#driver;
    const isCancelled = this.#kind === Event.cancelled;
    call.refuse(isCancelled ? this.#reason : driver.early(this.#kind, this.#time, call));
  }
}

function listenerOf(signal: AbortSignal | undefined): AbortListener | undefined {
  if (signal === undefined || signal.aborted) return undefined;
  const listener = AbortListener.of(signal);
  listener.listen();
  return listener;
}
