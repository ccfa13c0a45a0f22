//! What happened to others: outcomes that are no input's own answer.

use crate::ids::{CompartmentId, Id};

/// One deferred outcome. A waiter gets at most one; a run at most one more.
///
/// `nanos` is the real time waited or ran, up to the moment of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Closed with abort: the owner is to abort the signals of whatever it runs in this
    /// compartment, and of what it has yet to start. Comes once to every owner. The work answers
    /// its callers.
    Abort {
        /// The compartment.
        compartment: CompartmentId,
    },
    /// Its run deadline passed: the call is answered early; its permit stays until it settles.
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
    /// A call of the weight that was asked for would no longer find the bulkhead full: ask again.
    /// Asked for by [`crate::Bulkhead::watch_capacity`] and [`crate::Bulkhead::acquire_or_watch`].
    Capacity {
        /// The compartment.
        compartment: CompartmentId,
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
    /// No call waits and no permit is held; asked for by [`crate::Bulkhead::watch_idle`].
    Idle {
        /// The compartment.
        compartment: CompartmentId,
        /// Of the latest request that this answers; it answers all the earlier ones too.
        ticket: u64,
    },
    /// Its deadline passed while it waited.
    QueueTimedOut {
        /// The waiter.
        id: Id,
        /// Time waited.
        nanos: u64,
    },
    /// The limit fell below its weight.
    TooHeavy {
        /// The waiter.
        id: Id,
        /// Time waited.
        nanos: u64,
    },
}
