// What hosts without Node have in common.

import type { LoadedEngine } from './engines/loaded.js';
import type { Environment, Scope } from './host.js';
import { inZone, outsideZones } from './zones.js';

/** `load` is called once, for the first bulkhead. */
export function web(load: () => LoadedEngine): Environment {
  let loaded: LoadedEngine | undefined;
  const engine = (): LoadedEngine => (loaded ??= load());
  return {
    outside: outsideZones,
    capture: () => inZone(everywhere),
    warn: (message) => console.warn(message),
    heldPermits: () => {
      // Options 1.9
      throw new Error('detectReentrancy needs Node: there is no async context here to tell whose permits a call would wait for');
    },
    // Always throws: no engine here can be shared, and each says why.
    share: () => engine().sharing() as never,
    resetShared: () => engine().sharing() as never,
    engine,
  };
}

/** There are no async contexts yet. */
const everywhere: Scope = {
  runInAsyncScope: (fn, self) => {
    fn.call(self);
  },
};
