//! What a caller asks for.

use crate::ids::{Id, OwnerId};
use crate::options::{self, InvalidOption, Opt};
use crate::time::{Instant, Span};

/// What a caller asks for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    pub(crate) owner: OwnerId,
    pub(crate) weight: u32,
    pub(crate) is_run: bool,
    pub(crate) aborted: bool,
    pub(crate) timeout: Span,
    pub(crate) deadline: Instant,
    pub(crate) call_timeout: Span,
    pub(crate) held: &'a [Id],
    pub(crate) siblings: u32,
    pub(crate) waits_since: Instant,
}

impl<'a> Request<'a> {
    /// Whether it can be decided on at all; every input with a request asks this first, so that a
    /// wrong argument does not even do what is due.
    ///
    /// # Errors
    /// A weight or a call time-out out of its range.
    pub fn check(&self) -> Result<(), InvalidOption> {
        options::check_count(Opt::Weight, self.weight)?;
        options::check_span(Opt::CallTimeout, self.call_timeout)
    }

    /// Whether it is an item of a `map` that has waited for capacity, none of whose items runs.
    pub(crate) fn has_waited(&self, now: Instant) -> bool {
        self.siblings == 0 && self.waits_since < now
    }

    /// Work that the bulkhead runs: call time-out and deadline bound it.
    #[must_use]
    pub const fn run(weight: u32) -> Self {
        Self {
            owner: OwnerId::FIRST,
            weight,
            is_run: true,
            aborted: false,
            timeout: Span::FOREVER,
            deadline: Instant::NEVER,
            call_timeout: Span::FOREVER,
            held: &[],
            siblings: 0,
            waits_since: Instant::NEVER,
        }
    }

    /// A manual permit: once it was granted, only a call time-out of its own bounds it.
    #[must_use]
    pub const fn permit(weight: u32) -> Self {
        Self {
            is_run: false,
            ..Self::run(weight)
        }
    }

    /// Whose call it is. Default: [`OwnerId::FIRST`].
    #[must_use]
    pub const fn owner(mut self, owner: OwnerId) -> Self {
        self.owner = owner;
        self
    }

    /// The longest it wants to wait; can only shorten the bulkhead's. Zero: not at all.
    #[must_use]
    pub const fn timeout(mut self, span: Span) -> Self {
        self.timeout = span;
        self
    }

    /// The caller's own deadline, for the wait and for the run.
    #[must_use]
    pub const fn deadline(mut self, at: Instant) -> Self {
        self.deadline = at;
        self
    }

    /// The longest it may be held, from its grant; can only shorten the bulkhead's. More than zero.
    #[must_use]
    pub const fn call_timeout(mut self, span: Span) -> Self {
        self.call_timeout = span;
        self
    }

    /// Whether its caller had given up before it asked.
    #[must_use]
    pub const fn aborted(mut self, aborted: bool) -> Self {
        self.aborted = aborted;
        self
    }

    /// The calls of this bulkhead whose permits its caller's own context holds, and will not give
    /// back before this call has ended: if what they hold leaves too little for it, it would wait
    /// for itself. Stale ids count nothing. Default: none, and nothing is looked at.
    #[must_use]
    pub const fn held(mut self, ids: &'a [Id]) -> Self {
        self.held = ids;
        self
    }

    /// For an item of a `map`: how many of the map's items run. With as many as the limit allows
    /// there is no capacity for another, even if permits are free. Default: none.
    #[must_use]
    pub const fn siblings(mut self, running: u32) -> Self {
        self.siblings = running;
        self
    }

    /// For an item of a `map`: since when it has been waiting for capacity without running an item.
    /// Default: since now.
    #[must_use]
    pub const fn waits_since(mut self, at: Instant) -> Self {
        self.waits_since = at;
        self
    }
}
