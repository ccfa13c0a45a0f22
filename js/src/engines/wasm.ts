// The engine for any host with WebAssembly, compiled when the first bulkhead is made: importing the package never fails.

import { Engine as WasmEngine, initSync } from '../../../target/wasm/bulkheads_wasm.js';
import type { CreateEngine } from '../engine.js';
import type { LoadedEngine } from '../host.js';
import { DirectEngine } from './direct.js';

/** `source` answers the module or its bytes. With `error`, why another engine was wanted but not to be had. */
export function wasmEngine(source: () => WebAssembly.Module | BufferSource, error?: Error): LoadedEngine {
  let failure: Error | undefined;
  try {
    ({ memory } = initSync({ module: source() }));
  } catch (cause) {
    failure = explained(cause);
  }
  return {
    kind: 'wasm',
    create: failure === undefined ? create : failing(failure),
    sharing: notSharing(error === undefined ? 'there is none here' : error.message, error),
    error: error ?? failure,
  };
}

/** An engine that cannot work says so when it is needed. */
export function failing(error: Error): () => never {
  return () => {
    throw error;
  };
}

/** WebAssembly has a memory of its own in each thread. */
export function notSharing(reason: string, cause?: Error): () => never {
  return () => {
    throw new Error(`Bulkhead.shared needs the native engine of Node, and ${reason}`, cause && { cause });
  };
}

let memory: WebAssembly.Memory;

const create: CreateEngine = (...options) => new DirectEngine(new WasmEngine(...options), memory);

function explained(cause: unknown): Error {
  const text =
    typeof (globalThis as { WebAssembly?: unknown }).WebAssembly === 'object'
      ? "bulkheads: WebAssembly may not be compiled here; a page must allow 'wasm-unsafe-eval' in script-src of its Content-Security-Policy, a bundle for workerd needs the export condition workerd"
      : 'bulkheads: this host has no WebAssembly';
  return new Error(`${text} (${String(cause)})`, { cause });
}
