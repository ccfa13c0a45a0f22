// The snapshot as people read it.

import { Stat } from './engines/tables.js';

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
  readonly maxQueue: number;
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
   * From the grant until the permit came back. With a call time-out one value for each permit;
   * without, of the first and then of one in 32 at random, because reading the clock costs more
   * than the rest of a call.
   */
  readonly ran: SampledHistogram;
}

const STATES = ['open', 'draining', 'closed'] as const;

/** From the figures of an engine, each where `Stat` says. */
export function snapshot(figures: ArrayLike<number>): BulkheadStats {
  const at = (place: number): number => figures[place] ?? 0;
  /** Its figures stand one behind the other. */
  const histogram = (count: Stat.waitedCount | Stat.ranCount): Histogram => ({
    count: at(count),
    sum: at(count + 1),
    p50: at(count + 2),
    p90: at(count + 3),
    p99: at(count + 4),
    max: at(count + 5),
  });
  return Object.freeze({
    state: STATES[at(Stat.state)] ?? 'closed',
    limit: at(Stat.limit),
    active: at(Stat.active),
    available: at(Stat.available),
    running: at(Stat.running),
    queued: at(Stat.queued),
    maxQueue: at(Stat.maxQueue),
    overrun: at(Stat.overrun),
    peakActive: at(Stat.peakActive),
    peakQueued: at(Stat.peakQueued),
    admitted: at(Stat.admitted),
    completed: at(Stat.completed),
    failed: at(Stat.failed),
    callTimeouts: at(Stat.callTimeouts),
    unclaimed: at(Stat.unclaimed),
    abandonedRuns: at(Stat.abandonedRuns),
    leaked: at(Stat.leaked),
    doubleReleases: at(Stat.doubleReleases),
    rejected: Object.freeze({
      full: at(Stat.rejectedFull),
      queueTimeout: at(Stat.rejectedQueueTimeout),
      cancelled: at(Stat.rejectedCancelled),
      closed: at(Stat.rejectedClosed),
      tooHeavy: at(Stat.rejectedTooHeavy),
      reentrant: at(Stat.rejectedReentrant),
    }),
    waited: Object.freeze(histogram(Stat.waitedCount)),
    ran: Object.freeze({ ...histogram(Stat.ranCount), sampledEvery: at(Stat.ranSampledEvery) }),
  });
}
