// Work that a bulkhead runs: `exec`, and all that is built on it.
//
// Every outcome reaches user code through the same number of turns, so that the order of the core is the order that users see: a
// grant starts the work in a reaction, a refusal rejects the promise whose reaction is the caller's.

import type { Driver } from './driver.js';
import { COMPLETED, FAILED, FIRST_ID, RUN } from './engine.js';
import { Entry, rejected } from './entry.js';
import { type Holdings, host, type Scope } from './host.js';
import { DEFAULT_REQUEST, type Request } from './options.js';
import { whenSettled } from './settle.js';

/** What the work gets. */
export interface WorkContext {
  /** Aborts when the caller is answered before the work has settled. Made when it is first read. */
  readonly signal: AbortSignal;
}

/** What a bulkhead runs; it may use the signal of its context. */
export type Work<Result> = (context: WorkContext) => Result;

/** Never throws for what the work does; throws for a number out of its range. */
export function execute<Result>(driver: Driver, work: Work<Result>, request: Request): Promise<Awaited<Result>> {
  const id = request === DEFAULT_REQUEST ? driver.admitNow(1, RUN) : 0;
  const call = new Call(driver, request.weight, work);
  if (driver.holdings !== undefined) call.hold(driver.holdings);
  if (id !== 0) {
    call.id = id;
    driver.track(call);
    call.run();
    return call.promise;
  }
  const answer = driver.arrive(call, request, RUN);
  if (answer >= FIRST_ID) call.run();
  else if (answer > 0) return rejected(driver.refusal(answer, request));
  return call.promise;
}

// Its fields are private to the compiler only: those with a # cost a quarter of a short call, at its construction.
class Call<Result> extends Entry<Awaited<Result>> implements WorkContext {
  private work: Work<Result>;
  /** While it waits: the work runs in its caller's async context, whoever releases. */
  private scope: Scope | undefined = undefined;
  /** What few calls have. */
  private early: Early | undefined = undefined;

  constructor(driver: Driver, weight: number, work: Work<Result>) {
    super(driver, weight);
    this.work = work;
  }

  /** In its caller's context. */
  hold(holdings: Holdings): void {
    this.work = holdings.around(this.driver, this.work, this);
  }

  get signal(): AbortSignal {
    const early = (this.early ??= new Early());
    if (early.controller === undefined) {
      early.controller = new AbortController();
      if (this.isAnswered) early.controller.abort(early.reason);
    }
    return early.controller.signal;
  }

  queued(): void {
    this.scope = host().capture();
  }

  tell(): void {
    // A promise of its own would be half the memory of a call that waits, so it gets one only now.
    void Promise.resolve(this).then(resume);
  }

  refuse(reason: unknown): void {
    this.isAnswered = true;
    const early = (this.early ??= new Early());
    early.reason = reason;
    this.driver.forget(this);
    this.reject(reason);
    early.controller?.abort(reason);
  }

  /** Its permits are there. */
  run(): void {
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
      (value) => this.complete(value),
      (error) => this.fail(error),
    );
  }

  resume(): void {
    // Cancelled between the grant and now: the permit has passed on.
    if (this.isAnswered) return;
    this.driver.start(this.id);
    this.scope?.runInAsyncScope(run, this);
  }

  private complete(value: Awaited<Result>): void {
    this.driver.finish(this, COMPLETED);
    if (!this.hasOutcome) this.resolve(value);
  }

  private fail(error: unknown): void {
    this.driver.finish(this, FAILED);
    if (!this.hasOutcome) this.reject(error);
  }
}

/** Of a call that may be answered before its work has settled. */
class Early {
  controller: AbortController | undefined = undefined;
  /** The answer, if it came. */
  reason: unknown = undefined;
}

function resume(call: { resume: () => void }): void {
  call.resume();
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
