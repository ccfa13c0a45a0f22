/// <reference lib="esnext.disposable" preserve="true" />
// Manual permits.

import { type Driver, Refused } from './driver.js';
import { MANUAL } from './engines/engine.js';
import type { Holding } from './host.js';
import type { Request } from './options.js';
import { PendingCall, rejected } from './pending-call.js';

/** The right to run, until `release()`. `using permit = await shipping.acquire()` releases it by itself. */
export interface Permit extends Disposable, AsyncDisposable {
  readonly weight: number;
  /** Gives the permit back. A second time changes nothing but the counter `doubleReleases`. */
  release(): void;
}

/** `acquire`: a manual permit, perhaps after a wait. Throws for a number out of its range. `entrance`: the method it was asked by. */
export function acquire(driver: Driver, request: Request, entrance: unknown): Promise<Permit> {
  const takenAt = placeOf(driver, entrance);
  const arrival = driver.arrive(request, MANUAL, () => new Acquisition(driver, request.weight, takenAt));
  if (arrival instanceof Refused) return rejected(arrival.reason);
  const { call, waits } = arrival;
  if (waits) call.holding = driver.heldPermits?.ask(driver, entrance);
  else call.admit(entrance);
  return call.promise;
}

/** `tryAcquire`: a manual permit if it can be had at once. */
export function tryAcquire(driver: Driver, weight: number, entrance: unknown): Permit | null {
  const id = driver.tryAcquire(weight);
  if (id === 0) return null;
  driver.heldPermits?.took(driver, id, entrance);
  return new ManualPermit(driver, id, weight, placeOf(driver, entrance));
}

class Acquisition extends PendingCall<Permit> {
  readonly driver: Driver;
  holding: Holding | undefined = undefined;
  readonly #takenAt: string;
  #isCancelled = false;

  constructor(driver: Driver, weight: number, takenAt: string) {
    super(weight);
    this.driver = driver;
    this.#takenAt = takenAt;
  }

  deliver(): void {
    if (this.#isCancelled) return;
    // Leaving the queue 2.3: the permit is the caller's as soon as the promise has settled.
    this.driver.forget(this);
    this.driver.start(this, false);
    this.#settle();
  }

  /** It has its permits at once. */
  admit(entrance: unknown): void {
    this.holding = this.driver.heldPermits?.ask(this.driver, entrance);
    // Which context holds it shows only in a later turn, where that waits for it.
    if (this.holding === undefined) this.#settle();
    else void Promise.resolve().then(() => this.#settle());
  }

  #settle(): void {
    const permit = new ManualPermit(this.driver, this.id, this.weight, this.#takenAt);
    if (this.holding === undefined) this.resolve(permit);
    else this.holding.arrive(this.id, () => this.resolve(permit));
  }

  override cancelled(): void {
    this.#isCancelled = true;
  }

  refuse(reason: unknown): void {
    this.isAnswered = true;
    this.holding?.fail();
    this.driver.forget(this);
    this.reject(reason);
  }
}

class ManualPermit implements Permit {
  readonly weight: number;
  readonly #held: Held;
  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>;

  constructor(driver: Driver, id: number, weight: number, takenAt: string) {
    this.weight = weight;
    this.#held = { driver, id, takenAt };
    dropped?.register(this, this.#held, this.#held);
  }

  release(): void {
    const { driver, id } = this.#held;
    // 0 is never current, so that the core counts every further release and nothing else.
    this.#held.id = 0;
    if (id !== 0) dropped?.unregister(this.#held);
    driver.release(id);
  }
}

/** What outlives a permit that was dropped. */
interface Held {
  readonly driver: Driver;
  id: number;
  readonly takenAt: string;
}

const dropped =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : // Running 3.2
      new FinalizationRegistry<Held>(({ driver, id, takenAt }) => driver.reclaim(id, takenAt));

/** Where a permit is being taken, as a text: what the host keeps for a stack that nobody has read may hold the permit itself. */
function placeOf({ traits }: Driver, entrance: unknown): string {
  // Options 1.8, Running 3.3
  if (!traits.trackPermits) return '';
  const error = new Error('it was taken here');
  (Error as { captureStackTrace?: (error: Error, below: unknown) => void }).captureStackTrace?.(error, entrance);
  return `\n${error.stack}`;
}

// Some hosts lack these symbols. Code that was compiled for them, `using` and all, then asks for the registered ones.
const symbols = Symbol as { dispose?: symbol; asyncDispose?: symbol };
define(symbols.dispose ?? Symbol.for('Symbol.dispose'), function (this: Permit) {
  this.release();
});
define(symbols.asyncDispose ?? Symbol.for('Symbol.asyncDispose'), function (this: Permit) {
  this.release();
  return Promise.resolve();
});

function define(name: symbol, value: (this: Permit) => unknown): void {
  Object.defineProperty(ManualPermit.prototype, name, { value, writable: true, configurable: true });
}
