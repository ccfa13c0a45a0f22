//! Calls that wait for themselves: what their caller's own context holds and what they want are more than there is.

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Id, Instant, Notation, Outcome, OwnerId, Rejection,
    Request, STATS,
};
use bulkheads_engine::mailbox::MAILBOX_LEN;
use bulkheads_engine::{Engine, Options, RUN};

const NOW: Instant = Instant::ZERO;
const REENTRANT: Admission = Admission::Rejected(Rejection::Reentrant);

fn bulkhead(limit: u32, max_queue: u32) -> Bulkhead {
    Bulkhead::new(Config::new(limit).max_queue(max_queue)).expect("valid options")
}

fn ask(core: &mut Bulkhead, weight: u32, holding: u64) -> Admission {
    let request = Request::run(weight).holding(holding);
    core.acquire(NOW, request).expect("a valid weight")
}

#[track_caller]
fn id_of(admission: Admission) -> Id {
    match admission {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_that_waits_for_itself_is_rejected_and_counted_apart() {
    let mut core = bulkhead(2, 5);
    id_of(ask(&mut core, 2, 0));
    assert_eq!(ask(&mut core, 1, 2), REENTRANT);
    let stats = core.snapshot();
    assert_eq!((stats.rejected.reentrant, stats.rejected.full), (1, 0));
    assert_eq!((stats.queued, stats.active), (0, 2));
}

#[test]
fn a_call_that_others_can_let_in_waits() {
    let mut core = bulkhead(3, 5);
    let other = id_of(ask(&mut core, 2, 0));
    id_of(ask(&mut core, 1, 0));
    let waits = id_of(ask(&mut core, 2, 1));
    core.finish(NOW, other, Outcome::Completed);
    let granted = Event::Granted { id: waits };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
}

/// It would have been rejected anyway, but as `full` it would be tried again, which never helps.
#[test]
fn without_a_queue_and_unwilling_to_wait_it_is_the_same() {
    let mut bare = bulkhead(1, 0);
    id_of(ask(&mut bare, 1, 0));
    assert_eq!(ask(&mut bare, 1, 1), REENTRANT);
    let mut core = bulkhead(1, 5);
    id_of(ask(&mut core, 1, 0));
    let unwilling = Request::run(1)
        .holding(1)
        .timeout(bulkheads_core::Span::ZERO);
    assert_eq!(core.acquire(NOW, unwilling), Ok(REENTRANT));
}

#[test]
fn what_ends_it_anyway_comes_first() {
    let mut core = bulkhead(1, 5);
    id_of(ask(&mut core, 1, 0));
    let nested = |weight| Request::run(weight).holding(1);
    let mut rejection = |request| match core.acquire(NOW, request) {
        Ok(Admission::Rejected(rejection)) => rejection,
        other => panic!("{other:?}"),
    };
    assert_eq!(rejection(nested(2)), Rejection::TooHeavy);
    assert_eq!(rejection(nested(1).deadline(NOW)), Rejection::QueueTimeout);
    assert_eq!(rejection(nested(1).aborted(true)), Rejection::Cancelled);
    core.drain(NOW);
    assert_eq!(ask(&mut core, 1, 1), Admission::Rejected(Rejection::Closed));
}

/// A pause may end before its caller has to give anything back.
#[test]
fn nobody_waits_for_itself_while_it_is_paused() {
    let mut core = bulkhead(2, 5);
    let held = id_of(ask(&mut core, 1, 0));
    core.resize(NOW, 0).expect("a valid limit");
    let waits = id_of(ask(&mut core, 1, 1));
    core.resize(NOW, 2).expect("a valid limit");
    let granted = Event::Granted { id: waits };
    assert_eq!(core.poll_event(OwnerId::FIRST), Some(granted));
    assert!(core.finish(NOW, held, Outcome::Completed));
}

#[test]
fn the_limit_counts_as_it_is_at_the_arrival() {
    let mut core = bulkhead(3, 5);
    id_of(ask(&mut core, 2, 0));
    core.resize(NOW, 2).expect("a valid limit");
    assert_eq!(ask(&mut core, 1, 2), REENTRANT);
    core.resize(NOW, 3).expect("a valid limit");
    id_of(ask(&mut core, 1, 2));
    // Whoever waits already is not looked at again.
    let waits = id_of(ask(&mut core, 1, 1));
    core.resize(NOW, 1).expect("a valid limit");
    assert_eq!((core.queued(), core.poll_event(OwnerId::FIRST)), (1, None));
    assert_eq!(
        core.cancel(NOW, waits),
        bulkheads_core::Cancellation::Withdrawn,
        "it waits until its time-out"
    );
}

/// Permits that came back meanwhile, which the caller cannot know.
#[test]
fn a_claim_to_more_than_is_in_use_counts_for_no_more() {
    let mut core = bulkhead(2, 5);
    id_of(ask(&mut core, 1, 0));
    let first = id_of(ask(&mut core, 2, 0));
    // Somebody waits in front of it, but what is in use leaves it enough.
    assert!(matches!(ask(&mut core, 1, u64::MAX), Admission::Queued(_)));
    assert_eq!(core.permits(first), 0);
}

#[test]
fn try_acquire_never_waits_not_even_for_itself() {
    let mut core = bulkhead(1, 5);
    id_of(ask(&mut core, 1, 0));
    let refused = core.try_acquire(NOW, Request::permit(1).holding(1));
    assert!(matches!(refused, Ok(Err(Rejection::Full(_)))));
}

#[test]
fn an_id_holds_its_permits_from_the_grant_until_they_come_back() {
    let span = bulkheads_core::Span::from_millis;
    let config = Config::new(3).max_queue(5).call_timeout(span(10));
    let mut core = Bulkhead::new(config.abandon_after(span(10))).expect("valid options");
    let held = id_of(ask(&mut core, 3, 0));
    let waits = id_of(ask(&mut core, 2, 0));
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

/// For whoever takes an item only when it can run: as for one that is too heavy, there is no waiting.
#[test]
fn who_would_wait_for_itself_need_not_wait_for_room() {
    let mut core = bulkhead(1, 5);
    id_of(ask(&mut core, 1, 0));
    let wish = Request::run(1);
    assert_eq!(core.watch_room(NOW, wish), Ok(false));
    assert_eq!(core.watch_room(NOW, wish.holding(1)), Ok(true));
}

#[test]
fn a_mailbox_brings_what_the_caller_holds() {
    let options = Options {
        max_concurrent: 2.0,
        max_queue: Some(5.0),
        ..Options::default()
    };
    let mut engine = Engine::new(Notation::CamelMillis, options).expect("valid options");
    let mut mail = [0.0; MAILBOX_LEN];
    let never = f64::INFINITY;
    let mut exchange = |input: [f64; 7]| {
        mail[..7].copy_from_slice(&input);
        engine.exchange(OwnerId::FIRST, &mut mail);
        mail[0]
    };
    let run = f64::from(RUN);
    let id = exchange([3.0, 0.0, 2.0, never, never, run, 0.0]);
    let permits = exchange([18.0, 0.0, id, 0.0, 0.0, 0.0, 0.0]);
    let room = exchange([14.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0]);
    let nested = exchange([3.0, 0.0, 1.0, never, never, run, 2.0]);
    assert_eq!(
        [permits, room, nested].map(f64::to_bits),
        [2.0_f64, 1.0, 9.0].map(f64::to_bits)
    );
    let place = STATS.iter().position(|name| *name == "rejected_reentrant");
    let counted = engine.stats()[place.expect("a figure")];
    assert_eq!(counted.to_bits(), 1_f64.to_bits());
}
