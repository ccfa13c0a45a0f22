//! The lock and the bells, in one thread and in several.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::Thread;

use bulkheads_core::{
    Admission, Bulkhead, Config, Event, Instant, Outcome, OwnerId, Request, Span,
};
use bulkheads_driver::{Bell, Shared};

const NOW: Instant = Instant::ZERO;

type Counted = Shared<Bulkhead, AtomicU32>;

/// One permit and a queue, with its first owner and another that has a bell.
fn shared() -> (Counted, OwnerId, Arc<Bell<AtomicU32>>) {
    let core = Bulkhead::new(Config::new(1).max_queue(5)).expect("valid options");
    let shared = Shared::new(core);
    let other = shared.look(Bulkhead::add_owner);
    let bell = Bell::new(AtomicU32::new(0));
    shared.listen(other, Arc::clone(&bell));
    (shared, other, bell)
}

fn acquire(shared: &Counted, owner: OwnerId) -> bulkheads_core::Id {
    let (answer, wakes) = shared.step(owner, |core| {
        core.acquire(NOW, Request::run(1).owner(owner))
    });
    assert!(wakes.is_empty(), "an arrival notifies no other owner");
    match answer.expect("a valid weight") {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        rejected @ Admission::Rejected(_) => panic!("{rejected:?}"),
    }
}

fn finish(shared: &Counted, id: bulkheads_core::Id) {
    let (finished, wakes) = shared.step(OwnerId::FIRST, |core| {
        core.finish(NOW, id, Outcome::Completed)
    });
    assert!(finished);
    wakes.ring(count);
}

fn count(waker: &AtomicU32) {
    waker.fetch_add(1, Ordering::Relaxed);
}

fn rung(bell: &Bell<AtomicU32>) -> u32 {
    bell.waker().load(Ordering::Relaxed)
}

#[test]
fn an_input_wakes_the_owner_that_it_notifies_once_until_the_bell_is_answered() {
    let (shared, other, bell) = shared();
    let held = acquire(&shared, OwnerId::FIRST);
    let (first, second) = (acquire(&shared, other), acquire(&shared, other));
    finish(&shared, held);
    assert_eq!(rung(&bell), 1);
    finish(&shared, first);
    assert_eq!(rung(&bell), 1, "a wake is on its way already");
    bell.answer();
    finish(&shared, second);
    assert_eq!(
        rung(&bell),
        1,
        "nothing waits that the last end could notify"
    );
}

/// Else a driver that has looked once would never hear again.
#[test]
fn an_answered_bell_rings_again() {
    let (shared, other, bell) = shared();
    for times in 1..4 {
        let held = acquire(&shared, OwnerId::FIRST);
        let waits = acquire(&shared, other);
        finish(&shared, held);
        assert_eq!(rung(&bell), times);
        bell.answer();
        finish(&shared, waits);
    }
}

#[test]
fn an_owner_is_not_woken_by_its_own_input() {
    let (shared, other, bell) = shared();
    let held = acquire(&shared, other);
    acquire(&shared, other);
    let (_, wakes) = shared.step(other, |core| core.finish(NOW, held, Outcome::Completed));
    assert!(wakes.is_empty());
    assert_eq!(rung(&bell), 0);
}

#[test]
fn the_bell_of_an_owner_that_ended_is_not_rung_for_the_next_in_its_place() {
    let (shared, other, bell) = shared();
    shared
        .step(other, |core| core.evict(NOW, other))
        .1
        .ring(count);
    let heir = shared.look(Bulkhead::add_owner);
    assert_ne!(heir, other);
    let held = acquire(&shared, OwnerId::FIRST);
    acquire(&shared, heir);
    finish(&shared, held);
    assert_eq!(rung(&bell), 0);
    let bell_of_heir = Bell::new(AtomicU32::new(0));
    shared.listen(heir, Arc::clone(&bell_of_heir));
    shared.unlisten(other);
    let ((), wakes) = shared.step(OwnerId::FIRST, |core| core.close(NOW, true));
    wakes.ring(count);
    assert_eq!(
        (rung(&bell), rung(&bell_of_heir)),
        (0, 1),
        "unlisten ends only its own"
    );
}

#[test]
fn a_look_in_the_middle_of_a_step_does_not_wait() {
    let (shared, other, _) = shared();
    let (looked, _) = shared.step(other, |_| shared.try_look(Bulkhead::limit));
    assert_eq!(looked, None);
    assert_eq!(shared.try_look(Bulkhead::limit), Some(1));
}

#[test]
fn a_panic_of_one_thread_is_none_of_the_others() {
    let (shared, other, _) = shared();
    let shared = Arc::new(shared);
    let theirs = Arc::clone(&shared);
    let panicked = std::thread::spawn(move || {
        theirs.look(|_| panic!("in the middle of a look"));
    });
    assert!(panicked.join().is_err());
    acquire(&shared, other);
    assert_eq!(shared.try_look(Bulkhead::active), Some(1));
}

#[test]
fn a_forked_child_has_no_bells() {
    let (shared, other, bell) = shared();
    drop(shared.unlisten_all());
    let held = acquire(&shared, OwnerId::FIRST);
    acquire(&shared, other);
    finish(&shared, held);
    assert_eq!(rung(&bell), 0);
}

/// Drops as a host's waker may: it runs code that uses the same bulkhead.
struct Looks(std::sync::Weak<Shared<Bulkhead, Looks>>);

impl Drop for Looks {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            assert_eq!(
                shared.try_look(Bulkhead::limit),
                Some(1),
                "the lock is free"
            );
        }
    }
}

#[test]
fn no_waker_is_dropped_under_the_lock() {
    let core = Bulkhead::new(Config::new(1)).expect("valid options");
    let shared = Arc::new(Shared::new(core));
    let bell = || Bell::new(Looks(Arc::downgrade(&shared)));
    let owner = OwnerId::FIRST;
    shared.listen(owner, bell());
    shared.listen(owner, bell());
    shared.unlisten(owner);
    shared.listen(owner, bell());
    drop(shared.unlisten_all());
    assert_eq!(Arc::weak_count(&shared), 0, "all three are dropped");
}

/// As the crate's README has it: each of two threads takes the only permit many times.
#[test]
fn a_permit_goes_to_and_fro_between_threads_that_sleep() {
    const TIMES: u64 = 1000;
    let mut core = Bulkhead::new(Config::new(1).max_queue(1)).expect("valid options");
    let owners = [OwnerId::FIRST, core.add_owner()];
    let shared = Shared::new(core);
    std::thread::scope(|scope| {
        for owner in owners {
            let shared = &shared;
            scope.spawn(move || {
                let bell = Bell::new(std::thread::current());
                shared.listen(owner, Arc::clone(&bell));
                (0..TIMES).for_each(|_| take_and_give_back(shared, owner, &bell));
            });
        }
    });
    let stats = shared.look(|core| core.snapshot());
    assert_eq!((stats.completed, stats.active), (2 * TIMES, 0));
}

fn take_and_give_back(shared: &Shared<Bulkhead, Thread>, owner: OwnerId, bell: &Bell<Thread>) {
    let request = Request::run(1).owner(owner).timeout(Span::FOREVER);
    let (answer, wakes) = shared.step(owner, |core| core.acquire(NOW, request));
    wakes.ring(Thread::unpark);
    let id = match answer.expect("a valid weight") {
        Admission::Admitted(id) => id,
        Admission::Queued(id) => {
            let granted = Some(Event::Granted { id });
            let mut event = None;
            while event.is_none() {
                bell.answer();
                event = shared.look(|core| core.poll_event(owner));
                if event.is_none() {
                    std::thread::park();
                }
            }
            assert_eq!(event, granted);
            id
        }
        rejected @ Admission::Rejected(_) => panic!("{rejected:?}"),
    };
    let (_, wakes) = shared.step(owner, |core| core.finish(NOW, id, Outcome::Completed));
    wakes.ring(Thread::unpark);
}
