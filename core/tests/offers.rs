//! "Admit me, or notify me when": a call that never stands in the queue and is never `full`.

use bulkheads_core::{
    Admission, Bulkhead, CompartmentId, Config, Event, Id, Instant, MAX_COUNT, Offer, Outcome,
    OwnerId, Rejection, Request, Span,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;
const CAPACITY: Event = Event::Capacity {
    compartment: CompartmentId::FIRST,
};

fn bulkhead(limit: u32, max_queue: u32) -> Bulkhead {
    Bulkhead::new(Config::new(limit).max_queue(max_queue)).expect("valid options")
}

fn offer(core: &mut Bulkhead, request: Request) -> Offer {
    let offer = core.acquire_or_watch(NOW, request);
    offer.expect("a valid weight")
}

#[track_caller]
fn admitted(offer: Offer) -> Id {
    match offer {
        Offer::Admitted(id) => id,
        Offer::Rejected(_) | Offer::Watching => panic!("{offer:?}"),
    }
}

fn events(core: &mut Bulkhead, owner: OwnerId) -> Vec<Event> {
    std::iter::from_fn(|| core.poll_event(owner)).collect()
}

#[test]
fn a_call_that_fits_runs_at_once() {
    let mut core = bulkhead(2, 0);
    let id = admitted(offer(&mut core, Request::run(2)));
    assert_eq!((core.permits(id), core.snapshot().admitted), (2, 1));
    assert!(core.finish(NOW, id, Outcome::Completed));
}

/// With a queue and without: it is neither queued nor `full`.
#[test]
fn a_call_that_does_not_fit_watches_and_counts_nowhere() {
    for max_queue in [0, 5] {
        let mut core = bulkhead(1, max_queue);
        let held = admitted(offer(&mut core, Request::run(1)));
        let before = core.snapshot();
        assert_eq!(offer(&mut core, Request::run(1)), Offer::Watching);
        assert_eq!(core.snapshot(), before);
        core.finish(NOW, held, Outcome::Completed);
        assert_eq!(events(&mut core, ME), [CAPACITY]);
        admitted(offer(&mut core, Request::run(1)));
    }
}

#[test]
fn a_call_behind_waiters_watches_although_it_would_fit() {
    let mut core = bulkhead(2, 2);
    let held = admitted(offer(&mut core, Request::run(1)));
    let heavy = core.acquire(NOW, Request::run(2)).expect("a valid weight");
    assert!(matches!(heavy, Admission::Queued(_)));
    assert_eq!(offer(&mut core, Request::run(1)), Offer::Watching);
    core.finish(NOW, held, Outcome::Completed);
    let Admission::Queued(id) = heavy else {
        unreachable!("it waits")
    };
    assert_eq!(events(&mut core, ME), [Event::Granted { id }]);
    core.finish(NOW, id, Outcome::Completed);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
}

#[test]
fn a_watcher_hears_once_however_often_it_asked() {
    let mut core = bulkhead(1, 0);
    let held = admitted(offer(&mut core, Request::run(1)));
    for _ in 0..3 {
        assert_eq!(offer(&mut core, Request::run(1)), Offer::Watching);
    }
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    let again = admitted(offer(&mut core, Request::run(1)));
    core.finish(NOW, again, Outcome::Completed);
    assert_eq!(events(&mut core, ME), []);
}

/// The notice reserves nothing: the slower of the two asks again, and watches again.
#[test]
fn every_watching_owner_hears_and_one_of_them_is_first() {
    let mut core = bulkhead(1, 0);
    let other = core.add_owner();
    let held = admitted(offer(&mut core, Request::run(1)));
    let theirs = Request::run(1).owner(other);
    assert_eq!(offer(&mut core, Request::run(1)), Offer::Watching);
    assert_eq!(offer(&mut core, theirs), Offer::Watching);
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    assert_eq!(events(&mut core, other), [CAPACITY]);
    let held = admitted(offer(&mut core, theirs));
    assert_eq!(offer(&mut core, Request::run(1)), Offer::Watching);
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    assert_eq!(events(&mut core, other), []);
}

#[test]
fn what_waiting_would_not_change_is_rejected_and_counted() {
    let mut core = bulkhead(2, 5);
    admitted(offer(&mut core, Request::run(1)));
    let rejections = [
        (Request::run(1).aborted(true), Rejection::Cancelled),
        (Request::run(2).deadline(NOW), Rejection::QueueTimeout),
        (Request::run(3), Rejection::TooHeavy),
    ];
    for (request, rejection) in rejections {
        assert_eq!(offer(&mut core, request), Offer::Rejected(rejection));
    }
    core.drain(NOW);
    let closed = Offer::Rejected(Rejection::Closed);
    assert_eq!(offer(&mut core, Request::run(1)), closed);
    let rejected = core.snapshot().rejected;
    let counts = [
        rejected.cancelled,
        rejected.queue_timeout,
        rejected.too_heavy,
        rejected.closed,
        rejected.full,
    ];
    assert_eq!(counts, [1, 1, 1, 1, 0]);
    assert_eq!(events(&mut core, ME), []);
}

#[test]
fn during_a_pause_it_watches_until_the_pause_ends() {
    let mut core = bulkhead(1, 0);
    core.resize(NOW, 0).expect("a valid limit");
    assert_eq!(offer(&mut core, Request::run(2)), Offer::Watching);
    core.resize(NOW, 1).expect("a valid limit");
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    let too_heavy = Offer::Rejected(Rejection::TooHeavy);
    assert_eq!(offer(&mut core, Request::run(2)), too_heavy);
}

#[test]
fn what_is_due_comes_first() {
    let span = Span::from_nanos(10);
    let config = Config::new(1).call_timeout(span).abandon_after(span);
    let mut core = Bulkhead::new(config).expect("valid options");
    admitted(offer(&mut core, Request::run(1)));
    let late = core.acquire_or_watch(Instant::from_nanos(20), Request::run(1));
    admitted(late.expect("a valid weight"));
    assert_eq!(core.snapshot().abandoned_runs, 1);
}

#[test]
fn a_weight_out_of_range_is_refused_and_nothing_watches() {
    let mut core = bulkhead(1, 0);
    let held = admitted(offer(&mut core, Request::run(1)));
    for weight in [0, MAX_COUNT + 1] {
        assert!(core.acquire_or_watch(NOW, Request::run(weight)).is_err());
    }
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(events(&mut core, ME), []);
}

/// Map 1.3: as many items as can run at a time, and one at least.
#[test]
fn an_item_has_no_room_beside_as_many_siblings_as_can_run() {
    for (weight, width) in [(1, 7), (2, 3), (3, 2), (7, 1)] {
        let mut core = bulkhead(7, 0);
        let item = |siblings| Request::run(weight).siblings(siblings);
        assert_eq!(offer(&mut core, item(width)), Offer::Watching);
        assert_eq!(core.watch_capacity(NOW, item(width)), Ok(false));
        admitted(offer(&mut core, item(width - 1)));
    }
}

/// A growing limit is capacity though nothing has ended.
#[test]
fn an_item_beside_its_siblings_hears_of_a_growing_limit() {
    let mut core = bulkhead(1, 0);
    admitted(offer(&mut core, Request::run(1)));
    assert_eq!(
        offer(&mut core, Request::run(1).siblings(1)),
        Offer::Watching
    );
    core.resize(NOW, 2).expect("a valid limit");
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    admitted(offer(&mut core, Request::run(1).siblings(1)));
}

/// Map 1.5: while none of its siblings runs, an item waits no longer than any call.
#[test]
fn an_item_alone_is_rejected_when_it_has_waited_long_enough() {
    let config = Config::new(1).timeout(Span::from_nanos(100));
    for (own, until) in [(Span::FOREVER, 110), (Span::from_nanos(30), 40)] {
        let mut core = Bulkhead::new(config).expect("valid options");
        admitted(offer(&mut core, Request::run(1)));
        let item = Request::run(1)
            .timeout(own)
            .waits_since(Instant::from_nanos(10));
        let at = Instant::from_nanos(20);
        assert_eq!(core.acquire_or_watch(at, item), Ok(Offer::Watching));
        let until = Instant::from_nanos(until);
        assert_eq!(core.poll_timeout(ME), Some(until));
        assert!(core.keeps_alive(ME));
        core.handle_timeout(until);
        assert_eq!(events(&mut core, ME), [CAPACITY], "ask again");
        let nanos = until.nanos_since(Instant::from_nanos(10));
        let late = core.acquire_or_watch(until, item);
        assert_eq!(late, Ok(Offer::Rejected(Rejection::NoRoom { nanos })));
        assert_eq!(core.snapshot().rejected.queue_timeout, 1);
        assert_eq!(core.poll_timeout(ME), None);
    }
}

/// Its deadline bounds its wait for capacity as well, and the figure is that of the whole wait.
#[test]
fn an_item_alone_is_rejected_at_its_deadline() {
    let mut core = bulkhead(1, 0);
    admitted(offer(&mut core, Request::run(1)));
    let until = Instant::from_nanos(30);
    let item = Request::run(1).deadline(until).waits_since(NOW);
    assert_eq!(offer(&mut core, item), Offer::Watching);
    assert_eq!(core.poll_timeout(ME), Some(until));
    core.handle_timeout(until);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    assert_eq!(core.watch_capacity(until, item), Ok(true));
    let late = core.acquire_or_watch(until, item);
    let in_vain = Rejection::NoRoom { nanos: 30 };
    assert_eq!(late, Ok(Offer::Rejected(in_vain)));
    let at_once = core.acquire_or_watch(until, item.waits_since(until));
    assert_eq!(at_once, Ok(Offer::Rejected(Rejection::QueueTimeout)));
    assert_eq!(core.snapshot().rejected.queue_timeout, 2);
}

#[test]
fn an_owner_that_waits_for_room_no_longer_has_no_timer_and_hears_nothing() {
    let mut core = bulkhead(1, 0);
    let held = admitted(offer(&mut core, Request::run(1)));
    assert_eq!(
        offer(&mut core, Request::run(1).waits_since(NOW)),
        Offer::Watching
    );
    core.unwatch_capacity(NOW, ME);
    assert_eq!((core.poll_timeout(ME), core.keeps_alive(ME)), (None, false));
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!(events(&mut core, ME), []);
}
