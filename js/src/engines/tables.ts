// Generated from the engine's own lists by engine/examples/tables.rs; a test compares the two.

/** Of the mailbox: an engine with another one is refused. */
export const VERSION = 3;

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
  detail = 24,
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
  unwatchCapacity = 23,
  releasePart = 24,
  split = 25,
  adjust = 26,
  reclaimCounted = 27,
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
  noRoom = 10,
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
  maxQueue = 6,
  overrun = 7,
  peakActive = 8,
  peakQueued = 9,
  admitted = 10,
  completed = 11,
  failed = 12,
  callTimeouts = 13,
  unclaimed = 14,
  abandonedRuns = 15,
  leaked = 16,
  doubleReleases = 17,
  rejectedCancelled = 18,
  rejectedClosed = 19,
  rejectedFull = 20,
  rejectedQueueTimeout = 21,
  rejectedReentrant = 22,
  rejectedTooHeavy = 23,
  waitedCount = 24,
  waitedSum = 25,
  waitedP50 = 26,
  waitedP90 = 27,
  waitedP99 = 28,
  waitedMax = 29,
  ranCount = 30,
  ranSum = 31,
  ranP50 = 32,
  ranP90 = 33,
  ranP99 = 34,
  ranMax = 35,
  ranSampledEvery = 36,
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
  'permits',
] as const;

/** What it must be, in the order in which a fault counts it. */
export const RULES = [
  'an integer from 0 to 2147483647',
  '0 or more, or infinite',
  'a number',
  'more than 0, or infinite',
  'an integer from 1 to 2147483647',
  'an integer from 1 to the permits held',
  'an integer from 1 to less than the permits held',
] as const;
