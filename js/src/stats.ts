// The snapshot as people read it.

export interface Histogram {
  readonly count: number;
  readonly sum: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Of a random sample; its count, sum and max are those of the sample. */
export interface SampledHistogram extends Histogram {
  /** How many values come to one that is in the sample, on average; 1: all are. */
  readonly sampledEvery: number;
}

/** One consistent snapshot, a value that later calls don't change. Times are milliseconds. */
export interface BulkheadStats {
  readonly state: 'open' | 'draining' | 'closed';
  readonly limit: number;
  /** Permits in use. */
  readonly active: number;
  readonly available: number;
  /** Calls that hold permits, overrun ones included. */
  readonly running: number;
  readonly queued: number;
  /** Calls that were answered though their work goes on. */
  readonly overrun: number;
  readonly peakActive: number;
  readonly peakQueued: number;
  readonly admitted: number;
  readonly completed: number;
  readonly failed: number;
  readonly callTimeouts: number;
  /** Grants whose caller was cancelled before it could go on. */
  readonly unclaimed: number;
  readonly abandonedRuns: number;
  /** Permits by hand that were dropped without release. */
  readonly leaked: number;
  readonly doubleReleases: number;
  readonly rejected: {
    readonly full: number;
    readonly queueTimeout: number;
    readonly cancelled: number;
    readonly closed: number;
    readonly tooHeavy: number;
    /** Would have waited for permits of their own caller; only with `detectReentrancy`. */
    readonly reentrant: number;
  };
  /** One value for each call that left the queue, however it left. */
  readonly waited: Histogram;
  /**
   * From the grant until the permit came back. With a call time-out one value for each permit; without, of the first and then of
   * one in 32 at random, because reading the clock costs more than the rest of a call.
   */
  readonly ran: SampledHistogram;
}

/** It stands last: it is the youngest. */
const REENTRANT = 35;

const STATES = ['open', 'draining', 'closed'] as const;

/** From the figures of an engine, which come in this order. */
export function snapshot(figures: ArrayLike<number>): BulkheadStats {
  let index = 0;
  const next = (): number => {
    const figure = figures[index++];
    if (figure === undefined) throw new Error(`bulkheads: the engine's snapshot ends after ${figures.length} figures`);
    return figure;
  };
  const histogram = (): Histogram => ({ count: next(), sum: next(), p50: next(), p90: next(), p99: next(), max: next() });
  return Object.freeze({
    state: STATES[next()] ?? 'closed',
    limit: next(),
    active: next(),
    available: next(),
    running: next(),
    queued: next(),
    overrun: next(),
    peakActive: next(),
    peakQueued: next(),
    admitted: next(),
    completed: next(),
    failed: next(),
    callTimeouts: next(),
    unclaimed: next(),
    abandonedRuns: next(),
    leaked: next(),
    doubleReleases: next(),
    rejected: Object.freeze({
      full: next(),
      queueTimeout: next(),
      cancelled: next(),
      closed: next(),
      tooHeavy: next(),
      reentrant: figures[REENTRANT] ?? 0,
    }),
    waited: Object.freeze(histogram()),
    ran: Object.freeze({ ...histogram(), sampledEvery: next() }),
  });
}
