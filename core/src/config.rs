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

/// The default of `timeout`; a bulkhead whose calls may run for less waits no longer than that.
const DEFAULT_TIMEOUT: Span = Span::from_millis(1000);

impl Config {
    /// `max_concurrent` permits, no queue.
    #[must_use]
    pub const fn new(max_concurrent: u32) -> Self {
        Self {
            max_concurrent,
            max_queue: 0,
            timeout: None,
            call_timeout: Span::FOREVER,
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

    pub(crate) fn wait_bound(&self) -> Span {
        self.timeout
            .unwrap_or(DEFAULT_TIMEOUT.min(self.call_timeout))
    }

    /// Calls that are timed anyway are all measured.
    pub(crate) fn ran_sampled_every(&self) -> u32 {
        if self.call_timeout == Span::FOREVER {
            32
        } else {
            1
        }
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidOption> {
        options::check_count(Opt::MaxConcurrent, self.max_concurrent)?;
        options::check_count(Opt::MaxQueue, self.max_queue)?;
        options::check_span(Opt::Timeout, self.wait_bound())?;
        options::check_span(Opt::CallTimeout, self.call_timeout)?;
        options::check_span(Opt::AbandonAfter, self.abandon_after)
    }
}
