// The one host timer of a bulkhead, however many calls wait.

import { host, now } from './host.js';

/** Hosts fire anything longer at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

export class HostTimer {
  readonly #fire: () => void;
  #handle: ReturnType<typeof setTimeout> | undefined;
  /** When the armed timer fires. */
  #firesAt = Infinity;
  /** Hosts cut fractions off a delay; then the remainder must not be cut to nothing, over and over. */
  #wasEarly = false;
  #keepsAlive = true;

  constructor(fire: () => void) {
    this.#fire = fire;
  }

  /** Sees to it that the timer fires at `at` or earlier, or, for `Infinity`, not at all. */
  arm(at: number): void {
    if (this.#firesAt <= at && at !== Infinity) return;
    if (this.#handle !== undefined) this.#clear(this.#handle);
    if (at !== Infinity) this.#set(at);
  }

  get isArmed(): boolean {
    return this.#handle !== undefined;
  }

  /** Whether the host's event loop must wait for it. Browsers never end. */
  keepAlive(keepsAlive: boolean): void {
    if (this.#keepsAlive === keepsAlive || typeof this.#handle !== 'object') return;
    this.#keepsAlive = keepsAlive;
    if (keepsAlive) this.#handle.ref();
    else this.#handle.unref();
  }

  #set(at: number): void {
    const start = now();
    const delay = Math.min(Math.max(at - start, this.#wasEarly ? 1 : 0), LONGEST_DELAY);
    this.#firesAt = start + delay;
    this.#keepsAlive = true;
    const handle = host().outside(() => globalThis.setTimeout(() => this.#fired(handle), delay));
    this.#handle = handle;
  }

  #clear(handle: ReturnType<typeof setTimeout>): void {
    globalThis.clearTimeout(handle);
    this.#handle = undefined;
    this.#firesAt = Infinity;
  }

  #fired(handle: ReturnType<typeof setTimeout>): void {
    // One that was cleared with other timers than it was set with: somebody has put in fake ones since.
    if (handle !== this.#handle) return;
    this.#wasEarly = now() < this.#firesAt;
    this.#handle = undefined;
    this.#firesAt = Infinity;
    this.#fire();
    this.#wasEarly = false;
  }
}
