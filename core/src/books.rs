//! Counters since creation, and what was measured.

use alloc::boxed::Box;

use crate::histogram::{Histogram, Summary};
use crate::snapshot::Rejected;

/// The books of one compartment. A histogram takes eight kilobytes, so each is made when its first
/// value comes: a compartment that never had a waiter has none for `waited`.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) peak_active: u64,
    pub(crate) admitted: u64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) call_timeouts: u64,
    pub(crate) unclaimed: u64,
    pub(crate) abandoned_runs: u64,
    pub(crate) leaked: u64,
    pub(crate) double_releases: u64,
    /// Calls that were answered before their work settled, and hold their permits.
    pub(crate) overrun: u64,
    pub(crate) rejected: Rejected,
    pub(crate) peak_queued: u32,
    waited: Option<Box<Histogram>>,
    ran: Option<Box<Histogram>>,
}

/// How a call leaves a phase; each is counted in one place, [`Books::count`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It has a place in the queue; counted when it leaves.
    Queued,
    /// It gave up while it waited, or its owner ended.
    Cancelled,
    Closed,
    QueueTimeout,
    TooHeavy,
    /// It came, or came to the head, and has its permits.
    Admitted,
    /// Its caller gave up between the grant and the start.
    Undelivered,
    /// It goes on after its grant.
    Started,
    CallTimeout,
    /// Its caller's signal aborted while it ran.
    AnsweredEarly,
    Completed,
    Failed,
    Leaked,
    /// Its permits were reclaimed though its work goes on.
    Abandoned,
}

impl Books {
    // Stats 1.3, Stats 3.1, Stats 3.2: each end of a wait and of a run adds one to one counter.
    pub(crate) fn count(&mut self, why: Why) {
        *match why {
            Why::Cancelled => &mut self.rejected.cancelled,
            Why::Closed => &mut self.rejected.closed,
            Why::QueueTimeout => &mut self.rejected.queue_timeout,
            Why::TooHeavy => &mut self.rejected.too_heavy,
            // Stats 4.1
            Why::Admitted => &mut self.admitted,
            Why::Undelivered => &mut self.unclaimed,
            Why::CallTimeout => &mut self.call_timeouts,
            Why::Completed => &mut self.completed,
            Why::Failed => &mut self.failed,
            Why::Leaked => &mut self.leaked,
            Why::Abandoned => &mut self.abandoned_runs,
            Why::Queued | Why::Started | Why::AnsweredEarly => return,
        } += 1;
    }

    /// Calls that hold permits: every grant that has not ended.
    pub(crate) const fn running(&self) -> u64 {
        let returned = self.completed + self.failed + self.abandoned_runs + self.leaked;
        self.admitted - self.unclaimed - returned
    }

    pub(crate) fn record_wait(&mut self, nanos: u64) {
        self.waited.get_or_insert_default().record(nanos);
    }

    pub(crate) fn record_run(&mut self, nanos: u64) {
        self.ran.get_or_insert_default().record(nanos);
    }

    pub(crate) fn waited(&self) -> Summary {
        summary(self.waited.as_deref())
    }

    pub(crate) fn ran(&self) -> Summary {
        summary(self.ran.as_deref())
    }
}

fn summary(histogram: Option<&Histogram>) -> Summary {
    histogram.map_or_else(Summary::default, Histogram::summary)
}
