// One engine: a state machine behind a handle, spoken to through the mailbox of its thread. The
// same class serves the addon and WebAssembly; docs/engine.md has the tables.

import { ARGUMENTS, Event, EVENT_LENGTH, EVENTS_SHOWN, Flag, Input, Place, RULES, STARTED_LENGTH } from './tables.js';

/** Which engine works: the native addon, or WebAssembly. */
export type EngineKind = 'native' | 'wasm';

/**
 * What one thread has of an engine: its functions, and the mailbox that all engines of the thread
 * use in turns.
 */
export interface RawHost {
  /** The mailbox. Asked for at each input: a WebAssembly module that grows loses the one before. */
  mailbox(): Float64Array;
  /** Does the input that lies in the mailbox. */
  exchange(): void;
  /** The same for an arrival whose caller holds the permits of these ids. */
  exchangeHolding(ids: Float64Array): void;
  abort(ids: Float64Array): void;
  stats(): ArrayLike<number>;
  /**
   * What was wrong with the last options or input: 0, or a code of `ARGUMENTS` and `RULES`, and the
   * value in the mailbox.
   */
  fault(): number;
  /** Frees the engine of a handle when its object is collected; where the host does not report that, it is freed with the thread. */
  readonly finalizers: FinalizationRegistry<number> | undefined;
  /**
   * Whether the thread lives on for what another thread can bring; only for cores that threads
   * share.
   */
  keepAlive?(handle: number, isKept: boolean): void;
}

/** The options of an engine, in the order of `OPTIONS`; `undefined` is the default. */
export type EngineOptions = readonly [
  maxConcurrent: number,
  maxQueue?: number | undefined,
  timeoutMs?: number | undefined,
  callTimeoutMs?: number | undefined,
  abandonAfterMs?: number | undefined,
];

/** Makes an engine; throws `RangeError` for an option out of its range. */
export type CreateEngine = (...options: EngineOptions) => Engine;

/** The state of a bulkhead, for the texts of its errors. */
export interface Figures {
  readonly limit: number;
  readonly active: number;
  readonly queued: number;
  readonly maxQueue: number;
}

/** What an arrival asks for; times are lengths in milliseconds, `Infinity` is no bound. */
export interface Asked {
  readonly weight: number;
  readonly timeout: number;
  /** The call's own bound on its run. */
  readonly callTimeout: number;
}

/**
 * What an item of a map adds: how many of the map's items run, and since when it has been waiting
 * for capacity.
 */
export interface Turn {
  readonly running: number;
  readonly since: number;
}

/** The smallest id: what an arrival answers below it is a rejection, or nothing. */
export const FIRST_ID = 2 ** 32;

export const COMPLETED = 0;
export const FAILED = 1;
export type Outcome = typeof COMPLETED | typeof FAILED;

/** A manual permit: no flag. */
export const MANUAL = 0;
export const RUN = Flag.run;
export type Kind = typeof MANUAL | typeof RUN;

/**
 * The core takes a time in the past for the one that it stands at; inputs without a time do not
 * look at it.
 */
const UNTIMED = -Infinity;

/**
 * Throws what was wrong with the last options or input, if anything was: an error of this realm,
 * and numbers as this host prints them.
 */
export function throwFault(raw: RawHost): void {
  const code = raw.fault() - 1;
  if (code < 0) return;
  const value = raw.mailbox()[Place.code];
  const option = ARGUMENTS[code % ARGUMENTS.length];
  const rule = RULES[Math.floor(code / ARGUMENTS.length)];
  throw new RangeError(`${option} must be ${rule}, got ${Object.is(value, -0) ? '-0' : String(value)}`);
}

/** For a thread's engines, from what frees one. */
export function finalizersOf(drop: (handle: number) => void): FinalizationRegistry<number> | undefined {
  return typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry(drop);
}

export class Engine {
  /**
   * How many ordinary runs may begin; below 0 every begin and end is the engine's. See
   * docs/engine.md, "The credit".
   */
  free = -1;
  /** How many may begin, the last of them to be measured. */
  starts = 0;
  /** The least `free` since the engine set it. */
  least = -1;
  /** How many have failed since. */
  failed = 0;
  /**
   * When this thread must look again, on the core's clock, and whether a caller without an answer
   * depends on it.
   */
  #timer = Infinity;
  #isNeeded = false;
  /** The permits of the bulkhead, as of the last input. */
  limit = 0;
  readonly handle: number;
  private readonly raw: RawHost;
  /** How many of the events shown were taken, and how many are shown. */
  #taken = 0;
  #shown = 0;
  /** Granted calls that have started since the last input. */
  #started: number[] | undefined = undefined;

  constructor(raw: RawHost, handle: number) {
    this.raw = raw;
    this.handle = handle;
    raw.finalizers?.register(this, handle);
  }

  /** Whether `limit` is always the present one: no other thread changes it. */
  readonly isAlone: boolean = true;

  /** Whether an input without a clock may serve: nothing can fall due, or only another thread could know. */
  mayBeUntimed(): boolean {
    return this.free >= 0;
  }

  /** Whether `beginCounted` would begin a run now. */
  canBeginCounted(): boolean {
    return this.free > 0 && this.starts > 0;
  }

  /**
   * Begins an ordinary run, if that needs no look at anything. It must be ended with `endCounted`,
   * or if it took the last of `starts` with `finishMeasured`.
   */
  beginCounted(): boolean {
    const { free, starts } = this;
    if (free <= 0 || starts === 0) return false;
    this.free = free - 1;
    this.starts = starts - 1;
    if (free <= this.least) this.least = free - 1;
    return true;
  }

  /**
   * Ends a run that `beginCounted` began. False: it may concern other calls, so `finishCounted`
   * must be called.
   */
  endCounted(outcome: Outcome): boolean {
    if (this.free < 0) return false;
    this.free += 1;
    if (outcome === FAILED) this.failed += 1;
    return true;
  }

  /**
   * At least `FIRST_ID`: the id; negative: queued, minus the id; else the code of a rejection.
   * Throws for a bad number.
   */
  acquire(now: number, asked: Asked, deadline: number, flags: number, held: Float64Array | undefined): number {
    return this.#arrive(Input.acquire, now, asked, deadline, flags, held);
  }

  /**
   * As `acquire` without a clock, for a call without bounds of its own; 0 if this one must
   * `acquire`.
   */
  acquireUntimed(weight: number, flags: number): number {
    return this.input(Input.acquireUntimed, UNTIMED, weight, flags);
  }

  /** As `acquire`, but 0 instead of queued or full: a `capacity` event says when to ask again. */
  acquireOrWatch(now: number, asked: Asked, deadline: number, held: Float64Array | undefined, turn: Turn): number {
    return this.#arrive(Input.acquireOrWatch, now, asked, deadline, Flag.run, held, turn);
  }

  /** Whether such an item could run, or would be rejected for good; if not, a `capacity` event says when to ask again. */
  watchCapacity(now: number, asked: Asked, deadline: number, held: Float64Array | undefined, turn: Turn): boolean {
    return this.#arrive(Input.watchCapacity, now, asked, deadline, Flag.run, held, turn) === 1;
  }

  /** No item waits for capacity any more. */
  unwatchCapacity(now: number): void {
    this.input(Input.unwatchCapacity, now);
  }

  /** An id, or the code of a rejection. */
  tryAcquire(now: number, weight: number): number {
    return this.#checked(this.input(Input.tryAcquire, now, weight));
  }

  /** A granted call with a run deadline goes on. */
  start(now: number, id: number): void {
    this.input(Input.start, now, id);
  }

  /** A granted call without a run deadline goes on: the engine is notified with the next input. */
  startLater(id: number): void {
    const started = (this.#started ??= []);
    if (started.push(id) === STARTED_LENGTH) this.show();
  }

  finish(now: number, id: number, outcome: Outcome): boolean {
    return this.input(Input.finish, now, id, outcome) === 1;
  }

  /** As `finish` without a clock; false if this one must `finish`. */
  finishUntimed(id: number, outcome: Outcome): boolean {
    return this.input(Input.finishUntimed, UNTIMED, id, outcome) === 1;
  }

  finishCounted(now: number, outcome: Outcome): void {
    this.input(Input.finishCounted, now, outcome);
  }

  /** Ends the run that took the last of `starts`, with the time that it ran. */
  finishMeasured(now: number, outcome: Outcome, ran: number): void {
    this.input(Input.finishMeasured, now, outcome, ran);
  }

  release(now: number, id: number): void {
    this.input(Input.release, now, id);
  }

  /** Some of a manual permit. Throws for more than it holds. */
  releasePart(now: number, id: number, permits: number): void {
    this.#checked(this.input(Input.releasePart, now, id, permits));
  }

  /** The id of a permit of its own with some of this one's; 0 if this one is no permit any more. Throws for too many. */
  split(now: number, id: number, permits: number): number {
    return this.#checked(this.input(Input.split, now, id, permits));
  }

  /** Whether the permit has this weight now: more is to be had only at once. Throws for a bad weight. */
  adjust(now: number, id: number, weight: number): boolean {
    return this.#checked(this.input(Input.adjust, now, id, weight)) === 1;
  }

  /** A permit that was dropped; true if it is the first of this bulkhead, in whichever thread. */
  reclaim(now: number, id: number): boolean {
    return this.input(Input.reclaim, now, id) === 1;
  }

  /** The same for a counted run. */
  reclaimCounted(now: number): boolean {
    return this.input(Input.reclaimCounted, now) === 1;
  }

  abort(now: number, ids: Float64Array): void {
    this.#prepare(this.raw.mailbox(), Input.show, now);
    this.raw.abort(ids);
    this.#read();
  }

  resize(now: number, limit: number): void {
    this.#checked(this.input(Input.resize, now, limit));
  }

  close(now: number, abort: boolean): void {
    this.input(Input.close, now, Number(abort));
  }

  /** Throws for a bad time. */
  drain(now: number, timeout: number): void {
    this.#checked(this.input(Input.drain, now, timeout));
  }

  /**
   * 0: idle now. Else the ticket of this request, which an `idle` event of it or of a later one
   * answers.
   */
  watchIdle(now: number): number {
    return this.input(Input.watchIdle, now);
  }

  handleTimeout(now: number): void {
    this.input(Input.handleTimeout, now);
  }

  /** The permits that this id holds. */
  permits(id: number): number {
    return this.input(Input.permits, UNTIMED, id);
  }

  /** Looks again: another thread may have changed what there is. */
  show(): void {
    this.input(Input.show, UNTIMED);
  }

  /**
   * The kind of the next event, `Event.none` if there is none. Its id and time stand at `eventAt`.
   */
  nextEvent(): number {
    if (this.#taken === this.#shown) {
      // Fewer than are shown at a time: that was all. To look again would cost each grant a third exchange.
      if (this.#shown < EVENTS_SHOWN) return Event.none;
      this.show();
      if (this.#shown === 0) return Event.none;
    }
    this.#taken += 1;
    return this.raw.mailbox()[this.#eventAt()] ?? Event.none;
  }

  eventId(): number {
    return this.raw.mailbox()[this.#eventAt() + 1] ?? 0;
  }

  eventTime(): number {
    return this.raw.mailbox()[this.#eventAt() + 2] ?? 0;
  }

  /** When this thread must look again, on its own clock. */
  nextTimer(): number {
    return this.fromCore(this.#timer);
  }

  keepsAlive(): boolean {
    return this.#isNeeded;
  }

  /** Of the last input, and only until another engine of this thread has one. */
  figures(): Figures {
    const box = this.raw.mailbox();
    const at = (place: number): number => box[place] ?? 0;
    return { limit: at(Place.limit), active: at(Place.active), queued: at(Place.queued), maxQueue: at(Place.maxQueue) };
  }

  /**
   * More of the last rejection: what the caller of a reentrant call held, or how long it had waited
   * for capacity; as `figures`.
   */
  detail(): number {
    return this.#at(Place.detail);
  }

  stats(): ArrayLike<number> {
    this.#prepare(this.raw.mailbox(), Input.show, UNTIMED);
    const stats = this.raw.stats();
    this.#read();
    return stats;
  }

  /** Whether this thread lives on for what only another one can bring. */
  awaitOthers(isAwaited: boolean): void {
    this.raw.keepAlive?.(this.handle, isAwaited);
  }

  /** Called with the time of each input, before it. A private core has the clock of its thread. */
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- what overrides it has one
  protected setClock(_now: number): void {
    // See `SharedEngine`.
  }

  /** A time of this thread on the core's clock. */
  protected inCore(time: number): number {
    return time;
  }

  protected fromCore(time: number): number {
    return time;
  }

  #eventAt(): number {
    return Place.events + (this.#taken - 1) * EVENT_LENGTH;
  }

  #at(place: number): number {
    return this.raw.mailbox()[place] ?? 0;
  }

  #arrive(
    code: number,
    now: number,
    asked: Asked,
    deadline: number,
    flags: number,
    held: Float64Array | undefined,
    turn?: Turn,
  ): number {
    const box = this.raw.mailbox();
    this.#prepare(box, code, now);
    box[Place.arguments] = asked.weight;
    box[Place.arguments + 1] = asked.timeout;
    box[Place.arguments + 2] = this.inCore(deadline);
    box[Place.arguments + 3] = flags;
    box[Place.arguments + 4] = asked.callTimeout;
    if (turn !== undefined) {
      box[Place.arguments + 5] = turn.running;
      box[Place.arguments + 6] = this.inCore(turn.since);
    }
    if (held === undefined) this.raw.exchange();
    else this.raw.exchangeHolding(held);
    return this.#checked(this.#read());
  }

  private input(code: number, now: number, first = 0, second = 0): number {
    const box = this.raw.mailbox();
    this.#prepare(box, code, now);
    box[Place.arguments] = first;
    box[Place.arguments + 1] = second;
    this.raw.exchange();
    return this.#read();
  }

  #prepare(box: Float64Array, code: number, now: number): void {
    box[Place.code] = code;
    if (now !== UNTIMED) this.setClock(now);
    box[Place.now] = this.inCore(now);
    box[Place.engine] = this.handle;
    box[Place.compartment] = 0;
    box[Place.taken] = this.#taken;
    box[Place.count] = this.#shown;
    box[Place.free] = this.free;
    box[Place.starts] = this.starts;
    box[Place.least] = this.least;
    box[Place.failed] = this.failed;
    const started = this.#started;
    box[Place.startsCount] = started === undefined ? 0 : started.length;
    if (started === undefined || started.length === 0) return;
    for (let place = 0; place < started.length; place += 1) box[Place.started + place] = started[place] ?? 0;
    started.length = 0;
  }

  /** What the engine has laid out; the answer. */
  #read(): number {
    const box = this.raw.mailbox();
    this.#taken = 0;
    this.#shown = box[Place.count] ?? 0;
    // As integers: the host counts those faster.
    this.free = (box[Place.free] ?? -1) | 0;
    this.starts = (box[Place.starts] ?? 0) | 0;
    this.least = (box[Place.least] ?? -1) | 0;
    this.failed = 0;
    this.#timer = box[Place.timer] ?? Infinity;
    this.#isNeeded = box[Place.keepsAlive] === 1;
    this.limit = box[Place.limit] ?? 0;
    return box[Place.code] ?? 0;
  }

  #checked(answer: number): number {
    if (Number.isNaN(answer)) throwFault(this.raw);
    return answer;
  }
}
