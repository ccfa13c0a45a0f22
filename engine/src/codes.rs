//! The numbers that stand for ids, kinds, ends and reasons. `docs/engine.md` has the tables.

use bulkheads_core::{
    Cancellation, Event, FullReason, Id, Offer, Outcome, OwnerId, Reclaim, Rejection, Request,
};

use crate::notation::Notation;

/// Flag of an arrival: work that the bulkhead runs.
pub const RUN: u32 = 1;
/// Flag of an arrival: the caller's signal is already aborted.
pub const ABORTED: u32 = 2;

/// The names of the outcomes, by their numbers.
pub const OUTCOMES: [&str; 2] = ["completed", "failed"];

/// The names of the event kinds, by their numbers.
pub const EVENTS: [&str; 10] = [
    "none",
    "granted",
    "queue_timeout",
    "closed",
    "too_heavy",
    "cancelled",
    "call_timeout",
    "abort",
    "idle",
    "capacity",
];

/// The names of the rejections, by their numbers.
pub const REJECTIONS: [&str; 11] = [
    "none",
    "queue_full",
    "no_queue",
    "not_willing",
    "paused",
    "queue_timeout",
    "closed",
    "too_heavy",
    "cancelled",
    "reentrant",
    "no_room",
];

/// An event as numbers; `kind` 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventNumbers {
    /// Which kind: its place in [`EVENTS`].
    pub kind: u32,
    /// Whose; for idleness the ticket.
    pub id: f64,
    /// Time waited or ran, in the host's unit.
    pub time: f64,
    /// In which compartment, where no id says it.
    pub compartment: u32,
}

impl EventNumbers {
    #[expect(clippy::cast_precision_loss, reason = "tickets stay below 2^53")]
    pub(crate) fn of(event: Event, notation: Notation) -> Self {
        let call = |kind, id, nanos| Self {
            kind,
            id: id_number(id),
            time: notation.units(nanos),
            compartment: 0,
        };
        let notice = |kind, compartment: bulkheads_core::CompartmentId| Self {
            kind,
            compartment: compartment.index(),
            ..Self::default()
        };
        match event {
            Event::Granted { id } => call(1, id, 0),
            Event::QueueTimedOut { id, nanos } => call(2, id, nanos),
            Event::Closed { id, nanos } => call(3, id, nanos),
            Event::TooHeavy { id, nanos } => call(4, id, nanos),
            Event::Cancelled { id } => call(5, id, 0),
            Event::CallTimedOut { id, nanos } => call(6, id, nanos),
            Event::Abort { compartment } => notice(7, compartment),
            Event::Idle {
                compartment,
                ticket,
            } => Self {
                id: ticket as f64,
                ..notice(8, compartment)
            },
            Event::Capacity { compartment } => notice(9, compartment),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "below 2^53, where the signed conversion is right, and shorter"
)]
pub(crate) const fn id_number(id: Id) -> f64 {
    id.as_raw() as i64 as f64
}

/// A number that is no id becomes 0, which is never current.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
pub(crate) const fn id_of(number: f64) -> Id {
    Id::from_raw(number as i64 as u64)
}

/// A request of this kind.
pub(crate) const fn request<'a>(flags: u32, weight: u32, owner: OwnerId) -> Request<'a> {
    let request = if flags & RUN == 0 {
        Request::permit(weight)
    } else {
        Request::run(weight)
    };
    request.owner(owner).aborted(flags & ABORTED != 0)
}

pub(crate) const fn outcome_of(number: u32) -> Outcome {
    if number == 0 {
        Outcome::Completed
    } else {
        Outcome::Failed
    }
}

pub(crate) const fn rejection_code(rejection: Rejection) -> f64 {
    match rejection {
        Rejection::Full(FullReason::QueueFull) => 1.0,
        Rejection::Full(FullReason::NoQueue) => 2.0,
        Rejection::Full(FullReason::NotWilling) => 3.0,
        Rejection::Full(FullReason::Paused) => 4.0,
        Rejection::QueueTimeout => 5.0,
        Rejection::Closed => 6.0,
        Rejection::TooHeavy => 7.0,
        Rejection::Cancelled => 8.0,
        Rejection::Reentrant { .. } => 9.0,
        Rejection::NoRoom { .. } => 10.0,
    }
}

/// 0: watching.
pub(crate) const fn offer_number(offer: Offer) -> f64 {
    match offer {
        Offer::Admitted(id) => id_number(id),
        Offer::Rejected(rejection) => rejection_code(rejection),
        Offer::Watching => 0.0,
    }
}

pub(crate) const fn cancellation_number(cancellation: Cancellation) -> f64 {
    match cancellation {
        Cancellation::Settled => 0.0,
        Cancellation::Withdrawn => 1.0,
        Cancellation::AnsweredEarly => 2.0,
    }
}

pub(crate) const fn reclaim_number(reclaim: Reclaim) -> f64 {
    match reclaim {
        Reclaim::Stale => 0.0,
        Reclaim::First => 1.0,
        Reclaim::Again => 2.0,
    }
}
