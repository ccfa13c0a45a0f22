// Whose async context the work of a call runs in that had to wait: its caller's, or that of
// whatever ran before it.

import { once } from './loops.mjs';

const CALLS = 100;

/**
 * A remark for the table, where the host has async contexts (`AsyncLocalStorage`); a browser has
 * none. To be asked after everything has been measured: from the first use on, Node 20 does more
 * for every promise of the process.
 */
export async function contextRemark({ name, make, ...calls }, host) {
  const storage = host.asyncStorage?.();
  if (storage === undefined) return undefined;
  const fn = async () => {
    const seen = storage.getStore();
    await host.nextTurn();
    return seen;
  };
  const it = make({ fn });
  const call = once(calls);
  const callers = Array.from({ length: CALLS }, (_, index) => index);
  const seen = await Promise.all(callers.map((caller) => storage.run(caller, () => call(it, fn))));
  const isKept = seen.every((value, index) => value === callers[index]);
  if (!isKept && name === 'bulkheads') throw new Error('work runs outside of the async context of its caller');
  return isKept ? "keeps its caller's async context" : "loses its caller's async context";
}
