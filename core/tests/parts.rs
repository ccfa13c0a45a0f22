//! A manual permit in part: some of it given back, taken apart, made heavier; and its own bound.

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Id, Instant, InvalidOption, Opt, OwnerId, Request, Rule,
    Span,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;

fn bulkhead(limit: u32) -> Bulkhead {
    Bulkhead::new(Config::new(limit).max_queue(5)).expect("valid options")
}

#[track_caller]
fn take(core: &mut Bulkhead, request: Request) -> Id {
    match core.acquire(NOW, request).expect("a valid request") {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

fn events(core: &mut Bulkhead) -> Vec<Event> {
    std::iter::from_fn(|| core.poll_event(ME)).collect()
}

#[test]
fn a_part_that_is_given_back_serves_who_waits() {
    let mut core = bulkhead(3);
    let id = take(&mut core, Request::permit(3));
    let waits = take(&mut core, Request::permit(1));
    assert_eq!(core.release_part(NOW, id, 1), Ok(true));
    assert_eq!(events(&mut core), [Event::Granted { id: waits }]);
    assert_eq!((core.permits(id), core.active()), (2, 3));
    assert_eq!(core.release_part(NOW, id, 2), Ok(true), "the rest");
    assert_eq!(core.release_part(NOW, id, 2), Ok(false), "a second time");
    let stats = core.snapshot();
    assert_eq!((stats.completed, stats.double_releases), (1, 1));
}

#[test]
fn a_part_has_its_own_end_and_counts_as_a_call() {
    let mut core = bulkhead(3);
    let id = take(&mut core, Request::permit(3));
    let part = core.split(NOW, id, 2).expect("a part").expect("it runs");
    assert_eq!((core.permits(id), core.permits(part)), (1, 2));
    assert!(core.release(NOW, id));
    assert_eq!(core.active(), 2);
    assert!(core.release(NOW, part));
    let stats = core.snapshot();
    assert_eq!((stats.admitted, stats.completed, stats.active), (2, 2, 0));
    assert_eq!(core.split(NOW, id, 1), Ok(None), "stale");
}

#[test]
fn a_permit_grows_only_by_what_is_free_now() {
    let mut core = bulkhead(3);
    let id = take(&mut core, Request::permit(1));
    assert_eq!(core.adjust(NOW, id, 3), Ok(true));
    assert_eq!(core.adjust(NOW, id, 4), Ok(false));
    assert_eq!(core.permits(id), 3);
    let waits = take(&mut core, Request::permit(2));
    assert_eq!(core.adjust(NOW, id, 2), Ok(true));
    assert_eq!(core.adjust(NOW, id, 3), Ok(false), "who waits goes first");
    assert_eq!(core.adjust(NOW, id, 1), Ok(true));
    assert_eq!(events(&mut core), [Event::Granted { id: waits }]);
    assert!(core.release(NOW, waits));
    core.drain(NOW);
    assert_eq!(core.adjust(NOW, id, 2), Ok(false), "no more after the end");
    assert_eq!(core.snapshot().peak_active, 3);
}

#[test]
fn too_many_and_none_are_refused_by_name() {
    let mut core = bulkhead(3);
    let id = take(&mut core, Request::permit(2));
    let error = |value, rule| InvalidOption {
        option: Opt::Permits,
        value,
        rule,
    };
    for permits in [0, 3] {
        let refused = core.release_part(NOW, id, permits);
        assert_eq!(refused, Err(error(permits.into(), Rule::Part)));
    }
    for permits in [0, 2, 3] {
        let refused = core.split(NOW, id, permits);
        assert_eq!(refused, Err(error(permits.into(), Rule::ProperPart)));
    }
    for refused in [
        core.release_part(NOW, Id::from_raw(0), 0).map(|_| ()),
        core.split(NOW, Id::from_raw(0), 0).map(|_| ()),
    ] {
        assert!(refused.is_err(), "of a permit that came back, too");
    }
    let text = core.release_part(NOW, id, 3).expect_err("too many");
    assert_eq!(
        text.to_string(),
        "permits must be an integer from 1 to the permits held, got 3"
    );
    assert!(core.adjust(NOW, id, 0).is_err());
    assert_eq!(core.permits(id), 2);
}

/// Running 6: it is never abandoned, and what comes back late counts as failed.
#[test]
fn the_bound_that_a_permit_brings_acts_on_it_and_its_parts() {
    let config = Config::new(3).abandon_after(Span::from_nanos(1));
    let mut core = Bulkhead::new(config).expect("valid options");
    let request = Request::permit(2).call_timeout(Span::from_nanos(10));
    let id = take(&mut core, request);
    let part = core.split(Instant::from_nanos(4), id, 1);
    let part = part.expect("a part").expect("it runs");
    assert_eq!(core.poll_timeout(ME), Some(Instant::from_nanos(10)));
    core.handle_timeout(Instant::from_nanos(10));
    let late = |id, nanos| Event::CallTimedOut { id, nanos };
    assert_eq!(events(&mut core), [late(id, 10), late(part, 6)]);
    assert_eq!(core.poll_timeout(ME), None);
    assert_eq!(core.split(Instant::from_nanos(11), id, 1), Ok(None));
    assert!(core.release(Instant::from_nanos(11), id));
    assert!(core.release(Instant::from_nanos(11), part));
    let stats = core.snapshot();
    assert_eq!((stats.call_timeouts, stats.failed, stats.active), (2, 2, 0));
}

/// Reckoned from its own grant, a part of a part would outlive the permit that was taken.
#[test]
fn a_part_of_a_part_has_the_bound_of_the_first_permit() {
    let mut core = bulkhead(4);
    // Its timer lies before one that was set first: the two stand in different places.
    let late = take(
        &mut core,
        Request::permit(1).call_timeout(Span::from_nanos(NEVER_FIRST)),
    );
    let id = take(
        &mut core,
        Request::permit(3).call_timeout(Span::from_nanos(10)),
    );
    let at = Instant::from_nanos;
    let part = core.split(at(4), id, 2).expect("a part").expect("it runs");
    let parts_part = core.split(at(8), part, 1).expect("a part");
    let parts_part = parts_part.expect("it runs");
    assert!(core.release(at(8), id));
    assert!(core.release(at(8), part));
    assert_eq!(core.poll_timeout(ME), Some(at(10)));
    core.handle_timeout(at(10));
    let timed_out = Event::CallTimedOut {
        id: parts_part,
        nanos: 2,
    };
    assert_eq!(events(&mut core), [timed_out]);
    assert!(core.release(at(10), late));
}

/// A bound that lies behind the others.
const NEVER_FIRST: u64 = 1_000;

/// What it has taken too long for already is not to become more.
#[test]
fn a_permit_whose_bound_has_passed_gives_back_but_does_not_grow() {
    let mut core = bulkhead(3);
    let bounded = Request::permit(2).call_timeout(Span::from_nanos(10));
    let id = take(&mut core, bounded);
    let late = Instant::from_nanos(11);
    assert_eq!(core.adjust(late, id, 3), Ok(false));
    assert_eq!(core.release_part(late, id, 1), Ok(true));
    assert_eq!(core.adjust(late, id, 2), Ok(false));
    assert_eq!((core.permits(id), core.snapshot().overrun), (1, 1));
    assert_eq!(core.release_part(late, id, 1), Ok(true));
    assert_eq!(core.snapshot().failed, 1);
}

/// Time 4.1: all of it is a result in hand, a part is not.
#[test]
fn all_of_a_permit_comes_back_in_time_though_its_bound_was_not_handled() {
    for (permits, timed_out) in [(2, 0), (1, 1)] {
        let mut core = bulkhead(3);
        let bounded = Request::permit(2).call_timeout(Span::from_nanos(10));
        let id = take(&mut core, bounded);
        let late = Instant::from_nanos(15);
        assert_eq!(core.release_part(late, id, permits), Ok(true));
        assert_eq!(core.snapshot().call_timeouts, timed_out);
    }
}

/// Of the two bounds the lesser.
#[test]
fn a_runs_own_bound_only_shortens_the_bulkheads() {
    for (own, due) in [(5, 5), (50, 20)] {
        let config = Config::new(1).call_timeout(Span::from_nanos(20));
        let mut core = Bulkhead::new(config).expect("valid options");
        take(
            &mut core,
            Request::run(1).call_timeout(Span::from_nanos(own)),
        );
        assert_eq!(core.poll_timeout(ME), Some(Instant::from_nanos(due)));
    }
    let mut core = bulkhead(1);
    assert!(
        core.acquire(NOW, Request::run(1).call_timeout(Span::ZERO))
            .is_err()
    );
}

/// A slot that was another's keeps nothing of it, though an ordinary call writes little into it.
#[test]
fn a_part_of_an_ordinary_permit_has_no_bound_of_who_was_there_before() {
    let mut core = bulkhead(3);
    let bounded = Request::permit(1).call_timeout(Span::from_nanos(10));
    let before = take(&mut core, bounded);
    assert!(core.release(NOW, before));
    let bulkheads_core::Untimed::Admitted(id) = core.acquire_untimed(Request::permit(2)) else {
        panic!("it fits");
    };
    core.split(NOW, id, 1).expect("a part").expect("it runs");
    assert_eq!(core.poll_timeout(ME), None);
}
