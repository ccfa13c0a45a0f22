// Functions that run in a bulkhead whenever they are called.

import type { Driver } from './driver.js';
import { execute, type Work, type WorkContext } from './exec.js';
import { host } from './host.js';
import { type CallOptions, callOptions, checkRanges, type Request, work, type WrapOptions, wrapOptions } from './options.js';
import { rejected } from './pending-call.js';
import { givesStream, iterable } from './stream.js';

/**
 * The answer of a call of an async generator function: it can also be iterated without being
 * awaited first. (What has any type, or never returns, could be one as well, and is none.)
 */
export type Streamed<Result> = 0 extends 1 & Result
  ? Promise<Result>
  : [Result] extends [never]
    ? Promise<never>
    : Promise<Result> & (Result extends AsyncGenerator<infer Item> ? AsyncIterable<Item> : unknown);

/**
 * A function with the same parameters, the same `this` and the same result that runs in a bulkhead.
 */
export interface Wrapped<This, Parameters extends unknown[], Answer> {
  (this: This, ...parameters: Parameters): Answer;
  /**
   * The same function with these options on top of those of `wrap`:
   * `quote.with({ signal })(address)`. Throws as `wrap` does.
   */
  readonly with: (options: CallOptions) => (this: This, ...parameters: Parameters) => Answer;
}

type Guarded = (this: unknown, ...parameters: unknown[]) => Promise<unknown>;
type Fn = (this: unknown, ...parameters: unknown[]) => unknown;

export function wrap(driver: Driver, fn: Fn, options: WrapOptions | undefined): Guarded & { with: (options: CallOptions) => Guarded } {
  work(fn);
  const { call: own, hasContext } = wrapOptions(options);
  const guarded = named(guard(driver, fn, hasContext, own), fn.name, hasContext ? Math.max(0, fn.length - 1) : fn.length);
  // Options 7.2: `guard` checks them, so it throws here and not with the first call.
  const withOptions = (more: CallOptions): Guarded => guard(driver, fn, hasContext, onTop(own, more));
  return Object.defineProperty(guarded, 'with', { value: withOptions, writable: true, configurable: true }) as never;
}

function guard(driver: Driver, fn: Fn, hasContext: boolean, options: CallOptions | undefined): Guarded {
  const request = callOptions(options);
  checkRanges(request, host().engine().create);
  // A `Date` is converted at the call.
  const requestNow = (): Request => (options?.deadline === undefined ? request : callOptions(options));
  const call = (act: Work<unknown>): Promise<unknown> => {
    try {
      return execute(driver, act, requestNow());
    } catch (error) {
      return rejected(error);
    }
  };
  const guarded: Guarded = hasContext
    ? function (...parameters) {
        // Options 7.1
        return call((context: WorkContext) => fn.call(this, context, ...parameters));
      }
    : function (...parameters) {
        return call(() => fn.apply(this, parameters));
      };
  // Streams 4
  const answering = givesStream(fn) ? iterated(guarded) : guarded;
  return driver.traits.stackTraces ? tracing(driver, answering) : answering;
}

function iterated(guarded: Guarded): Guarded {
  return function (...parameters) {
    return iterable(guarded.apply(this, parameters));
  };
}

/** It says that it is called: no stack is to show what is above it. */
function tracing(driver: Driver, guarded: Guarded): Guarded {
  const traced: Guarded = function (...parameters) {
    driver.entrance = traced;
    try {
      return guarded.apply(this, parameters);
    } finally {
      driver.entrance = undefined;
    }
  };
  return traced;
}

/** What is `undefined` in `more` is left as it is. */
function onTop(options: CallOptions | undefined, more: CallOptions): CallOptions {
  // Looked at as it came: what is none, or has another name, is an error.
  if ((more as unknown) === undefined) throw new TypeError('options are missing: with({ signal, … })');
  callOptions(more);
  const said = Object.entries(more).filter(([, value]) => value !== undefined);
  return { ...options, ...(Object.fromEntries(said) as CallOptions) };
}

function named(fn: Guarded, name: string, length: number): Guarded {
  Object.defineProperty(fn, 'name', { value: name, configurable: true });
  return Object.defineProperty(fn, 'length', { value: length, configurable: true });
}
