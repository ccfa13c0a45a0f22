//! The numbers that the engine interface speaks: ids, flags, codes. The table is in `docs/engine.md`.

use crate::admission::{FullReason, Rejection, Request};
use crate::event::Event;
use crate::ids::{Id, OwnerId};
use crate::options::Notation;
use crate::release::Outcome;

/// Flag of [`crate::engine::Engine::acquire`]: work that the bulkhead runs.
pub const RUN: u32 = 1;
/// Flag of [`crate::engine::Engine::acquire`]: the caller's signal is already aborted.
pub const ABORTED: u32 = 2;

/// An event as three numbers; `kind` 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventNumbers {
    /// Which kind, by the table in `docs/engine.md`.
    pub kind: u32,
    /// Whose.
    pub id: f64,
    /// Time waited or ran, in the host's unit.
    pub time: f64,
}

impl EventNumbers {
    pub(crate) fn of(event: Event, notation: Notation) -> Self {
        let (kind, id, nanos) = match event {
            Event::Granted { id } => (1, id, 0),
            Event::QueueTimedOut { id, nanos } => (2, id, nanos),
            Event::Closed { id, nanos } => (3, id, nanos),
            Event::TooHeavy { id, nanos } => (4, id, nanos),
            Event::Cancelled { id } => (5, id, 0),
            Event::CallTimedOut { id, nanos } => (6, id, nanos),
            Event::CallClosed { id } => (7, id, 0),
            Event::Idle => (8, Id::from_raw(0), 0),
            Event::Room => (9, Id::from_raw(0), 0),
        };
        Self {
            kind,
            id: id_number(id),
            time: notation.units(nanos),
        }
    }
}

/// An owner as a number.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
pub const fn owner_number(owner: OwnerId) -> f64 {
    owner.as_raw() as f64
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "below 2^53, where the signed conversion is right, and shorter"
)]
pub(crate) fn id_number(id: Id) -> f64 {
    id.as_raw() as i64 as f64
}

/// Anything that is no id becomes 0, which is never current.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
pub(crate) fn id_of(number: f64) -> Id {
    Id::from_raw(number as i64 as u64)
}

/// A sum of permits: whatever is none counts for nothing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
pub(crate) const fn permits_of(number: f64) -> u64 {
    number as u64
}

/// What makes a request of this kind from a weight.
pub(crate) fn kind_of(flags: u32) -> fn(u32) -> Request {
    if flags & RUN == 0 {
        Request::permit
    } else {
        Request::run
    }
}

pub(crate) fn outcome_of(number: u32) -> Outcome {
    match number {
        0 => Outcome::Completed,
        2 => Outcome::Leaked,
        _ => Outcome::Failed,
    }
}

pub(crate) fn rejection_code(rejection: Rejection) -> f64 {
    match rejection {
        Rejection::Full(FullReason::QueueFull) => 1.0,
        Rejection::Full(FullReason::NoQueue) => 2.0,
        Rejection::Full(FullReason::NotWilling) => 3.0,
        Rejection::Full(FullReason::Paused) => 4.0,
        Rejection::QueueTimeout => 5.0,
        Rejection::Closed => 6.0,
        Rejection::TooHeavy => 7.0,
        Rejection::Cancelled => 8.0,
        Rejection::Reentrant => 9.0,
    }
}
