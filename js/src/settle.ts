// What work returns, and when it has settled.

import { HostPromise } from './promise.js';

/**
 * Calls one of the two, once: at once for a value, as its own reaction for a promise. `then` of the
 * result is called once.
 */
export function whenSettled<Result>(
  result: Result,
  fulfilled: (value: Awaited<Result>) => void,
  rejected: (reason: unknown) => void,
): void {
  try {
    const promise = promiseOf(result);
    if (promise !== undefined) {
      void nativeThen.call(promise, fulfilled as Reaction, rejected);
      return;
    }
  } catch (error) {
    // Looking at a result runs its getters and traps; one that throws has settled with that.
    rejected(error);
    return;
  }
  fulfilled(result as Awaited<Result>);
}

/** As `whenSettled`, but never before the next turn. */
export function whenSettledLater(
  result: unknown,
  fulfilled: (value: unknown) => void,
  rejected: (reason: unknown) => void,
): void {
  let promise: Promise<unknown>;
  try {
    promise = promiseOf(result) ?? HostPromise.resolve(result);
  } catch (error) {
    // As above.
    promise = HostPromise.reject(error);
  }
  void nativeThen.call(promise, fulfilled, rejected);
}

/**
 * A promise of what the two answer, or throw, when the result has settled; one of them is called,
 * once.
 */
export function derived(result: unknown, fulfilled: Reaction, rejected: Reaction): Promise<unknown> {
  let promise: Promise<unknown> | undefined;
  try {
    if (isPlainPromise(result)) return result.then(fulfilled, rejected);
    promise = promiseOf(result);
  } catch (error) {
    // As above.
    promise = HostPromise.reject(error);
  }
  if (promise !== undefined) return nativeThen.call(promise, fulfilled, rejected);
  return HostPromise.resolve(fulfilled(result));
}

function promiseOf(value: unknown): Promise<unknown> | undefined {
  if (isPlainPromise(value)) return value;
  const then = thenOf(value);
  return then === undefined ? undefined : adopt(value, then);
}

/**
 * A promise that the host itself would not wrap: neither a subclass nor one with a `then` of its
 * own.
 */
function isPlainPromise(value: unknown): value is Promise<unknown> {
  return value instanceof HostPromise && value.constructor === HostPromise && value.then === nativeThen;
}

// Read for comparison, never called without its promise.
// eslint-disable-next-line @typescript-eslint/unbound-method
const nativeThen = HostPromise.prototype.then;

type Reaction = (value: unknown) => unknown;

type Then = (...reactions: unknown[]) => unknown;

function thenOf(value: unknown): Then | undefined {
  const canHaveThen = (typeof value === 'object' && value !== null) || typeof value === 'function';
  const then = canHaveThen ? (value as { then?: unknown }).then : undefined;
  return typeof then === 'function' ? (then as Then) : undefined;
}

/**
 * As `await` would, but with the `then` that was read already: reading it may have side effects.
 */
function adopt(thenable: unknown, then: Then): Promise<unknown> {
  // Running 1.3
  return new HostPromise((resolve) => resolve({ then: (...reactions: unknown[]) => Reflect.apply(then, thenable, reactions) }));
}
