// What stands behind an id: a call whose caller waits for an answer of the bulkhead's.

import type { AbortListener, Aborter } from './abort-listener.js';
import { HostPromise } from './promise.js';

export abstract class PendingCall<Value = unknown> {
  abstract readonly driver: Aborter;
  readonly weight: number;
  /** The caller's. */
  promise = new HostPromise<Value>(capture);
  /** The lower half of the id. */
  slot = 0;
  private generation = 0;
  /** Listens to its signal. */
  listener: AbortListener | undefined = undefined;
  isAnswered = false;
  /**
   * The core has decided on an answer, which is on its way: what its work has settled with no
   * longer counts.
   */
  hasOutcome = false;
  private settle: (value: unknown) => void = resolveOfTheLatest;

  constructor(weight: number) {
    this.weight = weight;
    // It would hold the promise, and with it the result, until the next call comes.
    resolveOfTheLatest = doNothing;
  }

  /** In two halves: as one it would be an object of its own in the host's memory. */
  get id(): number {
    return this.generation * 2 ** 32 + this.slot;
  }

  set id(id: number) {
    this.slot = id >>> 0;
    this.generation = Math.floor(id / 2 ** 32);
  }

  /** It has its permits, after it stood in the queue. */
  abstract deliver(): void;

  /** It gets no result: it was rejected, or answered before its work has settled. */
  abstract refuse(reason: unknown): void;

  /** The core has let it go, though the notice of its grant may not have been delivered yet. */
  cancelled(): void {
    // A call that starts in a later turn sees the answer that it has by then.
  }

  /** Of the error of its run deadline. */
  lateText(milliseconds: string): string {
    return `answered after ${milliseconds} ms, the work goes on`;
  }

  protected resolve(value: Value): void {
    this.settle(value);
  }

  /**
   * Its promise has settled with something that may be collected although the core still knows the
   * call.
   */
  protected letGo(): void {
    this.promise = NEVER;
    this.settle = doNothing;
  }

  protected reject(reason: unknown): void {
    this.settle(new Thrown(reason));
  }
}

/** With the reason as it is, an error or not. */
export function rejected(reason: unknown): Promise<never> {
  return HostPromise.reject(reason);
}

/**
 * To resolve a promise with this is to reject it, there and then, with what reading its `then`
 * throws: the language says so. The host's own function for it would be an eighth of the memory of
 * a call that waits.
 */
class Thrown {
  readonly #reason: unknown;

  constructor(reason: unknown) {
    this.#reason = reason;
  }

  get then(): never {
    // Whatever it is.

    throw this.#reason;
  }
}

// One function for all promises: a closure for each would be the dearest part of a call.
let resolveOfTheLatest: (value: unknown) => void = doNothing;

function capture(resolve: (value: never) => void): void {
  resolveOfTheLatest = resolve as (value: unknown) => void;
}

const NEVER = new HostPromise<never>(doNothing);

function doNothing(): void {
  // No promise is being made.
}
