//! A bulkhead that begins anew forgets every call, and nothing from before can disturb it.

use bulkheads_core::{
    Admission, Bulkhead, Config, Id, Instant, Outcome, OwnerId, Rejection, Request, Span, State,
};

const AT: Instant = Instant::from_nanos(5);
const LATER: Instant = Instant::from_nanos(1_000_000_000_000);

#[track_caller]
fn acquire(core: &mut Bulkhead, request: Request) -> Id {
    match core.acquire(AT, request).expect("a valid weight") {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

fn crowded() -> (Bulkhead, OwnerId, Vec<Id>) {
    let config = Config::new(3)
        .max_queue(9)
        .call_timeout(Span::from_nanos(100))
        .abandon_after(Span::from_nanos(1_000));
    let mut core = Bulkhead::new(config).expect("valid options");
    let other = core.add_owner();
    let mut ids = Vec::new();
    for weight in 1..=2 {
        for owner in [OwnerId::FIRST, other] {
            let request = Request::run(weight).owner(owner);
            ids.push(acquire(&mut core, request));
        }
    }
    // Some are past their run deadline, some wait, some were granted; two owners watch.
    core.handle_timeout(Instant::from_nanos(105));
    core.resize(AT, 4).expect("a valid limit");
    assert!(core.watch_idle(AT, OwnerId::FIRST).is_some());
    let watch = Request::run(4).owner(other);
    assert_eq!(core.watch_capacity(AT, watch), Ok(false));
    assert_eq!(core.check_invariants(), Ok(()));
    (core, other, ids)
}

/// Neither a bound on a drain nor a wait for capacity is left, nor a driver that is to be woken for
/// it.
#[test]
fn no_alarm_is_left() {
    let (mut core, other, _) = crowded();
    core.drain_within(AT, other, Span::from_nanos(500));
    core.restart();
    assert_eq!(core.check_invariants(), Ok(()));
    assert_eq!(core.poll_timeout(OwnerId::FIRST), None);
    assert!(!core.keeps_alive(OwnerId::FIRST));
    assert_eq!(core.poll_wake(), None);
}

#[test]
fn no_call_is_left_and_all_counts_are_zero() {
    let (mut core, other, _) = crowded();
    core.drain(AT);
    core.restart();
    assert_eq!(core.check_invariants(), Ok(()));
    let stats = core.snapshot();
    assert_eq!((stats.limit, stats.state), (4, State::Closed));
    let counts = [
        stats.active,
        stats.running,
        stats.overrun,
        stats.peak_active,
        stats.admitted,
        stats.call_timeouts,
        stats.abandoned_runs,
    ];
    assert_eq!(counts, [0; 7]);
    assert_eq!((stats.queued, stats.peak_queued), (0, 0));
    assert_eq!((stats.waited.count, stats.ran.count), (0, 0));
    for owner in [OwnerId::FIRST, other] {
        assert_eq!(core.poll_event(owner), None);
        assert_eq!(core.poll_timeout(owner), None);
    }
    assert_eq!(core.poll_wake(), None);
}

#[test]
fn ids_and_owners_from_before_are_stale() {
    let (mut core, other, ids) = crowded();
    core.restart();
    let mine = [(); 4].map(|()| acquire(&mut core, Request::run(1)));
    for id in ids {
        assert!(!mine.contains(&id));
        assert!(!core.finish(AT, id, Outcome::Completed));
        core.cancel(AT, id);
    }
    let late = core.acquire(AT, Request::run(1).owner(other));
    assert_eq!(late, Ok(Admission::Rejected(Rejection::Closed)));
    assert_ne!(core.add_owner(), other);
    assert_eq!(core.snapshot().running, 4);
    core.handle_timeout(LATER);
    assert_eq!(core.check_invariants(), Ok(()));
}

#[test]
fn no_owner_of_before_comes_back_however_often_it_begins_anew() {
    let (mut core, other, _) = crowded();
    let mut before = vec![other];
    for _ in 0..3 {
        core.restart();
        for _ in 0..2 {
            let owner = core.add_owner();
            assert!(!before.contains(&owner));
            before.push(owner);
        }
    }
}

#[test]
fn watchers_from_before_hear_of_nothing() {
    let (mut core, ..) = crowded();
    core.restart();
    let id = acquire(&mut core, Request::run(1));
    assert!(core.finish(AT, id, Outcome::Completed));
    assert_eq!(core.poll_event(OwnerId::FIRST), None);
}

/// Of the parent's counted runs none counts, none is abandoned, and none can be ended here.
#[test]
fn counted_runs_from_before_are_forgotten() {
    let mut core = Bulkhead::new(Config::new(3)).expect("valid options");
    let first = acquire(&mut core, Request::run(1));
    core.finish(AT, first, Outcome::Completed);
    let other = core.add_owner();
    assert!(core.admit_counted(other) && core.admit_counted(other));
    core.restart();
    assert_eq!(core.check_invariants(), Ok(()));
    let stats = core.snapshot();
    let counts = (stats.active, stats.admitted, stats.abandoned_runs);
    assert_eq!(counts, (0, 0, 0));
    for owner in [OwnerId::FIRST, other] {
        assert!(!core.finish_counted(AT, owner, Outcome::Completed));
    }
}
