// One abort listener on a signal, however many calls carry it, and gone when the last of them is answered.

import { type Driver, together } from './driver.js';
import type { Entry } from './entry.js';
import { host } from './host.js';

export class Hub {
  readonly signal: AbortSignal;
  /** In order of arrival. */
  readonly #entries = new Set<Entry>();
  readonly #watchers = new Set<() => void>();
  #isListening = false;
  readonly #onAbort = (): void => this.#abort();

  private constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  static of(signal: AbortSignal): Hub {
    let hub = hubs.get(signal);
    if (hub === undefined) hubs.set(signal, (hub = new Hub(signal)));
    return hub;
  }

  /** Before a call is taken in: a signal of somebody's own making may throw, and then nothing is lost. */
  listen(): void {
    if (this.#isListening) return;
    host().outside(() => this.signal.addEventListener('abort', this.#onAbort));
    this.#isListening = true;
  }

  /** After `listen`. */
  add(entry: Entry): void {
    this.#entries.add(entry);
  }

  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.unlistenIfUnused();
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
    if (!this.#isListening || this.#entries.size + this.#watchers.size > 0) return;
    this.#isListening = false;
    try {
      this.signal.removeEventListener('abort', this.#onAbort);
    } catch {
      // A signal of somebody's own making. Whoever leaves it has its outcome, and its permits must come back.
    }
  }

  /** With a signal of somebody's own making, what asking for it throws. */
  reason(): unknown {
    try {
      return this.signal.reason;
    } catch (error) {
      return error;
    }
  }

  /** One step for each bulkhead that has calls behind this signal. */
  #abort(): void {
    const ids = new Map<Driver, number[]>();
    for (const { driver, id } of this.#entries) {
      const those = ids.get(driver);
      if (those === undefined) ids.set(driver, [id]);
      else those.push(id);
    }
    together([...ids.keys()], () => {
      for (const [driver, those] of ids) driver.abort(those);
    });
    for (const watcher of [...this.#watchers]) watcher();
  }
}

const hubs = new WeakMap<AbortSignal, Hub>();
