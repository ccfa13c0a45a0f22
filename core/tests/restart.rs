//! A bulkhead that begins anew forgets everybody, and nobody from before can disturb it.

use bulkheads_core::{
    Admission, Bulkhead, Config, Id, Instant, Outcome, OwnerId, Request, Span, State,
};

const AT: Instant = Instant::from_nanos(5);
const LATER: Instant = Instant::from_nanos(1_000_000_000_000);

fn id(admission: &Admission) -> Id {
    match admission {
        Admission::Admitted(id) | Admission::Queued(id) => *id,
        other => panic!("{other:?}"),
    }
}

fn crowded() -> (Bulkhead, OwnerId, Vec<Id>) {
    let config = Config::new(3)
        .max_queue(9)
        .call_timeout(Span::from_nanos(100))
        .abandon_after(Span::from_nanos(1_000));
    let mut bulkhead = Bulkhead::new(config).unwrap();
    let other = bulkhead.add_owner();
    bulkhead.watch_idle(AT, OwnerId::FIRST);
    let mut ids = Vec::new();
    for weight in 1..=2 {
        for owner in [OwnerId::FIRST, other] {
            let request = Request::run(weight).owner(owner);
            ids.push(id(&bulkhead.acquire(AT, request).unwrap()));
        }
    }
    // Some are past their bound, some wait, some were told.
    bulkhead.handle_timeout(Instant::from_nanos(105));
    bulkhead.resize(AT, 4).unwrap();
    bulkhead.check_invariants().unwrap();
    (bulkhead, other, ids)
}

#[test]
fn nobody_is_left_and_all_counts_are_zero() {
    let (mut bulkhead, other, _) = crowded();
    bulkhead.drain(AT);
    bulkhead.restart();
    bulkhead.check_invariants().unwrap();
    let stats = bulkhead.snapshot();
    assert_eq!((stats.limit, stats.state), (4, State::Draining));
    let counts = [
        stats.active,
        stats.running,
        stats.overrun,
        stats.peak_active,
        stats.admitted,
    ];
    assert_eq!(counts, [0; 5]);
    assert_eq!((stats.queued, stats.peak_queued), (0, 0));
    assert_eq!(
        (stats.waited.count, stats.ran.count, stats.call_timeouts),
        (0, 0, 0)
    );
    for owner in [OwnerId::FIRST, other] {
        assert_eq!(bulkhead.poll_event(owner), None);
        assert_eq!(bulkhead.poll_timeout(owner), None);
    }
    assert_eq!(bulkhead.poll_wake(), None);
}

#[test]
fn ids_and_owners_from_before_are_stale() {
    let (mut bulkhead, other, ids) = crowded();
    bulkhead.restart();
    let mine: Vec<_> = (0..4)
        .map(|_| id(&bulkhead.acquire(AT, Request::run(1)).unwrap()))
        .collect();
    for id in ids {
        assert!(!mine.contains(&id));
        assert!(!bulkhead.finish(AT, id, Outcome::Completed));
        bulkhead.cancel(AT, id);
    }
    assert!(
        bulkhead
            .acquire(AT, Request::run(1).owner(other))
            .is_ok_and(|answer| {
                !matches!(answer, Admission::Admitted(_) | Admission::Queued(_))
            })
    );
    assert_ne!(bulkhead.add_owner(), other);
    assert_eq!(bulkhead.snapshot().running, 4);
    bulkhead.handle_timeout(LATER);
    bulkhead.check_invariants().unwrap();
}
