//! What can be seen: one consistent copy of every figure.

use crate::histogram::Summary;
use crate::options::Notation;

/// Whether new calls are admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum State {
    /// New calls are admitted.
    Open,
    /// New calls are rejected, waiters are served.
    Draining,
    /// New calls are rejected, and every waiter was.
    Closed,
}

/// Calls that never ran, by the bound that rejected them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rejected {
    /// Cancelled before they were granted.
    pub cancelled: u64,
    /// Arrived after, or waited at, the end.
    pub closed: u64,
    /// Found no permit and no place in the queue.
    pub full: u64,
    /// Their deadline passed before a permit was free.
    pub queue_timeout: u64,
    /// Would have waited for permits of their own caller.
    pub reentrant: u64,
    /// Heavier than the limit.
    pub too_heavy: u64,
}

/// One consistent snapshot, a value that later calls don't change. Times are nanoseconds.
///
/// At all times `admitted = completed + failed + unclaimed + abandoned_runs + leaked + running`,
/// and calls with valid arguments are `admitted`, `queued` or among `rejected`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Open, draining or closed.
    pub state: State,
    /// Permits of this bulkhead; 0 while it is paused.
    pub limit: u32,
    /// Permits in use; above `limit` after it was lowered.
    pub active: u64,
    /// `max(0, limit - active)`.
    pub available: u64,
    /// Calls that hold permits, overrun ones included.
    pub running: u64,
    /// Waiters.
    pub queued: u32,
    /// Calls that were answered before their work settled.
    pub overrun: u64,
    /// The most permits ever in use.
    pub peak_active: u64,
    /// The most waiters ever.
    pub peak_queued: u32,
    /// Every grant, at once or from the queue.
    pub admitted: u64,
    /// Permits that came back after success.
    pub completed: u64,
    /// Permits that came back after failure, or after an early answer.
    pub failed: u64,
    /// Runs whose bound passed.
    pub call_timeouts: u64,
    /// Grants whose caller was cancelled before it started.
    pub unclaimed: u64,
    /// Permits reclaimed though the work goes on.
    pub abandoned_runs: u64,
    /// Permits dropped without release.
    pub leaked: u64,
    /// Releases of a permit that had been released.
    pub double_releases: u64,
    /// Calls that never ran.
    pub rejected: Rejected,
    /// Time in the queue, of every call that left it.
    pub waited: Summary,
    /// Time from the grant until the permit came back, of a random sample: see `ran_sampled_every`.
    pub ran: Summary,
    /// How many runs come to one that is measured, on average; 1: all are. A bulkhead with a call time-out measures all
    /// of them, any other the first and then one in 32 at random.
    pub ran_sampled_every: u32,
}

/// The names of [`Snapshot::to_numbers`], in its order.
pub const STATS: [&str; 36] = [
    "state",
    "limit",
    "active",
    "available",
    "running",
    "queued",
    "overrun",
    "peak_active",
    "peak_queued",
    "admitted",
    "completed",
    "failed",
    "call_timeouts",
    "unclaimed",
    "abandoned_runs",
    "leaked",
    "double_releases",
    "rejected_full",
    "rejected_queue_timeout",
    "rejected_cancelled",
    "rejected_closed",
    "rejected_too_heavy",
    "waited_count",
    "waited_sum",
    "waited_p50",
    "waited_p90",
    "waited_p99",
    "waited_max",
    "ran_count",
    "ran_sum",
    "ran_p50",
    "ran_p90",
    "ran_p99",
    "ran_max",
    "ran_sampled_every",
    "rejected_reentrant",
];

impl Snapshot {
    /// All figures as numbers in the order of [`STATS`], times in the host's unit.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counters stay below 2^53")]
    pub fn to_numbers(&self, notation: Notation) -> [f64; 36] {
        let [w0, w1, w2, w3, w4, w5] = summary_numbers(&self.waited, notation);
        let [r0, r1, r2, r3, r4, r5] = summary_numbers(&self.ran, notation);
        [
            f64::from(self.state as u8),
            f64::from(self.limit),
            self.active as f64,
            self.available as f64,
            self.running as f64,
            f64::from(self.queued),
            self.overrun as f64,
            self.peak_active as f64,
            f64::from(self.peak_queued),
            self.admitted as f64,
            self.completed as f64,
            self.failed as f64,
            self.call_timeouts as f64,
            self.unclaimed as f64,
            self.abandoned_runs as f64,
            self.leaked as f64,
            self.double_releases as f64,
            self.rejected.full as f64,
            self.rejected.queue_timeout as f64,
            self.rejected.cancelled as f64,
            self.rejected.closed as f64,
            self.rejected.too_heavy as f64,
            w0,
            w1,
            w2,
            w3,
            w4,
            w5,
            r0,
            r1,
            r2,
            r3,
            r4,
            r5,
            f64::from(self.ran_sampled_every),
            self.rejected.reentrant as f64,
        ]
    }
}

#[expect(clippy::cast_precision_loss, reason = "counters stay below 2^53")]
fn summary_numbers(summary: &Summary, notation: Notation) -> [f64; 6] {
    let Summary {
        count,
        sum,
        p50,
        p90,
        p99,
        max,
    } = *summary;
    let time = |nanos| notation.units(nanos);
    [
        count as f64,
        time(sum),
        time(p50),
        time(p90),
        time(p99),
        time(max),
    ]
}
