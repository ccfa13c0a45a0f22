// What the package exports, wherever it runs.

export { Bulkhead } from './bulkhead.js';
export type { WorkContext } from './call.js';
export {
  BulkheadCallTimeoutError,
  BulkheadClosedError,
  BulkheadError,
  type BulkheadErrorCode,
  BulkheadFullError,
  BulkheadTimeoutError,
  BulkheadWeightError,
} from './errors.js';
export type { MapContext } from './map.js';
export type { BulkheadOptions, CallOptions, CloseOptions, MapOptions } from './options.js';
export type { Permit } from './permit.js';
export type { BulkheadStats, Histogram, SampledHistogram } from './stats.js';
