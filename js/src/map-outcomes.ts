// Results that wait for the consumer of a map.

import type { Failure } from './map-run.js';

export type Outcome<Value> = { readonly value: Value } | Failure;

export class Outcomes<Value> {
  /** By the index of their items, in the order in which they came. */
  readonly #settled = new Map<number, Outcome<Value>>();
  /** The index of the next in order; `undefined` if any will do. */
  #next: number | undefined;

  constructor(isOrdered: boolean) {
    this.#next = isOrdered ? 0 : undefined;
  }

  /** How many there are that were not taken. */
  get waiting(): number {
    return this.#settled.size;
  }

  settled(index: number, outcome: Outcome<Value>): void {
    this.#settled.set(index, outcome);
  }

  /** The one that the consumer gets next, if it is there. */
  take(): Outcome<Value> | undefined {
    // Map 1.8: without order the first that came.
    const index = this.#next ?? this.#settled.keys().next().value;
    const outcome = index === undefined ? undefined : this.#settled.get(index);
    if (index === undefined || outcome === undefined) return undefined;
    this.#settled.delete(index);
    if (this.#next !== undefined) this.#next = index + 1;
    return outcome;
  }
}
