// What hosts without Node have in common.

import type { Environment, LoadedEngine, Scope } from './host.js';

/** `load` is called once, for the first bulkhead. */
export function web(load: () => LoadedEngine): Environment {
  let loaded: LoadedEngine | undefined;
  return {
    outside: (act) => act(),
    capture: () => everywhere,
    warn: (message) => console.warn(message),
    engine: () => (loaded ??= load()),
  };
}

/** There are no async contexts yet. */
const everywhere: Scope = {
  runInAsyncScope: (fn, self) => {
    fn.call(self);
  },
};
