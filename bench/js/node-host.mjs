// What the jobs take from where they run: Node.

import { AsyncLocalStorage } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';

export function nodeHost(engine, quick) {
  return {
    engine,
    quick,
    /** How many lengths of a curve it has memory for. */
    lengths: 6,
    /** Collects the youngest garbage. */
    gc: () => globalThis.gc({ type: 'minor' }),
    /** Collects all garbage. */
    fullGc: () => globalThis.gc(),
    /** Work that takes one turn of the event loop. */
    nextTurn: () => new Promise((resolve) => { setImmediate(resolve, 1); }),
    /** What carries an async context from a caller to the work. */
    asyncStorage: () => new AsyncLocalStorage(),
    observeGc: (tell) => {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => tell(duration)));
      observer.observe({ entryTypes: ['gc'] });
      return observer;
    },
  };
}
