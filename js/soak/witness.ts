// Counts who runs, outside of the bulkhead that is tested: one word of memory that all threads see,
// with a lane of eight bits for each, so that any change answers how many ran in every thread at
// that moment.

export interface Witness {
  readonly word: BigUint64Array;
  /** How often more ran than may. */
  readonly excess: Int32Array;
  readonly limit: number;
}

/**
 * The lanes that one word has bits for, beside a bit for each that says that its thread is about to
 * end.
 */
export const LANES = 7;

export function newWitness(limit: number): Witness {
  return { word: new BigUint64Array(new SharedArrayBuffer(8)), excess: new Int32Array(new SharedArrayBuffer(4)), limit };
}

/**
 * From here on what this lane runs no longer counts: its thread is being ended, and its permits
 * come back before its count does.
 */
export function doom({ word }: Witness, lane: number): void {
  Atomics.or(word, 0, 1n << BigInt(56 + lane));
}

/** For the next thread of this lane. */
export function clear({ word }: Witness, lane: number): void {
  Atomics.and(word, 0, ~(0xffn << BigInt(8 * lane)) & ~(1n << BigInt(56 + lane)));
}

/** Nobody runs. */
export function isQuiet({ word }: Witness): boolean {
  return Atomics.load(word, 0) === 0n;
}
