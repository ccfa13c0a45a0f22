// The engine over a core that several threads have, each with a clock of its own.
//
// A worker's `performance.now` begins with the worker. The core knows one clock, that of the
// process, which begins with the core: on the way in every time is moved there, on the way out it
// is moved back. Lengths of time are the same on both.

import { Engine, type RawHost } from './engine.js';

/**
 * The options of a shared core: those of the engine as they are in effect, then the facade's own as
 * one number.
 */
export type Settings = ArrayLike<number>;

/** What a thread gets of a shared core. */
export interface Opened {
  readonly handle: number;
  readonly settings: Settings;
  /** When the core was made, on the clock of the process. */
  readonly origin: number;
}

export class SharedEngine extends Engine {
  readonly settings: Settings;
  readonly #origin: number;
  /** What makes a time of this thread one of the core. */
  #offset = 0;
  /** The clock of this thread when that was found out. */
  #clock: unknown;
  #latest = 0;

  constructor(raw: RawHost, { handle, settings, origin }: Opened) {
    super(raw, handle);
    this.settings = settings;
    this.#origin = origin;
  }

  override readonly isAlone = false;

  override mayBeUntimed(): boolean {
    return true;
  }

  protected override inCore(time: number): number {
    // Shared in Node 5
    return time + this.#offset;
  }

  protected override fromCore(time: number): number {
    return time - this.#offset;
  }

  protected override setClock(now: number): void {
    // Compared, not called: fake timers bring a clock of their own, and take it away again.
    // eslint-disable-next-line @typescript-eslint/unbound-method
    const clock = globalThis.performance.now;
    if (clock !== this.#clock) {
      this.#clock = clock;
      this.#offset = this.#offsetAt(now);
    }
    this.#latest = now + this.#offset;
  }

  /**
   * Whole 64ths of a millisecond, which are whole nanoseconds too: adding and taking away loses
   * nothing, so a deadline comes back from the core as the very number that went there. It sets the
   * threads' clocks apart by less than the resolution of a timer.
   */
  #offsetAt(now: number): number {
    const inCore = Math.max(processNow() - this.#origin, this.#latest);
    return Math.round((inCore - now) * 64) / 64;
  }
}

/**
 * Milliseconds on the clock that `performance.now` counts by in every thread. As it was at the
 * start: tests replace it too.
 */
export function processNow(): number {
  return Number(hrtime.bigint()) / 1e6;
}

const { hrtime } = process;
