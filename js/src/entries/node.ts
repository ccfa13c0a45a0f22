import { AsyncResource, executionAsyncId } from 'node:async_hooks';
import { Bulkhead } from '../bulkhead.js';
import { chooseEngine } from '../engines/choice.js';
import { isAllowed } from '../engines/deno.js';
import { BulkheadError } from '../errors.js';
import type { LoadedEngine } from '../engines/loaded.js';
import { ContextPermits } from '../held-permits.js';
import { setEnvironment } from '../host.js';
import { resetShared, share } from '../shared.js';
import { inZone, outsideZones } from '../zones.js';

/** The context in which this file was loaded: that of no request, unless it is first loaded during one. The host offers no way to an empty one. */
const outside = new AsyncResource('bulkheads');
/** Forces an engine. */
const VARIABLE = 'BULKHEADS_ENGINE';
let loaded: LoadedEngine | undefined;
/**
 * Made for the first bulkhead that asks: a process with async contexts pays for them with every
 * promise.
 */
let heldPermits: ContextPermits | undefined;

setEnvironment({
  outside: (act) => outside.runInAsyncScope(outsideZones<ReturnType<typeof act>>, undefined, act),
  // With what it would look up itself, through an object of options: that takes twice as long.
  capture: () => inZone(new AsyncResource('BulkheadCall', executionAsyncId())),
  warn: (message) => process.emitWarning(message, 'BulkheadWarning'),
  heldPermits: () => (heldPermits ??= new ContextPermits()),
  share,
  resetShared,
  engine: () => (loaded ??= chooseEngine(forced())),
});

// What `console.log` shows. Not in the class: bundlers keep a class with a computed name, also where it is not used.
Object.defineProperty(Bulkhead.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: Bulkhead, _depth: number, options: unknown, inspect: (value: unknown, options: unknown) => string): string {
    const { name, state, limit, active, queued } = this.toJSON();
    return `Bulkhead ${inspect({ name, state, limit, active, queued }, options)}`;
  },
});

// The figures stand in an error twice, once for hosts that post it to another thread: once is enough to read.
Object.defineProperty(BulkheadError.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: Error, _depth: number, options: object, inspect: (value: unknown, options: object) => string): string {
    const cause = Object.getOwnPropertyDescriptor(this, 'cause');
    const isHidden = cause !== undefined && Reflect.deleteProperty(this, 'cause');
    const text = inspect(this, { ...options, customInspect: false });
    if (isHidden) Object.defineProperty(this, 'cause', cause);
    return text;
  },
});

function forced(): string | undefined {
  return isAllowed('env', VARIABLE) ? process.env[VARIABLE] : undefined;
}

export * from '../api.js';
