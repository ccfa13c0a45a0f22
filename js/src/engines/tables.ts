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
export const Place = {
  code: 0,
  now: 1,
  engine: 2,
  compartment: 3,
  arguments: 4,
  taken: 12,
  count: 13,
  timer: 14,
  keepsAlive: 15,
  free: 16,
  starts: 17,
  least: 18,
  failed: 19,
  limit: 20,
  active: 21,
  queued: 22,
  maxQueue: 23,
  holding: 24,
  version: 25,
  startsCount: 26,
  events: 32,
  started: 288,
} as const;

/** The codes of the inputs. */
export const Input = {
  acquireUntimed: 1,
  finishUntimed: 2,
  acquire: 3,
  tryAcquire: 4,
  start: 5,
  finish: 6,
  release: 7,
  cancel: 8,
  resize: 9,
  close: 10,
  drain: 11,
  evict: 12,
  watchIdle: 13,
  watchCapacity: 14,
  handleTimeout: 15,
  show: 16,
  permits: 17,
  acquireOrWatch: 18,
  reclaim: 19,
  admitCounted: 20,
  finishCounted: 21,
  finishMeasured: 22,
} as const;

/** The kinds of events. */
export const Event = {
  none: 0,
  granted: 1,
  queueTimeout: 2,
  closed: 3,
  tooHeavy: 4,
  cancelled: 5,
  callTimeout: 6,
  abort: 7,
  idle: 8,
  capacity: 9,
} as const;

/** What an arrival answers that is rejected. */
export const Rejection = {
  none: 0,
  queueFull: 1,
  noQueue: 2,
  notWilling: 3,
  paused: 4,
  queueTimeout: 5,
  closed: 6,
  tooHeavy: 7,
  cancelled: 8,
  reentrant: 9,
} as const;

/** How a call ended. */
export const Outcome = {
  completed: 0,
  failed: 1,
} as const;

/** Flags of an arrival, to be added. */
export const Flag = {
  run: 1,
  aborted: 2,
} as const;

/** The figures of a snapshot, in their order. */
export const STATS = [
  'state',
  'limit',
  'active',
  'available',
  'running',
  'queued',
  'overrun',
  'peakActive',
  'peakQueued',
  'admitted',
  'completed',
  'failed',
  'callTimeouts',
  'unclaimed',
  'abandonedRuns',
  'leaked',
  'doubleReleases',
  'rejectedCancelled',
  'rejectedClosed',
  'rejectedFull',
  'rejectedQueueTimeout',
  'rejectedReentrant',
  'rejectedTooHeavy',
  'waitedCount',
  'waitedSum',
  'waitedP50',
  'waitedP90',
  'waitedP99',
  'waitedMax',
  'ranCount',
  'ranSum',
  'ranP50',
  'ranP90',
  'ranP99',
  'ranMax',
  'ranSampledEvery',
] as const;

/** The options that the engine takes, in their order. */
export const OPTIONS = [
  'maxConcurrent',
  'maxQueue',
  'timeoutMs',
  'callTimeoutMs',
  'abandonAfterMs',
] as const;
