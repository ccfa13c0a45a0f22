import { AsyncResource } from 'node:async_hooks';
import { chooseEngine } from '../engines/choice.js';
import { isAllowed } from '../engines/deno.js';
import { type LoadedEngine, setEnvironment } from '../host.js';

/** The context in which this file was loaded: nobody's. */
const outside = new AsyncResource('bulkheads');
/** Forces an engine. */
const VARIABLE = 'BULKHEADS_ENGINE';
let loaded: LoadedEngine | undefined;

setEnvironment({
  outside: (act) => outside.runInAsyncScope(act),
  capture: () => new AsyncResource('BulkheadCall'),
  warn: (message) => process.emitWarning(message, 'BulkheadWarning'),
  engine: () => (loaded ??= chooseEngine(forced())),
});

function forced(): string | undefined {
  return isAllowed('env', VARIABLE) ? process.env[VARIABLE] : undefined;
}

export * from '../api.js';
