//! What happened to others: outcomes that are no input's own answer.

use crate::ids::Id;

/// One deferred outcome. A waiter gets at most one; a run at most one more.
///
/// `nanos` is the real time waited or ran, up to the moment of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// `close` with abort: the run is answered early; its permit stays until it settles.
    CallClosed {
        /// The run.
        id: Id,
    },
    /// Its bound passed: the run is answered early; its permit stays until it settles.
    CallTimedOut {
        /// The run.
        id: Id,
        /// Time since its grant.
        nanos: u64,
    },
    /// Its signal aborted ([`crate::Bulkhead::abort`]): it never runs, or is answered early.
    Cancelled {
        /// The waiter or the run.
        id: Id,
    },
    /// The bulkhead was closed while it waited.
    Closed {
        /// The waiter.
        id: Id,
        /// Time waited.
        nanos: u64,
    },
    /// It has its permits: let its caller go on, and say so by [`crate::Bulkhead::start`].
    Granted {
        /// The waiter, now a permit.
        id: Id,
    },
    /// Nobody waits and no permit is held; asked for by [`crate::Bulkhead::watch_idle`].
    Idle,
    /// Its deadline passed while it waited.
    QueueTimedOut {
        /// The waiter.
        id: Id,
        /// Time waited.
        nanos: u64,
    },
    /// Room for the weight that was asked for by [`crate::Bulkhead::watch_room`].
    Room,
    /// The limit fell below its weight.
    TooHeavy {
        /// The waiter.
        id: Id,
        /// Time waited.
        nanos: u64,
    },
}
