//! "Admit me, or tell me when": a call that never stands in the queue and is never `full`.

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
        assert_eq!((core.snapshot(), core.poll_timeout(ME)), (before, None));
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

/// How many items of `map` may be under way.
#[test]
fn the_width_is_how_many_calls_of_a_weight_fit() {
    let mut core = bulkhead(7, 0);
    let widths = [1, 2, 3, 7, 8, MAX_COUNT, 0].map(|weight| core.width(weight));
    assert_eq!(widths, [7, 3, 2, 1, 1, 1, 7]);
    core.resize(NOW, 0).expect("a valid limit");
    assert_eq!(core.width(1), 1, "one waits for the end of the pause");
}
