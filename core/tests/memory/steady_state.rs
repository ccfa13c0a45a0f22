//! Nothing allocates once the slab, the deadlines and the event queue have reached their size.

use bulkheads_core::{
    Admission, Bulkhead, Config, Id, Instant, Offer, Outcome, OwnerId, Request, Span, Untimed,
};

use crate::counting::{allocations, live_bytes};

fn bulkhead() -> Bulkhead {
    let span = Span::from_millis(10);
    let config = Config::new(8).max_queue(64).timeout(span);
    let config = config.call_timeout(span).abandon_after(span);
    Bulkhead::new(config).expect("valid options")
}

fn acquire(core: &mut Bulkhead, now: u64, request: Request) -> Option<Id> {
    let admission = core.acquire(Instant::from_nanos(now), request);
    match admission.expect("a valid weight") {
        Admission::Admitted(id) | Admission::Queued(id) => Some(id),
        Admission::Rejected(_) => None,
    }
}

/// Finishes whatever of these is not over, and takes every event.
fn end(core: &mut Bulkhead, now: u64, owner: OwnerId, ids: &[Option<Id>]) {
    for id in ids.iter().flatten() {
        core.finish(Instant::from_nanos(now), *id, Outcome::Completed);
    }
    while core.poll_event(owner).is_some() {}
    while core.poll_wake().is_some() {}
    assert_eq!(core.check_invariants(), Ok(()));
    assert_eq!((core.active(), core.queued()), (0, 0));
}

#[test]
fn a_second_round_of_everything_allocates_nothing() {
    let (mut core, mut time) = (bulkhead(), 0);
    assert_eq!(allocations(100, || round(&mut core, &mut time)), 0);
}

/// Fills permits and queue, cancels some, times others out, abandons runs, finishes the rest.
fn round(core: &mut Bulkhead, time: &mut u64) {
    let mut ids = [None; 72];
    for id in &mut ids {
        *id = acquire(core, *time, Request::run(1));
    }
    let now = Instant::from_nanos(*time);
    // From inside of work that holds everything.
    let held: [Id; 8] = std::array::from_fn(|place| ids[place].expect("a free permit"));
    let nested = Request::run(1).held(&held);
    assert_eq!(acquire(core, *time, nested), None);
    assert_eq!(core.watch_capacity(now, nested), Ok(true));
    let offer = core.acquire_or_watch(now, Request::run(1));
    assert_eq!(offer, Ok(Offer::Watching));
    for id in ids.into_iter().flatten().step_by(3) {
        core.cancel(now, id);
    }
    for id in ids.into_iter().flatten().step_by(5) {
        core.finish(now, id, Outcome::Completed);
    }
    *time += 100_000_000;
    core.handle_timeout(Instant::from_nanos(*time));
    end(core, *time, OwnerId::FIRST, &ids);
}

/// A deadline before the last of the list goes to the heap: every other does.
#[test]
fn deadlines_in_no_order_allocate_nothing() {
    let (mut core, mut time) = (bulkhead(), 0);
    let disorder = || {
        let mut ids = [None; 72];
        for (id, place) in ids.iter_mut().zip(0..) {
            let deadline = time + 1000 + (place * 37 % 72) * 10;
            let request = Request::run(1).deadline(Instant::from_nanos(deadline));
            *id = acquire(&mut core, time, request);
        }
        // Half of them leave by themselves, from the middle of the list and of the heap.
        time += 1360;
        core.handle_timeout(Instant::from_nanos(time));
        core.abort(
            Instant::from_nanos(time),
            ids.into_iter().flatten().step_by(2),
        );
        end(&mut core, time, OwnerId::FIRST, &ids);
    };
    assert_eq!(allocations(100, disorder), 0);
}

/// The calls of a quiescent bulkhead, with and without a clock, ten million of them.
#[test]
fn ten_million_calls_allocate_nothing() {
    let mut core = Bulkhead::new(Config::new(4)).expect("valid options");
    let mut now = 0;
    let calls = || {
        now += 10;
        let id = match core.acquire_untimed(Request::run(1)) {
            Untimed::Admitted(id) => Some(id),
            Untimed::NeedsClock | Untimed::Rejected(_) => acquire(&mut core, now, Request::run(1)),
        };
        let id = id.expect("a free permit");
        if !core.finish_untimed(id, Outcome::Completed) {
            core.finish(Instant::from_nanos(now), id, Outcome::Completed);
        }
    };
    assert_eq!(allocations(10_000_000, calls), 0);
    assert_eq!(core.snapshot().completed, 10_000_001);
}

#[test]
fn counted_runs_allocate_nothing() {
    let mut core = Bulkhead::new(Config::new(4)).expect("valid options");
    let measured = acquire(&mut core, 0, Request::run(1)).expect("a free permit");
    core.finish(Instant::ZERO, measured, Outcome::Completed);
    let mut counted = 0;
    let calls = || {
        if core.admit_counted(OwnerId::FIRST) {
            counted += 1;
            core.finish_counted_untimed(OwnerId::FIRST, Outcome::Completed);
        } else {
            let id = acquire(&mut core, 0, Request::run(1)).expect("a free permit");
            core.finish(Instant::ZERO, id, Outcome::Completed);
        }
    };
    assert_eq!(allocations(10_000, calls), 0);
    assert!(counted > 9000, "{counted}");
}

/// Though an eviction itself allocates: it sorts what the owner had.
#[test]
fn owners_that_come_and_go_leave_nothing_behind() {
    let mut core = bulkhead();
    let mut visit = || {
        let owner = core.add_owner();
        for _ in 0..40 {
            acquire(&mut core, 0, Request::run(1).owner(owner));
        }
        core.evict(Instant::ZERO, owner);
        end(&mut core, 0, owner, &[]);
    };
    visit();
    let before = live_bytes();
    (0..1000).for_each(|_| visit());
    assert_eq!(live_bytes(), before);
}
