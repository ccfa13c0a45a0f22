// The engine for any host with WebAssembly, compiled when the first bulkhead is made: importing the
// package never fails.

import * as wasm from '../../../target/wasm/bulkheads_wasm.js';
import type { LoadedEngine } from './loaded.js';
import { type CreateEngine, Engine, finalizersOf, type RawHost, throwFault } from './engine.js';
import { MAILBOX_LENGTH } from './tables.js';

/**
 * `source` answers the module or its bytes. With `error`, why another engine was wanted but not to
 * be had.
 */
export function wasmEngine(source: () => WebAssembly.Module | BufferSource, error?: Error): LoadedEngine {
  let failure: Error | undefined;
  let create: CreateEngine | undefined;
  try {
    create = creator(wasm.initSync({ module: source() }).memory);
  } catch (cause) {
    failure = explained(cause);
  }
  return {
    kind: 'wasm',
    create: create ?? failing(failure),
    sharing: notSharing(error === undefined ? 'there is none here' : error.message, error),
    error: error ?? failure,
  };
}

/** An engine that cannot work says so when it is needed. */
export function failing(error: Error | undefined): () => never {
  return () => {
    throw error ?? new Error('bulkheads: no engine');
  };
}

/** WebAssembly has a memory of its own in each thread. */
export function notSharing(reason: string, cause?: Error): () => never {
  return () => {
    // Shared in Node 6.1, Shared in Node 6.2
    throw new Error(`Bulkhead.shared needs the native engine of Node, and ${reason}`, cause && { cause });
  };
}

/** Over the instance with this memory. */
function creator(memory: WebAssembly.Memory): CreateEngine {
  const raw = rawHost(memory);
  return (...options) => {
    const handle = wasm.open(...options);
    if (handle === 0) throwFault(raw);
    return new Engine(raw, handle);
  };
}

function rawHost(memory: WebAssembly.Memory): RawHost {
  const address = wasm.mailbox();
  let box = new Float64Array(memory.buffer, address, MAILBOX_LENGTH);
  // A module that grows gives its memory to a new buffer, and the array of the old one is empty.
  const mailbox = (): Float64Array => (box.length === 0 ? (box = new Float64Array(memory.buffer, address, MAILBOX_LENGTH)) : box);
  return {
    mailbox,
    exchange: wasm.exchange,
    exchangeHolding: wasm.exchangeHolding,
    abort: wasm.abort,
    stats: wasm.stats,
    finalizers: finalizersOf(wasm.drop),
    fault: wasm.fault,
  };
}

function explained(cause: unknown): Error {
  const text =
    typeof (globalThis as { WebAssembly?: unknown }).WebAssembly === 'object'
      ? "bulkheads: WebAssembly may not be compiled here; a page must allow 'wasm-unsafe-eval' in script-src of its Content-Security-Policy, a bundle for workerd needs the export condition workerd"
      : 'bulkheads: this host has no WebAssembly';
  return new Error(`${text} (${String(cause)})`, { cause });
}
