// One abort listener on a signal, however many calls carry it, and gone when the last of them is answered.

import type { Driver } from './driver.js';
import type { Entry } from './entry.js';
import { host } from './host.js';

export class Hub {
  readonly signal: AbortSignal;
  /** In order of arrival. */
  readonly #entries = new Set<Entry>();
  readonly #watchers = new Set<() => void>();
  readonly #onAbort = (): void => this.#abort();

  private constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  static of(signal: AbortSignal): Hub {
    let hub = hubs.get(signal);
    if (hub === undefined) hubs.set(signal, (hub = new Hub(signal)));
    return hub;
  }

  add(entry: Entry): void {
    this.#listen();
    this.#entries.add(entry);
  }

  remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#unlistenIfUnused();
  }

  /** Calls `watcher` when the signal aborts; answers how to stop that. */
  watch(watcher: () => void): () => void {
    this.#listen();
    this.#watchers.add(watcher);
    return () => {
      if (this.#watchers.delete(watcher)) this.#unlistenIfUnused();
    };
  }

  get #isUsed(): boolean {
    return this.#entries.size + this.#watchers.size > 0;
  }

  #listen(): void {
    if (!this.#isUsed) host().outside(() => this.signal.addEventListener('abort', this.#onAbort));
  }

  #unlistenIfUnused(): void {
    if (!this.#isUsed) this.signal.removeEventListener('abort', this.#onAbort);
  }

  /** One step for each bulkhead that has calls behind this signal. */
  #abort(): void {
    const ids = new Map<Driver, number[]>();
    for (const { driver, id } of this.#entries) {
      const those = ids.get(driver);
      if (those === undefined) ids.set(driver, [id]);
      else those.push(id);
    }
    for (const [driver, those] of ids) driver.abort(those);
    for (const watcher of [...this.#watchers]) watcher();
  }
}

const hubs = new WeakMap<AbortSignal, Hub>();
