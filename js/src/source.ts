// Where the items of a map come from: one at a time, and only when asked.

import { wrongType } from './options.js';
import { HostPromise } from './promise.js';

/** What `map` takes its items from, one at a time. */
export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * An item that was taken from its source and has not started; a promise among the items may have
 * rejected.
 */
export type Taken<Item> =
  | { readonly isRejected: false; readonly item: Awaited<Item> }
  | { readonly isRejected: true; readonly reason: unknown };

type Step<Item> = IteratorResult<Item, unknown>;

interface SomeIterator<Item> {
  next(): Step<Item> | PromiseLike<Step<Item>>;
  return?(): unknown;
}

type Open<Item> = () => SomeIterator<Item>;

export class Source<Item> {
  readonly #open: Open<Item>;
  readonly #isAsync: boolean;
  #iterator: SomeIterator<Item> | undefined;
  #inHand: Taken<Item> | undefined;
  #isAsked = false;
  isExhausted = false;

  /** Throws `TypeError` for what has no items. */
  constructor(items: Items<Item>) {
    const { [Symbol.asyncIterator]: openAsync, [Symbol.iterator]: openSync } = Object(items) as Partial<Record<symbol, Open<Item>>>;
    const open = openAsync ?? openSync;
    if (typeof open !== 'function') throw wrongType('items', 'an iterable or an async iterable', items);
    this.#isAsync = open === openAsync;
    this.#open = () => {
      const iterator = open.call(items);
      if (Object(iterator) !== iterator) throw wrongType('the iterator of items', 'an object', iterator);
      return iterator;
    };
  }

  get hasItem(): boolean {
    return this.#inHand !== undefined;
  }

  /** The item in hand; there must be one. */
  get inHand(): Taken<Item> {
    if (this.#inHand === undefined) throw new Error('bulkheads: there is no item in hand');
    return this.#inHand;
  }

  /** The item in hand has started, or failed. */
  take(): void {
    this.#inHand = undefined;
  }

  /**
   * Asks for the next item unless that is under way. Answers whether it knows more now; if not, it
   * calls `notify` when it does.
   */
  ask(notify: () => void, failed: (error: unknown) => void): boolean {
    if (this.#isAsked) return false;
    try {
      this.#iterator ??= this.#open();
      const step = this.#iterator.next();
      const isAwaited = this.#isAsync || this.#receive(step as Step<Item>);
      if (isAwaited) void this.#await(step, failed).then(notify);
    } catch (error) {
      this.#fail(error, failed);
    }
    return !this.#isAsked;
  }

  /** Closes an unfinished source. An error of its `return` is dropped: the map has its outcome. */
  close(): void {
    if (this.isExhausted) return;
    this.isExhausted = true;
    try {
      const closing = this.#iterator?.return?.();
      HostPromise.resolve(closing).catch(ignore);
    } catch {
      // As above.
    }
  }

  async #await(step: Step<Item> | PromiseLike<Step<Item>>, failed: (error: unknown) => void): Promise<void> {
    this.#isAsked = true;
    try {
      const given = await step;
      if (this.#receive(given)) this.#inHand = await settled(given.value as Item);
    } catch (error) {
      this.#fail(error, failed);
    } finally {
      this.#isAsked = false;
    }
  }

  /** Whether its item is to be awaited. */
  #receive(step: Step<Item>): boolean {
    if (Object(step) !== step) throw new TypeError(`an iterator must give objects, got a ${typeof step}`);
    const isItem = step.done !== true;
    const isAwaited = isItem && isThenable(step.value);
    if (!isItem) this.isExhausted = true;
    else if (!isAwaited) this.#inHand = { isRejected: false, item: step.value as Awaited<Item> };
    return isAwaited;
  }

  /** A source that has thrown is at its end and needs no closing. */
  #fail(error: unknown, failed: (error: unknown) => void): void {
    if (this.isExhausted) return;
    this.isExhausted = true;
    failed(error);
  }
}

// Map 1.6
/** A promise among the items: its rejection is that item's, not the source's. */
async function settled<Item>(item: Item): Promise<Taken<Item>> {
  try {
    return { isRejected: false, item: await item };
  } catch (reason) {
    return { isRejected: true, reason };
  }
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function ignore(): void {
  // See `close`.
}
