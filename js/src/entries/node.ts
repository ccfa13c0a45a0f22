import { AsyncResource } from 'node:async_hooks';
import { chooseEngine } from '../engines/choice.js';
import { type LoadedEngine, setEnvironment } from '../host.js';

/** The context in which this file was loaded: nobody's. */
const outside = new AsyncResource('bulkheads');
let loaded: LoadedEngine | undefined;

setEnvironment({
  outside: (act) => outside.runInAsyncScope(act),
  capture: () => new AsyncResource('BulkheadCall'),
  warn: (message) => process.emitWarning(message, 'BulkheadWarning'),
  engine: () => (loaded ??= chooseEngine(process.env['BULKHEADS_ENGINE'])),
});

export * from '../api.js';
