//! Close with abort: one notice to every owner, and the work answers its callers.

use bulkheads_core::{
    Admission, Bulkhead, CompartmentId, Config, Event, Id, Instant, Outcome, OwnerId, Request,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;
const ABORT: Event = Event::Abort {
    compartment: CompartmentId::FIRST,
};

fn bulkhead(limit: u32, max_queue: u32) -> Bulkhead {
    Bulkhead::new(Config::new(limit).max_queue(max_queue)).expect("valid options")
}

#[track_caller]
fn acquire(core: &mut Bulkhead, owner: OwnerId) -> Id {
    let admission = core.acquire(NOW, Request::run(1).owner(owner));
    match admission.expect("a valid weight") {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

fn events(core: &mut Bulkhead, owner: OwnerId) -> Vec<Event> {
    std::iter::from_fn(|| core.poll_event(owner)).collect()
}

#[test]
fn every_owner_hears_once_that_it_is_to_abort_its_work() {
    let mut core = bulkhead(1, 5);
    let (busy, idle) = (core.add_owner(), core.add_owner());
    acquire(&mut core, ME);
    let waits = acquire(&mut core, busy);
    core.close(NOW, true);
    assert_eq!(events(&mut core, ME), [ABORT]);
    let closed = Event::Closed {
        id: waits,
        nanos: 0,
    };
    assert_eq!(events(&mut core, busy), [closed, ABORT]);
    assert_eq!(events(&mut core, idle), [ABORT]);
    let late = core.add_owner();
    assert_eq!(events(&mut core, late), [], "it runs nothing");
}

#[test]
fn an_evicted_owner_hears_of_no_abort() {
    let mut core = bulkhead(1, 0);
    let gone = core.add_owner();
    core.evict(NOW, gone);
    core.close(NOW, true);
    assert_eq!(events(&mut core, gone), []);
    let heir = core.add_owner();
    assert_eq!(
        events(&mut core, heir),
        [],
        "nor does the owner in its place"
    );
}

/// The result in hand counts, whatever it is.
#[test]
fn nothing_is_answered_early() {
    let mut core = bulkhead(3, 0);
    let ids = [(); 3].map(|()| acquire(&mut core, ME));
    core.close(NOW, true);
    let stats = core.snapshot();
    assert_eq!((stats.overrun, stats.running, stats.failed), (0, 3, 0));
    assert_eq!(core.poll_timeout(ME), None);
    let outcomes = [Outcome::Completed, Outcome::Failed, Outcome::Completed];
    for (id, outcome) in ids.into_iter().zip(outcomes) {
        assert!(core.finish(NOW, id, outcome));
    }
    let stats = core.snapshot();
    assert_eq!((stats.completed, stats.failed, stats.running), (2, 1, 0));
}

#[test]
fn a_run_deadline_still_answers_early_after_it() {
    let mut core = bulkhead(1, 0);
    let request = Request::run(1).deadline(Instant::from_nanos(5));
    let admitted = core.acquire(NOW, request).expect("a valid weight");
    let Admission::Admitted(id) = admitted else {
        panic!("{admitted:?}");
    };
    core.close(NOW, true);
    core.handle_timeout(Instant::from_nanos(7));
    let timed_out = Event::CallTimedOut { id, nanos: 7 };
    assert_eq!(events(&mut core, ME), [ABORT, timed_out]);
    assert_eq!(core.snapshot().overrun, 1);
}

/// It starts with its signal aborted: its driver has heard of the abort before.
#[test]
fn a_granted_call_starts_after_the_abort_and_ends_as_its_work_does() {
    let mut core = bulkhead(1, 1);
    let first = acquire(&mut core, ME);
    let second = acquire(&mut core, ME);
    core.finish(NOW, first, Outcome::Completed);
    core.close(NOW, true);
    let granted = Event::Granted { id: second };
    assert_eq!(events(&mut core, ME), [granted, ABORT]);
    core.start(second);
    assert_eq!(events(&mut core, ME), []);
    assert!(core.finish(NOW, second, Outcome::Completed));
    assert_eq!((core.snapshot().completed, core.snapshot().failed), (2, 0));
}

#[test]
fn a_second_close_takes_no_abort_back_and_the_notice_comes_once() {
    let mut core = bulkhead(1, 0);
    let runs = acquire(&mut core, ME);
    core.close(NOW, true);
    assert_eq!(events(&mut core, ME), [ABORT]);
    core.close(NOW, false);
    core.close(NOW, true);
    core.drain(NOW);
    assert_eq!(events(&mut core, ME), []);
    assert!(core.finish(NOW, runs, Outcome::Completed));
}

#[test]
fn a_second_close_may_add_the_abort() {
    let mut core = bulkhead(1, 0);
    acquire(&mut core, ME);
    core.close(NOW, false);
    assert_eq!(events(&mut core, ME), []);
    core.close(NOW, true);
    assert_eq!(events(&mut core, ME), [ABORT]);
}

#[test]
fn the_bulkhead_is_idle_when_the_work_has_ended() {
    let mut core = bulkhead(1, 0);
    let runs = acquire(&mut core, ME);
    core.close(NOW, true);
    let ticket = core.watch_idle(NOW, ME).expect("a permit is held");
    assert_eq!(events(&mut core, ME), [ABORT]);
    core.finish(NOW, runs, Outcome::Failed);
    let compartment = CompartmentId::FIRST;
    let idle = Event::Idle {
        compartment,
        ticket,
    };
    assert_eq!(events(&mut core, ME), [idle]);
}
