//! What can be done to a bulkhead.

use bulkheads::Outcome;

/// Times are nanoseconds from now on. Owners are named by their place, calls by how many ids were given out after theirs.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Acquire(Asked),
    TryAcquire {
        owner: usize,
        weight: u32,
    },
    Start(usize),
    Finish(usize, Outcome),
    /// Asks `finish_now` first.
    FinishNow(usize, Outcome),
    Release(usize),
    Cancel(usize),
    Abort(Vec<usize>),
    Resize(u32),
    Close(bool),
    Drain,
    /// The owner dies, and a new one takes its place.
    Evict(usize),
    /// The owner that died last does all that an owner can.
    Haunt,
    WatchIdle(usize),
    WatchRoom {
        owner: usize,
        weight: u32,
        holding: u64,
    },
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
    /// How many permits the caller says that it holds.
    pub(crate) holding: u64,
    /// Asks `admit_now` first.
    pub(crate) now: bool,
}
