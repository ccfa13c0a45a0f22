//! Calls that wait for themselves: what their caller's own context holds and what they want are
//! more than there is.

use bulkheads_core::{
    Admission, Bulkhead, Cancellation, Config, Event, FullReason, Id, Instant, Offer, Outcome,
    OwnerId, Rejection, Request, Span,
};

const NOW: Instant = Instant::ZERO;

fn bulkhead(limit: u32, max_queue: u32) -> Bulkhead {
    Bulkhead::new(Config::new(limit).max_queue(max_queue)).expect("valid options")
}

fn ask(core: &mut Bulkhead, weight: u32, held: &[Id]) -> Admission {
    let request = Request::run(weight).held(held);
    core.acquire(NOW, request).expect("a valid weight")
}

const fn reentrant(holding: u64) -> Admission {
    Admission::Rejected(Rejection::Reentrant { holding })
}

#[track_caller]
fn id_of(admission: Admission) -> Id {
    match admission {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

#[test]
fn a_call_that_waits_for_itself_is_rejected_and_counted_apart() {
    let mut core = bulkhead(2, 5);
    let held = id_of(ask(&mut core, 2, &[]));
    assert_eq!(ask(&mut core, 1, &[held]), reentrant(2));
    let stats = core.snapshot();
    assert_eq!((stats.rejected.reentrant, stats.rejected.full), (1, 0));
    assert_eq!((stats.queued, stats.active), (0, 2));
}

#[test]
fn a_call_that_others_can_let_in_waits() {
    let mut core = bulkhead(3, 5);
    let other = id_of(ask(&mut core, 2, &[]));
    let held = id_of(ask(&mut core, 1, &[]));
    let waits = id_of(ask(&mut core, 2, &[held]));
    core.finish(NOW, other, Outcome::Completed);
    let granted = Event::Granted { id: waits };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
}

/// It would have been rejected anyway, but as `full` it would be tried again, which never helps.
#[test]
fn without_a_queue_and_unwilling_to_wait_it_is_the_same() {
    let mut bare = bulkhead(1, 0);
    let held = id_of(ask(&mut bare, 1, &[]));
    assert_eq!(ask(&mut bare, 1, &[held]), reentrant(1));
    let mut core = bulkhead(1, 5);
    let held = [id_of(ask(&mut core, 1, &[]))];
    let unwilling = Request::run(1).held(&held).timeout(Span::ZERO);
    assert_eq!(core.acquire(NOW, unwilling), Ok(reentrant(1)));
}

#[test]
fn what_ends_it_anyway_comes_first() {
    let mut core = bulkhead(1, 5);
    let held = [id_of(ask(&mut core, 1, &[]))];
    let nested = |weight| Request::run(weight).held(&held);
    let mut rejection = |request| match core.acquire(NOW, request) {
        Ok(Admission::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    assert_eq!(rejection(nested(2)), Rejection::TooHeavy);
    assert_eq!(rejection(nested(1).deadline(NOW)), Rejection::QueueTimeout);
    assert_eq!(rejection(nested(1).aborted(true)), Rejection::Cancelled);
    core.drain(NOW);
    let closed = Admission::Rejected(Rejection::Closed);
    assert_eq!(ask(&mut core, 1, &held), closed);
}

/// A pause may end before its caller has to give anything back.
#[test]
fn no_call_waits_for_itself_during_a_pause() {
    let mut core = bulkhead(2, 5);
    let held = id_of(ask(&mut core, 1, &[]));
    core.resize(NOW, 0).expect("a valid limit");
    let waits = id_of(ask(&mut core, 1, &[held]));
    core.resize(NOW, 2).expect("a valid limit");
    let granted = Event::Granted { id: waits };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
    assert!(core.finish(NOW, held, Outcome::Completed));
}

#[test]
fn the_limit_counts_as_it_is_at_the_arrival() {
    let mut core = bulkhead(4, 5);
    let [two, one] = [2, 1].map(|weight| id_of(ask(&mut core, weight, &[])));
    core.finish(NOW, one, Outcome::Completed);
    core.resize(NOW, 2).expect("a valid limit");
    assert_eq!(ask(&mut core, 1, &[two]), reentrant(2));
    core.resize(NOW, 3).expect("a valid limit");
    let one = id_of(ask(&mut core, 1, &[two]));
    // A call that waits already is not looked at again.
    let waits = id_of(ask(&mut core, 1, &[one]));
    core.resize(NOW, 1).expect("a valid limit");
    assert_eq!((core.queued(), core.poll_event(OwnerId::FIRST)), (1, None));
    assert_eq!(
        core.cancel(NOW, waits),
        Cancellation::Withdrawn,
        "it waits until its time-out"
    );
}

/// What is due comes first: the caller cannot know that its permits are back by now.
#[test]
fn permits_that_came_back_in_the_same_step_are_not_held() {
    let span = Span::from_nanos(10);
    let config = Config::new(1).max_queue(5).call_timeout(span);
    let mut core = Bulkhead::new(config.abandon_after(span)).expect("valid options");
    let held = [id_of(ask(&mut core, 1, &[]))];
    let nested = Request::run(1).held(&held);
    let before = core.acquire(Instant::from_nanos(19), nested);
    assert_eq!(
        before,
        Ok(reentrant(1)),
        "answered early, but not abandoned"
    );
    let after = core.acquire(Instant::from_nanos(20), nested);
    assert!(matches!(after, Ok(Admission::Admitted(_))));
}

#[test]
fn stale_ids_and_waiters_hold_nothing() {
    let mut core = bulkhead(2, 5);
    let gone = id_of(ask(&mut core, 1, &[]));
    core.finish(NOW, gone, Outcome::Completed);
    let held = id_of(ask(&mut core, 1, &[]));
    let waits = id_of(ask(&mut core, 2, &[]));
    let claims = [gone, waits, Id::from_raw(0), Id::from_raw(u64::MAX), held];
    assert!(matches!(ask(&mut core, 1, &claims), Admission::Queued(_)));
    assert_eq!(ask(&mut core, 2, &claims), reentrant(1));
}

/// However often an id is named, no caller holds more than what is in use.
#[test]
fn a_claim_to_more_than_is_in_use_counts_for_no_more() {
    let mut core = bulkhead(2, 5);
    let held = id_of(ask(&mut core, 1, &[]));
    let first = id_of(ask(&mut core, 2, &[]));
    // A call waits in front of it, but what is in use leaves it enough.
    let answer = ask(&mut core, 1, &[held; 9]);
    assert!(matches!(answer, Admission::Queued(_)));
    assert_eq!(core.permits(first), 0);
}

#[test]
fn try_acquire_never_waits_not_even_for_itself() {
    let mut core = bulkhead(1, 5);
    let held = [id_of(ask(&mut core, 1, &[]))];
    let refused = core.try_acquire(NOW, Request::permit(1).held(&held));
    let unwilling = Rejection::Full(FullReason::NotWilling);
    assert_eq!(refused, Ok(Err(unwilling)));
}

#[test]
fn an_id_holds_its_permits_from_the_grant_until_they_come_back() {
    let span = Span::from_millis;
    let config = Config::new(3).max_queue(5).call_timeout(span(10));
    let mut core = Bulkhead::new(config.abandon_after(span(10))).expect("valid options");
    let held = id_of(ask(&mut core, 3, &[]));
    let waits = id_of(ask(&mut core, 2, &[]));
    assert_eq!((core.permits(held), core.permits(waits)), (3, 0));
    core.finish(NOW, held, Outcome::Completed);
    assert_eq!((core.permits(held), core.permits(waits)), (0, 2));
    core.start(waits);
    let at = |millis: u64| Instant::from_nanos(millis * 1_000_000);
    core.handle_timeout(at(10));
    assert_eq!(core.permits(waits), 2, "answered early, the work goes on");
    core.handle_timeout(at(20));
    assert_eq!(core.permits(waits), 0, "abandoned");
}

/// For `map`, which takes an item only when it can run: as for an item that is too heavy, waiting
/// would never end.
#[test]
fn a_call_that_would_wait_for_itself_does_not_wait_for_capacity() {
    let mut core = bulkhead(1, 5);
    let held = [id_of(ask(&mut core, 1, &[]))];
    let nested = Request::run(1).held(&held);
    assert_eq!(core.watch_capacity(NOW, nested), Ok(true));
    let rejected = Offer::Rejected(Rejection::Reentrant { holding: 1 });
    assert_eq!(core.acquire_or_watch(NOW, nested), Ok(rejected));
    assert_eq!(core.snapshot().rejected.reentrant, 1);
    assert_eq!(core.watch_capacity(NOW, Request::run(1)), Ok(false));
}

#[test]
fn an_id_that_is_named_twice_holds_its_permits_once() {
    let mut core = bulkhead(3, 5);
    id_of(ask(&mut core, 1, &[]));
    let held = id_of(ask(&mut core, 1, &[]));
    assert!(matches!(
        ask(&mut core, 2, &[held, held]),
        Admission::Queued(_)
    ));
    assert_eq!(ask(&mut core, 3, &[held, held]), reentrant(1));
}
