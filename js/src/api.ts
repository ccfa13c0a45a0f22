// What the package exports, wherever it runs.

export { Bulkhead } from './bulkhead.js';
export type { EngineKind } from './engines/engine.js';
export {
  BulkheadCallTimeoutError,
  BulkheadClosedError,
  BulkheadError,
  type BulkheadErrorCode,
  BulkheadFullError,
  BulkheadReentrantError,
  BulkheadTimeoutError,
  BulkheadWeightError,
} from './errors.js';
export type { Work, WorkContext } from './exec.js';
export type { MapContext } from './map-context.js';
export type { BulkheadOptions, CallOptions, CloseOptions, DrainOptions, MapIterableOptions, MapOptions } from './options.js';
export type { Permit } from './permit.js';
export type { Items } from './source.js';
export type { BulkheadStats, Histogram, SampledHistogram } from './stats.js';
export type { Streamed, Wrapped } from './wrap.js';
