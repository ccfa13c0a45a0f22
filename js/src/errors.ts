// What a bulkhead rejects with. Each class has a stable `code`; compare that rather than the class when two copies of the package
// may be around.

import type { Figures } from './engines/engine.js';

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
  /** This process had no room: a retry must not hammer it, a circuit breaker must not count it. */
  readonly isLocalOverload: boolean;

  constructor(message: string, bulkhead: string, isRejection: boolean, isLocalOverload: boolean) {
    super(`${bulkhead}: ${message}`);
    this.bulkhead = bulkhead;
    this.isRejection = isRejection;
    this.isLocalOverload = isLocalOverload;
  }
}

/** No permit was free and no place in the queue; the text says which of the four cases it was. */
export class BulkheadFullError extends BulkheadError implements Figures {
  readonly code = 'full';
  readonly limit: number;
  readonly active: number;
  readonly queued: number;
  readonly maxQueue: number;

  constructor(message: string, bulkhead: string, figures: Figures) {
    // Errors 1, Errors 9, Errors 10
    super(message, bulkhead, true, true);
    ({ limit: this.limit, active: this.active, queued: this.queued, maxQueue: this.maxQueue } = figures);
  }
}

/** The call left the queue without a permit: its time-out or its deadline came first. */
export class BulkheadTimeoutError extends BulkheadError implements Figures {
  readonly code = 'queue_timeout';
  readonly limit: number;
  readonly active: number;
  readonly queued: number;
  readonly maxQueue: number;
  /** How long the call really waited. */
  readonly waitedMs: number;

  constructor(message: string, bulkhead: string, figures: Figures, waitedMs: number) {
    // Errors 2, Errors 9, Errors 10
    super(message, bulkhead, true, true);
    ({ limit: this.limit, active: this.active, queued: this.queued, maxQueue: this.maxQueue } = figures);
    this.waitedMs = waitedMs;
  }
}

/** The bulkhead was closed or is draining. A call that ran while it was closed with `abort` was no rejection. */
export class BulkheadClosedError extends BulkheadError {
  readonly code = 'closed';

  constructor(message: string, bulkhead: string, isRejection: boolean) {
    // Errors 3, Errors 9: one that ran while it was closed is none.
    super(message, bulkhead, isRejection, false);
  }
}

/** The call is heavier than the limit, so that it could never run. */
export class BulkheadWeightError extends BulkheadError {
  readonly code = 'too_heavy';
  readonly weight: number;
  readonly limit: number;

  constructor(message: string, bulkhead: string, weight: number, limit: number) {
    // Errors 4, Errors 9
    super(message, bulkhead, true, false);
    this.weight = weight;
    this.limit = limit;
  }
}

/** The call would wait for permits that its own caller holds, so that it could never run. Only with `detectReentrancy`. */
export class BulkheadReentrantError extends BulkheadError {
  readonly code = 'reentrant';
  readonly weight: number;
  readonly limit: number;
  /** How many permits the call's own async context held. */
  readonly holding: number;

  constructor(message: string, bulkhead: string, weight: number, limit: number, holding: number) {
    // Errors 4.1, Errors 9
    super(message, bulkhead, true, false);
    this.weight = weight;
    this.limit = limit;
    this.holding = holding;
  }
}

/** The work ran into `callTimeoutMs` or its deadline. Its permit stays taken until it really settles. */
export class BulkheadCallTimeoutError extends BulkheadError {
  readonly code = 'call_timeout';
  /** How long the work had really run when its caller was answered. */
  readonly ranMs: number;

  constructor(message: string, bulkhead: string, ranMs: number) {
    // Errors 5
    super(message, bulkhead, false, false);
    this.ranMs = ranMs;
  }
}

// On the prototypes, as the language's own errors have it, and by hand, because minifiers rename classes.
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
