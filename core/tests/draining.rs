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
