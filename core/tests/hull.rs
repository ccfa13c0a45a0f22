//! Several compartments in one hull: limits, queues and books of their own; one clock, one order of
//! what is due, and one timer and one queue of events for each owner.

use bulkheads_core::{
    Admission, CompartmentId, Config, Event, Hull, Id, Instant, Outcome, OwnerId, Rejection,
    Request, Span, State,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;

const fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

/// A hull with compartments of these options.
fn hull<const N: usize>(configs: [Config; N]) -> (Hull, [CompartmentId; N]) {
    let mut hull = Hull::new();
    let ids = configs.map(|config| hull.open(config).expect("valid options"));
    (hull, ids)
}

/// One permit, a queue, and no bound on the wait.
fn single() -> Config {
    Config::new(1).max_queue(9).timeout(Span::FOREVER)
}

fn ask(hull: &mut Hull, compartment: CompartmentId, request: Request) -> Admission {
    let admission = hull.at(NOW).acquire(compartment, request);
    assert_eq!(hull.check_invariants(), Ok(()));
    admission.expect("a valid weight")
}

#[track_caller]
fn acquire(hull: &mut Hull, compartment: CompartmentId, request: Request) -> Id {
    match ask(hull, compartment, request) {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        Admission::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

fn finish(hull: &mut Hull, now: Instant, id: Id) {
    assert!(hull.at_result(now, id).finish(id, Outcome::Completed));
    assert_eq!(hull.check_invariants(), Ok(()));
}

fn events(hull: &mut Hull, owner: OwnerId) -> Vec<Event> {
    std::iter::from_fn(|| hull.poll_event(owner)).collect()
}

#[test]
fn compartments_are_numbered_in_the_order_in_which_they_are_opened() {
    let (mut hull, ids) = hull([(); 3].map(|()| single()));
    assert_eq!(ids.map(CompartmentId::index), [0, 1, 2]);
    assert_eq!(ids[0], CompartmentId::FIRST);
    assert!(hull.open(Config::new(0)).is_err());
    let next = hull.open(single()).expect("valid options");
    assert_eq!(next.index(), 3, "what was refused takes no number");
}

#[test]
fn a_full_compartment_leaves_the_others_free() {
    let (mut hull, [one, two]) = hull([Config::new(1), Config::new(2).max_queue(1)]);
    acquire(&mut hull, one, Request::run(1));
    let full = ask(&mut hull, one, Request::run(1));
    assert!(matches!(full, Admission::Rejected(Rejection::Full(_))));
    let too_heavy = Admission::Rejected(Rejection::TooHeavy);
    assert_eq!(ask(&mut hull, one, Request::run(2)), too_heavy);
    acquire(&mut hull, two, Request::run(2));
    let queued = ask(&mut hull, two, Request::run(1));
    assert!(matches!(queued, Admission::Queued(_)));
    let [first, second] = [one, two].map(|compartment| hull.snapshot(compartment));
    let figures = |stats: bulkheads_core::Snapshot| (stats.limit, stats.active, stats.queued);
    assert_eq!((figures(first), figures(second)), ((1, 1, 0), (2, 2, 1)));
    assert_eq!((first.rejected.full, second.rejected.full), (1, 0));
}

#[test]
fn a_permit_that_comes_back_serves_its_own_queue_only() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let [held, other] = [one, two].map(|place| acquire(&mut hull, place, Request::run(1)));
    let foreign = acquire(&mut hull, two, Request::run(1));
    let own = acquire(&mut hull, one, Request::run(1));
    finish(&mut hull, NOW, held);
    assert_eq!(events(&mut hull, ME), [Event::Granted { id: own }]);
    finish(&mut hull, NOW, other);
    assert_eq!(events(&mut hull, ME), [Event::Granted { id: foreign }]);
}

/// By deadline, then by arrival, whichever compartments they wait in; then the runs; then the
/// grants that all of these allow, by arrival.
#[test]
fn what_is_due_at_one_instant_has_one_order() {
    let bounded = single().call_timeout(Span::from_nanos(5));
    let bounded = bounded.abandon_after(Span::from_nanos(5));
    let (mut hull, [one, two]) = hull([bounded, bounded]);
    let other = hull.add_owner();
    let [first, second] = [two, one].map(|place| acquire(&mut hull, place, Request::run(1)));
    let waits = |hull: &mut Hull, place, deadline| {
        let request = Request::run(1).deadline(at(deadline));
        acquire(hull, place, request)
    };
    let late = waits(&mut hull, one, 9);
    let tied = waits(&mut hull, two, 7);
    let tie = waits(&mut hull, one, 7);
    let last = waits(&mut hull, two, 8);
    let [next, after] = [two, one].map(|place| acquire(&mut hull, place, Request::run(1)));
    let elsewhere = acquire(&mut hull, one, Request::run(1).owner(other).deadline(at(6)));
    drop(hull.at(at(20)));
    assert_eq!(hull.check_invariants(), Ok(()));
    let ended = |id| Event::QueueTimedOut { id, nanos: 20 };
    let timed_out = |id| Event::CallTimedOut { id, nanos: 20 };
    let granted = |id| Event::Granted { id };
    let order = [
        ended(tied),
        ended(tie),
        ended(last),
        ended(late),
        timed_out(first),
        timed_out(second),
        granted(next),
        granted(after),
    ];
    assert_eq!(events(&mut hull, ME), order);
    assert_eq!(events(&mut hull, other), [ended(elsewhere)]);
    let abandoned = [one, two].map(|place| hull.snapshot(place).abandoned_runs);
    assert_eq!(abandoned, [1, 1]);
}

#[test]
fn an_owner_has_one_timer_for_all_compartments() {
    let wait = |nanos| single().timeout(Span::from_nanos(nanos));
    let (mut hull, [one, two]) = hull([wait(9), wait(4)]);
    let other = hull.add_owner();
    for compartment in [one, two] {
        acquire(&mut hull, compartment, Request::run(1));
        acquire(&mut hull, compartment, Request::run(1));
    }
    let theirs = Request::run(1).owner(other).timeout(Span::from_nanos(2));
    acquire(&mut hull, two, theirs);
    assert_eq!(hull.poll_timeout(ME), Some(at(4)));
    assert_eq!(hull.poll_timeout(other), Some(at(2)));
    drop(hull.at(at(4)));
    assert_eq!(hull.poll_timeout(ME), Some(at(9)));
    assert_eq!(hull.poll_timeout(other), None);
    assert!(hull.keeps_alive(ME) && !hull.keeps_alive(other));
}

/// Every input does what is due, in all compartments.
#[test]
fn an_input_of_one_compartment_does_what_is_due_in_another() {
    let wait = single().timeout(Span::from_nanos(5));
    let (mut hull, [one, two]) = hull([wait, single()]);
    acquire(&mut hull, one, Request::run(1));
    let waits = acquire(&mut hull, one, Request::run(1));
    let admitted = hull.at(at(5)).acquire(two, Request::run(1));
    assert!(matches!(admitted, Ok(Admission::Admitted(_))));
    let ended = Event::QueueTimedOut {
        id: waits,
        nanos: 5,
    };
    assert_eq!(events(&mut hull, ME), [ended]);
}

/// One step: every end first, then the grants by arrival, then who watches.
#[test]
fn several_inputs_of_several_compartments_are_one_step() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let [first, second] = [one, two].map(|place| acquire(&mut hull, place, Request::run(1)));
    let gone = acquire(&mut hull, one, Request::run(1));
    let in_two = acquire(&mut hull, two, Request::run(1));
    let in_one = acquire(&mut hull, one, Request::run(1));
    let mut step = hull.at_result(NOW, first);
    assert!(step.finish(first, Outcome::Completed));
    assert!(step.finish(second, Outcome::Completed));
    step.abort([gone]);
    drop(step);
    assert_eq!(hull.check_invariants(), Ok(()));
    let cancelled = Event::Cancelled { id: gone };
    let granted = |id| Event::Granted { id };
    let order = [cancelled, granted(in_two), granted(in_one)];
    assert_eq!(events(&mut hull, ME), order);
}

#[test]
fn an_end_of_one_compartment_leaves_the_others_open() {
    let (mut hull, [one, two, three]) = hull([(); 3].map(|()| single()));
    let held = [one, two, three].map(|place| acquire(&mut hull, place, Request::run(1)));
    let waits = [one, two, three].map(|place| acquire(&mut hull, place, Request::run(1)));
    hull.at(NOW).close(two, true);
    hull.at(NOW).drain(three);
    assert_eq!(hull.at(NOW).resize(one, 2), Ok(()));
    let closed = Event::Closed {
        id: waits[1],
        nanos: 0,
    };
    let abort = Event::Abort { compartment: two };
    let granted = Event::Granted { id: waits[0] };
    assert_eq!(events(&mut hull, ME), [closed, abort, granted]);
    let states = [one, two, three].map(|place| hull.snapshot(place).state);
    assert_eq!(states, [State::Open, State::Closed, State::Draining]);
    let limits = [one, two, three].map(|place| hull.snapshot(place).limit);
    assert_eq!(limits, [2, 1, 1]);
    finish(&mut hull, NOW, held[2]);
    assert_eq!(events(&mut hull, ME), [Event::Granted { id: waits[2] }]);
}

#[test]
fn a_watch_is_for_one_compartment() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let held = [one, two].map(|place| acquire(&mut hull, place, Request::run(1)));
    let tickets = [one, two].map(|place| hull.at(NOW).watch_idle(place, ME));
    let tickets = tickets.map(|ticket| ticket.expect("a permit is held"));
    assert!(tickets[0] < tickets[1], "tickets are of the whole hull");
    let watched = hull.at(NOW).watch_capacity(two, Request::run(1));
    assert_eq!(watched, Ok(false));
    let idle = |place: usize| Event::Idle {
        compartment: [one, two][place],
        ticket: tickets[place],
    };
    finish(&mut hull, NOW, held[0]);
    assert_eq!(events(&mut hull, ME), [idle(0)]);
    finish(&mut hull, NOW, held[1]);
    let capacity = Event::Capacity { compartment: two };
    assert_eq!(events(&mut hull, ME), [idle(1), capacity]);
}

#[test]
fn permits_of_another_compartment_are_not_held_here() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let held = [acquire(&mut hull, one, Request::run(1))];
    acquire(&mut hull, two, Request::run(1));
    let nested = Request::run(1).held(&held);
    assert!(matches!(ask(&mut hull, two, nested), Admission::Queued(_)));
    let itself = Admission::Rejected(Rejection::Reentrant { holding: 1 });
    assert_eq!(ask(&mut hull, one, nested), itself);
}

#[test]
fn a_permit_is_released_to_its_own_compartment_only() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let held = acquire(&mut hull, one, Request::permit(1));
    assert!(!hull.at_result(NOW, held).release(two, held));
    assert_eq!(hull.snapshot(two).double_releases, 1);
    assert_eq!(hull.snapshot(one).active, 1);
    assert!(hull.at_result(NOW, held).release(one, held));
    assert_eq!(hull.snapshot(one).double_releases, 0);
}

#[test]
fn an_eviction_acts_in_all_compartments() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let gone = hull.add_owner();
    acquire(&mut hull, one, Request::run(1).owner(gone));
    acquire(&mut hull, two, Request::run(1).owner(gone));
    acquire(&mut hull, two, Request::run(1).owner(gone));
    let in_two = acquire(&mut hull, two, Request::run(1));
    let in_one = acquire(&mut hull, one, Request::run(1));
    for compartment in [one, two] {
        assert!(hull.at(NOW).watch_idle(compartment, gone).is_some());
    }
    hull.at(NOW).evict(gone);
    assert_eq!(hull.check_invariants(), Ok(()));
    let granted = |id| Event::Granted { id };
    assert_eq!(events(&mut hull, ME), [granted(in_two), granted(in_one)]);
    let stats = [one, two].map(|place| hull.snapshot(place));
    let abandoned = stats.map(|stats| stats.abandoned_runs);
    let cancelled = stats.map(|stats| stats.rejected.cancelled);
    assert_eq!((abandoned, cancelled), ([1, 1], [0, 1]));
    let closed = Admission::Rejected(Rejection::Closed);
    for compartment in [one, two] {
        let late = Request::run(1).owner(gone);
        assert_eq!(ask(&mut hull, compartment, late), closed);
    }
    assert_eq!(events(&mut hull, gone), []);
}

/// Counted runs of one compartment say nothing of another, and an eviction takes all of them.
#[test]
fn counted_runs_are_of_one_compartment() {
    let (mut hull, [one, two]) = hull([Config::new(2), Config::new(2)]);
    let gone = hull.add_owner();
    for compartment in [one, two] {
        let measured = acquire(&mut hull, compartment, Request::run(1));
        finish(&mut hull, NOW, measured);
    }
    assert!(hull.admit_counted(one, gone) && hull.admit_counted(two, gone));
    assert!(hull.admit_counted(two, gone) && !hull.admit_counted(two, gone));
    assert!(hull.admit_counted(one, gone) && !hull.admit_counted(one, ME));
    let ended = hull.at(NOW).finish_counted(one, gone, Outcome::Completed);
    assert!(ended);
    hull.at(NOW).evict(gone);
    assert_eq!(hull.check_invariants(), Ok(()));
    let abandoned = [one, two].map(|place| hull.snapshot(place).abandoned_runs);
    assert_eq!(abandoned, [1, 2]);
    assert!([one, two].map(|place| hull.admit_counted(place, ME)) == [true; 2]);
}

/// It would have to be notified, or timed out, in order with the calls that have slots.
#[test]
fn a_deadline_in_one_compartment_makes_the_calls_of_all_need_a_clock() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    for compartment in [one, two] {
        let measured = acquire(&mut hull, compartment, Request::run(1));
        finish(&mut hull, NOW, measured);
    }
    assert!(hull.credit(two, ME).free == 1 && hull.admit_counted(two, ME));
    let bounded = acquire(&mut hull, one, Request::run(1).deadline(at(9)));
    assert!(!hull.finish_counted_untimed(two, ME, Outcome::Completed));
    assert_eq!(hull.credit(two, ME), bulkheads_core::Credit::NONE);
    finish(&mut hull, NOW, bounded);
    assert!(hull.finish_counted_untimed(two, ME, Outcome::Completed));
}

#[test]
fn a_restart_forgets_the_calls_of_all_compartments() {
    let (mut hull, [one, two]) = hull([single(), single()]);
    let other = hull.add_owner();
    for compartment in [one, two] {
        acquire(&mut hull, compartment, Request::run(1).owner(other));
        acquire(&mut hull, compartment, Request::run(1));
    }
    hull.at(NOW).close(two, false);
    hull.restart();
    assert_eq!(hull.check_invariants(), Ok(()));
    let stats = [one, two].map(|place| hull.snapshot(place));
    assert_eq!(stats.map(|stats| stats.active), [0, 0]);
    assert_eq!(stats.map(|stats| stats.admitted), [0, 0]);
    assert_eq!(stats.map(|stats| stats.state), [State::Open, State::Closed]);
    assert_eq!(events(&mut hull, ME), []);
}
