import { wasmEngine } from '../engines/wasm.js';
import { type LoadedEngine, type Scope, setEnvironment } from '../host.js';

let loaded: LoadedEngine | undefined;

/** Browsers have no async contexts yet. */
const everywhere: Scope = {
  runInAsyncScope: (fn, self) => {
    fn.call(self);
  },
};

setEnvironment({
  outside: (act) => act(),
  capture: () => everywhere,
  warn: (message) => console.warn(message),
  engine: () => (loaded ??= wasmEngine()),
});

export * from '../api.js';
