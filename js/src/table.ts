// From the ids of the core to who is behind them. Dense by slot, the lower half of an id.

import type { Entry } from './entry.js';

export class Table {
  readonly #slots: (Entry | undefined)[] = [];

  /** Nobody for an id that is no longer current. */
  get(id: number): Entry | undefined {
    const entry = this.#slots[id >>> 0];
    return entry?.id === id ? entry : undefined;
  }

  add(entry: Entry): void {
    const slots = this.#slots;
    const { slot } = entry;
    while (slots.length < slot) slots.push(undefined);
    slots[slot] = entry;
  }

  remove(entry: Entry): void {
    const { slot } = entry;
    if (this.#slots[slot] === entry) this.#slots[slot] = undefined;
  }
}
