// Work that a bulkhead runs: `exec`, and all that is built on it.
//
// Every outcome reaches user code through the same number of turns, so that the order of the core
// is the order that users see: a grant starts the work in a reaction, a refusal rejects the promise
// whose reaction is the caller's.

import { type Driver, DROPPED_STREAM, Refused } from './driver.js';
import { COMPLETED, FAILED, type Outcome, RUN, type Turn } from './engines/engine.js';
import { Fifo } from './fifo.js';
import { type HeldPermits, host, type Scope } from './host.js';
import { DEFAULT_REQUEST, type Request } from './options.js';
import { PendingCall, rejected } from './pending-call.js';
import { HostPromise } from './promise.js';
import { derived, whenSettled } from './settle.js';
import { isStream, Stream, type StreamedRun } from './stream.js';

/** What the work gets. */
export interface WorkContext {
  /**
   * Aborts when the caller is answered before the work has settled, and when the bulkhead is closed
   * with abort. Made when it is first read.
   */
  readonly signal: AbortSignal;
}

/** What a bulkhead runs; it may use the signal of its context. */
export type Work<Result> = (context: WorkContext) => Result;

/** Never throws for what the work does; throws for a number out of its range. */
export function execute<Result>(driver: Driver, work: Work<Result>, request: Request): Promise<Awaited<Result>> {
  return request === DEFAULT_REQUEST && driver.beginCounted() ? runCounted(driver, work) : arrive(driver, work, request);
}

/** By itself: its closure would cost every call of `execute`. */
function arrive<Result>(driver: Driver, work: Work<Result>, request: Request): Promise<Awaited<Result>> {
  const arrival = driver.arrive(request, RUN, (waits) => new Call(driver, request, work, waits));
  if (arrival instanceof Refused) return rejected(arrival.reason);
  // Admission 5.1
  // A stream makes the call let go of it.
  const { promise } = arrival.call;
  if (!arrival.waits) arrival.call.run();
  return promise;
}

/** As `execute` for an item of a map: `undefined` if `notify` is called when to ask again. */
export function executeOrWatch<Result>(
  driver: Driver,
  work: Work<Result>,
  request: Request,
  turn: Turn,
  notify: () => void,
): Promise<Awaited<Result>> | Refused | undefined {
  const arrival = driver.offer(request, turn, notify, (waits) => new Call(driver, request, work, waits));
  if (arrival === undefined || arrival instanceof Refused) return arrival;
  // Streams 5: an iterator is the result of the item, whose run ends here.
  arrival.call.run(false);
  return arrival.call.promise;
}

/**
 * Only the work answers such a call, so its caller's promise is derived from the work's, by
 * reactions that all calls of the bulkhead share: a promise that this package could settle too
 * would cost twice as much.
 */
function runCounted<Result>(driver: Driver, work: Work<Result>): Promise<Awaited<Result>> {
  const { fulfilled, rejected: failed } = driver.isToMeasure()
    ? measuring(driver, driver.now())
    : (driver.reactions ??= counting(driver));
  const context = new CountedContext(driver);
  let result: Result;
  try {
    // Admission 5.1
    result = work(context);
  } catch (error) {
    ended(context);
    return thrown(failed, error);
  }
  // Running 1.2
  const promise = derived(result, fulfilled, failed) as Promise<Awaited<Result>>;
  settlesWith(context, promise);
  return promise;
}

/** The rejection of work that has thrown. */
function thrown(failed: (reason: unknown) => never, error: unknown): Promise<never> {
  try {
    return failed(error);
  } catch (reason) {
    return rejected(reason);
  }
}

/** For a run that is measured, one in many. */
function measuring(driver: Driver, since: number): Reactions {
  return {
    fulfilled(value) {
      if (isStream(value)) return streamed(value, driver, since);
      driver.endMeasured(COMPLETED, since);
      return value;
    },
    rejected(reason) {
      driver.endMeasured(FAILED, since);
      // Whatever it is.
      throw reason;
    },
  };
}

type Reactions = NonNullable<Driver['reactions']>;

function counting(driver: Driver): Reactions {
  return {
    fulfilled(value) {
      if (typeof value === 'object' && isStream(value)) return streamed(value, driver);
      driver.endCounted(COMPLETED);
      return value;
    },
    rejected(reason) {
      driver.endCounted(FAILED);
      // Whatever it is.
      throw reason;
    },
  };
}

/**
 * Of a run that only its work answers; the bulkhead knows of it only if its signal was read. What
 * works on it are functions, so that the work sees the signal and no method besides.
 */
class CountedContext implements WorkContext {
  // Private to the compiler only: fields with a # cost a quarter of a short call, at their
  // construction.
  /** Absent once the work has ended. */
  driver: Driver | undefined;
  controller: AbortController | undefined = undefined;
  promise: Promise<unknown> | undefined = undefined;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  get signal(): AbortSignal {
    // Running 4.8
    return (this.controller ??= controllerOf(this)).signal;
  }
}

function controllerOf(context: CountedContext): AbortController {
  const { driver, promise } = context;
  const controller = new AbortController();
  if (driver === undefined) return controller;
  driver.abortable(context, controller);
  if (promise !== undefined) endWith(context, promise);
  return controller;
}

/** The work has returned; its caller's promise settles when the work does. */
function settlesWith(context: CountedContext, promise: Promise<unknown>): void {
  context.promise = promise;
  if (context.controller !== undefined) endWith(context, promise);
}

function endWith(context: CountedContext, promise: Promise<unknown>): void {
  const end = (value?: unknown): void => {
    const run = streams.get(value as object);
    if (run === undefined || run.hasEnded) ended(context);
    else {
      run.context = context;
      // It holds the stream, which could then never be collected.
      context.promise = undefined;
    }
  };
  void promise.then(end, () => end());
}

function ended(context: CountedContext): void {
  context.driver?.ended(context);
  context.driver = undefined;
}

/** The stream of a run that is counted; `since`: one that is measured. */
function streamed(iterator: unknown, driver: Driver, since?: number): object {
  const run = new CountedRun(driver, since);
  const stream = new Stream(iterator as never, run).guarded();
  streams.set(stream, run);
  return stream;
}

const streams = new WeakMap<object, CountedRun>();

class CountedRun implements StreamedRun {
  readonly #driver: Driver;
  readonly #since: number | undefined;
  /** Of its work, if that has read its signal. */
  context: CountedContext | undefined = undefined;
  hasEnded = false;

  constructor(driver: Driver, since: number | undefined) {
    this.#driver = driver;
    this.#since = since;
  }

  inside<Answer>(step: () => Answer): Answer {
    return step();
  }

  end(outcome: Outcome): boolean {
    this.#close();
    if (this.#since === undefined) this.#driver.endCounted(outcome);
    else this.#driver.endMeasured(outcome, this.#since);
    return true;
  }

  reclaim(): void {
    this.#close();
    this.#driver.reclaimCounted();
  }

  #close(): void {
    this.hasEnded = true;
    if (this.context !== undefined) ended(this.context);
  }
}

// Its fields are private to the compiler only, as above.
class Call<Result> extends PendingCall<Awaited<Result>> implements WorkContext, StreamedRun {
  readonly driver: Driver;
  private work: Work<Result>;
  private readonly isBounded: boolean;
  /** While it waits: the work runs in its caller's async context, not in that of the call that releases. */
  private readonly scope: Scope | undefined;
  /** What few calls have. */
  private early: Early | undefined = undefined;

  constructor(driver: Driver, request: Request, work: Work<Result>, waits: boolean) {
    super(request.weight);
    this.driver = driver;
    this.work = work;
    // Running 7.1: one that is admitted at once runs in that context anyway.
    this.isBounded = driver.hasCallTimeout || request.deadline !== Infinity || request.callTimeout !== Infinity;
    this.scope = waits ? host().capture() : undefined;
    if (driver.heldPermits !== undefined) this.hold(driver.heldPermits);
  }

  get signal(): AbortSignal {
    const early = (this.early ??= new Early());
    // Running 4.8
    if (early.controller === undefined) {
      early.controller = new AbortController();
      if (this.isAnswered) early.controller.abort(early.reason);
      else if (!early.hasEnded) this.driver.abortable(this, early.controller);
    }
    return early.controller.signal;
  }

  deliver(): void {
    // Admission 5.2: each resumes in a turn of its own, in the order of these calls.
    granted.push(this);
    void TURN.then(resumeNext);
  }

  refuse(reason: unknown): void {
    this.isAnswered = true;
    const early = (this.early ??= new Early());
    early.reason = reason;
    this.driver.forget(this);
    this.reject(reason);
    this.driver.ended(this);
    early.controller?.abort(reason);
    early.stream?.answer(reason);
  }

  /** Its permits are there. `mayStream`: an iterator that it gives back is a part of it. */
  run(mayStream = true): void {
    let result: Result;
    try {
      const work = this.work;
      result = work(new Context(this));
    } catch (error) {
      this.fail(error);
      return;
    }
    whenSettled(
      result,
      (value) => this.complete(value, mayStream),
      (error) => this.fail(error),
    );
  }

  resume(): void {
    // Cancelled between the grant and now: the permit has passed on.
    if (this.isAnswered) return;
    this.driver.start(this, this.isBounded);
    this.scope?.runInAsyncScope(run, this);
  }

  /** In its caller's context. */
  private hold(heldPermits: HeldPermits): void {
    this.work = heldPermits.around(this.driver, this.work, this);
  }

  private complete(value: Awaited<Result>, mayStream: boolean): void {
    if (mayStream && isStream(value)) this.stream(new Stream(value, this));
    else if (this.end(COMPLETED)) this.resolve(value);
  }

  private fail(error: unknown): void {
    if (this.end(FAILED)) this.reject(error);
  }

  private stream(stream: Stream): void {
    const early = (this.early ??= new Early());
    early.stream = stream;
    // It will not be iterated.
    if (this.isAnswered) stream.answer(early.reason);
    else {
      this.resolve(stream.guarded() as Awaited<Result>);
      this.letGo();
    }
  }

  end(outcome: Outcome): boolean {
    this.close();
    this.driver.finish(this, outcome, this.isBounded);
    return !this.hasOutcome;
  }

  inside<Answer>(step: () => Answer): Answer {
    const { heldPermits } = this.driver;
    return heldPermits === undefined ? step() : heldPermits.around(this.driver, step, this)(undefined);
  }

  reclaim(): void {
    this.close();
    this.driver.forget(this);
    this.driver.reclaim(this.id, DROPPED_STREAM);
  }

  private close(): void {
    if (this.early === undefined) return;
    this.early.hasEnded = true;
    this.driver.ended(this);
  }
}

/** Of a call whose signal was read, or that was answered before its work has settled. */
class Early {
  controller: AbortController | undefined = undefined;
  /** The answer, if it came. */
  reason: unknown = undefined;
  hasEnded = false;
  stream: Stream | undefined = undefined;
}

/** Calls that start in a later turn. Of the reactions below as many are under way: the host runs them in order too. */
const granted = new Fifo<{ resume: () => void }>();
/** One for all: a promise of its own would cost a call half as much again as its two crossings into the engine. */
const TURN = HostPromise.resolve();

function resumeNext(): void {
  granted.take()?.resume();
}

function run(this: { run: () => void }): void {
  this.run();
}

/** All that the work sees of its call. */
class Context implements WorkContext {
  readonly #call: WorkContext;

  constructor(call: WorkContext) {
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
