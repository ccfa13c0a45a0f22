// The snapshot as people read it.

import { STATS } from './engines/tables.js';

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
  /** Grants that were not delivered: their caller was cancelled before it could go on. */
  readonly unclaimed: number;
  readonly abandonedRuns: number;
  /** Manual permits that were dropped without release. */
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

const STATES = ['open', 'draining', 'closed'] as const;

type Figure = (typeof STATS)[number];

const PLACES = Object.fromEntries(STATS.map((name, place) => [name, place])) as Record<Figure, number>;

/** From the figures of an engine, in the order of `STATS`. */
export function snapshot(figures: ArrayLike<number>): BulkheadStats {
  const at = (name: Figure): number => figures[PLACES[name]] ?? 0;
  const histogram = (name: 'waited' | 'ran'): Histogram => ({
    count: at(`${name}Count`),
    sum: at(`${name}Sum`),
    p50: at(`${name}P50`),
    p90: at(`${name}P90`),
    p99: at(`${name}P99`),
    max: at(`${name}Max`),
  });
  return Object.freeze({
    state: STATES[at('state')] ?? 'closed',
    limit: at('limit'),
    active: at('active'),
    available: at('available'),
    running: at('running'),
    queued: at('queued'),
    overrun: at('overrun'),
    peakActive: at('peakActive'),
    peakQueued: at('peakQueued'),
    admitted: at('admitted'),
    completed: at('completed'),
    failed: at('failed'),
    callTimeouts: at('callTimeouts'),
    unclaimed: at('unclaimed'),
    abandonedRuns: at('abandonedRuns'),
    leaked: at('leaked'),
    doubleReleases: at('doubleReleases'),
    rejected: Object.freeze({
      full: at('rejectedFull'),
      queueTimeout: at('rejectedQueueTimeout'),
      cancelled: at('rejectedCancelled'),
      closed: at('rejectedClosed'),
      tooHeavy: at('rejectedTooHeavy'),
      reentrant: at('rejectedReentrant'),
    }),
    waited: Object.freeze(histogram('waited')),
    ran: Object.freeze({ ...histogram('ran'), sampledEvery: at('ranSampledEvery') }),
  });
}
