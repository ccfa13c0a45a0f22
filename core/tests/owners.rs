//! Several drivers over one core: whose events, whose timers, and the end of one.

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Id, Instant, Outcome, OwnerId, Rejection, Request, Span,
};

const NOW: Instant = Instant::ZERO;

fn bulkhead(config: Config) -> Bulkhead {
    Bulkhead::new(config).expect("valid options")
}

#[track_caller]
fn id_of(admission: Admission) -> Id {
    match admission {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

#[track_caller]
fn acquire(core: &mut Bulkhead, owner: OwnerId) -> Id {
    let admission = core.acquire(NOW, Request::run(1).owner(owner));
    id_of(admission.expect("a valid weight"))
}

fn events(core: &mut Bulkhead, owner: OwnerId) -> Vec<Event> {
    std::iter::from_fn(|| core.poll_event(owner)).collect()
}

#[test]
fn a_release_of_one_wakes_the_waiter_of_another() {
    let mut core = bulkhead(Config::new(1).max_queue(2));
    let other = core.add_owner();
    let held = acquire(&mut core, OwnerId::FIRST);
    let waits = acquire(&mut core, other);
    assert_eq!(core.poll_timeout(OwnerId::FIRST), None);
    assert!(core.poll_timeout(other).is_some());
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(core.poll_wake(), Some(other));
    assert_eq!(core.poll_wake(), None);
    assert_eq!(core.poll_event(OwnerId::FIRST), None);
    assert_eq!(core.poll_event(other), Some(Event::Granted { id: waits }));
}

/// However many events it gets before anyone asks whom to wake.
#[test]
fn an_owner_with_several_events_is_named_once() {
    let mut core = bulkhead(Config::new(2).max_queue(4));
    let other = core.add_owner();
    let held = [(); 2].map(|()| acquire(&mut core, OwnerId::FIRST));
    for _ in 0..4 {
        acquire(&mut core, other);
    }
    for id in held {
        core.finish(NOW, id, Outcome::Completed);
    }
    core.close(NOW, false);
    assert_eq!(core.peek_events(other).count(), 4);
    assert_eq!((core.poll_wake(), core.poll_wake()), (Some(other), None));
}

#[test]
fn an_evicted_owner_leaves_nothing_behind() {
    let mut core = bulkhead(Config::new(1).max_queue(3));
    let dead = core.add_owner();
    acquire(&mut core, dead);
    acquire(&mut core, dead);
    let next = acquire(&mut core, OwnerId::FIRST);
    core.evict(NOW, dead);
    let granted = Event::Granted { id: next };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
    let stats = core.snapshot();
    assert_eq!(
        (stats.abandoned_runs, stats.rejected.cancelled, stats.active),
        (1, 1, 1)
    );
    let late = core.acquire(NOW, Request::run(1).owner(dead));
    assert_eq!(late, Ok(Admission::Rejected(Rejection::Closed)));
    let heir = core.add_owner();
    assert_ne!(heir, dead, "a number that was evicted does not come back");
    assert_eq!(core.poll_event(dead), None);
}

#[test]
fn an_evicted_owner_is_not_named_to_be_woken() {
    let mut core = bulkhead(Config::new(1).max_queue(1));
    let other = core.add_owner();
    let held = acquire(&mut core, OwnerId::FIRST);
    acquire(&mut core, other);
    core.finish(NOW, held, Outcome::Completed);
    core.evict(NOW, other);
    assert_eq!(core.poll_wake(), None);
    let heir = core.add_owner();
    let held = acquire(&mut core, OwnerId::FIRST);
    acquire(&mut core, heir);
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(core.poll_wake(), Some(heir), "its place was not forgotten");
}

#[test]
fn one_abort_is_one_step() {
    let mut core = bulkhead(Config::new(2).max_queue(4));
    let runs = acquire(&mut core, OwnerId::FIRST);
    let heavy = id_of(core.acquire(NOW, Request::run(2)).expect("a valid weight"));
    let light = acquire(&mut core, OwnerId::FIRST);
    let last = acquire(&mut core, OwnerId::FIRST);
    core.abort(NOW, [runs, heavy, light]);
    let cancelled = |id| Event::Cancelled { id };
    let granted = Event::Granted { id: last };
    assert_eq!(
        events(&mut core, OwnerId::FIRST),
        [cancelled(runs), cancelled(heavy), cancelled(light), granted]
    );
    let stats = core.snapshot();
    assert_eq!(
        (stats.unclaimed, stats.rejected.cancelled, stats.overrun),
        (0, 2, 1)
    );
}

#[test]
fn a_bound_that_passes_before_the_start_acts_after_it() {
    let span = Span::from_nanos(10);
    let mut core = bulkhead(Config::new(1).max_queue(1).timeout(span).call_timeout(span));
    let first = acquire(&mut core, OwnerId::FIRST);
    let second = acquire(&mut core, OwnerId::FIRST);
    core.finish(NOW, first, Outcome::Completed);
    core.handle_timeout(Instant::from_nanos(50));
    let granted = Event::Granted { id: second };
    assert_eq!(events(&mut core, OwnerId::FIRST), [granted]);
    core.start(second);
    let due = Instant::from_nanos(10);
    assert_eq!(core.poll_timeout(OwnerId::FIRST), Some(due));
    core.handle_timeout(Instant::from_nanos(50));
    let timed_out = Event::CallTimedOut {
        id: second,
        nanos: 50,
    };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(timed_out));
}

#[test]
fn an_abandon_timer_keeps_nothing_alive() {
    let span = Span::from_nanos(10);
    let mut core = bulkhead(Config::new(1).call_timeout(span).abandon_after(span));
    acquire(&mut core, OwnerId::FIRST);
    assert!(core.keeps_alive(OwnerId::FIRST));
    core.handle_timeout(Instant::from_nanos(10));
    let abandoned = Instant::from_nanos(20);
    assert_eq!(core.poll_timeout(OwnerId::FIRST), Some(abandoned));
    assert!(!core.keeps_alive(OwnerId::FIRST));
}
