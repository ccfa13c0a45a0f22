//! Several drivers over one core: whose events, whose timers, and the death of one.

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Id, Instant, Notation, Outcome, OwnerId, Rejection,
    Request, Span,
};
use bulkheads_engine::{Engine, Options, RUN, owner_number};

const NOW: Instant = Instant::ZERO;

fn id_of(admission: Admission) -> Id {
    match admission {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        other => panic!("{other:?}"),
    }
}

fn acquire(core: &mut Bulkhead, owner: OwnerId) -> Id {
    id_of(
        core.acquire(NOW, Request::run(1).owner(owner))
            .expect("a valid weight"),
    )
}

#[test]
fn a_release_of_one_wakes_the_waiter_of_another() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(2)).expect("valid options");
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

/// Another's input may have come between the look at one's own events and the question whom to wake.
#[test]
fn whoever_asks_apart_from_its_inputs_is_named_if_it_has_news() {
    let options = Options {
        max_concurrent: 1.0,
        max_queue: Some(1.0),
        ..Options::default()
    };
    let mut engine = Engine::new(Notation::CamelMillis, options).expect("valid options");
    let (me, other) = (OwnerId::FIRST, engine.attach());
    let held = engine.try_acquire(other, 0.0, 1.0).expect("a valid weight");
    let forever = f64::INFINITY;
    let waits = engine.acquire(me, 0.0, 1.0, forever, forever, RUN, 0.0);
    let waits = -waits.expect("valid arguments");
    assert_eq!(engine.next_event(me).kind, 0);
    engine.finish(0.0, held, 0);
    assert_eq!(engine.take_wakes(me), [owner_number(me)]);
    assert_eq!(engine.next_event(me).kind, 1);
    engine.close(0.0, true);
    engine.start(waits);
    assert_eq!(engine.next_event(me).kind, 7);
    assert_eq!(engine.take_wakes(me), [], "it has seen all its events");
}

#[test]
fn an_evicted_owner_leaves_nothing_behind() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(3)).expect("valid options");
    let dead = core.add_owner();
    acquire(&mut core, dead);
    acquire(&mut core, dead);
    let next = acquire(&mut core, OwnerId::FIRST);
    core.evict(NOW, dead);
    assert_eq!(
        core.poll_event(OwnerId::FIRST),
        Some(Event::Granted { id: next })
    );
    let stats = core.snapshot();
    assert_eq!(
        (stats.abandoned_runs, stats.rejected.cancelled, stats.active),
        (1, 1, 1)
    );
    let late = core
        .acquire(NOW, Request::run(1).owner(dead))
        .expect("a valid weight");
    assert_eq!(late, Admission::Rejected(Rejection::Closed));
    let heir = core.add_owner();
    assert_ne!(heir, dead, "a number that was evicted does not come back");
    assert_eq!(core.poll_event(dead), None);
}

#[test]
fn nobody_is_asked_to_wake_the_dead() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(1)).expect("valid options");
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
fn whoever_watches_hears_of_the_first_idle_moment_once() {
    let mut core = Bulkhead::new(Config::new(1)).expect("valid options");
    let other = core.add_owner();
    let held = acquire(&mut core, OwnerId::FIRST);
    assert!(!core.watch_idle(NOW, other) && !core.watch_idle(NOW, other));
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(core.poll_event(other), Some(Event::Idle));
    assert_eq!(core.poll_event(other), None);
    assert!(core.watch_idle(NOW, other));
}

#[test]
fn whoever_watches_for_room_hears_of_it_once() {
    let mut core = Bulkhead::new(Config::new(2).max_queue(1)).expect("valid options");
    let me = OwnerId::FIRST;
    let first = acquire(&mut core, me);
    assert_eq!(core.watch_room(NOW, Request::run(1).owner(me)), Ok(true));
    assert_eq!(
        core.watch_room(NOW, Request::run(3).owner(me)),
        Ok(true),
        "too heavy is no reason to wait"
    );
    let second = acquire(&mut core, me);
    assert_eq!(core.watch_room(NOW, Request::run(1).owner(me)), Ok(false));
    let third = acquire(&mut core, me);
    core.finish(NOW, first, Outcome::Completed);
    assert_eq!(core.poll_event(me), Some(Event::Granted { id: third }));
    assert_eq!(core.poll_event(me), None, "the permit changed hands");
    core.finish(NOW, second, Outcome::Completed);
    assert_eq!(core.poll_event(me), Some(Event::Room));
    core.finish(NOW, third, Outcome::Completed);
    assert_eq!(core.poll_event(me), None);
}

#[test]
fn the_end_is_room_too() {
    let mut core = Bulkhead::new(Config::new(1)).expect("valid options");
    acquire(&mut core, OwnerId::FIRST);
    assert_eq!(core.watch_room(NOW, Request::run(1)), Ok(false));
    core.drain(NOW);
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(Event::Room));
}

#[test]
fn one_abort_is_one_step() {
    let mut core = Bulkhead::new(Config::new(2).max_queue(4)).expect("valid options");
    let runs = acquire(&mut core, OwnerId::FIRST);
    let heavy = id_of(core.acquire(NOW, Request::run(2)).expect("a valid weight"));
    let light = acquire(&mut core, OwnerId::FIRST);
    let last = acquire(&mut core, OwnerId::FIRST);
    core.abort(NOW, [runs, heavy, light]);
    let events: Vec<_> = std::iter::from_fn(|| core.poll_event(OwnerId::FIRST)).collect();
    let cancelled = |id| Event::Cancelled { id };
    let granted = Event::Granted { id: last };
    assert_eq!(
        events,
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
    let config = Config::new(1).max_queue(1).timeout(span).call_timeout(span);
    let mut core = Bulkhead::new(config).expect("valid options");
    let first = acquire(&mut core, OwnerId::FIRST);
    let second = acquire(&mut core, OwnerId::FIRST);
    core.finish(NOW, first, Outcome::Completed);
    core.handle_timeout(Instant::from_nanos(50));
    assert_eq!(
        core.poll_event(OwnerId::FIRST),
        Some(Event::Granted { id: second })
    );
    assert_eq!(core.poll_event(OwnerId::FIRST), None);
    core.start(second);
    assert_eq!(
        core.poll_timeout(OwnerId::FIRST),
        Some(Instant::from_nanos(10))
    );
    core.handle_timeout(Instant::from_nanos(50));
    let timed_out = Event::CallTimedOut {
        id: second,
        nanos: 50,
    };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(timed_out));
}

#[test]
fn a_run_that_starts_after_a_close_with_abort_is_answered_at_once() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(1)).expect("valid options");
    let first = acquire(&mut core, OwnerId::FIRST);
    let second = acquire(&mut core, OwnerId::FIRST);
    core.finish(NOW, first, Outcome::Completed);
    core.close(NOW, true);
    assert_eq!(
        core.poll_event(OwnerId::FIRST),
        Some(Event::Granted { id: second })
    );
    core.start(second);
    let closed = Event::CallClosed { id: second };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(closed));
    assert!(core.finish(NOW, second, Outcome::Completed));
    assert_eq!(core.snapshot().failed, 1);
}

#[test]
fn a_second_close_takes_no_abort_back() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(1)).expect("valid options");
    let first = acquire(&mut core, OwnerId::FIRST);
    let second = acquire(&mut core, OwnerId::FIRST);
    core.finish(NOW, first, Outcome::Completed);
    core.close(NOW, true);
    core.close(NOW, false);
    core.start(second);
    let events: Vec<_> = std::iter::from_fn(|| core.poll_event(OwnerId::FIRST)).collect();
    let (granted, closed) = (
        Event::Granted { id: second },
        Event::CallClosed { id: second },
    );
    assert_eq!(events, [granted, closed]);
}

#[test]
fn what_only_waits_for_its_grace_keeps_nothing_alive() {
    let span = Span::from_nanos(10);
    let config = Config::new(1).call_timeout(span).abandon_after(span);
    let mut core = Bulkhead::new(config).expect("valid options");
    acquire(&mut core, OwnerId::FIRST);
    assert!(core.keeps_alive(OwnerId::FIRST));
    core.handle_timeout(Instant::from_nanos(10));
    assert!(core.poll_timeout(OwnerId::FIRST).is_some() && !core.keeps_alive(OwnerId::FIRST));
}
