//! What a bulkhead is made with.

use crate::options::{self, InvalidOption, Opt};
use crate::time::Span;

/// The options of a bulkhead; see the table in the README.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Config {
    pub(crate) max_concurrent: u32,
    pub(crate) max_queue: u32,
    timeout: Option<Span>,
    pub(crate) call_timeout: Span,
    pub(crate) abandon_after: Span,
}

/// One run in so many is measured, unless all are: two readings of a clock cost more than the rest
/// of a short call.
pub const SAMPLED_EVERY: u32 = 32;

// Options 1.3
/// The default of `timeout`; a bulkhead whose calls may run for less waits no longer than that.
const DEFAULT_TIMEOUT: Span = Span::from_millis(1000);

impl Config {
    /// `max_concurrent` permits, no queue.
    #[must_use]
    pub const fn new(max_concurrent: u32) -> Self {
        Self {
            max_concurrent,
            // Options 1.2
            max_queue: 0,
            timeout: None,
            // Options 1.5
            call_timeout: Span::FOREVER,
            // Options 1.6
            abandon_after: Span::FOREVER,
        }
    }

    /// How many calls may wait. 0: fail fast.
    #[must_use]
    pub const fn max_queue(mut self, calls: u32) -> Self {
        self.max_queue = calls;
        self
    }

    /// The longest a call may wait. Default: one second, or `call_timeout` if that is less.
    #[must_use]
    pub const fn timeout(mut self, span: Span) -> Self {
        self.timeout = Some(span);
        self
    }

    /// The longest the work may run, from the grant. Default: unbounded.
    #[must_use]
    pub const fn call_timeout(mut self, span: Span) -> Self {
        self.call_timeout = span;
        self
    }

    /// How long after its early answer a run is given up. Default: never.
    #[must_use]
    pub const fn abandon_after(mut self, span: Span) -> Self {
        self.abandon_after = span;
        self
    }

    /// The longest a call may wait, as it is in effect.
    #[must_use]
    pub fn wait_bound(&self) -> Span {
        self.timeout
            .unwrap_or(DEFAULT_TIMEOUT.min(self.call_timeout))
    }

    /// How many permits there are at first.
    #[must_use]
    pub const fn concurrent(&self) -> u32 {
        self.max_concurrent
    }

    /// How many calls may wait.
    #[must_use]
    pub const fn queue(&self) -> u32 {
        self.max_queue
    }

    /// The longest the work may run.
    #[must_use]
    pub const fn run_bound(&self) -> Span {
        self.call_timeout
    }

    /// How long after its early answer a run is given up.
    #[must_use]
    pub const fn abandon_bound(&self) -> Span {
        self.abandon_after
    }

    // Stats 2.3: with a call time-out the clock is read for every run anyway.
    pub(crate) fn ran_sampled_every(&self) -> u32 {
        if self.is_bounded() { 1 } else { SAMPLED_EVERY }
    }

    /// Whether every run has a deadline.
    pub(crate) fn is_bounded(&self) -> bool {
        self.call_timeout < Span::FOREVER
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidOption> {
        // Options 5.5: ranges are checked here, types by the facades.
        options::check_count(Opt::MaxConcurrent, self.max_concurrent)?;
        options::check_count(Opt::MaxQueue, self.max_queue)?;
        options::check_span(Opt::Timeout, self.wait_bound())?;
        options::check_span(Opt::CallTimeout, self.call_timeout)?;
        options::check_span(Opt::AbandonAfter, self.abandon_after)
    }
}
