// What a bulkhead rejects with. Each class has a stable `code`; compare that rather than the class
// when two copies of the package may be around.

import type { Figures } from './engines/engine.js';

/** Stable across versions and languages. */
export type BulkheadErrorCode = 'full' | 'queue_timeout' | 'closed' | 'too_heavy' | 'reentrant' | 'call_timeout';

/** A call was rejected or answered early by a bulkhead. */
export abstract class BulkheadError extends Error {
  // Errors 8
  /** Stable across versions and languages. */
  abstract readonly code: BulkheadErrorCode;
  /** The name of the bulkhead. */
  readonly bulkhead: string;
  /** The work never started, so that it is safe to try it elsewhere. */
  readonly isRejection: boolean;
  /**
   * This process had no capacity: a retry must not hammer it, a circuit breaker must not count it.
   */
  readonly isLocalOverload: boolean;

  /**
   * What hosts keep of an error that is posted to another thread is its text, its stack and its
   * cause: so all that it carries is its `cause` too. As a literal, since a copy would cost as much
   * as the rest of a rejection.
   */
  constructor(message: string, bulkhead: string, isRejection: boolean, isLocalOverload: boolean, cause: Facts) {
    // Errors 12.2
    super(`${bulkhead}: ${message}`, { cause });
    this.bulkhead = bulkhead;
    this.isRejection = isRejection;
    this.isLocalOverload = isLocalOverload;
  }

  /** All that it carries, with its name and its text, for `JSON.stringify`. */
  toJSON(): object {
    // Errors 12.1
    return Object.assign({ name: this.name, message: this.message }, this);
  }

  /**
   * The error that was posted to this thread, or turned into JSON, or comes from another copy of
   * the package: with its class, code, text and figures. `undefined` for whatever is no error of a
   * bulkhead.
   */
  static from(value: unknown): AnyBulkheadError | undefined {
    if (value instanceof BulkheadError) return value as AnyBulkheadError;
    const { message, stack, cause, ...own } = Object(value) as Record<string, unknown>;
    const facts = [own, cause].find(isFacts);
    const of = classes.get(facts?.code);
    // Errors 12.3
    if (facts === undefined || of === undefined) return undefined;
    const figures = { ...facts };
    // It stands on the prototype.
    delete figures['name'];
    // An error of the host's, as all of them are, of this class.
    const error = Reflect.construct(Error, [message, { cause: figures }], of) as AnyBulkheadError;
    return Object.assign(keepStack(error, stack), figures);
  }
}

interface Facts extends Record<string, unknown> {
  code: unknown;
}

function isFacts(value: unknown): value is Facts {
  const { code, bulkhead } = Object(value) as Record<string, unknown>;
  return typeof code === 'string' && typeof bulkhead === 'string';
}

function keepStack<Kept extends Error>(error: Kept, stack: unknown): Kept {
  // Many a JSON has none.
  const value = typeof stack === 'string' ? stack : `${error.name}: ${error.message}`;
  return Object.defineProperty(error, 'stack', { value, writable: true, configurable: true });
}

/** No permit was free and no place in the queue; the text says which of the four cases it was. */
export class BulkheadFullError extends BulkheadError implements Figures {
  readonly code = 'full' as const;
  readonly limit: number;
  readonly active: number;
  readonly queued: number;
  readonly maxQueue: number;

  constructor(message: string, bulkhead: string, figures: Figures) {
    const { limit, active, queued, maxQueue } = figures;
    // Errors 1, Errors 9, Errors 10
    super(message, bulkhead, true, true, {
      code: 'full',
      bulkhead,
      isRejection: true,
      isLocalOverload: true,
      limit,
      active,
      queued,
      maxQueue,
    });
    this.limit = limit;
    this.active = active;
    this.queued = queued;
    this.maxQueue = maxQueue;
  }
}

/** The call left the queue without a permit: its time-out or its deadline came first. */
export class BulkheadTimeoutError extends BulkheadError implements Figures {
  readonly code = 'queue_timeout' as const;
  readonly limit: number;
  readonly active: number;
  readonly queued: number;
  readonly maxQueue: number;
  /** How long the call really waited. */
  readonly waitedMs: number;

  constructor(message: string, bulkhead: string, figures: Figures, waitedMs: number) {
    const { limit, active, queued, maxQueue } = figures;
    // Errors 2, Errors 9, Errors 10
    super(message, bulkhead, true, true, {
      code: 'queue_timeout',
      bulkhead,
      isRejection: true,
      isLocalOverload: true,
      limit,
      active,
      queued,
      maxQueue,
      waitedMs,
    });
    this.limit = limit;
    this.active = active;
    this.queued = queued;
    this.maxQueue = maxQueue;
    this.waitedMs = waitedMs;
  }
}

/**
 * The bulkhead was closed or is draining. A call that ran while it was closed with `abort` was no
 * rejection.
 */
export class BulkheadClosedError extends BulkheadError {
  readonly code = 'closed' as const;

  constructor(message: string, bulkhead: string, isRejection: boolean) {
    // Errors 3, Errors 9: one that ran while it was closed is none.
    super(message, bulkhead, isRejection, false, { code: 'closed', bulkhead, isRejection, isLocalOverload: false });
  }
}

/** The call is heavier than the limit, so that it could never run. */
export class BulkheadWeightError extends BulkheadError {
  readonly code = 'too_heavy' as const;
  readonly weight: number;
  readonly limit: number;

  constructor(message: string, bulkhead: string, weight: number, limit: number) {
    // Errors 4, Errors 9
    super(message, bulkhead, true, false, { code: 'too_heavy', bulkhead, isRejection: true, isLocalOverload: false, weight, limit });
    this.weight = weight;
    this.limit = limit;
  }
}

/**
 * The call would wait for permits that its own caller holds, so that it could never run. Only with
 * `detectReentrancy`.
 */
export class BulkheadReentrantError extends BulkheadError {
  readonly code = 'reentrant' as const;
  readonly weight: number;
  readonly limit: number;
  /** How many permits the call's own async context held. */
  readonly holding: number;

  constructor(message: string, bulkhead: string, weight: number, limit: number, holding: number) {
    // Errors 4.1, Errors 9
    super(message, bulkhead, true, false, { code: 'reentrant', bulkhead, isRejection: true, isLocalOverload: false, weight, limit, holding });
    this.weight = weight;
    this.limit = limit;
    this.holding = holding;
  }
}

/**
 * The work ran into `callTimeoutMs` or its deadline. Its permit stays taken until it really
 * settles.
 */
export class BulkheadCallTimeoutError extends BulkheadError {
  readonly code = 'call_timeout' as const;
  /** How long the work had really run when its caller was answered. */
  readonly ranMs: number;

  constructor(message: string, bulkhead: string, ranMs: number) {
    // Errors 5
    super(message, bulkhead, false, false, { code: 'call_timeout', bulkhead, isRejection: false, isLocalOverload: false, ranMs });
    this.ranMs = ranMs;
  }
}

/** Any of them: `code` says which, and with it which figures there are. */
export type AnyBulkheadError =
  | BulkheadFullError
  | BulkheadTimeoutError
  | BulkheadClosedError
  | BulkheadWeightError
  | BulkheadReentrantError
  | BulkheadCallTimeoutError;

const classes = new Map<unknown, new (...parameters: never[]) => AnyBulkheadError>([
  ['full', BulkheadFullError],
  ['queue_timeout', BulkheadTimeoutError],
  ['closed', BulkheadClosedError],
  ['too_heavy', BulkheadWeightError],
  ['reentrant', BulkheadReentrantError],
  ['call_timeout', BulkheadCallTimeoutError],
]);

// On the prototypes, as the language's own errors have it, and by hand, because minifiers rename
// classes.
const names: Record<string, { readonly prototype: Error }> = {
  BulkheadError,
  BulkheadFullError,
  BulkheadTimeoutError,
  BulkheadClosedError,
  BulkheadWeightError,
  BulkheadReentrantError,
  BulkheadCallTimeoutError,
};
for (const [name, { prototype }] of Object.entries(names)) {
  Object.defineProperty(prototype, 'name', { value: name, writable: true, configurable: true });
}
