// Who holds permits in which async context, for `detectReentrancy`. Only Node knows, so only its
// entry imports this file.
//
// Work that a bulkhead runs has a context of its own: its permits count for the calls from inside
// of it and for no others. A manual permit can only be put into the context of the function that
// takes it, and that is not always its own: until its first `await` a function has the context of
// its caller, and what is put there stays for all that the caller starts later. So a manual permit
// is attributed to a context only where that cannot affect sibling tasks: if the function that
// takes it is the root frame of its async context, or, for any other, if the next call comes in the
// very turn in which the permit does, in which no other code runs.

import { AsyncLocalStorage, AsyncResource, executionAsyncId, executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import type { HeldPermits, Holdable, Holding } from './host.js';
import { HostPromise } from './promise.js';

interface Permit {
  readonly bulkhead: Holdable;
  /** 0 until it has its permits. */
  readonly id: number;
  /** This context is the holder's own. */
  readonly isCertain: boolean;
}

export class ContextPermits implements HeldPermits {
  /**
   * What a context holds or is to get. What has come back stays there for a while: its id holds
   * nothing.
   */
  readonly #contexts = new AsyncLocalStorage<readonly Permit[]>();
  /**
   * Whether what a callback puts into its context is there when the same timer or port calls back
   * again, as before Node 24.
   */
  readonly #isKept: boolean;

  constructor() {
    const repeated = new AsyncResource('bulkheads');
    repeated.runInAsyncScope(() => this.#contexts.enterWith([]));
    this.#isKept = repeated.runInAsyncScope(() => this.#contexts.getStore() !== undefined);
  }

  ids(bulkhead: Holdable): readonly number[] {
    // Nested calls 2.1
    const own = this.#permits().filter((one) => one.bulkhead === bulkhead && isThere(one));
    return own.map((one) => one.id);
  }

  around<Context, Result>(
    bulkhead: Holdable,
    work: (context: Context) => Result,
    call: { readonly id: number },
  ): (context: Context) => Result {
    const outer = tidied(this.#permits()).filter(isThere);
    // Nested calls 2.1, Nested calls 2.3: whatever the work begins has this context, awaited or
    // not.
    return (context) => this.#contexts.run([...outer, { bulkhead, id: call.id, isCertain: true }], work, context);
  }

  ask(bulkhead: Holdable, entrance: unknown): Holding {
    // Nested calls 3.1
    return this.#enter(new AwaitedPermit(bulkhead, this.#isOwn() && isCalledByHost(entrance)));
  }

  took(bulkhead: Holdable, id: number, entrance: unknown): void {
    if (this.#isOwn() && isCalledByHost(entrance)) this.#enter({ bulkhead, id, isCertain: true });
  }

  #enter<One extends Permit>(permit: One): One {
    this.#contexts.enterWith([...tidied(this.#permits()), permit]);
    return permit;
  }

  #permits(): readonly Permit[] {
    const permits = this.#contexts.getStore() ?? [];
    if (!permits.some(hasJustCome)) return permits;
    const certain = permits.map((one) => (hasJustCome(one) ? { ...one, isCertain: true } : one));
    if (this.#isOwn()) this.#contexts.enterWith(certain);
    return certain;
  }

  /**
   * Whether what is put into the context now is put there for this one turn and what comes of it.
   */
  #isOwn(): boolean {
    return !this.#isKept || types.isPromise(executionAsyncResource()) || executionAsyncId() === MAIN;
  }
}

/** A manual permit from the moment that it is asked for. */
class AwaitedPermit implements Permit, Holding {
  readonly bulkhead: Holdable;
  readonly isCertain: boolean;
  id = 0;

  constructor(bulkhead: Holdable, isCertain: boolean) {
    this.bulkhead = bulkhead;
    this.isCertain = isCertain;
  }

  arrive(id: number, deliver: () => void): void {
    // No other microtask runs between these two.
    void HostPromise.resolve().then(() => (this.id = id));
    deliver();
    // Nested calls 3.1, Nested calls 3.2
    if (!this.isCertain) void HostPromise.resolve().then(() => this.fail());
  }

  fail(): void {
    this.id = STALE;
  }
}

/** An id that is never current. */
const STALE = -1;

/** The script that the process was started with. */
const MAIN = 1;

/**
 * Each look asks the core about all of them: at these lengths, what has come back is never more
 * than what is held.
 */
function tidied(permits: readonly Permit[]): readonly Permit[] {
  const { length } = permits;
  return (length & (length - 1)) === 0 ? permits.filter(mayCount) : permits;
}

function permitsOf(one: Permit): number {
  return isThere(one) ? one.bulkhead.permits(one.id) : 0;
}

function isThere({ id, isCertain }: Permit): boolean {
  return isCertain && id > 0;
}

function hasJustCome({ id, isCertain }: Permit): boolean {
  return !isCertain && id > 0;
}

function mayCount(one: Permit): boolean {
  return one.isCertain && (one.id === 0 || permitsOf(one) > 0);
}

/**
 * Whether the host itself called the code that came in by this method; no if that cannot be found
 * out.
 */
function isCalledByHost(entrance: unknown): boolean {
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
