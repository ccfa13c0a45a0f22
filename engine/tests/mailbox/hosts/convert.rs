//! Numbers of a host to what the core takes, and back: by the tables, not by the engine's own code.

use bulkheads_core::{Credit, FullReason, Id, MAX_COUNT, Opt, Outcome, Rejection, Request};
use bulkheads_engine::mailbox::{Mailbox, place};
use bulkheads_engine::{ABORTED, Fault, REJECTIONS, RUN};

pub(super) fn option(fault: Fault) -> Opt {
    fault.option
}

pub(super) fn request(flags: u32, weight: u32) -> Request<'static> {
    let request = if flags & RUN == 0 {
        Request::permit(weight)
    } else {
        Request::run(weight)
    };
    request.aborted(flags & ABORTED != 0)
}

pub(super) fn rejection_code(rejection: Rejection) -> f64 {
    let name = match rejection {
        Rejection::Full(FullReason::QueueFull) => "queue_full",
        Rejection::Full(FullReason::NoQueue) => "no_queue",
        Rejection::Full(FullReason::NotWilling) => "not_willing",
        Rejection::Full(FullReason::Paused) => "paused",
        Rejection::QueueTimeout => "queue_timeout",
        Rejection::Closed => "closed",
        Rejection::TooHeavy => "too_heavy",
        Rejection::Cancelled => "cancelled",
        Rejection::Reentrant { .. } => "reentrant",
        Rejection::NoRoom { .. } => "no_room",
    };
    let place = REJECTIONS.iter();
    let place = place.take_while(|known| **known != name).count();
    exact(place as u64)
}

/// Everything but `completed`, number 0, is a failure.
pub(super) fn outcome(written: f64) -> Outcome {
    if number(written) == 0 {
        Outcome::Completed
    } else {
        Outcome::Failed
    }
}

pub(super) fn limit_of(value: f64) -> Option<u32> {
    let is_whole = value.trunc().to_bits() == value.to_bits();
    let is_limit = (is_whole && value > 0.0 && value <= f64::from(MAX_COUNT)) || value == 0.0;
    is_limit.then(|| number(value))
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub(super) fn credit_of(mail: &Mailbox) -> Credit {
    Credit {
        free: mail[place::FREE] as i32,
        starts: number(mail[place::STARTS]),
        least: mail[place::LEAST] as i32,
        failed: number(mail[place::FAILED]),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
pub(super) fn id_of(number: f64) -> Id {
    Id::from_raw(number as i64 as u64)
}

pub(super) fn raw(id: Id) -> f64 {
    exact(id.as_raw())
}

pub(super) fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
pub(super) fn exact(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as the mailbox reads its codes"
)]
pub(super) fn number(written: f64) -> u32 {
    written as u32
}
