// What every map does: takes items from its source, runs each as soon as there is capacity, and
// says how each has ended.

import { AbortListener } from './abort-listener.js';
import { type Driver, Refused } from './driver.js';
import { COMPLETED, FAILED, type Outcome, type Turn } from './engines/engine.js';
import { executeOrWatch, type WorkContext } from './exec.js';
import { host, type Scope } from './host.js';
import { ItemContext, itemEnded, type MapContext, Stop } from './map-context.js';
import type { Request } from './options.js';
import { HostPromise } from './promise.js';
import { whenSettledLater } from './settle.js';
import type { Source } from './source.js';
import { type Zone, zoneHere } from './zones.js';

export interface Plan<Item, Result> {
  readonly driver: Driver;
  readonly source: Source<Item>;
  readonly fn: (item: Awaited<Item>, context: MapContext) => Result;
  readonly request: Request;
  readonly stopOnError: boolean;
}

/** What an item has failed with. */
export interface Failure {
  readonly index: number;
  readonly reason: unknown;
}

export abstract class MapRun<Item, Result> {
  protected readonly plan: Plan<Item, Result>;
  /** Items that have started and not settled. */
  protected running = 0;
  /** Items that were taken from the source. */
  protected taken = 0;
  /** Why the bulkhead turned an item away for good. */
  protected refusal: unknown = undefined;
  readonly #stop = new Stop();
  readonly #isPlain: boolean;
  /** No further item is taken. */
  #isClosed = false;
  #isPumping = false;
  #isToPumpAgain = false;
  /** Since when it has been waiting for capacity while none of its items ran. */
  #waitsSince: number | undefined = undefined;
  #unwatch: (() => void) | undefined = undefined;
  #scope: Scope | undefined = undefined;
  /** A reaction has its host's context by itself, and none of zone.js. */
  #zone: Zone | undefined = undefined;

  constructor(plan: Plan<Item, Result>) {
    this.plan = plan;
    const { weight, signal, deadline, callTimeout } = plan.request;
    this.#isPlain = weight === 1 && signal === undefined && deadline === Infinity && callTimeout === Infinity;
  }

  protected abstract succeeded(index: number, value: Awaited<Result>): void;
  /** Of an item; or of the source itself, in the place behind all that were taken. */
  protected abstract failed(index: number, error: unknown): void;
  /** The signal of the map has aborted. */
  protected abstract aborted(reason: unknown): void;
  /** Whatever was taken has settled, and no more will be. May come more than once. */
  protected abstract finished(): void;

  /** How many results beside the items that run count as running too. */
  protected held(): number {
    return 0;
  }

  /** In the context of its caller, in which all items start. */
  begin(): void {
    const { driver, request } = this.plan;
    this.#scope = host().capture();
    this.#zone = zoneHere();
    driver.joinMap(this.#notify);
    this.#watchSignal(request.signal);
    this.pump();
  }

  /** Starts what fits. */
  protected pump(): void {
    // Work, or a source, may call back into the bulkhead while it starts.
    this.#isToPumpAgain = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#isToPumpAgain) {
        this.#isToPumpAgain = false;
        if (this.#zone === undefined) this.#startWhatFits();
        else this.#zone.run(() => this.#startWhatFits());
      }
    } finally {
      this.#isPumping = false;
    }
    if (this.running === 0 && this.#isEnding()) this.finished();
  }

  /** Takes no further item, and aborts those that run behind `last`. */
  protected stop(reason: unknown, last = -1): void {
    this.#isClosed = true;
    this.#stop.abort(reason, last);
  }

  /** `3 of 5 items failed`, for the errors of several. */
  protected failures(errors: readonly Failure[]): AggregateError {
    const inOrder = [...errors].sort((one, other) => one.index - other.index);
    const text = `${this.plan.driver.name}: ${errors.length} of ${this.taken} items failed`;
    const error = new AggregateError(
      inOrder.map(({ reason }) => reason),
      text,
    );
    // Map 1.9
    return Object.assign(error, { indices: inOrder.map(({ index }) => index) });
  }

  /** The map is over, whatever still runs. */
  protected close(): void {
    this.#isClosed = true;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.plan.driver.leaveMap(this.#notify);
    this.plan.source.close();
  }

  /** No further item will start. */
  #isEnding(): boolean {
    const { source } = this.plan;
    return this.#isClosed || (source.isExhausted && !source.hasItem);
  }

  // Map 1.2: an item is taken only when it could run; another call may still come first.
  #startWhatFits(): void {
    const { driver, source, request } = this.plan;
    while (!this.#isEnding()) {
      if (source.hasItem) {
        if (!this.#start()) return;
      } else if (!driver.hasCapacity(request, this.#turn(), this.#notify)) return;
      else if (!source.ask(this.#asked, this.#sourceFailed)) return;
    }
  }

  /**
   * The item in hand. False if it must wait for capacity: then `#notify` is called when there may
   * be some.
   */
  #start(): boolean {
    const { driver, source } = this.plan;
    const { inHand } = source;
    if (inHand.isRejected) {
      source.take();
      this.failed(this.#takeIndex(), inHand.reason);
      return true;
    }
    if (this.#isPlain && driver.beginCounted()) {
      source.take();
      this.#runCounted(inHand.item);
      return true;
    }
    const context = new ItemContext(this.taken, this.#stop, driver);
    const work = (outer: WorkContext): Result => {
      context.outer = outer;
      return this.plan.fn(inHand.item, context);
    };
    const offer = executeOrWatch(driver, work, this.plan.request, this.#turn(), this.#notify);
    if (offer === undefined) return false;
    source.take();
    const index = this.#takeIndex();
    if (offer instanceof Refused) this.#refused(index, offer.reason);
    else this.#await(offer, context);
    return true;
  }

  // Map 1.4: the bulkhead would reject the rest too.
  #refused(index: number, reason: unknown): void {
    this.#isClosed = true;
    this.refusal = reason;
    this.failed(index, reason);
  }

  #takeIndex(): number {
    this.taken += 1;
    this.#waitsSince = undefined;
    return this.taken - 1;
  }

  /**
   * An ordinary run: only its work answers it, so its result is looked at here, without a promise
   * of the call's own.
   */
  #runCounted(item: Awaited<Item>): void {
    const { driver, fn } = this.plan;
    const since = driver.isToMeasure() ? driver.now() : undefined;
    const context = new ItemContext(this.#takeIndex(), this.#stop, driver);
    let result: unknown;
    try {
      result = fn(item, context);
    } catch (error) {
      result = HostPromise.reject(error);
    }
    this.#await(result, context, (outcome) => {
      if (since === undefined) driver.endCounted(outcome);
      else driver.endMeasured(outcome, since);
    });
  }

  #await(result: unknown, context: ItemContext, end?: (outcome: Outcome) => void): void {
    this.running += 1;
    whenSettledLater(
      result,
      (value) => {
        end?.(COMPLETED);
        this.#ended(context);
        this.succeeded(context.index, value as Awaited<Result>);
        this.pump();
      },
      (error) => {
        end?.(FAILED);
        this.#ended(context);
        this.failed(context.index, error);
        this.pump();
      },
    );
  }

  #ended(context: ItemContext): void {
    this.running -= 1;
    itemEnded(context);
  }

  /** Map 1.5: the core bounds the wait for capacity while nothing of the map runs. */
  #turn(): Turn {
    const running = this.running + this.held();
    if (running > 0) return { running, since: Infinity };
    this.#waitsSince ??= this.plan.driver.now();
    return { running: 0, since: this.#waitsSince };
  }

  #watchSignal(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const aborted = (): void => this.aborted(signal.reason);
    this.#unwatch = AbortListener.of(signal).watch(aborted);
    // Looked at after the subscription: a signal may abort while a listener is added, and then no
    // event follows.
    if (signal.aborted) aborted();
  }

  /** The source knows more. */
  readonly #asked = (): void => this.pump();

  readonly #sourceFailed = (error: unknown): void => this.failed(this.taken, error);

  /**
   * There may be capacity: asked in a turn of its own and in the context of the map's caller, not
   * in that of the call that has freed it.
   */
  readonly #notify = (): void => {
    const again = (): void => {
      void HostPromise.resolve().then(() => this.pump());
    };
    if (this.#scope === undefined) again();
    else this.#scope.runInAsyncScope(again, undefined);
  };
}
