//! What can be seen: one consistent copy of every figure.

use crate::histogram::Summary;

/// Whether new calls are admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// New calls are admitted.
    Open,
    /// New calls are rejected, waiters are served.
    Draining,
    /// New calls are rejected, every waiter was, and a drain that has served them ends here too.
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
    /// How many may wait.
    pub max_queue: u32,
    /// Calls that were answered before their work settled, and hold their permits.
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
    /// Grants that were not delivered: their caller was cancelled before it started.
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
    /// Time from the grant until the permit came back, of a random sample: see
    /// `ran_sampled_every`.
    pub ran: Summary,
    /// How many runs come to one that is measured, on average; 1: all are. A bulkhead with a call
    /// time-out measures all of them, any other the first and then one in [`crate::SAMPLED_EVERY`]
    /// at random.
    pub ran_sampled_every: u32,
}
