// Who holds permits in which async context, for `detectReentrancy`. Only Node can tell, so only its entry brings this file along.
//
// Work that a bulkhead runs has a context of its own: what it runs with counts for the calls from inside of it and for no others. A
// permit by hand can only be put into the context of whoever takes it, and that is not always its own: until its first `await` a
// function has that of its caller, and what is put there stays there for all that the caller starts later. So a permit counts
// where nobody is wronged by that: if whoever takes it was called by nobody and has the context for itself, or, for any other, if
// the next call comes in the very turn in which the permit does, in which no other code runs.

import { AsyncLocalStorage, AsyncResource, executionAsyncId, executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import type { Driver } from './driver.js';
import type { Holding, Holdings } from './host.js';

interface Entry {
  readonly driver: Driver;
  /** 0 until it has its permits. */
  readonly id: number;
  /** This context is the holder's own. */
  readonly isCertain: boolean;
}

export class ContextHoldings implements Holdings {
  /** What a context holds or is to get. What has come back stays there for a while: its id counts for nothing. */
  readonly #contexts = new AsyncLocalStorage<readonly Entry[]>();
  /** Whether what a callback puts into its context is there when the same timer or port calls back again, as before Node 24. */
  readonly #isKept: boolean;

  constructor() {
    const repeated = new AsyncResource('bulkheads');
    repeated.runInAsyncScope(() => this.#contexts.enterWith([]));
    this.#isKept = repeated.runInAsyncScope(() => this.#contexts.getStore() !== undefined);
  }

  permits(driver: Driver): number {
    return this.#entries().reduce((sum, one) => sum + (one.driver === driver ? permitsOf(one) : 0), 0);
  }

  around<Context, Result>(driver: Driver, work: (context: Context) => Result, call: { readonly id: number }): (context: Context) => Result {
    const outer = tidied(this.#entries()).filter(isThere);
    return (context) => this.#contexts.run([...outer, { driver, id: call.id, isCertain: true }], work, context);
  }

  ask(driver: Driver, entrance: unknown): Holding {
    return this.#enter(new HandHolding(driver, this.#isOwn() && isCalledByNobody(entrance)));
  }

  took(driver: Driver, id: number, entrance: unknown): void {
    if (this.#isOwn() && isCalledByNobody(entrance)) this.#enter({ driver, id, isCertain: true });
  }

  #enter<One extends Entry>(entry: One): One {
    this.#contexts.enterWith([...tidied(this.#entries()), entry]);
    return entry;
  }

  #entries(): readonly Entry[] {
    const entries = this.#contexts.getStore() ?? [];
    if (!entries.some(hasJustCome)) return entries;
    const certain = entries.map((one) => (hasJustCome(one) ? { ...one, isCertain: true } : one));
    if (this.#isOwn()) this.#contexts.enterWith(certain);
    return certain;
  }

  /** Whether what is put into the context now is put there for this one turn and what comes of it. */
  #isOwn(): boolean {
    return !this.#isKept || types.isPromise(executionAsyncResource()) || executionAsyncId() === MAIN;
  }
}

/** A permit by hand from the moment that it is asked for. */
class HandHolding implements Entry, Holding {
  readonly driver: Driver;
  readonly isCertain: boolean;
  id = 0;

  constructor(driver: Driver, isCertain: boolean) {
    this.driver = driver;
    this.isCertain = isCertain;
  }

  arrive(id: number, tell: () => void): void {
    // Between these two runs nobody but those who are told.
    void Promise.resolve().then(() => (this.id = id));
    tell();
    if (!this.isCertain) void Promise.resolve().then(() => this.fail());
  }

  fail(): void {
    this.id = NOBODY;
  }
}

/** An id that is never current. */
const NOBODY = -1;

/** The script that the process was started with. */
const MAIN = 1;

/** Each look asks the core about all of them: at these lengths, what has come back is never more than what is held. */
function tidied(entries: readonly Entry[]): readonly Entry[] {
  const { length } = entries;
  return (length & (length - 1)) === 0 ? entries.filter(mayCount) : entries;
}

function permitsOf(one: Entry): number {
  return isThere(one) ? one.driver.permits(one.id) : 0;
}

function isThere({ id, isCertain }: Entry): boolean {
  return isCertain && id > 0;
}

function hasJustCome({ id, isCertain }: Entry): boolean {
  return !isCertain && id > 0;
}

function mayCount(one: Entry): boolean {
  return one.isCertain && (one.id === 0 || permitsOf(one) > 0);
}

/** Whether the host itself called the code that came in by this method; no if it cannot be told. */
function isCalledByNobody(entrance: unknown): boolean {
  // Put back, never called.
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { prepareStackTrace, stackTraceLimit } = Error;
  const here: { stack?: unknown } = {};
  try {
    Error.prepareStackTrace = (_, frames) => frames;
    Error.stackTraceLimit = 30;
    Error.captureStackTrace(here, entrance as () => void);
    return Array.isArray(here.stack) && (here.stack as NodeJS.CallSite[]).filter(isCaller).length === 1;
  } catch {
    // Hardened realms freeze it.
    return false;
  } finally {
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}

function isCaller(frame: NodeJS.CallSite): boolean {
  const isAsync = (frame as { isAsync?: () => boolean }).isAsync?.() ?? false;
  return !isAsync && frame.getFileName()?.startsWith('node:internal/') !== true;
}
