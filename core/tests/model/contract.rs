//! What the contract says of each input, on the naive side.

use bulkheads::{
    Admission, Cancellation, Event, FullReason, Id, Instant, Outcome, Rejection, State,
};
use proptest::prelude::*;

use crate::inputs::{Checked, World};
use crate::naive::{Holder, NEVER, Phase, Waiter};

#[derive(Debug)]
pub(crate) enum Want {
    Admitted,
    Queued,
    Rejected(Rejection),
}

#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) owner: usize,
    pub(crate) weight: u32,
    pub(crate) run: bool,
    pub(crate) timeout: u64,
    pub(crate) deadline: u64,
}

impl World {
    /// What the contract says of an arrival, check by check in its order.
    pub(crate) fn want(&mut self, weight: u32, deadline: u64, timeout: u64, aborted: bool) -> Want {
        self.naive.advance(self.time);
        let naive = &self.naive;
        let limit = naive.settings.limit;
        if aborted {
            Want::Rejected(Rejection::Cancelled)
        } else if naive.state != State::Open {
            Want::Rejected(Rejection::Closed)
        } else if deadline <= naive.now {
            Want::Rejected(Rejection::QueueTimeout)
        } else if limit > 0 && weight > limit {
            Want::Rejected(Rejection::TooHeavy)
        } else if naive.waiters.is_empty() && naive.used() + u64::from(weight) <= u64::from(limit) {
            Want::Admitted
        } else if naive.waiters.len() < naive.settings.max_queue as usize && timeout > 0 {
            Want::Queued
        } else {
            Want::Rejected(self.naive_full(timeout == 0))
        }
    }

    pub(crate) fn naive_full(&self, unwilling: bool) -> Rejection {
        let settings = self.naive.settings;
        let queue_full = self.naive.waiters.len() >= settings.max_queue as usize;
        Rejection::Full(match (settings.limit, settings.max_queue, queue_full) {
            (0, _, _) => FullReason::Paused,
            (_, 0, _) => FullReason::NoQueue,
            (_, _, true) => FullReason::QueueFull,
            (_, _, false) => {
                assert!(unwilling, "room in the queue and willing to wait");
                FullReason::NotWilling
            }
        })
    }

    pub(crate) fn arrived(&mut self, came: Admission, want: Want, arrival: Arrival) -> Checked {
        let naive = &mut self.naive;
        let Arrival {
            owner,
            weight,
            run,
            timeout,
            deadline,
        } = arrival;
        let since = naive.now;
        match (came, want) {
            (Admission::Admitted(id), Want::Admitted) => {
                self.ids.push(id);
                naive.books.admitted += 1;
                let (phase, timer) = (Phase::Running, NEVER);
                let bound = deadline;
                let mut one = Holder {
                    id,
                    owner,
                    weight,
                    run,
                    since,
                    bound,
                    phase,
                    timer,
                };
                one.timer = naive.run_timer(&one);
                naive.holders.push(one);
            }
            (Admission::Queued(id), Want::Queued) => {
                self.ids.push(id);
                let timeout = timeout.min(naive.settings.timeout);
                let end = since.saturating_add(timeout).min(deadline);
                let bound = deadline;
                naive.waiters.push(Waiter {
                    id,
                    owner,
                    weight,
                    run,
                    since,
                    end,
                    bound,
                });
            }
            (Admission::Rejected(came), Want::Rejected(want)) => {
                prop_assert_eq!(came, want);
                *match came {
                    Rejection::Cancelled => &mut naive.books.cancelled,
                    Rejection::Closed => &mut naive.books.closed,
                    Rejection::Full(_) => &mut naive.books.full,
                    Rejection::QueueTimeout => &mut naive.books.queue_timeout,
                    _ => &mut naive.books.too_heavy,
                } += 1;
            }
            (came, want) => prop_assert!(false, "wanted {:?}, came {:?}", want, came),
        }
        Ok(())
    }

    pub(crate) fn start(&mut self, pick: usize) {
        let id = self.id(pick);
        self.core.start(id);
        let naive = &mut self.naive;
        let granted = |one: &&mut Holder| one.id == id && one.phase == Phase::Granted;
        let Some(one) = naive.holders.iter_mut().find(granted) else {
            return;
        };
        one.phase = Phase::Running;
        let one = one.clone();
        let timer = naive.run_timer(&one);
        for holder in naive.holders.iter_mut().filter(|holder| holder.id == id) {
            holder.timer = timer;
        }
        if naive.aborting && one.run {
            naive.events.push((one.owner, Event::CallClosed { id }));
            naive.answer(id, naive.now);
        }
    }

    pub(crate) fn finish(&mut self, id: Id, outcome: Outcome) -> bool {
        let naive = &mut self.naive;
        // A result in hand is never thrown away: its bound acts no longer.
        for one in naive.holders.iter_mut().filter(|one| one.id == id) {
            if one.phase == Phase::Running {
                one.timer = NEVER;
            }
        }
        naive.advance(self.time);
        let Some(one) = naive.take(id) else {
            return false;
        };
        *match outcome {
            Outcome::Leaked => &mut naive.books.leaked,
            Outcome::Completed if one.phase != Phase::Overrun => &mut naive.books.completed,
            _ => &mut naive.books.failed,
        } += 1;
        naive.books.ran += 1;
        naive.grant();
        true
    }

    pub(crate) fn withdraw(&mut self, id: Id) -> (Cancellation, Option<usize>) {
        let naive = &mut self.naive;
        if let Some(place) = naive.waiters.iter().position(|one| one.id == id) {
            let one = naive.waiters.remove(place);
            naive.books.cancelled += 1;
            naive.books.waited += 1;
            return (Cancellation::Withdrawn, Some(one.owner));
        }
        let Some(one) = naive.holders.iter().find(|one| one.id == id).cloned() else {
            return (Cancellation::Settled, None);
        };
        let whose = Some(one.owner);
        match one.phase {
            Phase::Granted => {
                naive.take(id);
                naive.books.unclaimed += 1;
                (Cancellation::Withdrawn, whose)
            }
            Phase::Running if one.run => {
                naive.answer(id, naive.now);
                (Cancellation::AnsweredEarly, whose)
            }
            _ => (Cancellation::Settled, None),
        }
    }

    pub(crate) fn abort(&mut self, ids: &[Id]) {
        self.naive.advance(self.time);
        for id in ids {
            if let Some(owner) = self.withdraw(*id).1 {
                self.naive
                    .events
                    .push((owner, Event::Cancelled { id: *id }));
            }
        }
        self.naive.grant();
    }

    pub(crate) fn resize(&mut self, limit: u32) {
        self.naive.advance(self.time);
        self.naive.settings.limit = limit;
        if limit > 0 {
            let heavy = self.take_waiters(|one| one.weight > limit);
            for one in heavy {
                self.naive.books.too_heavy += 1;
                let event = Event::TooHeavy {
                    id: one.id,
                    nanos: self.naive.now - one.since,
                };
                self.naive.events.push((one.owner, event));
            }
        }
        self.naive.grant();
    }

    pub(crate) fn close(&mut self, abort: bool) {
        self.naive.advance(self.time);
        self.naive.state = State::Closed;
        self.naive.aborting |= abort;
        for one in self.take_waiters(|_| true) {
            self.naive.books.closed += 1;
            let event = Event::Closed {
                id: one.id,
                nanos: self.naive.now - one.since,
            };
            self.naive.events.push((one.owner, event));
        }
        let naive = &mut self.naive;
        for one in naive.holders.clone() {
            if abort && one.run && one.phase == Phase::Running {
                let event = Event::CallClosed { id: one.id };
                naive.events.push((one.owner, event));
                naive.answer(one.id, naive.now);
            }
        }
    }

    /// The owner dies, and a new one takes its place among the inputs.
    pub(crate) fn evict(&mut self, owner: usize) {
        self.core
            .evict(Instant::from_nanos(self.time), self.owners[owner]);
        self.naive.advance(self.time);
        let waiters = self.take_waiters(|one| one.owner == owner).len() as u64;
        self.naive.books.cancelled += waiters;
        let held = self
            .naive
            .holders
            .iter()
            .filter(|one| one.owner == owner)
            .count() as u64;
        self.naive.holders.retain(|one| one.owner != owner);
        self.naive.books.abandoned_runs += held;
        self.naive.books.ran += held;
        self.naive.events.retain(|(whose, _)| *whose != owner);
        self.naive.grant();
        self.owners[owner] = self.core.add_owner();
    }

    fn take_waiters(&mut self, wanted: impl Fn(&Waiter) -> bool) -> Vec<Waiter> {
        let waiters = std::mem::take(&mut self.naive.waiters);
        let (taken, kept) = waiters.into_iter().partition(|one| wanted(one));
        self.naive.waiters = kept;
        let taken: Vec<_> = taken;
        self.naive.books.waited += taken.len() as u64;
        taken
    }
}
