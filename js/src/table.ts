// From the ids of the core to who is behind them. Dense by slot, the lower half of an id.

import type { Entry } from './entry.js';

export class Table {
  readonly #slots: (Entry | undefined)[] = [];
  /**
   * Entries whose slot was given to another before their own end was collected, which happens within one step: a wait that times
   * out frees its slot for the call that has just arrived. Few and short-lived.
   */
  readonly #displaced: Entry[] = [];

  /** `undefined` for an id that is no longer current. */
  get(id: number): Entry | undefined {
    const entry = this.#slots[id >>> 0];
    if (entry?.id === id) return entry;
    return this.#displaced.find((one) => one.id === id);
  }

  add(entry: Entry): void {
    const slots = this.#slots;
    const { slot } = entry;
    while (slots.length < slot) slots.push(undefined);
    const previous = slots[slot];
    if (previous !== undefined) this.#displaced.push(previous);
    slots[slot] = entry;
  }

  remove(entry: Entry): void {
    const { slot } = entry;
    if (this.#slots[slot] === entry) {
      this.#slots[slot] = undefined;
      return;
    }
    const place = this.#displaced.indexOf(entry);
    if (place >= 0) this.#displaced.splice(place, 1);
  }
}
