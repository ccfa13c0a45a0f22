// Many items through one bulkhead: as many at a time as there is room for, without ever standing in the queue.

import { AbortListener } from './abort-listener.js';
import type { Driver } from './driver.js';
import { executeOrWatch, type WorkContext } from './exec.js';
import type { Request } from './options.js';
import type { Source } from './source.js';

export interface MapContext extends WorkContext {
  /** The place of the item, from 0. */
  readonly index: number;
}

export interface Plan<Item, Result> {
  readonly driver: Driver;
  readonly source: Source<Item>;
  readonly fn: (item: Item, context: MapContext) => Result;
  readonly request: Request;
  readonly stopOnError: boolean;
  /** Whether results that nobody has taken yet count as under way. */
  readonly isPaced: boolean;
}

/** The results in order. Nothing happens before the first is asked for. */
export function runAll<Item, Result>(plan: Plan<Item, Result>): AsyncGenerator<Awaited<Result>, void, undefined> {
  const run = new MapRun(plan);
  const results = run.results();
  // A generator that is asked for a result would see its `return` only after that; whoever leaves does not wait for it.
  const leave = results.return.bind(results);
  const leaving: typeof leave = (value) => {
    run.leave();
    return leave(value);
  };
  // Not assigned: hardened realms allow that to no name which stands on a prototype.
  return Object.defineProperty(results, 'return', { value: leaving, writable: true, configurable: true });
}

class MapRun<Item, Result> {
  readonly #plan: Plan<Item, Result>;
  /** Aborts the items that are under way. */
  readonly #stop = new Stop();
  readonly #tasks = new Tasks<Awaited<Result>>();
  readonly #errors: { readonly index: number; readonly error: unknown }[] = [];
  #nextIndex = 0;
  /** Calls that have not been answered. */
  #running = 0;
  /** What ends it before its time. */
  #end: { readonly error: unknown; readonly atOnce: boolean } | undefined;
  #hasLeft = false;
  /** The bulkhead turned an item away for good: it would do so with all the rest. */
  #isRefused = false;
  #wake: (() => void) | undefined;
  #hasRung = false;

  constructor(plan: Plan<Item, Result>) {
    this.#plan = plan;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#ring();
  }

  async *results(): AsyncGenerator<Awaited<Result>, void, undefined> {
    const unwatch = this.#watchSignal();
    try {
      for (;;) {
        this.#startWhatFits();
        if (this.#hasLeft) return;
        if (this.#end?.atOnce === true) throw this.#end.error;
        const done = this.#tasks.takeSettled();
        if (done?.value !== undefined) yield done.value.is;
        else if (this.#end !== undefined) throw this.#end.error;
        else if (done === undefined && this.#tasks.isEmpty && this.#isEnding()) break;
        else if (done === undefined) await this.#change();
      }
      if (this.#errors.length > 0) throw this.#allErrors();
    } finally {
      unwatch();
      this.#plan.driver.forgetCapacity(this.#ring);
      this.#plan.source.close();
      if (!this.#tasks.isEmpty) this.#stop.abort(undefined);
    }
  }

  #startWhatFits(): void {
    const { driver, source, request } = this.#plan;
    while (this.#mayStart()) {
      if (source.hasItem) {
        if (!this.#start(source.item)) return;
        source.take();
        // Map 1.2: an item is taken only when it could run; another call may still come first.
      } else if (!driver.hasCapacity(request.weight, this.#ring) || !source.ask(this.#ring, this.#failed)) return;
    }
  }

  #mayStart(): boolean {
    return !this.#isEnding() && !this.#hasLeft && this.#end === undefined && !this.#isAhead();
  }

  /** No further item will start. */
  #isEnding(): boolean {
    const { source } = this.#plan;
    return this.#isRefused || (source.isExhausted && !source.hasItem);
  }

  /** As many items as can run at all. Also what keeps work that ends at once from holding up everybody else. */
  #isAhead(): boolean {
    const { driver, request, isPaced } = this.#plan;
    return (isPaced ? this.#tasks.size : this.#running) >= Math.max(1, Math.floor(driver.limit() / request.weight));
  }

  /** False if the item must wait for capacity: then `#ring` is called when there may be some. */
  #start(item: Item): boolean {
    const { driver, fn, request } = this.#plan;
    const index = this.#nextIndex;
    const context = new ItemContext(this.#stop, index);
    let hasStarted = false;
    const work = (outer: WorkContext): Result => {
      hasStarted = true;
      context.outer = outer;
      return fn(item, context);
    };
    const promise = executeOrWatch(driver, work, request, this.#ring);
    if (promise === undefined) return false;
    this.#nextIndex += 1;
    this.#running += 1;
    const task = this.#tasks.add();
    promise.then(
      (value) => {
        this.#ended(task, context);
        task.value = { is: value };
      },
      (error: unknown) => {
        this.#ended(task, context);
        this.#isRefused ||= !hasStarted;
        this.#failed(error, index);
      },
    );
    return true;
  }

  #ended(task: Task<Awaited<Result>>, context: ItemContext): void {
    this.#running -= 1;
    task.isSettled = true;
    this.#stop.forget(context);
    this.#ring();
  }

  /** Of an item, or of the source, which stands behind them all. */
  readonly #failed = (error: unknown, index = Infinity): void => {
    this.#errors.push({ index, error });
    if (this.#plan.stopOnError) this.#abort(error, false);
  };

  #abort(error: unknown, atOnce: boolean): void {
    if (this.#end !== undefined) return;
    this.#end = { error, atOnce };
    this.#stop.abort(error);
  }

  #watchSignal(): () => void {
    const { signal } = this.#plan.request;
    if (signal === undefined) return () => undefined;
    const aborted = (): void => {
      this.#abort(signal.reason, true);
      this.#ring();
    };
    if (signal.aborted) aborted();
    return AbortListener.of(signal).watch(aborted);
  }

  #allErrors(): AggregateError {
    const errors = this.#errors.sort((one, other) => (one.index < other.index ? -1 : 1)).map(({ error }) => error);
    return new AggregateError(errors, `${this.#plan.driver.name}: ${errors.length} of ${this.#nextIndex} items failed`);
  }

  /** Something has changed: a result, an item, room, or the end. */
  readonly #ring = (): void => {
    this.#hasRung = true;
    this.#wake?.();
  };

  async #change(): Promise<void> {
    if (!this.#hasRung) await new Promise<void>((wake) => (this.#wake = wake));
    this.#hasRung = false;
  }
}

/** Ends the work of a map: the signals that were read, and those that will be. */
class Stop {
  readonly #contexts = new Set<ItemContext>();
  isAborted = false;
  reason: unknown = undefined;

  add(context: ItemContext): void {
    this.#contexts.add(context);
  }

  forget(context: ItemContext): void {
    this.#contexts.delete(context);
  }

  /** Without a reason signals get the host's own. */
  abort(reason: unknown): void {
    if (this.isAborted) return;
    this.isAborted = true;
    this.reason = reason;
    for (const context of [...this.#contexts]) context.abort(reason);
  }
}

/** Its signal aborts when the map ends before the item, and when that of its call does. */
class ItemContext implements MapContext {
  readonly index: number;
  /** That of its call, once the work runs. */
  outer: WorkContext | undefined = undefined;
  readonly #stop: Stop;
  #controller: AbortController | undefined = undefined;

  constructor(stop: Stop, index: number) {
    this.#stop = stop;
    this.index = index;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#follow(this.outer?.signal);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller?.abort(reason);
  }

  #follow(signal: AbortSignal | undefined): void {
    this.#stop.add(this);
    if (this.#stop.isAborted) this.abort(this.#stop.reason);
    else if (signal?.aborted === true) this.abort(signal.reason);
    else signal?.addEventListener('abort', () => this.abort(signal.reason), { once: true });
  }
}

/** An item that was taken, until its result is. */
interface Task<Value> {
  isSettled: boolean;
  /** Absent when it failed. */
  value: { readonly is: Value } | undefined;
  next: Task<Value> | undefined;
}

/** In order of the items. */
class Tasks<Value> {
  #first: Task<Value> | undefined;
  #last: Task<Value> | undefined;
  size = 0;

  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(): Task<Value> {
    const task: Task<Value> = { isSettled: false, value: undefined, next: undefined };
    if (this.#last === undefined) this.#first = task;
    else this.#last.next = task;
    this.#last = task;
    this.size += 1;
    return task;
  }

  /** The first, if it has settled. */
  takeSettled(): Task<Value> | undefined {
    const first = this.#first;
    if (first?.isSettled !== true) return undefined;
    this.#first = first.next;
    if (this.#first === undefined) this.#last = undefined;
    this.size -= 1;
    return first;
  }
}
