// What the package takes from where it runs. The clock and the timers are looked up on `globalThis`
// at each use, so that fake timers work whenever they are installed.

import type { LoadedEngine } from './engines/loaded.js';
import type { SharedEngine } from './engines/shared.js';
import type { Setup, Traits } from './options.js';

export interface Environment {
  /**
   * Runs `act` outside of every caller's async context: what it registers must not keep a request's
   * context alive.
   */
  outside<Answer>(act: () => Answer): Answer;
  /** The async context of the code that calls this. */
  capture(): Scope;
  warn(message: string): void;
  /** Throws where async contexts cannot be distinguished. */
  heldPermits(): HeldPermits;
  /** The bulkhead that all threads have in common under this name. Throws if they can have none. */
  share<Shared extends object>(name: string, setup: Setup | undefined, join: Join<Shared>): Shared;
  /** Frees a name of those. Throws as `share`. */
  resetShared(name: string): void;
  /** Which engine there is. Never throws. */
  engine(): LoadedEngine;
}

/** Makes this thread's bulkhead over a shared engine; `wake` is what other threads wake it by. */
export type Join<Shared> = (name: string, engine: SharedEngine, traits: Traits) => { readonly shared: Shared; readonly wake: () => void };

/** An async context, in which code can be run later; what Node's `AsyncResource` can do. */
export interface Scope {
  runInAsyncScope<This>(fn: (this: This) => void, self: This): void;
}

/** A bulkhead, for the code that notes which of its permits a context holds. */
export interface Holdable {
  /** The permits that this id holds now. */
  permits(id: number): number;
}

/** Which permits each async context holds. */
export interface HeldPermits {
  /**
   * The ids of this bulkhead that the context of the code that calls this holds; those that came
   * back hold nothing.
   */
  ids(bulkhead: Holdable): readonly number[];
  /**
   * Work that holds the permits of this call for the calls from inside of it. To be made in its
   * caller's context.
   */
  around<Context, Result>(
    bulkhead: Holdable,
    work: (context: Context) => Result,
    call: { readonly id: number },
  ): (context: Context) => Result;
  /**
   * A manual permit is to come; `entrance` is the method by which it was asked for, as in what
   * follows.
   */
  ask(bulkhead: Holdable, entrance: unknown): Holding;
  /** A manual permit was there at once. */
  took(bulkhead: Holdable, id: number, entrance: unknown): void;
}

/** A manual permit, for its context. */
export interface Holding {
  /** It has come, and `deliver` lets its caller know. */
  arrive(id: number, deliver: () => void): void;
  /** It never comes. */
  fail(): void;
}

let environment: Environment | undefined;

/** Called once by each entry. */
export function setEnvironment(chosen: Environment): void {
  environment = chosen;
}

export function host(): Environment {
  if (environment === undefined) throw new Error('bulkheads: import the package itself, not its parts');
  return environment;
}
