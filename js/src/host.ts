// What the package takes from where it runs. The clock and the timers are looked up on `globalThis` at each use, so that fake
// timers work whenever they are installed.

import type { CreateEngine, EngineKind, Sharing } from './engine.js';

export interface Environment {
  /** Runs `act` outside of every caller's async context: what it registers must not keep a request's context alive. */
  outside<Answer>(act: () => Answer): Answer;
  /** The async context of whoever calls this. */
  capture(): Scope;
  warn(message: string): void;
  /** Which engine there is. Never throws. */
  engine(): LoadedEngine;
}

/** An async context, in which code can be run later; what Node's `AsyncResource` can do. */
export interface Scope {
  runInAsyncScope<This>(fn: (this: This) => void, self: This): void;
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
