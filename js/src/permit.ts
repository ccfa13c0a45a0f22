/// <reference lib="esnext.disposable" preserve="true" />
// Permits taken by hand.

import type { Driver } from './driver.js';
import { FIRST_ID, HAND } from './engine.js';
import { Entry, rejected } from './entry.js';
import { DEFAULT_REQUEST, type Request } from './options.js';

/** The right to run, until `release()`. `using permit = await shipping.acquire()` releases it by itself. */
export interface Permit extends Disposable, AsyncDisposable {
  readonly weight: number;
  /** Gives the permit back. A second time changes nothing but the counter `doubleReleases`. */
  release(): void;
}

/** `acquire`: a permit by hand, perhaps after a wait. Throws for a number out of its range. */
export function acquire(driver: Driver, request: Request): Promise<Permit> {
  const acquisition = new Acquisition(driver, request.weight);
  const id = request === DEFAULT_REQUEST ? driver.admitNow(1, HAND) : 0;
  if (id !== 0) {
    acquisition.id = id;
    acquisition.deliver();
    return acquisition.promise;
  }
  const answer = driver.arrive(acquisition, request, HAND);
  if (answer >= FIRST_ID) acquisition.deliver();
  else if (answer > 0) return rejected(driver.refusal(answer, request));
  return acquisition.promise;
}

class Acquisition extends Entry<Permit> {
  #isCancelled = false;

  queued(): void {
    // Nothing to prepare: the caller's own reaction is all that waits.
  }

  tell(): void {
    if (this.#isCancelled) return;
    // The permit is the caller's as soon as the promise has settled.
    this.driver.forget(this);
    this.driver.start(this.id);
    this.deliver();
  }

  deliver(): void {
    this.resolve(new HandPermit(this.driver, this.id, this.weight));
  }

  override cancelled(): void {
    this.#isCancelled = true;
  }

  refuse(reason: unknown): void {
    this.isAnswered = true;
    this.driver.forget(this);
    this.reject(reason);
  }
}

export class HandPermit implements Permit {
  readonly weight: number;
  readonly #held: Held;
  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>;

  constructor(driver: Driver, id: number, weight: number) {
    this.weight = weight;
    this.#held = { driver, id };
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

/** What outlives a permit that nobody holds any more. */
interface Held {
  readonly driver: Driver;
  id: number;
}

const dropped =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<Held>(({ driver, id }) => driver.reclaim(id));

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
  Object.defineProperty(HandPermit.prototype, name, { value, writable: true, configurable: true });
}
