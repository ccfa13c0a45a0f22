// A bulkhead's own clock: the host's, but never back. A calendar that is set, where a host has no
// better clock, and fake timers that begin anew would otherwise let all calls wait until the old
// time has come round again.

import { now } from './now.js';

export class Clock {
  #latest = -Infinity;
  /** What makes a time of the host one of this clock. */
  #offset = 0;

  /**
   * Where the host's clock has stepped back, this one stands still for a moment and goes on from
   * there.
   */
  now(): number {
    let time = now() + this.#offset;
    if (time < this.#latest) {
      // Whole 64ths of a millisecond, which are whole nanoseconds too: adding them loses nothing.
      const step = Math.ceil((this.#latest - time) * 64) / 64;
      this.#offset += step;
      time += step;
    }
    this.#latest = time;
    return time;
  }

  /** A time of the host, by this clock as it goes now. */
  at(time: number): number {
    return time + this.#offset;
  }
}
