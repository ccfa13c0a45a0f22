// Node takes the native engine and falls back to WebAssembly; `BULKHEADS_ENGINE` forces one.

import type { LoadedEngine } from './loaded.js';
import { nativeEngine } from './addon.js';
import { inlined } from './inlined.js';
import { failing, notSharing, wasmEngine } from './wasm.js';

export function chooseEngine(forced: string | undefined): LoadedEngine {
  switch (forced) {
    case 'native':
    case undefined:
    case '':
      return native(forced === 'native');
    case 'wasm':
      return { ...wasmEngine(inlined), sharing: notSharing('BULKHEADS_ENGINE is wasm') };
    default: {
      const error = new RangeError(`BULKHEADS_ENGINE must be native or wasm, got ${forced}`);
      return { kind: 'wasm', create: failing(error), sharing: failing(error), error };
    }
  }
}

function native(isForced: boolean): LoadedEngine {
  try {
    return { kind: 'native', ...nativeEngine(), error: undefined };
  } catch (cause) {
    const error = new Error(`bulkheads: the native engine could not be loaded: ${(cause as Error).message}`, { cause });
    return isForced ? { kind: 'native', create: failing(error), sharing: failing(error), error } : wasmEngine(inlined, error);
  }
}
