// The one host timer of a bulkhead, however many calls wait.

import { type Clock } from './clock.js';
import { host } from './host.js';

/** Hosts fire anything longer at once. */
const LONGEST_DELAY = 2 ** 31 - 1;
/** A timer that is not needed holds its bulkhead in memory until it fires. */
const LONGEST_KEPT = 10_000;

export class HostTimer {
  readonly #clock: Clock;
  readonly #owner: { handleTimeout(): void };
  #handle: ReturnType<typeof setTimeout> | undefined;
  /** When the armed timer fires. */
  #firesAt = Infinity;
  /**
   * Hosts cut fractions off a delay; then the remainder must not be cut to nothing, over and over.
   */
  #wasEarly = false;
  #delay = 0;
  #setter = globalThis.setTimeout;
  #keepsAlive = true;

  constructor(clock: Clock, owner: { handleTimeout(): void }) {
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * Sees to it that the timer fires at `at` or earlier, and whether the host's event loop must wait
   * for it. For `Infinity` it is not needed; a short one stays for the next call, since setting and
   * clearing a timer costs more than the rest of a call.
   */
  arm(at: number, keepsAlive: boolean): void {
    // Fake timers have come or gone since: what was set with the others may never fire.
    if (this.#setter !== globalThis.setTimeout) this.#clear();
    if (at === Infinity && this.#delay > LONGEST_KEPT) this.#clear();
    // Leaving the queue 4.2: one timer, for the first deadline of all.
    else if (at < this.#firesAt) this.#set(at);
    this.#keepAlive(keepsAlive);
  }

  /** Browsers never end, and their timers are numbers. */
  #keepAlive(keepsAlive: boolean): void {
    if (this.#keepsAlive === keepsAlive || typeof this.#handle !== 'object') return;
    this.#keepsAlive = keepsAlive;
    if (keepsAlive) this.#handle.ref();
    else this.#handle.unref();
  }

  #set(at: number): void {
    this.#clear();
    const start = this.#clock.now();
    const delay = Math.min(Math.max(at - start, this.#wasEarly ? 1 : 0), LONGEST_DELAY);
    this.#delay = delay;
    this.#firesAt = start + delay;
    this.#keepsAlive = true;
    this.#setter = globalThis.setTimeout;
    // Running 7.2
    const handle = host().outside(() => globalThis.setTimeout(() => this.#fired(handle), delay));
    this.#handle = handle;
  }

  #clear(): void {
    if (this.#handle !== undefined) globalThis.clearTimeout(this.#handle);
    this.#handle = undefined;
    this.#firesAt = Infinity;
  }

  #fired(handle: ReturnType<typeof setTimeout>): void {
    // One that could not be cleared, because it was set with other timers.
    if (handle !== this.#handle) return;
    this.#wasEarly = this.#clock.now() < this.#firesAt;
    this.#handle = undefined;
    this.#firesAt = Infinity;
    this.#owner.handleTimeout();
    this.#wasEarly = false;
  }
}
