//! What can be done to a bulkhead.

use bulkheads_core::Outcome;

/// How a call ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Completed,
    Failed,
    /// Dropped, and reclaimed.
    Leaked,
}

impl End {
    pub(crate) const fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Completed => Some(Outcome::Completed),
            Self::Failed => Some(Outcome::Failed),
            Self::Leaked => None,
        }
    }
}

/// Times are nanoseconds from now on. Owners are named by their place, calls by how many ids were
/// given out after theirs.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Acquire(Asked),
    TryAcquire {
        owner: usize,
        weight: u32,
    },
    Start(usize),
    Finish(usize, End),
    /// Asks `finish_untimed` first.
    FinishUntimed(usize, End),
    /// Begins a counted run, if that is possible.
    AdmitCounted(usize),
    /// Ends a counted run of this owner, without a clock if that is possible.
    FinishCounted(usize, End),
    /// Takes permits at once, or watches.
    Offer(Asked),
    Release(usize),
    ReleasePart(usize, u32),
    Split(usize, u32),
    Adjust(usize, u32),
    Cancel(usize),
    Abort(Vec<usize>),
    Resize(u32),
    Close(bool),
    Drain,
    /// With a time-out, on an owner's timer.
    DrainWithin(usize, u64),
    /// The owner dies, and a new one takes its place.
    Evict(usize),
    /// The owner that died last does all that an owner can.
    Haunt,
    WatchIdle(usize),
    WatchCapacity(Asked),
    UnwatchCapacity(usize),
    /// Takes so many of an owner's events.
    Take {
        owner: usize,
        events: usize,
    },
    /// Asks whom to wake.
    Wake,
    /// Arguments out of their range.
    Invalid,
    Pass(u64),
    /// The host's clock steps back; what comes next comes at that earlier time.
    Back(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) owner: usize,
    pub(crate) weight: u32,
    pub(crate) run: bool,
    pub(crate) timeout: u64,
    /// From three nanoseconds ago on.
    pub(crate) deadline: u64,
    pub(crate) aborted: bool,
    /// How many of the latest ids its caller says that it holds.
    pub(crate) held: usize,
    /// Asks `acquire_untimed` first.
    pub(crate) untimed: bool,
    pub(crate) call_timeout: u64,
    /// Of an offer: how many items of its map run.
    pub(crate) siblings: u32,
    /// Of an offer: for so many nanoseconds it has been waiting already.
    pub(crate) waited: u64,
}
