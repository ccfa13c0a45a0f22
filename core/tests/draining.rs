//! A drain under a bound.

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Id, Instant, Outcome, OwnerId, Request, Span, State,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

/// One call runs, one waits.
fn busy() -> (Bulkhead, Id, Id) {
    let config = Config::new(1).max_queue(5).timeout(Span::FOREVER);
    let mut core = Bulkhead::new(config).expect("valid options");
    let ids = [(); 2].map(|()| match core.acquire(NOW, Request::run(1)) {
        Ok(Admission::Admitted(id) | Admission::Queued(id)) => id,
        other => panic!("{other:?}"),
    });
    (core, ids[0], ids[1])
}

#[test]
fn ends_by_closing() {
    let (mut core, runs, waits) = busy();
    core.drain_within(NOW, ME, Span::from_nanos(50));
    assert_eq!(core.poll_timeout(ME), Some(at(50)));
    assert!(core.keeps_alive(ME), "it is awaited");
    core.handle_timeout(at(50));
    let closed = Event::Closed {
        id: waits,
        nanos: 50,
    };
    assert_eq!(core.poll_event(ME), Some(closed));
    assert_eq!(core.snapshot().state, State::Closed);
    assert_eq!(core.active(), 1, "what runs goes on");
    assert_eq!(core.poll_timeout(ME), None);
    assert!(core.finish(at(60), runs, Outcome::Completed));
}

#[test]
fn the_first_of_several_bounds_counts() {
    let (mut core, ..) = busy();
    for nanos in [90, 50, 70] {
        core.drain_within(NOW, ME, Span::from_nanos(nanos));
    }
    core.drain(NOW);
    assert_eq!(core.poll_timeout(ME), Some(at(50)));
}

#[test]
fn that_comes_to_its_end_before_leaves_no_timer_and_is_closed() {
    let (mut core, runs, waits) = busy();
    core.drain_within(NOW, ME, Span::from_nanos(50));
    core.finish(at(1), runs, Outcome::Completed);
    core.start(waits);
    assert_eq!(core.snapshot().state, State::Draining);
    core.finish(at(2), waits, Outcome::Completed);
    assert_eq!((core.poll_timeout(ME), core.keeps_alive(ME)), (None, false));
    assert_eq!(core.snapshot().state, State::Closed);
}

#[test]
fn of_an_idle_bulkhead_has_ended_at_once() {
    let mut core = Bulkhead::new(Config::new(1)).expect("valid options");
    core.drain_within(NOW, ME, Span::from_nanos(50));
    assert_eq!(core.poll_timeout(ME), None);
    assert_eq!(core.snapshot().state, State::Closed);
}

/// No driver need be awake for it: whoever waits hears in this very step.
#[test]
fn within_no_time_is_closing() {
    let (mut core, _, waits) = busy();
    core.drain_within(at(5), ME, Span::ZERO);
    let closed = Event::Closed {
        id: waits,
        nanos: 5,
    };
    assert_eq!(core.poll_event(ME), Some(closed));
    assert_eq!(core.snapshot().state, State::Closed);
    assert_eq!(core.poll_timeout(ME), None);
}

/// Time 2.2: what a passing bound frees serves nobody who is rejected in the same instant.
#[test]
fn that_ends_as_a_run_is_abandoned_rejects_who_waits() {
    let config = Config::new(1)
        .max_queue(1)
        .timeout(Span::FOREVER)
        .call_timeout(Span::from_nanos(10))
        .abandon_after(Span::from_nanos(10));
    let mut core = Bulkhead::new(config).expect("valid options");
    for _ in 0..2 {
        let came = core.acquire(NOW, Request::run(1));
        assert!(!matches!(came, Ok(Admission::Rejected(_))));
    }
    core.drain_within(NOW, ME, Span::from_nanos(15));
    core.handle_timeout(at(30));
    let stats = core.snapshot();
    assert_eq!((stats.abandoned_runs, stats.rejected.closed), (1, 1));
    assert_eq!((stats.state, stats.active), (State::Closed, 0));
}

/// A host may begin runs by itself until the engine is asked; from then on each end matters.
#[test]
fn ends_with_the_last_counted_run() {
    let mut core = Bulkhead::new(Config::new(2)).expect("valid options");
    for _ in 0..2 {
        let given = core.credit(ME);
        let left = bulkheads_core::Credit {
            free: given.free - 1,
            starts: given.starts - 1,
            least: given.free - 1,
            failed: 0,
        };
        core.absorb(ME, given, left);
    }
    core.drain_within(NOW, ME, Span::from_nanos(50));
    assert_eq!(core.credit(ME), bulkheads_core::Credit::NONE);
    for (state, timer) in [(State::Draining, Some(at(50))), (State::Closed, None)] {
        assert!(!core.finish_counted_untimed(ME, Outcome::Completed));
        assert!(core.finish_counted(at(1), ME, Outcome::Completed));
        assert_eq!(
            (core.snapshot().state, core.poll_timeout(ME)),
            (state, timer)
        );
    }
}

/// No call is left then, whoever comes next.
#[test]
fn is_over_with_the_last_owner() {
    let (mut core, ..) = busy();
    let other = core.add_owner();
    let held = core.acquire(NOW, Request::permit(1).owner(other));
    assert!(matches!(held, Ok(Admission::Queued(_))));
    core.drain_within(NOW, other, Span::from_nanos(50));
    core.evict(at(1), ME);
    core.evict(at(1), other);
    assert_eq!(core.check_invariants(), Ok(()));
    assert_eq!(core.snapshot().state, State::Closed);
    let heir = core.add_owner();
    assert_eq!(
        (core.poll_timeout(heir), core.keeps_alive(heir)),
        (None, false)
    );
}

/// The owner that asked for it may end; another's timer takes it over, and its driver is woken.
#[test]
fn outlives_the_owner_that_asked_for_it() {
    let (mut core, _, waits) = busy();
    let other = core.add_owner();
    core.drain_within(NOW, other, Span::from_nanos(50));
    while core.poll_wake().is_some() {}
    core.evict(at(1), other);
    assert_eq!(core.poll_wake(), Some(ME));
    assert_eq!(core.poll_timeout(ME), Some(at(50)));
    core.handle_timeout(at(50));
    let closed = Event::Closed {
        id: waits,
        nanos: 50,
    };
    assert_eq!(core.poll_event(ME), Some(closed));
}
