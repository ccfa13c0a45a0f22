// What the package exports, wherever it runs.

import { type AnyBulkheadError, BulkheadError as Base } from './errors.js';

export { Bulkhead, type SharedBulkheads } from './bulkhead.js';
export type { EngineKind } from './engines/engine.js';
export {
  type AnyBulkheadError,
  BulkheadCallTimeoutError,
  BulkheadClosedError,
  type BulkheadErrorCode,
  BulkheadFullError,
  BulkheadReentrantError,
  BulkheadTimeoutError,
  BulkheadWeightError,
} from './errors.js';
export type { Work, WorkContext } from './exec.js';
export type { MapContext } from './map-context.js';
export type { BulkheadOptions, CallOptions, CloseOptions, DrainOptions, MapIterableOptions, MapOptions, WrapOptions } from './options.js';
export type { Permit } from './permit.js';
export type { Items } from './source.js';
export type { BulkheadStats, Histogram, SampledHistogram } from './stats.js';
export type { Streamed, Wrapped } from './wrap.js';

/** An error of a bulkhead: its `code` says which. */
export type BulkheadError = AnyBulkheadError;

/**
 * What all errors of bulkheads are instances of. The type lets `error instanceof BulkheadError`
 * narrow to all of them by `code`.
 */
export const BulkheadError = Base as unknown as (abstract new (...parameters: never[]) => AnyBulkheadError) & {
  readonly prototype: AnyBulkheadError;
  /**
   * The error that was posted to this thread, or turned into JSON, or comes from another copy of
   * the package: with its class, code, text and figures. `undefined` for whatever is no error of a
   * bulkhead.
   */
  readonly from: (value: unknown) => AnyBulkheadError | undefined;
};
