// The engine for any host with WebAssembly, compiled when the first bulkhead is made: importing the package never fails.

import { Engine as WasmEngine, initSync } from '../../../target/wasm/bulkheads_wasm.js';
import wasm from '../../../target/wasm/bulkheads_wasm_bg.wasm';
import type { CreateEngine } from '../engine.js';
import type { LoadedEngine } from '../host.js';
import { DirectEngine } from './direct.js';


/** With `error`, why another engine was wanted but not to be had. */
export function wasmEngine(error?: Error): LoadedEngine {
  let failure: Error | undefined;
  try {
    ({ memory } = initSync({ module: bytesOf(wasm) }));
  } catch (cause) {
    failure = explained(cause);
  }
  return { kind: 'wasm', create: failure === undefined ? create : failing(failure), error: error ?? failure };
}

/** An engine that cannot work says so when it is needed. */
export function failing(error: Error): CreateEngine {
  return () => {
    throw error;
  };
}

let memory: WebAssembly.Memory;

const create: CreateEngine = (...options) => new DirectEngine(new WasmEngine(...options), memory);

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function explained(cause: unknown): Error {
  const text =
    typeof (globalThis as { WebAssembly?: unknown }).WebAssembly === 'object'
      ? "bulkheads: this page may not compile WebAssembly; allow 'wasm-unsafe-eval' in script-src of its Content-Security-Policy"
      : 'bulkheads: this host has no WebAssembly';
  return new Error(`${text} (${String(cause)})`, { cause });
}
