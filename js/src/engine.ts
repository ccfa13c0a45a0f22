// The interface between this package and the state machine: numbers only. Both engines satisfy it; see docs/engine.md.

import type { Figures } from './errors.js';

/** One core behind numbers. Times are milliseconds, `Infinity` for none; ids are at least `FIRST_ID` and below 2^53. */
export interface Engine {
  /** As `acquire` for a call without bounds, and with no look at the clock; 0 if this one must `acquire`. */
  admitNow(weight: number, flags: number): number;
  /** As `finish`, with no look at the clock; false if this one must `finish`. */
  finishNow(id: number, outcome: number): boolean;
  /** `holding`: permits that the caller's own context holds, with which it would wait for itself. */
  acquire(now: number, weight: number, timeout: number, deadline: number, flags: number, holding: number): number;
  tryAcquire(now: number, weight: number): number;
  start(id: number): void;
  finish(now: number, id: number, outcome: number): boolean;
  release(now: number, id: number): boolean;
  abort(now: number, ids: Float64Array): void;
  resize(now: number, limit: number): void;
  close(now: number, abort: boolean): void;
  drain(now: number): void;
  watchIdle(now: number): boolean;
  watchRoom(now: number, weight: number, holding: number): boolean;
  /** The permits that this id holds now. */
  permits(id: number): number;
  handleTimeout(now: number): void;
  /** Looks again: what another thread did may have changed what there is to tell. */
  show(): void;
  nextEvent(): number;
  eventId(): number;
  eventTime(): number;
  nextTimer(): number;
  keepsAlive(): boolean;
  stats(): ArrayLike<number>;
  /** For error messages, without a snapshot. */
  figures(): Figures;
  /** Whether somebody here awaits what another thread may bring, so that this thread must not end meanwhile. */
  awaitOthers?(isAwaited: boolean): void;
}

/** Makes an engine; throws `RangeError` for an option out of its range. */
export type CreateEngine = (
  maxConcurrent: number,
  maxQueue?: number,
  timeoutMs?: number,
  callTimeoutMs?: number,
  abandonAfterMs?: number,
) => Engine;

/** An engine over a core that other threads have too. Times are those of this thread's clock here as well. */
export interface SharedEngine extends Engine {
  readonly settings: Settings;
}

/** The options of a shared core: those of `CreateEngine`, as they are in effect, then the facade's own as one number. */
export type Settings = ArrayLike<number>;

/** The cores that all threads of the process have in common, by name. */
export interface Sharing {
  /** Throws as `CreateEngine` does. */
  settings(options: Parameters<CreateEngine>, flags: number): Settings;
  /**
   * Joins the core of this name; makes it if there is none and there are settings. `wake` is called, in a turn of its own, when
   * another thread has given this one something to tell. Without a core in common it answers the settings of the one there is.
   */
  open(name: string, wake: () => void, settings: Settings | undefined): SharedEngine | { readonly differs: Settings } | undefined;
}

export type EngineKind = 'native' | 'wasm';

/** The smallest id: what `acquire` answers below it is the code of a rejection. */
export const FIRST_ID = 2 ** 32;

/** Flags of `acquire`. */
export const HAND = 0;
export const RUN = 1;
export const ABORTED = 2;

/** How a permit came back. */
export const COMPLETED = 0;
export const FAILED = 1;
export const LEAKED = 2;

/** What `acquire` and `tryAcquire` answer to a call that is turned away. */
export const Rejection = {
  queueFull: 1,
  noQueue: 2,
  notWilling: 3,
  paused: 4,
  queueTimeout: 5,
  closed: 6,
  tooHeavy: 7,
  cancelled: 8,
  reentrant: 9,
} as const;

/** What `nextEvent` answers. */
export const Event = {
  none: 0,
  granted: 1,
  queueTimeout: 2,
  closed: 3,
  tooHeavy: 4,
  cancelled: 5,
  callTimeout: 6,
  callClosed: 7,
  idle: 8,
  room: 9,
} as const;
