//! The ways in and out that look at no clock: when they serve, and when the time may matter.

use bulkheads_core::{
    Bulkhead, Config, FullReason, Id, Instant, MAX_COUNT, Outcome, OwnerId, Rejection, Request,
    Span, Untimed,
};

const NOW: Instant = Instant::ZERO;
const NO_QUEUE: Untimed = Untimed::Rejected(Rejection::Full(FullReason::NoQueue));

/// With its first run, which is always measured, behind it.
fn bulkhead(config: Config) -> Bulkhead {
    let mut core = Bulkhead::new(config).expect("valid options");
    let first = admit_timed(&mut core, Request::permit(1));
    core.finish(NOW, first, Outcome::Completed);
    core
}

fn admit_timed(core: &mut Bulkhead, request: Request) -> Id {
    let admitted = core.try_acquire(NOW, request);
    admitted.expect("a valid weight").expect("a free permit")
}

/// Of several runs in a row at most one is measured; the others need no clock.
fn admit(core: &mut Bulkhead) -> Id {
    if let Untimed::Admitted(id) = core.acquire_untimed(Request::run(1)) {
        return id;
    }
    let measured = admit_timed(core, Request::run(1));
    assert!(
        !core.finish_untimed(measured, Outcome::Completed),
        "a measured run needs the clock"
    );
    core.finish(NOW, measured, Outcome::Completed);
    admit(core)
}

#[test]
fn a_call_of_a_quiescent_bulkhead_comes_and_goes_without_a_clock() {
    let mut core = bulkhead(Config::new(1));
    let id = admit(&mut core);
    assert_eq!(core.active(), 1);
    assert!(core.finish_untimed(id, Outcome::Completed));
    assert!(!core.finish_untimed(id, Outcome::Completed), "stale");
    assert_eq!(core.snapshot().completed, core.snapshot().admitted);
}

#[test]
fn one_run_in_32_is_measured() {
    let mut core = bulkhead(Config::new(1));
    for _ in 0..3200 {
        let id = admit(&mut core);
        core.finish_untimed(id, Outcome::Completed);
    }
    let stats = core.snapshot();
    assert_eq!(stats.ran_sampled_every, 32);
    assert!((60..140).contains(&stats.ran.count), "{}", stats.ran.count);
}

#[test]
fn with_a_call_timeout_every_run_is_timed() {
    let mut core = bulkhead(Config::new(1).call_timeout(Span::from_millis(5)));
    let untimed = core.acquire_untimed(Request::run(1));
    assert_eq!(untimed, Untimed::NeedsClock);
    assert_eq!(core.snapshot().ran_sampled_every, 1);
}

/// Its wait has to be measured, and may be bounded.
#[test]
fn a_call_that_would_wait_needs_the_clock() {
    let mut core = bulkhead(Config::new(1).max_queue(1).timeout(Span::FOREVER));
    admit(&mut core);
    let untimed = core.acquire_untimed(Request::run(1));
    assert_eq!((untimed, core.queued()), (Untimed::NeedsClock, 0));
}

#[test]
fn with_a_waiter_every_end_needs_the_clock_and_no_call_overtakes() {
    let mut core = bulkhead(Config::new(2).max_queue(1).timeout(Span::FOREVER));
    let light = admit(&mut core);
    let _waits = core.acquire(NOW, Request::run(2)).expect("a valid weight");
    let full = Untimed::Rejected(Rejection::Full(FullReason::QueueFull));
    assert_eq!(core.acquire_untimed(Request::run(1)), full);
    assert!(!core.finish_untimed(light, Outcome::Completed));
    assert_eq!(core.active(), 1);
}

#[test]
fn while_a_deadline_is_set_every_call_needs_the_clock() {
    let mut core = bulkhead(Config::new(3));
    let id = admit(&mut core);
    let bounded = Request::run(1).deadline(Instant::from_nanos(9));
    assert_eq!(core.acquire_untimed(bounded), Untimed::NeedsClock);
    let other = core.add_owner();
    let bounded = admit_timed(&mut core, bounded.owner(other));
    // Also a call that would be rejected: what is due may free capacity for it.
    for request in [Request::run(1), Request::run(3), Request::run(9)] {
        assert_eq!(core.acquire_untimed(request), Untimed::NeedsClock);
    }
    assert!(!core.finish_untimed(id, Outcome::Completed));
    core.finish(NOW, bounded, Outcome::Completed);
    assert!(core.finish_untimed(id, Outcome::Completed));
}

#[test]
fn an_end_that_a_watcher_must_hear_of_needs_the_clock() {
    let mut core = bulkhead(Config::new(1));
    let id = admit(&mut core);
    assert!(core.watch_idle(NOW, OwnerId::FIRST).is_some());
    assert!(!core.finish_untimed(id, Outcome::Completed));
    core.finish(NOW, id, Outcome::Completed);
    let id = admit(&mut core);
    assert_eq!(core.watch_capacity(NOW, Request::run(1)), Ok(false));
    assert!(!core.finish_untimed(id, Outcome::Completed));
}

#[test]
fn an_evicted_watcher_is_no_reason_for_a_clock() {
    let mut core = bulkhead(Config::new(1));
    let other = core.add_owner();
    let id = admit(&mut core);
    assert!(core.watch_idle(NOW, other).is_some());
    let request = Request::run(1).owner(other);
    assert_eq!(core.watch_capacity(NOW, request), Ok(false));
    core.evict(NOW, other);
    assert!(core.finish_untimed(id, Outcome::Completed));
}

#[test]
fn what_no_time_can_change_is_rejected_and_counted_without_a_clock() {
    let mut core = bulkhead(Config::new(2));
    let evicted = core.add_owner();
    core.evict(NOW, evicted);
    let held = [admit(&mut core), admit(&mut core)];
    let nested = Request::run(1).held(&held);
    let reentrant = Rejection::Reentrant { holding: 2 };
    let answers = [
        (Request::run(1), NO_QUEUE),
        (Request::run(3), Untimed::Rejected(Rejection::TooHeavy)),
        (nested, Untimed::Rejected(reentrant)),
        (
            Request::run(1).aborted(true),
            Untimed::Rejected(Rejection::Cancelled),
        ),
        (
            Request::run(1).owner(evicted),
            Untimed::Rejected(Rejection::Closed),
        ),
    ];
    for (request, answer) in answers {
        assert_eq!(core.acquire_untimed(request), answer);
    }
    core.close(NOW, false);
    let closed = Untimed::Rejected(Rejection::Closed);
    assert_eq!(core.acquire_untimed(Request::run(1)), closed);
    let rejected = core.snapshot().rejected;
    let counts = [
        rejected.full,
        rejected.too_heavy,
        rejected.reentrant,
        rejected.cancelled,
        rejected.closed,
        rejected.queue_timeout,
    ];
    assert_eq!(counts, [1, 1, 1, 1, 2, 0]);
}

/// The input with a clock names the fault.
#[test]
fn a_weight_out_of_range_changes_nothing() {
    let mut core = bulkhead(Config::new(1));
    let before = core.snapshot();
    for weight in [0, MAX_COUNT + 1, u32::MAX] {
        let untimed = core.acquire_untimed(Request::run(weight));
        assert_eq!(untimed, Untimed::NeedsClock);
    }
    assert_eq!(core.snapshot(), before);
}
