//! What the contract says of each input, on the naive side.

use bulkheads_core::{
    Admission, Cancellation, Event, FullReason, Id, Offer, Outcome, Reclaim, Rejection, State,
};

use super::naive::{COUNTED, HERE, Holder, NEVER, Owner, Phase, Waiter};
use super::{Asked, Checked, World, agree};

#[derive(Debug)]
pub(super) enum Want {
    Admitted,
    Queued,
    Rejected(Rejection),
}

impl World {
    /// What the contract says of an arrival, check by check in its order.
    pub(super) fn want(&mut self, asked: &Asked, deadline: u64, held: &[Id]) -> Want {
        self.naive.advance(self.time);
        let (naive, weight) = (&self.naive, asked.weight);
        let limit = naive.settings.limit;
        if asked.aborted {
            Want::Rejected(Rejection::Cancelled)
        } else if naive.state != State::Open {
            Want::Rejected(Rejection::Closed)
        } else if deadline <= naive.now {
            Want::Rejected(Rejection::QueueTimeout)
        } else if limit > 0 && weight > limit {
            Want::Rejected(Rejection::TooHeavy)
        } else if naive.waiters.is_empty() && naive.used() + u64::from(weight) <= u64::from(limit) {
            Want::Admitted
        } else if naive.waits_for_itself(weight, naive.held(held)) {
            let holding = naive.held(held);
            Want::Rejected(Rejection::Reentrant { holding })
        } else if naive.waiters.len() < naive.settings.max_queue as usize && asked.timeout > 0 {
            Want::Queued
        } else {
            Want::Rejected(self.full(asked.timeout == 0))
        }
    }

    pub(super) fn full(&self, unwilling: bool) -> Rejection {
        let settings = self.naive.settings;
        let queue_full = self.naive.waiters.len() >= settings.max_queue as usize;
        Rejection::Full(match (settings.limit, settings.max_queue, queue_full) {
            (0, _, _) => FullReason::Paused,
            (_, 0, _) => FullReason::NoQueue,
            (_, _, true) => FullReason::QueueFull,
            (_, _, false) => {
                assert!(unwilling, "a place in the queue and willing to wait");
                FullReason::NotWilling
            }
        })
    }

    /// Books an arrival; `call` makes it from its id, the time, and the longest wait there is.
    pub(super) fn arrived(
        &mut self,
        came: Admission,
        want: Want,
        call: impl FnOnce(Id, u64, u64) -> Waiter,
    ) -> Checked {
        let naive = &mut self.naive;
        let (now, longest) = (naive.now, naive.settings.timeout);
        match (came, want) {
            (Admission::Admitted(id), Want::Admitted) => {
                self.ids.push(id);
                naive.admit(&call(id, now, longest), Phase::Running);
            }
            (Admission::Queued(id), Want::Queued) => {
                self.ids.push(id);
                naive.waiters.push(call(id, now, longest));
                let queued = naive.waiters.len() as u64;
                naive.books.peak_queued = naive.books.peak_queued.max(queued);
            }
            (Admission::Rejected(came), Want::Rejected(want)) => {
                agree("rejection", came, want)?;
                *match came {
                    Rejection::Cancelled => &mut naive.books.cancelled,
                    Rejection::Closed => &mut naive.books.closed,
                    Rejection::Full(_) => &mut naive.books.full,
                    Rejection::QueueTimeout => &mut naive.books.queue_timeout,
                    Rejection::Reentrant { .. } => &mut naive.books.reentrant,
                    Rejection::TooHeavy => &mut naive.books.too_heavy,
                } += 1;
            }
            (came, want) => return Err(format!("came {came:?}, the contract says {want:?}")),
        }
        Ok(())
    }

    pub(super) fn start(&mut self, id: Id) {
        self.core.start(id);
        let naive = &mut self.naive;
        let granted = |one: &Holder| one.id == id && one.phase == Phase::Granted;
        let Some(place) = naive.holders.iter().position(granted) else {
            return;
        };
        naive.holders[place].phase = Phase::Running;
        naive.holders[place].timer = naive.run_timer(&naive.holders[place]);
    }

    pub(super) fn finish(&mut self, id: Id, outcome: Outcome) -> bool {
        let Some(phase) = self.take_back(id) else {
            return false;
        };
        let books = &mut self.naive.books;
        *match outcome {
            Outcome::Completed if phase != Phase::Overrun => &mut books.completed,
            Outcome::Completed | Outcome::Failed => &mut books.failed,
        } += 1;
        true
    }

    pub(super) fn reclaim(&mut self, id: Id) -> Reclaim {
        if self.take_back(id).is_none() {
            return Reclaim::Stale;
        }
        self.naive.books.leaked += 1;
        if self.naive.books.leaked == 1 {
            Reclaim::First
        } else {
            Reclaim::Again
        }
    }

    /// Takes the permits of an id back, whatever the end is; answers the phase it was in.
    fn take_back(&mut self, id: Id) -> Option<Phase> {
        let naive = &mut self.naive;
        // A result in hand is never thrown away: its bound acts no longer.
        for one in naive.holders.iter_mut().filter(|one| one.id == id) {
            if one.phase == Phase::Running {
                one.timer = NEVER;
            }
        }
        naive.advance(self.time);
        let one = naive.take(id).filter(|_| id != COUNTED)?;
        naive.books.ran.add(naive.now - one.since);
        naive.settle();
        Some(one.phase)
    }

    pub(super) fn finish_counted(&mut self, owner: usize, outcome: Outcome) -> bool {
        let naive = &mut self.naive;
        naive.advance(self.time);
        let Some(place) = naive.counted(owner) else {
            return false;
        };
        naive.holders.remove(place);
        *match outcome {
            Outcome::Completed => &mut naive.books.completed,
            Outcome::Failed => &mut naive.books.failed,
        } += 1;
        naive.settle();
        true
    }

    pub(super) fn cancel(&mut self, id: Id) -> Cancellation {
        self.naive.advance(self.time);
        let (cancellation, _) = self.withdraw(id);
        self.naive.settle();
        cancellation
    }

    pub(super) fn abort(&mut self, ids: &[Id]) {
        self.naive.advance(self.time);
        for id in ids {
            if let (_, Some(owner)) = self.withdraw(*id) {
                self.naive.tell(owner, Event::Cancelled { id: *id });
            }
        }
        self.naive.settle();
    }

    /// What giving up does, and whose call it was if it did something.
    fn withdraw(&mut self, id: Id) -> (Cancellation, Option<usize>) {
        let naive = &mut self.naive;
        if let Some(one) = naive.take_waiters(|one| one.id == id).first() {
            naive.books.cancelled += 1;
            return (Cancellation::Withdrawn, Some(one.owner));
        }
        let Some(one) = naive.holders.iter().find(|one| one.id == id).cloned() else {
            return (Cancellation::Settled, None);
        };
        match one.phase {
            Phase::Granted => {
                naive.take(id);
                naive.books.unclaimed += 1;
                (Cancellation::Withdrawn, Some(one.owner))
            }
            Phase::Running if one.run => {
                naive.answer(id, naive.now);
                (Cancellation::AnsweredEarly, Some(one.owner))
            }
            _ => (Cancellation::Settled, None),
        }
    }

    pub(super) fn resize(&mut self, limit: u32) {
        self.naive.advance(self.time);
        let before = std::mem::replace(&mut self.naive.settings.limit, limit);
        self.naive.is_narrowed = limit < before;
        for one in self
            .naive
            .take_waiters(|one| limit > 0 && one.weight > limit)
        {
            self.naive.books.too_heavy += 1;
            let (id, nanos) = (one.id, self.naive.now - one.since);
            self.naive.tell(one.owner, Event::TooHeavy { id, nanos });
        }
        self.naive.settle();
    }

    pub(super) fn close(&mut self, abort: bool) {
        self.naive.advance(self.time);
        self.naive.state = State::Closed;
        for one in self.naive.take_waiters(|_| true) {
            self.naive.books.closed += 1;
            let (id, nanos) = (one.id, self.naive.now - one.since);
            self.naive.tell(one.owner, Event::Closed { id, nanos });
        }
        if abort && !std::mem::replace(&mut self.naive.aborting, true) {
            for owner in 0..self.naive.owners.len() {
                self.naive.tell(owner, Event::Abort { compartment: HERE });
            }
        }
        self.naive.settle();
    }

    pub(super) fn evict(&mut self, owner: usize) {
        self.naive.advance(self.time);
        let waiters = self.naive.take_waiters(|one| one.owner == owner).len() as u64;
        self.naive.books.cancelled += waiters;
        self.naive.abandon(|one| one.owner == owner);
        self.naive.owners[owner] = Owner::default();
        self.naive.settle();
    }

    pub(super) fn watch_idle(&mut self, owner: usize) -> Option<u64> {
        self.naive.advance(self.time);
        if self.naive.is_idle() {
            return None;
        }
        self.naive.tickets += 1;
        self.naive.owners[owner].watches_idle = self.naive.tickets;
        Some(self.naive.tickets)
    }

    /// Books an offer: what the core admitted is a run at once, what it turned away is counted, and
    /// what it could only queue, or reject as full, is watched for.
    pub(super) fn offered(
        &mut self,
        came: Offer,
        want: Want,
        asked: &Asked,
        call: impl FnOnce(Id, u64, u64) -> Waiter,
    ) -> Checked {
        match (came, want) {
            (Offer::Watching, Want::Queued | Want::Rejected(Rejection::Full(_))) => {
                self.watch(asked.owner, asked.weight);
                Ok(())
            }
            (Offer::Admitted(id), want) => self.arrived(Admission::Admitted(id), want, call),
            (Offer::Rejected(one), want) => self.arrived(Admission::Rejected(one), want, call),
            (came, want) => Err(format!("came {came:?}, the contract says {want:?}")),
        }
    }

    pub(super) fn watch_capacity(&mut self, owner: usize, weight: u32, held: &[Id]) -> bool {
        self.naive.advance(self.time);
        let naive = &self.naive;
        let has = naive.has_capacity(weight) || naive.waits_for_itself(weight, naive.held(held));
        if !has {
            self.watch(owner, weight);
        }
        has
    }

    fn watch(&mut self, owner: usize, weight: u32) {
        let wish = &mut self.naive.owners[owner].watches_capacity;
        *wish = if *wish == 0 {
            weight
        } else {
            weight.min(*wish)
        };
    }
}
