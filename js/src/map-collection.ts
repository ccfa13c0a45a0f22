// `map` and `mapSettled`: every result, when all are there.

import { type Failure, MapRun, type Plan } from './map-run.js';
import { HostPromise } from './promise.js';

/** The results in order. Stops at the first error, or rejects with all of them at the end. */
export function mapAll<Item, Result>(plan: Plan<Item, Result>): Promise<Awaited<Result>[]> {
  return new HostPromise((resolve, reject) => new Results(plan, resolve, reject).begin());
}

/** An outcome for each item, in order; for each of `count` items, if their number is known. */
export function mapSettled<Item, Result>(
  plan: Plan<Item, Result>,
  count: number,
): Promise<PromiseSettledResult<Awaited<Result>>[]> {
  return new HostPromise((resolve, reject) => new Outcomes(plan, resolve, reject, count).begin());
}

type Settle<Value> = (value: Value) => void;

abstract class Collection<Item, Result, Value> extends MapRun<Item, Result> {
  protected readonly values: Value[] = [];
  protected readonly resolve: Settle<Value[]>;
  protected readonly reject: Settle<unknown>;

  constructor(plan: Plan<Item, Result>, resolve: Settle<Value[]>, reject: Settle<unknown>) {
    super(plan);
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Now, without the items that still run. */
  protected override aborted(reason: unknown): void {
    this.reject(reason);
    this.stop(reason);
    this.close();
  }
}

class Results<Item, Result> extends Collection<Item, Result, Awaited<Result>> {
  readonly #failures: Failure[] = [];

  protected override succeeded(index: number, value: Awaited<Result>): void {
    this.values[index] = value;
  }

  protected override failed(index: number, reason: unknown): void {
    if (this.plan.stopOnError) this.aborted(reason);
    else this.#failures.push({ index, reason });
  }

  protected override finished(): void {
    this.close();
    if (this.#failures.length === 0) this.resolve(this.values);
    else this.reject(this.failures(this.#failures));
  }
}

class Outcomes<Item, Result> extends Collection<Item, Result, PromiseSettledResult<Awaited<Result>>> {
  readonly #count: number;

  constructor(
    plan: Plan<Item, Result>,
    resolve: Settle<PromiseSettledResult<Awaited<Result>>[]>,
    reject: Settle<unknown>,
    count: number,
  ) {
    super(plan, resolve, reject);
    this.#count = count;
  }

  protected override succeeded(index: number, value: Awaited<Result>): void {
    this.values[index] = { status: 'fulfilled', value };
  }

  protected override failed(index: number, reason: unknown): void {
    // Map 1.9
    this.values[index] = { status: 'rejected', reason };
  }

  protected override finished(): void {
    this.close();
    // The bulkhead would have turned the rest away with the same.
    while (this.values.length < this.#count) this.failed(this.values.length, this.refusal);
    this.resolve(this.values);
  }
}
