// What the jobs take from where they run: Node.

export function nodeHost(quick) {
  return {
    surface: 'node',
    quick,
    /** Collects the youngest garbage. */
    gc: () => globalThis.gc({ type: 'minor' }),
    /** Collects all garbage. */
    fullGc: () => globalThis.gc(),
    /** Work that takes one turn of the event loop. */
    nextTurn: () => new Promise((resolve) => { setImmediate(resolve, 1); }),
  };
}
