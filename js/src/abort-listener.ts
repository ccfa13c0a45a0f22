// One abort listener on a signal, however many calls carry it, and gone when the last of them is
// answered.

import { host } from './host.js';

/** A bulkhead whose calls a signal ends. */
export interface Aborter {
  /** The callers of these ids give up, in one step. */
  abort(ids: readonly number[]): void;
  /** From here on outcomes are only collected, */
  hold(): void;
  /** until this delivers them. */
  letGo(): void;
}

interface Call {
  readonly id: number;
  readonly driver: Aborter;
}

export class AbortListener {
  readonly signal: AbortSignal;
  /** In order of arrival. */
  readonly #calls = new Set<Call>();
  readonly #watchers = new Set<() => void>();
  #isListening = false;
  readonly #onAbort = (): void => this.#abort();

  private constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  static of(signal: AbortSignal): AbortListener {
    let listener = listeners.get(signal);
    if (listener === undefined) listeners.set(signal, (listener = new AbortListener(signal)));
    return listener;
  }

  /**
   * Before a call comes to the engine: a signal that is no native one may throw, and then nothing
   * is lost.
   */
  listen(): void {
    if (this.#isListening) return;
    // Running 7.2
    host().outside(() => this.signal.addEventListener('abort', this.#onAbort));
    this.#isListening = true;
  }

  /** After `listen`. */
  add(call: Call): void {
    this.#calls.add(call);
  }

  remove(call: Call): void {
    if (this.#calls.delete(call)) this.unlistenIfUnused();
  }

  /** Calls `watcher` when the signal aborts; answers how to stop that. */
  watch(watcher: () => void): () => void {
    this.listen();
    this.#watchers.add(watcher);
    return () => {
      if (this.#watchers.delete(watcher)) this.unlistenIfUnused();
    };
  }

  unlistenIfUnused(): void {
    if (!this.#isListening || this.#calls.size + this.#watchers.size > 0) return;
    this.#isListening = false;
    try {
      this.signal.removeEventListener('abort', this.#onAbort);
    } catch {
      // A signal that is no native one. The call that leaves it has its outcome, and its permits
      // must come back.
    }
  }

  /** With a signal that is no native one, what asking for it throws. */
  reason(): unknown {
    try {
      return this.signal.reason;
    } catch (error) {
      return error;
    }
  }

  /** One step for each bulkhead that has calls behind this signal. */
  #abort(): void {
    const ids = new Map<Aborter, number[]>();
    for (const { driver, id } of this.#calls) {
      const those = ids.get(driver);
      if (those === undefined) ids.set(driver, [id]);
      else those.push(id);
    }
    // What one signal brings about in several bulkheads is delivered when all of it has been: user
    // code must not see half of it.
    for (const driver of ids.keys()) driver.hold();
    try {
      for (const [driver, those] of ids) driver.abort(those);
    } finally {
      for (const driver of ids.keys()) driver.letGo();
    }
    for (const watcher of [...this.#watchers]) watcher();
  }
}

const listeners = new WeakMap<AbortSignal, AbortListener>();
