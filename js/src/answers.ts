// From the numbers of the engine to errors with words.

import type { Figures } from './engines/engine.js';
import { Event, Rejection } from './engines/tables.js';
import {
  BulkheadCallTimeoutError,
  BulkheadClosedError,
  type BulkheadError,
  BulkheadFullError,
  BulkheadReentrantError,
  BulkheadTimeoutError,
  BulkheadWeightError,
} from './errors.js';

interface Late {
  readonly weight: number;
  lateText(milliseconds: string): string;
}

export class Answers {
  readonly #name: string;
  readonly #withStack: boolean;

  constructor(name: string, withStack: boolean) {
    this.#name = name;
    this.#withStack = withStack;
  }

  /** For a call that was turned away as it arrived. */
  rejection(code: number, weight: number, figures: Figures, detail: number): BulkheadError {
    return this.#make(() => {
      switch (code) {
        case Rejection.queueTimeout:
          return this.#queueTimeout('the deadline had passed when the call arrived', 0, figures);
        case Rejection.closed:
          return this.#closed();
        case Rejection.tooHeavy:
          return this.#tooHeavy(weight, figures);
        case Rejection.reentrant:
          return this.#reentrant(weight, figures, detail);
        case Rejection.noRoom:
          return this.#queueTimeout(tooLate(detail), detail, figures);
        default:
          return new BulkheadFullError(fullText(code, figures), this.#name, figures);
      }
    });
  }

  /**
   * For a call that left the queue without a permit, or is answered though its work goes on; what
   * it waited or ran.
   */
  of(kind: number, timeMs: number, call: Late, figures: Figures): BulkheadError {
    return this.#make(() => {
      switch (kind) {
        case Event.queueTimeout:
          return this.#queueTimeout(tooLate(timeMs), timeMs, figures);
        case Event.tooHeavy:
          return this.#tooHeavy(call.weight, figures);
        case Event.closed:
          return this.#closed();
        case Event.callTimeout:
          return new BulkheadCallTimeoutError(call.lateText(shown(timeMs)), this.#name, timeMs);
        default:
          throw unknown('event', kind);
      }
    });
  }

  /** The reason of the signals that a close with abort aborts. */
  closedWhileRunning(): BulkheadError {
    return this.#make(() => new BulkheadClosedError('closed with abort while the work ran', this.#name, false));
  }

  #queueTimeout(text: string, waitedMs: number, figures: Figures): BulkheadError {
    return new BulkheadTimeoutError(text, this.#name, figures, waitedMs);
  }

  #closed(): BulkheadError {
    return new BulkheadClosedError('closed; it takes no more calls', this.#name, true);
  }

  #tooHeavy(weight: number, { limit }: Figures): BulkheadError {
    return new BulkheadWeightError(`weight ${weight} is above the limit (maxConcurrent ${limit})`, this.#name, weight, limit);
  }

  #reentrant(weight: number, { limit }: Figures, holding: number): BulkheadError {
    const text = `its caller holds ${holding} already and ${weight} more is above the limit (maxConcurrent ${limit}), so that it would wait for itself`;
    return new BulkheadReentrantError(text, this.#name, weight, limit, holding);
  }

  #make(make: () => BulkheadError): BulkheadError {
    // Options 1.7
    return this.#withStack ? make() : withoutStack(make);
  }
}

function tooLate(waitedMs: number): string {
  return `no permit within ${shown(waitedMs)} ms; shed load or raise maxConcurrent`;
}

function fullText(code: number, { limit, maxQueue }: Figures): string {
  switch (code) {
    case Rejection.queueFull:
      return `queue full (maxQueue ${maxQueue}); shed load or raise it`;
    case Rejection.noQueue:
      return `no permit free (maxConcurrent ${limit}) and no queue configured (maxQueue 0); shed load or raise one of them`;
    case Rejection.notWilling:
      return `no permit free (maxConcurrent ${limit}) and the call is not willing to wait (timeoutMs 0)`;
    case Rejection.paused:
      return `paused (maxConcurrent 0) and no place in the queue (maxQueue ${maxQueue}); resize it to go on`;
    default:
      throw unknown('rejection', code);
  }
}

/** Collecting a stack costs more than the rest of a rejection. */
function withoutStack<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  // Only V8 has it, and hardened realms freeze it.
  if (typeof stackTraceLimit !== 'number' || !Reflect.set(Error, 'stackTraceLimit', 0)) return make();
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function shown(milliseconds: number): string {
  return String(Math.round(milliseconds * 1000) / 1000);
}

function unknown(what: string, code: number): Error {
  return new Error(`bulkheads: the engine answered with an unknown ${what}: ${code}`);
}
