//! Permits that their holders drop without release.

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Id, Instant, Outcome, OwnerId, Reclaim, Request, Span,
};

const NOW: Instant = Instant::ZERO;

fn bulkhead(config: Config) -> Bulkhead {
    Bulkhead::new(config).expect("valid options")
}

fn permit(core: &mut Bulkhead, owner: OwnerId) -> Id {
    let permit = core.try_acquire(NOW, Request::permit(1).owner(owner));
    permit.expect("a valid weight").expect("a free permit")
}

/// So the host warns once for each bulkhead, whichever of its threads had the permit.
#[test]
fn the_first_leak_of_a_bulkhead_is_told_from_the_later_ones() {
    let mut core = bulkhead(Config::new(3));
    let other = core.add_owner();
    let ids = [OwnerId::FIRST, other, OwnerId::FIRST].map(|owner| permit(&mut core, owner));
    let reclaims = ids.map(|id| core.reclaim(NOW, id));
    assert_eq!(reclaims, [Reclaim::First, Reclaim::Again, Reclaim::Again]);
    let stats = core.snapshot();
    assert_eq!((stats.leaked, stats.active, stats.completed), (3, 0, 0));
}

#[test]
fn a_permit_that_came_back_is_stale_and_no_leak() {
    let mut core = bulkhead(Config::new(2));
    let ids = [(); 2].map(|()| permit(&mut core, OwnerId::FIRST));
    assert!(core.release(NOW, ids[0]));
    assert_eq!(core.reclaim(NOW, ids[0]), Reclaim::Stale);
    assert_eq!(core.reclaim(NOW, ids[1]), Reclaim::First);
    assert_eq!(core.reclaim(NOW, ids[1]), Reclaim::Stale, "twice");
    let stats = core.snapshot();
    assert_eq!((stats.leaked, stats.double_releases), (1, 0));
}

/// A stream whose run was counted, for example.
#[test]
fn a_counted_run_is_reclaimed_like_any_other_and_makes_room() {
    let mut core = bulkhead(Config::new(1).max_queue(1));
    let first = permit(&mut core, OwnerId::FIRST);
    assert!(core.release(NOW, first));
    assert_eq!(
        core.reclaim_counted(NOW, OwnerId::FIRST),
        Reclaim::Stale,
        "none has begun"
    );
    assert!(core.admit_counted(OwnerId::FIRST));
    let waits = core.acquire(NOW, Request::run(1)).expect("a valid weight");
    let Admission::Queued(waits) = waits else {
        panic!("{waits:?}");
    };
    assert_eq!(core.reclaim_counted(NOW, OwnerId::FIRST), Reclaim::First);
    let granted = Event::Granted { id: waits };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
    let stats = core.snapshot();
    assert_eq!((stats.leaked, stats.completed, stats.admitted), (1, 1, 3));
    assert_eq!(core.check_invariants(), Ok(()));
}

#[test]
fn a_waiter_holds_nothing_to_reclaim() {
    let mut core = bulkhead(Config::new(1).max_queue(1));
    let held = permit(&mut core, OwnerId::FIRST);
    let waits = core
        .acquire(NOW, Request::permit(1))
        .expect("a valid weight");
    let Admission::Queued(waits) = waits else {
        panic!("{waits:?}");
    };
    assert_eq!(core.reclaim(NOW, waits), Reclaim::Stale);
    assert_eq!(core.queued(), 1);
    assert_eq!(core.reclaim(NOW, held), Reclaim::First);
    let granted = Event::Granted { id: waits };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
}

/// As with every permit that comes back: a run deadline that passed unhandled acts no longer.
#[test]
fn a_reclaim_is_in_time_after_its_run_deadline() {
    let mut core = bulkhead(Config::new(1).call_timeout(Span::from_nanos(10)));
    let id = core.try_acquire(NOW, Request::run(1));
    let id = id.expect("a valid weight").expect("a free permit");
    assert_eq!(core.reclaim(Instant::from_nanos(50), id), Reclaim::First);
    let stats = core.snapshot();
    assert_eq!((stats.call_timeouts, stats.leaked), (0, 1));
    assert_eq!(core.poll_event(OwnerId::FIRST), None);
}

/// The child of a fork has dropped nothing yet.
#[test]
fn after_a_restart_the_next_leak_is_the_first_again() {
    let mut core = bulkhead(Config::new(1));
    let id = permit(&mut core, OwnerId::FIRST);
    assert_eq!(core.reclaim(NOW, id), Reclaim::First);
    core.restart();
    let id = permit(&mut core, OwnerId::FIRST);
    assert_eq!(core.reclaim(NOW, id), Reclaim::First);
    assert!(!core.finish(NOW, id, Outcome::Completed));
}
