// `mapIterable`: one result at a time.

import { type Failure, MapRun, type Plan } from './map-run.js';
import { type Outcome, Outcomes } from './map-outcomes.js';
import { HostPromise } from './promise.js';

/** How far the items run ahead of the consumer. */
export interface Pace {
  /** Whether the results come in the order of their items. */
  readonly ordered: boolean;
  /**
   * How many results may wait for the consumer beside as many items under way as the limit allows.
   */
  readonly buffer: number;
}

/** Nothing happens before the first result is asked for. */
export function mapResults<Item, Result>(
  plan: Plan<Item, Result>,
  pace: Pace,
): AsyncGenerator<Awaited<Result>, void, undefined> {
  const run = new MapStream(plan, pace);
  const results = run.results();
  // A generator that is asked for a result would see its `return` only after that; a consumer that
  // leaves does not wait for it.
  const leave = results.return.bind(results);
  const leaving: typeof leave = (value) => {
    run.leave();
    return leave(value);
  };
  // Not assigned: hardened realms allow that to no name which stands on a prototype.
  return Object.defineProperty(results, 'return', { value: leaving, writable: true, configurable: true });
}

class MapStream<Item, Result> extends MapRun<Item, Result> {
  readonly #pace: Pace;
  readonly #outcomes: Outcomes<Awaited<Result>>;
  readonly #failures: Failure[] = [];
  /** What it ends with at once. */
  #end: { readonly reason: unknown } | undefined;
  #hasLeft = false;
  #isFinished = false;
  #wake: (() => void) | undefined;
  #hasRung = false;

  constructor(plan: Plan<Item, Result>, pace: Pace) {
    super(plan);
    this.#pace = pace;
    this.#outcomes = new Outcomes(pace.ordered);
  }

  leave(): void {
    this.#hasLeft = true;
    this.#ring();
  }

  async *results(): AsyncGenerator<Awaited<Result>, void, undefined> {
    try {
      this.begin();
      for (;;) {
        if (this.#hasLeft) return;
        if (this.#end !== undefined) throw this.#end.reason;
        const outcome = this.#outcomes.take();
        if (outcome === undefined) {
          if (this.#isFinished) break;
          await this.#change();
        } else if ('value' in outcome) yield outcome.value;
        else if (this.plan.stopOnError) throw outcome.reason;
        else this.#failures.push(outcome);
        this.pump();
      }
      if (this.#failures.length > 0) throw this.failures(this.#failures);
    } finally {
      if (!this.#isFinished) this.stop(undefined);
      this.close();
    }
  }

  // What waits for the consumer and has no place in the buffer counts as under way.
  protected override held(): number {
    // Map 1.8
    return Math.max(0, this.#outcomes.waiting - this.#pace.buffer);
  }

  protected override succeeded(index: number, value: Awaited<Result>): void {
    this.#settled(index, { value });
  }

  protected override failed(index: number, reason: unknown): void {
    // In order the items before it go on: their results come first.
    // Map 1.7
    if (this.plan.stopOnError) this.stop(reason, this.#pace.ordered ? index : -1);
    this.#settled(index, { index, reason });
  }

  protected override aborted(reason: unknown): void {
    this.#end = { reason };
    this.stop(reason);
    this.#ring();
  }

  protected override finished(): void {
    this.#isFinished = true;
    this.#ring();
  }

  #settled(index: number, outcome: Outcome<Awaited<Result>>): void {
    this.#outcomes.settled(index, outcome);
    this.#ring();
  }

  /** Something has changed: a result, or the end. */
  #ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  async #change(): Promise<void> {
    if (!this.#hasRung) await new HostPromise<void>((wake) => (this.#wake = wake));
    this.#hasRung = false;
  }
}
