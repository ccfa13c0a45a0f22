//! Every figure of a snapshot that the naive side can know.

use bulkheads_core::{Snapshot, Summary};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Books {
    pub(crate) peak_active: u64,
    pub(crate) peak_queued: u64,
    pub(crate) admitted: u64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) call_timeouts: u64,
    pub(crate) unclaimed: u64,
    pub(crate) abandoned_runs: u64,
    pub(crate) leaked: u64,
    pub(crate) double_releases: u64,
    pub(crate) full: u64,
    pub(crate) queue_timeout: u64,
    pub(crate) cancelled: u64,
    pub(crate) closed: u64,
    pub(crate) too_heavy: u64,
    pub(crate) reentrant: u64,
    pub(crate) waited: Times,
    pub(crate) ran: Times,
}

/// What is exact in a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) count: u64,
    pub(crate) sum: u64,
    pub(crate) max: u64,
}

impl Times {
    pub(crate) fn add(&mut self, nanos: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(nanos);
        self.max = self.max.max(nanos);
    }

    fn of(summary: Summary) -> Self {
        let Summary {
            count, sum, max, ..
        } = summary;
        Self { count, sum, max }
    }
}

impl Books {
    /// The core's. A sample of the runs says nothing of one run, so there `ran` is taken as it
    /// should be.
    pub(crate) fn of(stats: &Snapshot, ran: Times) -> Self {
        Self {
            peak_active: stats.peak_active,
            peak_queued: u64::from(stats.peak_queued),
            admitted: stats.admitted,
            completed: stats.completed,
            failed: stats.failed,
            call_timeouts: stats.call_timeouts,
            unclaimed: stats.unclaimed,
            abandoned_runs: stats.abandoned_runs,
            leaked: stats.leaked,
            double_releases: stats.double_releases,
            full: stats.rejected.full,
            queue_timeout: stats.rejected.queue_timeout,
            cancelled: stats.rejected.cancelled,
            closed: stats.rejected.closed,
            too_heavy: stats.rejected.too_heavy,
            reentrant: stats.rejected.reentrant,
            waited: Times::of(stats.waited),
            ran: if stats.ran_sampled_every == 1 {
                Times::of(stats.ran)
            } else {
                ran
            },
        }
    }
}
