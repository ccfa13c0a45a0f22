// Work that a bulkhead runs: `exec`, and all that is built on it.
//
// Every outcome reaches user code through the same number of turns, so that the order of the core is the order that users see: a
// grant opens a gate whose reaction starts the work, a refusal rejects the promise whose reaction is the caller's.

import { Deferred } from './deferred.js';
import type { Driver } from './driver.js';
import { COMPLETED, FAILED, RUN } from './engine.js';
import { Entry } from './entry.js';
import { DEFAULT_REQUEST, type Request } from './options.js';
import { whenSettled } from './settle.js';

/** What the work gets. */
export interface WorkContext {
  /** Aborts when the caller is answered before the work has settled. Made when it is first read. */
  readonly signal: AbortSignal;
}

export type Work<Result> = (context: WorkContext) => Result;

/** Never throws for what the work does; throws for a number out of its range. */
export function execute<Result>(driver: Driver, work: Work<Result>, request: Request): Promise<Awaited<Result>> {
  const id = request === DEFAULT_REQUEST ? driver.admitNow(1, RUN) : 0;
  const answer = new Deferred<Awaited<Result>>();
  const call = new Call(driver, request.weight, work, answer);
  if (id !== 0) {
    call.id = id;
    driver.track(call);
    call.run();
  } else if (driver.arrive(call, request, RUN)) {
    call.run();
  }
  return answer.promise;
}

// Its fields are private to the compiler only: those with a # cost a quarter of a short call, at its construction.
class Call<Result> extends Entry implements WorkContext {
  private readonly work: Work<Result>;
  private readonly resolve: (value: Awaited<Result>) => void;
  private readonly reject: (reason: unknown) => void;
  private openGate: ((call: Call<Result>) => void) | undefined = undefined;
  private controller: AbortController | undefined = undefined;
  /** The answer, if it came early. */
  private reason: unknown = undefined;

  constructor(driver: Driver, weight: number, work: Work<Result>, answer: Deferred<Awaited<Result>>) {
    super(driver, weight);
    this.work = work;
    this.resolve = answer.resolve;
    this.reject = answer.reject;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.isAnswered) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  queued(): void {
    // Registered in the caller's turn, the reaction runs in the caller's async context, whoever releases.
    const gate = new Deferred<Call<Result>>();
    this.openGate = gate.resolve;
    void gate.promise.then(start);
  }

  tell(): void {
    this.openGate?.(this);
  }

  refuse(reason: unknown): void {
    this.isAnswered = true;
    this.reason = reason;
    this.driver.forget(this);
    this.reject(reason);
    this.controller?.abort(reason);
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

  start(): void {
    // Cancelled between the grant and now: the permit has passed on.
    if (this.isAnswered) return;
    this.driver.start(this.id);
    this.run();
  }

  private complete(value: Awaited<Result>): void {
    this.driver.finish(this, COMPLETED);
    if (!this.isAnswered) this.resolve(value);
  }

  private fail(error: unknown): void {
    this.driver.finish(this, FAILED);
    if (!this.isAnswered) this.reject(error);
  }
}

/** One function for all: a call that waits should hold as little memory as it can. */
function start(call: { start: () => void }): void {
  call.start();
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
