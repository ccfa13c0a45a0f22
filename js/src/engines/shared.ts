// The engine over a core that several threads have, each with a clock of its own.
//
// A worker's `performance.now` begins with the worker. The core knows one clock, that of the process, which begins with the core:
// on the way in every time is moved there, on the way out it is moved back. Lengths of time are the same on both.

import type { Settings, SharedEngine } from '../engine.js';
import { awaitOthers } from './alive.js';
import { NativeEngine, type RawNativeEngine } from './native.js';

export interface RawSharedEngine extends RawNativeEngine {
  readonly settings: Settings;
  /** When the core was made, on the clock of the process. */
  readonly origin: number;
}

export class SharedNativeEngine extends NativeEngine implements SharedEngine {
  declare readonly raw: RawSharedEngine;
  readonly settings: Settings;
  /** What makes a time of this thread one of the core. */
  #offset = 0;
  /** The clock of this thread when that was found out. */
  #clock: unknown;
  #latest = 0;

  constructor(raw: RawSharedEngine) {
    super(raw);
    this.settings = raw.settings;
  }

  override acquire(now: number, weight: number, timeout: number, deadline: number, flags: number, holding: number): number {
    return super.acquire(this.#inCore(now), weight, timeout, deadline + this.#offset, flags, holding);
  }

  /** Another thread's step may have answered this call already: its event must be collected before it is forgotten. */
  override finishNow(): boolean {
    return false;
  }

  awaitOthers(isAwaited: boolean): void {
    awaitOthers(this, isAwaited);
  }

  override tryAcquire(now: number, weight: number): number {
    return super.tryAcquire(this.#inCore(now), weight);
  }

  override finish(now: number, id: number, outcome: number): boolean {
    return super.finish(this.#inCore(now), id, outcome);
  }

  override release(now: number, id: number): boolean {
    return super.release(this.#inCore(now), id);
  }

  override cancel(now: number, id: number): number {
    return super.cancel(this.#inCore(now), id);
  }

  override abort(now: number, ids: Float64Array): void {
    super.abort(this.#inCore(now), ids);
  }

  override resize(now: number, limit: number): void {
    super.resize(this.#inCore(now), limit);
  }

  override close(now: number, abort: boolean): void {
    super.close(this.#inCore(now), abort);
  }

  override drain(now: number): void {
    super.drain(this.#inCore(now));
  }

  override evict(now: number): void {
    super.evict(this.#inCore(now));
  }

  override watchIdle(now: number): boolean {
    return super.watchIdle(this.#inCore(now));
  }

  override watchRoom(now: number, weight: number, holding: number): boolean {
    return super.watchRoom(this.#inCore(now), weight, holding);
  }

  override handleTimeout(now: number): void {
    super.handleTimeout(this.#inCore(now));
  }

  override nextTimer(): number {
    return super.nextTimer() - this.#offset;
  }

  #inCore(now: number): number {
    // Compared, not called: fake timers bring a clock of their own, and take it away again.
    // eslint-disable-next-line @typescript-eslint/unbound-method
    const clock = globalThis.performance.now;
    if (clock !== this.#clock) {
      this.#clock = clock;
      this.#offset = this.#offsetAt(now);
    }
    this.#latest = now + this.#offset;
    return this.#latest;
  }

  /**
   * Whole 64ths of a millisecond, which are whole nanoseconds too: so adding and taking away loses nothing, and a deadline comes
   * back from the core as the very number that went there. It sets the threads' clocks apart by less than a timer could tell.
   */
  #offsetAt(now: number): number {
    const inCore = Math.max(processNow() - this.raw.origin, this.#latest);
    return Math.round((inCore - now) * 64) / 64;
  }
}

/** Milliseconds on the clock that `performance.now` counts by in every thread. As it was at the start: tests replace it too. */
export function processNow(): number {
  return Number(hrtime.bigint()) / 1e6;
}

const { hrtime } = process;
