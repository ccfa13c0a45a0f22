// From the ids of the core to the calls behind them. Dense by slot, the lower half of an id.

import type { PendingCall } from './pending-call.js';

export class Table {
  readonly #slots: (PendingCall | undefined)[] = [];
  /**
   * Calls whose slot was given to another before their own end was collected, which happens within
   * one step: a wait that times out frees its slot for the call that has just arrived. Few and
   * short-lived.
   */
  #displaced: PendingCall[] | undefined;

  /** `undefined` for an id that is no longer current. */
  get(id: number): PendingCall | undefined {
    const call = this.#slots[id >>> 0];
    if (call?.id === id) return call;
    return this.#displaced?.find((one) => one.id === id);
  }

  add(call: PendingCall): void {
    const slots = this.#slots;
    const { slot } = call;
    while (slots.length < slot) slots.push(undefined);
    const previous = slots[slot];
    if (previous !== undefined) (this.#displaced ??= []).push(previous);
    slots[slot] = call;
  }

  remove(call: PendingCall): void {
    const { slot } = call;
    if (this.#slots[slot] === call) {
      this.#slots[slot] = undefined;
      return;
    }
    const place = this.#displaced?.indexOf(call) ?? -1;
    if (place >= 0) this.#displaced?.splice(place, 1);
  }
}
