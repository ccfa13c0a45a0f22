// The bulkhead as users know it.

import { Driver } from './driver.js';
import type { EngineKind } from './engines/engine.js';
import type { SharedEngine } from './engines/shared.js';
import { OPTIONS } from './engines/tables.js';
import { execute, type Work, type WorkContext } from './exec.js';
import { host } from './host.js';
import { mapAll, mapSettled } from './map-collection.js';
import type { MapContext } from './map-context.js';
import type { Plan } from './map-run.js';
import { mapResults } from './map-stream.js';
import {
  type BulkheadOptions,
  bulkheadOptions,
  type CallOptions,
  callOptions,
  checkRanges,
  type CloseOptions,
  closeOptions,
  type DrainOptions,
  drainOptions,
  type MapIterableOptions,
  type MapOptions,
  mapOptions,
  type MapSetup,
  number,
  text,
  type Traits,
  work,
  type WrapOptions,
} from './options.js';
import { rejected } from './pending-call.js';
import { acquire, type Permit, tryAcquire } from './permit.js';
import { type Items, Source } from './source.js';
import type { BulkheadStats } from './stats.js';
import { givesStream, iterable } from './stream.js';
import { entrances } from './trace.js';
import { type Streamed, wrap, type Wrapped } from './wrap.js';

/**
 * Guards one dependency with a budget of permits.
 *
 * A call that gets its permits runs; one that cannot get them yet waits in a bounded queue, for a
 * bounded time, first come, first served; every other call is rejected at once, with an error that
 * says which bound rejected it.
 */
export class Bulkhead {
  readonly #driver: Driver;
  /**
   * @internal No host can clone it, so cloning a bulkhead, or posting it to a thread, is an error
   *   instead of an empty object.
   */
  readonly cloneable = NOT_CLONEABLE;
  #ending: Promise<void> | undefined;

  /** Throws `TypeError` for a wrong type or an unknown option, `RangeError` for a bad value. */
  constructor(name: string, options: BulkheadOptions);
  /** @internal Not in the published types: the line above is. */
  // eslint-disable-next-line @typescript-eslint/unified-signatures
  constructor(name: string, options: BulkheadOptions | Driver);
  constructor(name: string, options: BulkheadOptions | Driver) {
    if (options instanceof Driver) {
      this.#driver = options;
      return;
    }
    // A name that was left out is reported first: what is then missing are not the options.
    text('name', name);
    const setup = bulkheadOptions(options);
    const engine = host().engine().create(...setup.engine);
    this.#driver = new Driver(name, engine, setup.traits, hasCallTimeout(setup.engine));
  }

  /**
   * The bulkhead of this name that all threads of the process have in common: one limit, one queue
   * in order of arrival, one set of books. The same object for each call in a thread. The first
   * call gives the options; later ones may leave them out, and different ones are a `RangeError`
   * that names the difference. It lives for as long as any thread has it: one that ends, or is
   * terminated, gives back what it held and leaves the queue. Needs Node and the native engine.
   */
  static readonly shared = shared as SharedBulkheads;

  /** Which engine works here. */
  static get engine(): EngineKind {
    return host().engine().kind;
  }

  /** Why the native engine could not be loaded, or why none works here. */
  static get engineError(): Error | undefined {
    return host().engine().error;
  }

  /** As it stands in errors and warnings. */
  get name(): string {
    return this.#driver.name;
  }

  /**
   * Runs `fn` with `weight` permits and settles as it does. Never throws: whatever goes wrong is a
   * rejection. Work that is admitted at once starts before `exec` returns. An async iterator that
   * it gives back, such as an async generator, keeps the permits until it has ended or is left.
   */
  exec<Result extends AsyncGenerator>(fn: Work<Result>, options?: CallOptions): Streamed<Result>;
  exec<Result>(fn: Work<Result>, options?: CallOptions): Promise<Awaited<Result>>;
  exec(fn: Work<unknown>, options?: CallOptions): Promise<unknown> {
    let answer: Promise<unknown>;
    try {
      // Options 5.6: what these throw is a rejection too.
      answer = execute(this.#driver, work(fn), callOptions(options));
    } catch (error) {
      answer = rejected(error);
    }
    return givesStream(fn) ? iterable(answer) : answer;
  }

  /**
   * A function with the same parameters, the same `this` and the same result that runs in this
   * bulkhead. With `context: 'first'` the function gets the context of its call before its own
   * parameters: `wrap(({ signal }, url) => fetch(url, { signal }), { context: 'first' })`.
   */
  wrap<This, Parameters extends unknown[], Result extends AsyncGenerator>(
    fn: (this: This, context: WorkContext, ...parameters: Parameters) => Result,
    options: WrapOptions & { readonly context: 'first' },
  ): Wrapped<This, Parameters, Streamed<Result>>;
  wrap<This, Parameters extends unknown[], Result>(
    fn: (this: This, context: WorkContext, ...parameters: Parameters) => Result,
    options: WrapOptions & { readonly context: 'first' },
  ): Wrapped<This, Parameters, Promise<Awaited<Result>>>;
  wrap<This, Parameters extends unknown[], Result extends AsyncGenerator>(
    fn: (this: This, ...parameters: Parameters) => Result,
    options?: WrapOptions & { readonly context?: undefined },
  ): Wrapped<This, Parameters, Streamed<Result>>;
  wrap<This, Parameters extends unknown[], Result>(
    fn: (this: This, ...parameters: Parameters) => Result,
    // Options 5.6: `wrap` itself throws.
    options?: WrapOptions & { readonly context?: undefined },
  ): Wrapped<This, Parameters, Promise<Awaited<Result>>>;
  wrap(fn: (this: never, ...parameters: never[]) => unknown, options?: WrapOptions): unknown {
    return wrap(this.#driver, fn as (...parameters: unknown[]) => unknown, options);
  }

  /**
   * A permit by hand; `using permit = await shipping.acquire()` gives it back by itself. Never
   * throws.
   */
  acquire(options?: CallOptions): Promise<Permit> {
    try {
      // Options 5.6
      // eslint-disable-next-line @typescript-eslint/unbound-method -- looked for in a stack, never called
      return acquire(this.#driver, callOptions(options), this.acquire);
    } catch (error) {
      return rejected(error);
    }
  }

  /** A manual permit if it can be had at once, else `null`; it never waits. */
  tryAcquire(weight?: number): Permit | null {
    const permits = weight === undefined ? 1 : number('weight', weight);
    // eslint-disable-next-line @typescript-eslint/unbound-method -- as above
    return tryAcquire(this.#driver, permits, this.tryAcquire);
  }

  /**
   * The results of `fn` for all items, in order. It takes the next item only when that can run, and
   * never stands in the queue: those who wait there go first. The first error ends it and aborts
   * the rest; with `stopOnError: false` all items run, and it rejects with an `AggregateError` if
   * some have failed. Promises among the items are awaited.
   */
  map<Item, Result>(
    items: Items<Item>,
    fn: (item: Awaited<Item>, context: MapContext) => Result,
    options?: MapOptions,
  ): Promise<Awaited<Result>[]> {
    try {
      return mapAll(this.#plan(items, fn, mapOptions(options)));
    } catch (error) {
      return rejected(error);
    }
  }

  /**
   * As `map`, but what it gives is an outcome for each item, in order, as `Promise.allSettled`
   * does.
   */
  mapSettled<Item, Result>(
    items: Items<Item>,
    fn: (item: Awaited<Item>, context: MapContext) => Result,
    options?: CallOptions,
  ): Promise<PromiseSettledResult<Awaited<Result>>[]> {
    try {
      return mapSettled(this.#plan(items, fn, mapOptions(options, [])), Array.isArray(items) ? items.length : 0);
    } catch (error) {
      return rejected(error);
    }
  }

  /**
   * As `map`, one result at a time: `for await (const page of shipping.mapIterable(urls,
   * fetchPage))`. No more items are under way or wait for their turn than the bulkhead has permits,
   * and `buffer`. Leaving the loop aborts the rest; the first error comes behind the results of the
   * items before it.
   */
  mapIterable<Item, Result>(
    items: Items<Item>,
    fn: (item: Awaited<Item>, context: MapContext) => Result,
    options?: MapIterableOptions,
  ): AsyncGenerator<Awaited<Result>, void, undefined> {
    const setup = mapOptions(options, ['stopOnError', 'ordered', 'buffer']);
    return mapResults(this.#plan(items, fn, setup), setup);
  }

  /**
   * Changes the limit. 0 pauses; shrinking waits until enough calls have ended and revokes nothing.
   */
  resize(maxConcurrent: number): void {
    this.#driver.resize(number('maxConcurrent', maxConcurrent));
  }

  /** One consistent snapshot, a value that later calls don't change. */
  stats(): BulkheadStats {
    return this.#driver.stats();
  }

  /** Its name and the snapshot, for `JSON.stringify`. */
  toJSON(): { readonly name: string } & BulkheadStats {
    return { name: this.name, ...this.stats() };
  }

  /**
   * Settles at the first moment when no call waits and no permit is held; ends nothing. From inside
   * own work it never settles.
   */
  idle(): Promise<void> {
    return this.#driver.idle(true);
  }

  /**
   * Rejects new calls, now, and serves the waiters, for at most `timeoutMs`: then it closes. What
   * it returns is as for `close`.
   */
  drain(options?: DrainOptions): Promise<void> {
    try {
      this.#driver.drain(drainOptions(options).timeout);
      return this.#ended();
    } catch (error) {
      return rejected(error);
    }
  }

  /**
   * Rejects new calls and all waiters, now; with `abort` it also aborts the signals of the work
   * that runs, and lets that answer. What it returns settles when no permit is held any more;
   * awaited from inside the bulkhead's own work it never does.
   */
  close(options?: CloseOptions): Promise<void> {
    try {
      this.#driver.close(closeOptions(options).abort);
      return this.#ended();
    } catch (error) {
      return rejected(error);
    }
  }

  /** One promise, however often and however an end is asked for. */
  #ended(): Promise<void> {
    // Ending 3, Ending 6
    return (this.#ending ??= this.#driver.idle(false));
  }

  #plan<Item, Result>(
    items: Items<Item>,
    fn: (item: Awaited<Item>, context: MapContext) => Result,
    { request, stopOnError }: MapSetup,
  ): Plan<Item, Result> {
    work(fn);
    checkRanges(request, host().engine().create);
    return { driver: this.#driver, source: new Source(items), fn, request, stopOnError };
  }
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- looked for in a stack, never called
entrances.push(Bulkhead.prototype.exec, Bulkhead.prototype.acquire, Bulkhead.prototype.map, Bulkhead.prototype.mapSettled);

/** See `Bulkhead.shared`. */
export interface SharedBulkheads {
  (name: string, options?: BulkheadOptions): Bulkhead;
  /**
   * Frees a name, for test runners and hot reload: the next call for it, in whichever thread, makes
   * a new bulkhead and may give other options. A thread that has the old one keeps it; its calls
   * end as they would have.
   */
  readonly reset: (name: string) => void;
}

function shared(name: string, options?: BulkheadOptions): Bulkhead {
  text('name', name);
  return host().share(name, options === undefined ? undefined : bulkheadOptions(options), joined);
}

shared.reset = (name: string): void => host().resetShared(text('name', name));

/** Not in the class: bundlers would give a class that makes itself another name. */
function joined(name: string, engine: SharedEngine, traits: Traits): { shared: Bulkhead; wake: () => void } {
  const driver = new Driver(name, engine, traits, hasCallTimeout(engine.settings));
  return { shared: new Bulkhead(name, driver), wake: () => driver.wake() };
}

function hasCallTimeout(options: ArrayLike<number | undefined>): boolean {
  return (options[OPTIONS.indexOf('callTimeoutMs')] ?? Infinity) !== Infinity;
}

/** Hosts show it in the error. */
const NOT_CLONEABLE = Symbol('no: a bulkhead lives in one thread; take Bulkhead.shared(name) there');
