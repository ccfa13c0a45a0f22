/// <reference lib="esnext.disposable" preserve="true" />
// Manual permits.

import { type Driver, DROPPED_PERMIT, Refused } from './driver.js';
import { MANUAL } from './engines/engine.js';
import type { Holding } from './host.js';
import { number, type Request } from './options.js';
import { PendingCall, rejected } from './pending-call.js';
import { HostPromise } from './promise.js';

/**
 * The right to run, until `release()`. `using permit = await shipping.acquire()` releases it by
 * itself.
 */
export interface Permit extends Disposable, AsyncDisposable {
  /** How many permits it holds now. */
  readonly weight: number;
  /**
   * Aborts when the permit's own `callTimeoutMs` passes, with a `BulkheadCallTimeoutError`, and
   * when the bulkhead is closed with abort. The permit stays taken until it is released. Made when
   * it is first read.
   */
  readonly signal: AbortSignal;
  /**
   * Gives the permit back, or as many of its permits as are named. Once all are back, a further
   * call changes nothing but the counter `doubleReleases`.
   */
  release(permits?: number): void;
  /**
   * Takes as many of its permits, fewer than it holds, for a permit of their own, under the same
   * bound. Throws if it holds none.
   */
  split(permits: number): Permit;
  /**
   * Whether it holds this many now. More are to be had only if they are free at once and nobody
   * waits; fewer always, which lets in those who wait.
   */
  adjust(weight: number): boolean;
}

/**
 * `acquire`: a manual permit, perhaps after a wait. Throws for a number out of its range.
 * `entrance`: the method it was asked by.
 */
export function acquire(driver: Driver, request: Request, entrance: unknown): Promise<Permit> {
  const takenAt = placeOf(driver, entrance);
  const isBounded = request.callTimeout !== Infinity;
  // Taken as the call is made: another thread may have granted it by the time that it has arrived,
  // and then it has let its promise go.
  let promise: Promise<Permit> | undefined;
  const arrival = driver.arrive(request, MANUAL, () => {
    const made = new Acquisition(driver, request.weight, takenAt, isBounded);
    promise = made.promise;
    return made;
  });
  if (arrival instanceof Refused) return rejected(arrival.reason);
  const { call, waits } = arrival;
  if (waits) call.holding = driver.heldPermits?.ask(driver, entrance);
  else call.admit(entrance);
  return promise ?? call.promise;
}

/** `tryAcquire`: a manual permit if it can be had at once. */
export function tryAcquire(driver: Driver, weight: number, entrance: unknown): Permit | null {
  const id = driver.tryAcquire(weight);
  if (id === 0) return null;
  driver.heldPermits?.took(driver, id, entrance);
  const held = new Held(driver, weight, placeOf(driver, entrance));
  held.id = id;
  return new ManualPermit(held);
}

class Acquisition extends PendingCall<Permit> {
  readonly driver: Driver;
  readonly held: Held;
  holding: Holding | undefined = undefined;
  readonly #isBounded: boolean;
  #isAdmitted = false;
  #isCancelled = false;

  constructor(driver: Driver, weight: number, takenAt: string, isBounded: boolean) {
    super(weight);
    this.driver = driver;
    this.held = new Held(driver, weight, takenAt);
    this.#isBounded = isBounded;
  }

  deliver(): void {
    if (this.#isCancelled) return;
    // Leaving the queue 2.3: the permit is the caller's as soon as the promise has settled; only
    // its bound concerns the core further.
    if (this.#isBounded) this.driver.ignoreSignal(this);
    else this.driver.forget(this);
    this.driver.start(this, this.#isBounded);
    this.#settle();
  }

  /** It has its permits at once. */
  admit(entrance: unknown): void {
    this.holding = this.driver.heldPermits?.ask(this.driver, entrance);
    // Which context holds it shows only in a later turn, where that waits for it.
    if (this.holding === undefined) this.#settle();
    else void HostPromise.resolve().then(() => this.#settle());
  }

  /** It is a part of another permit. */
  part(): void {
    this.#hasAll();
    this.letGo();
  }

  #settle(): void {
    this.#hasAll();
    const permit = new ManualPermit(this.held);
    if (this.holding === undefined) this.#deliver(permit);
    else this.holding.arrive(this.id, () => this.#deliver(permit));
  }

  #hasAll(): void {
    this.#isAdmitted = true;
    this.held.id = this.id;
    if (this.#isBounded) this.held.acquisition = this;
  }

  #deliver(permit: Permit): void {
    this.resolve(permit);
    this.letGo();
  }

  override cancelled(): void {
    this.#isCancelled = true;
  }

  override lateText(milliseconds: string): string {
    return this.#isAdmitted ? `held for ${milliseconds} ms, and not released yet` : super.lateText(milliseconds);
  }

  refuse(reason: unknown): void {
    this.isAnswered = true;
    this.driver.forget(this);
    if (this.#isAdmitted) {
      this.held.expire(reason);
      return;
    }
    this.holding?.fail();
    this.reject(reason);
  }
}

class ManualPermit implements Permit {
  readonly #held: Held;
  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>;

  constructor(held: Held) {
    this.#held = held;
    dropped?.register(this, held, held);
  }

  get weight(): number {
    return this.#held.weight;
  }

  get signal(): AbortSignal {
    return this.#held.signal();
  }

  release(permits?: number): void {
    const held = this.#held;
    const { driver, id, weight } = held;
    const count = permits === undefined ? weight : number('permits', permits);
    if (count !== weight) {
      driver.releasePart(id, count);
      if (id !== 0) held.weight -= count;
      return;
    }
    if (id !== 0) dropped?.unregister(held);
    held.close();
    driver.release(id);
  }

  split(permits: number): Permit {
    const { driver, id, takenAt, acquisition } = this.#held;
    const isBounded = acquisition !== undefined;
    const part = new Acquisition(driver, number('permits', permits), takenAt, isBounded);
    part.id = driver.split(id, permits, isBounded ? part : undefined);
    if (part.id === 0) throw new Error(`${driver.name}: a permit that was released, or whose time is over, cannot be split`);
    part.part();
    this.#held.weight -= permits;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- looked for in a stack, never called
    driver.heldPermits?.took(driver, part.id, this.split);
    return new ManualPermit(part.held);
  }

  adjust(weight: number): boolean {
    const held = this.#held;
    const isAdjusted = held.driver.adjust(held.id, number('weight', weight));
    if (isAdjusted) held.weight = weight;
    return isAdjusted;
  }
}

/** What outlives a permit that was dropped. */
class Held {
  readonly driver: Driver;
  readonly takenAt: string;
  id = 0;
  weight: number;
  /** What is notified of its bound, if it has one. */
  acquisition: Acquisition | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #reason: unknown = undefined;
  #isExpired = false;

  constructor(driver: Driver, weight: number, takenAt: string) {
    this.driver = driver;
    this.weight = weight;
    this.takenAt = takenAt;
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isExpired) this.#controller.abort(this.#reason);
      // Running 6.2
      else if (this.id !== 0) this.driver.abortable(this, this.#controller);
    }
    return this.#controller.signal;
  }

  /** Its bound has passed. */
  expire(reason: unknown): void {
    this.#isExpired = true;
    this.#reason = reason;
    this.driver.ended(this);
    this.#controller?.abort(reason);
  }

  /** Nothing concerns it any more. */
  close(): void {
    // 0 is never current, so that the core counts every further release and nothing else.
    this.id = 0;
    if (this.acquisition !== undefined) this.driver.forget(this.acquisition);
    if (this.#controller !== undefined) this.driver.ended(this);
  }
}

const dropped =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((held: Held) => {
        const { driver, id, takenAt } = held;
        held.close();
        // Running 3.2
        driver.reclaim(id, DROPPED_PERMIT + takenAt);
      });

/**
 * Where a permit is being taken, as a text: what the host keeps for a stack that was not read yet
 * may hold the permit itself.
 */
function placeOf({ traits }: Driver, entrance: unknown): string {
  // Options 1.8, Running 3.3
  if (!traits.trackPermits) return '';
  const error = new Error('it was taken here');
  (Error as { captureStackTrace?: (error: Error, below: unknown) => void }).captureStackTrace?.(error, entrance);
  return `\n${error.stack}`;
}

// Some hosts lack these symbols. Code that was compiled for them, `using` and all, then asks for
// the registered ones.
const symbols = Symbol as { dispose?: symbol; asyncDispose?: symbol };
define(symbols.dispose ?? Symbol.for('Symbol.dispose'), function (this: Permit) {
  this.release();
});
define(symbols.asyncDispose ?? Symbol.for('Symbol.asyncDispose'), function (this: Permit) {
  this.release();
  return HostPromise.resolve();
});

function define(name: symbol, value: (this: Permit) => unknown): void {
  Object.defineProperty(ManualPermit.prototype, name, { value, writable: true, configurable: true });
}
