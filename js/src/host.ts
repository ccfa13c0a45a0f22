// What the package takes from where it runs. The clock and the timers are looked up on `globalThis` at each use, so that fake
// timers work whenever they are installed.

import type { Bulkhead } from './bulkhead.js';
import type { Driver } from './driver.js';
import type { CreateEngine, EngineKind, Sharing } from './engine.js';
import type { Setup } from './options.js';

export interface Environment {
  /** Runs `act` outside of every caller's async context: what it registers must not keep a request's context alive. */
  outside<Answer>(act: () => Answer): Answer;
  /** The async context of whoever calls this. */
  capture(): Scope;
  warn(message: string): void;
  /** Throws where async contexts cannot be told apart. */
  holdings(): Holdings;
  /** The bulkhead that all threads have in common under this name. Throws if they can have none. */
  share(name: string, setup: Setup | undefined, make: (driver: Driver) => Bulkhead): Bulkhead;
  /** Which engine there is. Never throws. */
  engine(): LoadedEngine;
}

/** An async context, in which code can be run later; what Node's `AsyncResource` can do. */
export interface Scope {
  runInAsyncScope<This>(fn: (this: This) => void, self: This): void;
}

/** Who holds permits in which async context. */
export interface Holdings {
  /** The permits of this bulkhead that the context of whoever calls this holds. */
  permits(driver: Driver): number;
  /** Work that holds the permits of this call for the calls from inside of it. To be made in its caller's context. */
  around<Context, Result>(driver: Driver, work: (context: Context) => Result, call: { readonly id: number }): (context: Context) => Result;
  /** A permit by hand is to come; `entrance` is the method by which it was asked for, as in what follows. */
  ask(driver: Driver, entrance: unknown): Holding;
  /** A permit by hand was there at once. */
  took(driver: Driver, id: number, entrance: unknown): void;
}

/** A permit by hand, for its context. */
export interface Holding {
  /** It has come, and `tell` lets its caller know. */
  arrive(id: number, tell: () => void): void;
  /** It never comes. */
  fail(): void;
}

export interface LoadedEngine {
  readonly kind: EngineKind;
  /** Throws `error` if this engine cannot work here. */
  readonly create: CreateEngine;
  /** Throws if threads can have nothing in common here. */
  readonly sharing: () => Sharing;
  /** Why the first choice could not be loaded. */
  readonly error: Error | undefined;
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

/** Milliseconds on the host's monotonic clock. */
export function now(): number {
  // Some worklets have no `performance`.
  return (globalThis as { performance?: Performance }).performance?.now() ?? Date.now() - ORIGIN;
}

const ORIGIN = Date.now();
