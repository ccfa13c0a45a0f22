// Generated from the engine's own lists by engine/examples/tables.rs; a test compares the two.

/** Of the mailbox: an engine with another one is refused. */
export const VERSION = 2;

/** How many numbers a mailbox has. */
export const MAILBOX_LENGTH = 304;

/** How many of them an event takes. */
export const EVENT_LENGTH = 4;

/** How many events are shown at a time. */
export const EVENTS_SHOWN = 64;

/** How many calls can start with one input. */
export const STARTED_LENGTH = 16;

/** Where what stands in the mailbox. */
export const enum Place {
  code = 0,
  now = 1,
  engine = 2,
  compartment = 3,
  arguments = 4,
  taken = 12,
  count = 13,
  timer = 14,
  keepsAlive = 15,
  free = 16,
  starts = 17,
  least = 18,
  failed = 19,
  limit = 20,
  active = 21,
  queued = 22,
  maxQueue = 23,
  holding = 24,
  version = 25,
  startsCount = 26,
  events = 32,
  started = 288,
}

/** The codes of the inputs. */
export const enum Input {
  acquireUntimed = 1,
  finishUntimed = 2,
  acquire = 3,
  tryAcquire = 4,
  start = 5,
  finish = 6,
  release = 7,
  cancel = 8,
  resize = 9,
  close = 10,
  drain = 11,
  evict = 12,
  watchIdle = 13,
  watchCapacity = 14,
  handleTimeout = 15,
  show = 16,
  permits = 17,
  acquireOrWatch = 18,
  reclaim = 19,
  admitCounted = 20,
  finishCounted = 21,
  finishMeasured = 22,
}

/** The kinds of events. */
export const enum Event {
  none = 0,
  granted = 1,
  queueTimeout = 2,
  closed = 3,
  tooHeavy = 4,
  cancelled = 5,
  callTimeout = 6,
  abort = 7,
  idle = 8,
  capacity = 9,
}

/** What an arrival answers that is rejected. */
export const enum Rejection {
  none = 0,
  queueFull = 1,
  noQueue = 2,
  notWilling = 3,
  paused = 4,
  queueTimeout = 5,
  closed = 6,
  tooHeavy = 7,
  cancelled = 8,
  reentrant = 9,
}

/** How a call ended. */
export const enum Outcome {
  completed = 0,
  failed = 1,
}

/** Flags of an arrival, to be added. */
export const enum Flag {
  run = 1,
  aborted = 2,
}

/** Where the figures of a snapshot stand. */
export const enum Stat {
  state = 0,
  limit = 1,
  active = 2,
  available = 3,
  running = 4,
  queued = 5,
  overrun = 6,
  peakActive = 7,
  peakQueued = 8,
  admitted = 9,
  completed = 10,
  failed = 11,
  callTimeouts = 12,
  unclaimed = 13,
  abandonedRuns = 14,
  leaked = 15,
  doubleReleases = 16,
  rejectedCancelled = 17,
  rejectedClosed = 18,
  rejectedFull = 19,
  rejectedQueueTimeout = 20,
  rejectedReentrant = 21,
  rejectedTooHeavy = 22,
  waitedCount = 23,
  waitedSum = 24,
  waitedP50 = 25,
  waitedP90 = 26,
  waitedP99 = 27,
  waitedMax = 28,
  ranCount = 29,
  ranSum = 30,
  ranP50 = 31,
  ranP90 = 32,
  ranP99 = 33,
  ranMax = 34,
  ranSampledEvery = 35,
}

/** The options that the engine takes, in their order. */
export const OPTIONS = [
  'maxConcurrent',
  'maxQueue',
  'timeoutMs',
  'callTimeoutMs',
  'abandonAfterMs',
] as const;

/** What has a range, in the order in which a fault counts it. */
export const ARGUMENTS = [
  'maxConcurrent',
  'maxQueue',
  'timeoutMs',
  'callTimeoutMs',
  'abandonAfterMs',
  'weight',
  'deadline',
  'maxConcurrent',
] as const;

/** What it must be, in the order in which a fault counts it. */
export const RULES = [
  'an integer from 0 to 2147483647',
  '0 or more, or infinite',
  'a number',
  'more than 0, or infinite',
  'an integer from 1 to 2147483647',
] as const;
