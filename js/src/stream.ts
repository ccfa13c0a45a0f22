// Work that gives back an async iterator: its run lasts until that has ended, so that its permit
// does.

import { COMPLETED, FAILED, type Outcome } from './engines/engine.js';
import { HostPromise } from './promise.js';

/**
 * The run behind a stream. It must not hold what the consumer has: that could then never be
 * collected.
 */
export interface StreamedRun {
  /** Calls a method of the iterator, as part of the work. */
  inside<Answer>(step: () => Answer): Answer;
  /**
   * The iterator has ended. Answers whether that is delivered to its consumer; if not, another
   * answer is on its way.
   */
  end(outcome: Outcome): boolean;
  /** The consumer has dropped it. */
  reclaim(): void;
}

type Step = IteratorResult<unknown, unknown>;
type Name = 'next' | 'return' | 'throw';
type Iterator = AsyncIterator<unknown, unknown, unknown> & Required<Pick<AsyncIterator<unknown, unknown, unknown>, 'return'>>;

/** An async generator, or whatever else can be asked for the next item and be left. */
export function isStream(value: unknown): value is Iterator {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { [Symbol.asyncIterator]: open, next, return: leave } = value as Record<PropertyKey, unknown>;
    return typeof open === 'function' && typeof next === 'function' && typeof leave === 'function';
  } catch {
    // A getter or a trap of the user's own: it is nothing that could be iterated.
    return false;
  }
}

/** Whether this function gives back a stream, as is known before its first call. */
export function givesStream(fn: unknown): boolean {
  return (fn as { readonly [Symbol.toStringTag]?: unknown } | null | undefined)?.[Symbol.toStringTag] === 'AsyncGeneratorFunction';
}

/** Can be iterated without being awaited first: `for await (const token of tokens())`. */
export function iterable<Answer extends Promise<unknown>>(answer: Answer): Answer {
  const open = (): AsyncGenerator => items(answer as Promise<unknown> as Promise<AsyncIterable<unknown, unknown, unknown>>);
  return Object.defineProperty(answer, Symbol.asyncIterator, method(open));
}

async function* items(answer: Promise<AsyncIterable<unknown, unknown, unknown>>): AsyncGenerator<unknown, unknown, unknown> {
  return yield* await answer;
}

/** One who has asked for a step. */
interface Asker {
  readonly resolve: (step: Step) => void;
  readonly reject: (reason: unknown) => void;
}

export class Stream {
  readonly #iterator: Iterator;
  readonly #run: StreamedRun;
  /** In their order. */
  readonly #askers = new Set<Asker>();
  #latest: Promise<unknown> | undefined;
  #hasEnded = false;
  /** The answer that came before its end, until a consumer has it. */
  #reason: { readonly reason: unknown } | undefined;
  #isAnswered = false;

  constructor(iterator: Iterator, run: StreamedRun) {
    this.#iterator = iterator;
    this.#run = run;
  }

  /** What the consumer gets in the iterator's place: what it has besides stays as it is. */
  guarded(): object {
    const names = (['next', 'return', 'throw'] as const).filter((name) => typeof this.#iterator[name] === 'function');
    const methods = names.map((name) => [name, method((...values) => this.#step(name, values))] as const);
    const own = Object.fromEntries(methods);
    const guarded = Object.create(this.#iterator, { ...own, [Symbol.asyncIterator]: method(itself) }) as object;
    dropped?.register(guarded, this.#run, this);
    return guarded;
  }

  /**
   * Its bound has passed, or its caller has given up: the next step rejects, and the iterator is
   * closed.
   */
  answer(reason: unknown): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#reason = { reason };
    const askers = [...this.#askers];
    this.#askers.clear();
    // Streams 2.1
    for (const asker of askers) this.#answerTo(asker, 'next', undefined);
    if (this.#hasEnded) return;
    // Streams 2.2, Running 4.4: its permit stays until it has really ended, a step that is under
    // way included.
    void HostPromise.allSettled([this.#latest, this.#ask('return', [])]).then(() => this.#end(FAILED));
  }

  #step(name: Name, values: unknown[]): Promise<Step> {
    return new HostPromise((resolve, reject) => {
      const asker = { resolve, reject };
      if (this.#isAnswered) this.#answerTo(asker, name, values[0]);
      else this.#watch(asker, this.#ask(name, values));
    });
  }

  #watch(asker: Asker, step: Promise<Step>): void {
    this.#askers.add(asker);
    this.#latest = step;
    const settle = (hasEnded: boolean, outcome: Outcome, act: () => void): void => {
      // It may have another answer, or get one with the end.
      // Streams 1.1
      if (!this.#askers.has(asker) || (hasEnded && !this.#end(outcome))) return;
      if (this.#askers.delete(asker)) act();
    };
    void step.then(
      // Streams 1.2
      (given) => settle((Object(given) as Step).done === true, COMPLETED, () => asker.resolve(given)),
      (error: unknown) => settle(true, FAILED, () => asker.reject(error)),
    );
  }

  /**
   * As a generator that has thrown the reason: one consumer gets it, and then there is nothing
   * more.
   */
  #answerTo(asker: Asker, name: Name, value: unknown): void {
    const answer = this.#reason;
    if (name === 'throw') asker.reject(value);
    else if (name === 'return' || answer === undefined) asker.resolve({ done: true, value });
    else {
      this.#reason = undefined;
      asker.reject(answer.reason);
    }
  }

  #ask(name: Name, values: unknown[]): Promise<Step> {
    try {
      const iterator = this.#iterator as unknown as Record<Name, (...values: unknown[]) => Promise<Step>>;
      return HostPromise.resolve(this.#run.inside(() => iterator[name](...values)));
    } catch (error) {
      return HostPromise.reject(error);
    }
  }

  #end(outcome: Outcome): boolean {
    if (this.#hasEnded) return true;
    this.#hasEnded = true;
    dropped?.unregister(this);
    return this.#run.end(outcome);
  }
}

// Streams 3, Running 3.1
const dropped =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((run: StreamedRun) => run.reclaim());

function method(value: (...values: unknown[]) => unknown): PropertyDescriptor {
  return { value, writable: true, configurable: true };
}

function itself(this: unknown): unknown {
  return this;
}
