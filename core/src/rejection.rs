//! The bounds that reject a call.

/// The bound that rejected a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Its caller had given up.
    #[error("cancelled before it was admitted")]
    Cancelled,
    /// The bulkhead admits nothing any more, or has evicted the call's owner.
    #[error("bulkhead closed")]
    Closed,
    /// No permit and no place in the queue.
    #[error(transparent)]
    Full(#[from] FullReason),
    /// A `map` found no capacity for an item within the bound on a wait, while none of its items
    /// ran.
    #[error("no room for an item within the bound on a wait")]
    NoRoom {
        /// How long it had waited, in nanoseconds.
        nanos: u64,
    },
    /// Its deadline had passed when it arrived.
    #[error("deadline passed before a permit was free")]
    QueueTimeout,
    /// It would wait for permits that its own caller holds.
    #[error("it would wait for permits of its own caller")]
    Reentrant {
        /// How many its caller holds.
        holding: u64,
    },
    /// Heavier than the limit.
    #[error("weight above the limit")]
    TooHeavy,
}

/// Why a full bulkhead could not queue a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FullReason {
    /// No queue is configured.
    #[error("no permit free and no queue configured")]
    NoQueue,
    /// The call's time-out is zero.
    #[error("no permit free and the call is not willing to wait")]
    NotWilling,
    /// The limit is zero.
    #[error("paused")]
    Paused,
    /// As many wait as may.
    #[error("queue full")]
    QueueFull,
}
