//! What rejections say.

use bulkheads_core::{FullReason, Rejection};

#[test]
fn every_rejection_says_which_bound_it_was() {
    let texts = [
        (Rejection::Cancelled, "cancelled before it was admitted"),
        (Rejection::Closed, "bulkhead closed"),
        (
            FullReason::NoQueue.into(),
            "no permit free and no queue configured",
        ),
        (
            FullReason::NotWilling.into(),
            "no permit free and the call is not willing to wait",
        ),
        (FullReason::Paused.into(), "paused"),
        (FullReason::QueueFull.into(), "queue full"),
        (
            Rejection::QueueTimeout,
            "deadline passed before a permit was free",
        ),
        (
            Rejection::Reentrant { holding: 1 },
            "it would wait for permits of its own caller",
        ),
        (
            Rejection::NoRoom { nanos: 1 },
            "no room for an item within the bound on a wait",
        ),
        (Rejection::TooHeavy, "weight above the limit"),
    ];
    for (rejection, text) in texts {
        assert_eq!(rejection.to_string(), text);
    }
}
