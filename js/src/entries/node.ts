import { AsyncResource } from 'node:async_hooks';
import { Bulkhead } from '../bulkhead.js';
import { chooseEngine } from '../engines/choice.js';
import { isAllowed } from '../engines/deno.js';
import type { LoadedEngine } from '../engines/loaded.js';
import { ContextPermits } from '../held-permits.js';
import { setEnvironment } from '../host.js';
import { share } from '../shared.js';

/** The context in which this file was loaded: nobody's, unless somebody loads it late. The host offers no way to an empty one. */
const outside = new AsyncResource('bulkheads');
/** Forces an engine. */
const VARIABLE = 'BULKHEADS_ENGINE';
let loaded: LoadedEngine | undefined;
/** Made for the first bulkhead that asks: a process with async contexts pays for them with every promise. */
let heldPermits: ContextPermits | undefined;

setEnvironment({
  outside: (act) => outside.runInAsyncScope(act),
  capture: () => new AsyncResource('BulkheadCall'),
  warn: (message) => process.emitWarning(message, 'BulkheadWarning'),
  heldPermits: () => (heldPermits ??= new ContextPermits()),
  share,
  engine: () => (loaded ??= chooseEngine(forced())),
});

// What `console.log` shows. Not in the class: bundlers keep a class with a computed name, also where nobody uses it.
Object.defineProperty(Bulkhead.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: Bulkhead, _depth: number, options: unknown, inspect: (value: unknown, options: unknown) => string): string {
    const { name, state, limit, active, queued } = this.toJSON();
    return `Bulkhead ${inspect({ name, state, limit, active, queued }, options)}`;
  },
});

function forced(): string | undefined {
  return isAllowed('env', VARIABLE) ? process.env[VARIABLE] : undefined;
}

export * from '../api.js';
