//! Notices that an owner asks for: of the first idle moment, and of capacity.

use bulkheads_core::{
    Admission, Bulkhead, CompartmentId, Config, Event, Id, Instant, Offer, Outcome, OwnerId,
    Rejection, Request,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;
const CAPACITY: Event = Event::Capacity {
    compartment: CompartmentId::FIRST,
};

const fn idle(ticket: u64) -> Event {
    Event::Idle {
        compartment: CompartmentId::FIRST,
        ticket,
    }
}

fn bulkhead(limit: u32, max_queue: u32) -> Bulkhead {
    Bulkhead::new(Config::new(limit).max_queue(max_queue)).expect("valid options")
}

#[track_caller]
fn acquire(core: &mut Bulkhead) -> Id {
    match core.acquire(NOW, Request::run(1)).expect("a valid weight") {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

fn finish(core: &mut Bulkhead, id: Id) {
    assert!(core.finish(NOW, id, Outcome::Completed));
}

fn events(core: &mut Bulkhead, owner: OwnerId) -> Vec<Event> {
    std::iter::from_fn(|| core.poll_event(owner)).collect()
}

#[test]
fn a_watcher_hears_of_the_first_idle_moment_once() {
    let mut core = bulkhead(1, 0);
    let other = core.add_owner();
    let held = acquire(&mut core);
    let ticket = core.watch_idle(NOW, other).expect("a permit is held");
    finish(&mut core, held);
    assert_eq!(events(&mut core, other), [idle(ticket)]);
    assert_eq!(core.watch_idle(NOW, other), None, "now");
    let held = acquire(&mut core);
    finish(&mut core, held);
    assert_eq!(events(&mut core, other), []);
}

#[test]
fn waiters_are_not_idleness() {
    let mut core = bulkhead(1, 1);
    let held = acquire(&mut core);
    let waits = acquire(&mut core);
    let ticket = core.watch_idle(NOW, ME).expect("a permit is held");
    finish(&mut core, held);
    assert_eq!(events(&mut core, ME), [Event::Granted { id: waits }]);
    finish(&mut core, waits);
    assert_eq!(events(&mut core, ME), [idle(ticket)]);
}

#[test]
fn one_notice_answers_every_request_up_to_its_ticket() {
    let mut core = bulkhead(1, 0);
    let held = acquire(&mut core);
    let [first, second] = [(); 2].map(|()| core.watch_idle(NOW, ME).expect("a permit is held"));
    assert!(first < second);
    finish(&mut core, held);
    assert_eq!(events(&mut core, ME), [idle(second)]);
}

/// The notice of an idle moment that is over may still lie in the queue when the next request
/// comes.
#[test]
fn a_notice_that_is_under_way_does_not_answer_a_newer_request() {
    let mut core = bulkhead(1, 0);
    let held = acquire(&mut core);
    let older = core.watch_idle(NOW, ME).expect("a permit is held");
    finish(&mut core, held);
    let held = acquire(&mut core);
    let newer = core.watch_idle(NOW, ME).expect("a permit is held again");
    assert_eq!(events(&mut core, ME), [idle(older)]);
    assert!(older < newer);
    finish(&mut core, held);
    assert_eq!(events(&mut core, ME), [idle(newer)]);
}

#[test]
fn each_owner_hears_of_its_own_latest_request() {
    let mut core = bulkhead(1, 0);
    let other = core.add_owner();
    let held = acquire(&mut core);
    let mine = core.watch_idle(NOW, ME).expect("a permit is held");
    let theirs = core.watch_idle(NOW, other).expect("a permit is held");
    finish(&mut core, held);
    assert_eq!(events(&mut core, ME), [idle(mine)]);
    assert_eq!(events(&mut core, other), [idle(theirs)]);
}

#[test]
fn a_watcher_hears_of_capacity_once() {
    let mut core = bulkhead(2, 1);
    let first = acquire(&mut core);
    assert_eq!(core.watch_capacity(NOW, Request::run(1)), Ok(true));
    let too_heavy = Request::run(3);
    assert_eq!(core.watch_capacity(NOW, too_heavy), Ok(true), "for good");
    let second = acquire(&mut core);
    assert_eq!(core.watch_capacity(NOW, Request::run(1)), Ok(false));
    let third = acquire(&mut core);
    finish(&mut core, first);
    let granted = Event::Granted { id: third };
    assert_eq!(events(&mut core, ME), [granted], "the permit changed hands");
    finish(&mut core, second);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    finish(&mut core, third);
    assert_eq!(events(&mut core, ME), []);
}

#[test]
fn an_owner_hears_of_capacity_for_the_lightest_weight_that_it_asked_for() {
    let mut core = bulkhead(3, 0);
    let ids = [(); 3].map(|()| acquire(&mut core));
    for weight in [3, 2, 3] {
        assert_eq!(core.watch_capacity(NOW, Request::run(weight)), Ok(false));
    }
    finish(&mut core, ids[0]);
    assert_eq!(events(&mut core, ME), []);
    finish(&mut core, ids[1]);
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    finish(&mut core, ids[2]);
    assert_eq!(events(&mut core, ME), [], "one notice for all of them");
}

/// Otherwise who waits for it would wait forever.
#[test]
fn an_end_for_good_is_capacity_too() {
    let ends: [fn(&mut Bulkhead); 3] = [
        |core| core.drain(NOW),
        |core| core.close(NOW, false),
        |core| core.resize(NOW, 1).expect("a valid limit"),
    ];
    for end in ends {
        let mut core = bulkhead(2, 0);
        acquire(&mut core);
        assert_eq!(core.watch_capacity(NOW, Request::run(2)), Ok(false));
        end(&mut core);
        assert_eq!(events(&mut core, ME), [CAPACITY]);
    }
}

#[test]
fn watchers_of_idleness_hear_before_watchers_of_capacity() {
    let mut core = bulkhead(1, 0);
    let held = acquire(&mut core);
    assert_eq!(core.watch_capacity(NOW, Request::run(1)), Ok(false));
    let ticket = core.watch_idle(NOW, ME).expect("a permit is held");
    finish(&mut core, held);
    assert_eq!(events(&mut core, ME), [idle(ticket), CAPACITY]);
}

/// Under the lowered limit a call may wait for its own caller, so it has to ask again.
#[test]
fn a_lowered_limit_is_told_to_watchers_of_capacity_once() {
    let mut core = bulkhead(2, 0);
    let held = [(); 2].map(|()| acquire(&mut core));
    let nested = Request::run(1).held(&held[..1]);
    assert_eq!(core.watch_capacity(NOW, nested), Ok(false));
    core.resize(NOW, 1).expect("a valid limit");
    assert_eq!(events(&mut core, ME), [CAPACITY]);
    assert_eq!(
        core.watch_capacity(NOW, nested),
        Ok(true),
        "it waits for itself"
    );
    core.resize(NOW, 2).expect("a valid limit");
    core.resize(NOW, 1).expect("a valid limit");
    assert_eq!(core.watch_capacity(NOW, Request::run(1)), Ok(false));
    core.resize(NOW, 1).expect("a valid limit");
    assert_eq!(events(&mut core, ME), [], "not lowered since it was asked");
}

#[test]
fn an_owner_that_has_ended_does_not_wait_for_capacity() {
    let mut core = bulkhead(1, 0);
    let other = core.add_owner();
    acquire(&mut core);
    core.evict(NOW, other);
    let request = Request::run(1).owner(other);
    assert_eq!(core.watch_capacity(NOW, request), Ok(true));
    assert!(matches!(
        core.acquire_or_watch(NOW, request),
        Ok(Offer::Rejected(Rejection::Closed))
    ));
}
