import { wasmEngine } from '../engines/wasm.js';
import { type LoadedEngine, setEnvironment } from '../host.js';

let loaded: LoadedEngine | undefined;

setEnvironment({
  outside: (act) => act(),
  warn: (message) => console.warn(message),
  engine: () => (loaded ??= wasmEngine()),
});

export * from '../api.js';
