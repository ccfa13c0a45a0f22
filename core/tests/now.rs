//! The ways in and out that look at no clock: when they serve, and when they leave it to the others.

use bulkheads_core::{Bulkhead, Config, Instant, Outcome, OwnerId, Request, Span};

const NOW: Instant = Instant::ZERO;

/// With its first run, which is always measured, behind it.
fn bulkhead(config: Config) -> Bulkhead {
    let mut core = Bulkhead::new(config).expect("valid options");
    let first = core.try_acquire(NOW, Request::permit(1));
    let first = first.expect("a valid weight").expect("a free permit");
    core.finish(NOW, first, Outcome::Completed);
    core
}

/// Of several runs in a row at most one is measured; the others need no clock.
fn admit(core: &mut Bulkhead) -> bulkheads_core::Id {
    if let Some(id) = core.admit_now(Request::run(1)) {
        return id;
    }
    let measured = core.try_acquire(NOW, Request::run(1));
    let measured = measured.expect("a valid weight").expect("a free permit");
    assert!(
        !core.finish_now(measured, Outcome::Completed),
        "a measured run needs the clock"
    );
    core.finish(NOW, measured, Outcome::Completed);
    admit(core)
}

#[test]
fn a_call_of_a_quiet_bulkhead_comes_and_goes_without_a_clock() {
    let mut core = bulkhead(Config::new(1));
    let id = admit(&mut core);
    assert_eq!((core.active(), core.admit_now(Request::run(1))), (1, None));
    assert!(core.finish_now(id, Outcome::Completed));
    assert!(!core.finish_now(id, Outcome::Completed), "stale");
    assert_eq!(core.snapshot().completed, core.snapshot().admitted);
}

#[test]
fn one_run_in_32_is_measured() {
    let mut core = bulkhead(Config::new(1));
    for _ in 0..3200 {
        let id = admit(&mut core);
        core.finish_now(id, Outcome::Completed);
    }
    let stats = core.snapshot();
    assert_eq!(stats.ran_sampled_every, 32);
    assert!((60..140).contains(&stats.ran.count), "{}", stats.ran.count);
}

#[test]
fn with_a_call_timeout_every_run_is_timed() {
    let mut core = bulkhead(Config::new(1).call_timeout(Span::from_millis(5)));
    assert_eq!(core.admit_now(Request::run(1)), None);
    assert_eq!(core.snapshot().ran_sampled_every, 1);
}

#[test]
fn whoever_waits_needs_the_clock() {
    let mut core = bulkhead(Config::new(2).max_queue(1).timeout(Span::FOREVER));
    let light = admit(&mut core);
    let _waits = core.acquire(NOW, Request::run(2)).expect("a valid weight");
    assert_eq!(core.admit_now(Request::run(1)), None, "nobody overtakes");
    assert!(!core.finish_now(light, Outcome::Completed));
    assert_eq!(core.active(), 1);
}

#[test]
fn what_can_fall_due_needs_the_clock_until_it_cannot() {
    let mut core = bulkhead(Config::new(3));
    let id = admit(&mut core);
    let bounded = Request::run(1).deadline(Instant::from_nanos(9));
    assert_eq!(core.admit_now(bounded), None);
    let bounded = core
        .try_acquire(NOW, bounded)
        .expect("a valid weight")
        .expect("a free permit");
    assert_eq!(core.admit_now(Request::run(1)), None);
    assert!(!core.finish_now(id, Outcome::Completed));
    core.finish(NOW, bounded, Outcome::Completed);
    assert!(core.finish_now(id, Outcome::Completed));
}

#[test]
fn whoever_watches_is_told() {
    let mut core = bulkhead(Config::new(1));
    let id = admit(&mut core);
    assert!(!core.watch_idle(NOW, OwnerId::FIRST));
    assert!(!core.finish_now(id, Outcome::Completed));
    core.finish(NOW, id, Outcome::Completed);
    let id = admit(&mut core);
    assert!(
        !core
            .watch_room(NOW, Request::run(1))
            .expect("a valid weight")
    );
    assert!(!core.finish_now(id, Outcome::Completed));
}

#[test]
fn nothing_is_admitted_that_acquire_would_reject() {
    let mut core = bulkhead(Config::new(1));
    admit(&mut core);
    let before = core.snapshot();
    for request in [
        Request::run(0),
        Request::run(2),
        Request::run(u32::MAX),
        Request::run(1).aborted(true),
    ] {
        assert_eq!(core.admit_now(request), None);
    }
    assert_eq!(core.snapshot(), before);
    core.close(NOW, false);
    assert_eq!(core.admit_now(Request::run(1)), None);
}

#[test]
fn whoever_watched_and_died_is_no_reason_for_a_clock() {
    let mut core = bulkhead(Config::new(1));
    let other = core.add_owner();
    let id = admit(&mut core);
    assert!(!core.watch_idle(NOW, other));
    assert_eq!(
        core.watch_room(NOW, Request::run(1).owner(other)),
        Ok(false)
    );
    core.evict(NOW, other);
    assert!(core.finish_now(id, Outcome::Completed));
}
