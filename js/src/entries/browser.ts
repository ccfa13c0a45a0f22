import { inlined } from '../engines/inlined.js';
import { wasmEngine } from '../engines/wasm.js';
import { setEnvironment } from '../host.js';
import { web } from '../web.js';

setEnvironment(web(() => wasmEngine(inlined)));

export * from '../api.js';
