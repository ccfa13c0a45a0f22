// Where WebAssembly may not be compiled from bytes, but a module can be imported.

import module from 'bulkheads.wasm';
import { wasmEngine } from '../engines/wasm.js';
import { setEnvironment } from '../host.js';
import { web } from '../web.js';

setEnvironment(web(() => wasmEngine(() => module)));

export * from '../api.js';
