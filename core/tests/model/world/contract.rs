//! What the contract says of each input, on the naive side.

use bulkheads_core::{
    Admission, Cancellation, Event, FullReason, Id, Offer, Outcome, Reclaim, Rejection, State,
};

use super::naive::{COUNTED, DRAIN, HERE, Holder, NEVER, Owner, Phase, ROOM, Waiter};
use super::play::waiter;
use super::{Asked, Checked, World, agree};

#[derive(Clone, Copy, Debug)]
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
                    Rejection::QueueTimeout | Rejection::NoRoom { .. } => {
                        &mut naive.books.queue_timeout
                    }
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
        self.naive.is_narrowed = limit < before || before == 0;
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
        self.naive.end();
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
        let drains_at = self.naive.owners[owner].alarms[DRAIN];
        self.naive.owners[owner] = Owner::default();
        // The first of the others takes it over.
        if drains_at < NEVER {
            let heir = &mut self.naive.owners[usize::from(owner == 0)];
            heir.alarms[DRAIN] = heir.alarms[DRAIN].min(drains_at);
            heir.to_wake = true;
        }
        self.naive.settle();
    }

    pub(super) fn drain_within(&mut self, owner: usize, timeout: u64) {
        self.naive.advance(self.time);
        let naive = &mut self.naive;
        naive.state = naive.state.max(State::Draining);
        if naive.state == State::Draining && !naive.is_idle() && timeout == 0 {
            naive.end();
        } else if naive.state == State::Draining && !naive.is_idle() {
            let alarm = &mut naive.owners[owner].alarms[DRAIN];
            *alarm = naive.now.saturating_add(timeout).min(*alarm);
        }
        naive.settle();
    }

    pub(super) fn release_part(&mut self, id: Id, permits: u32) -> Option<bool> {
        let held = self.naive.permits(id);
        if held > 0 && permits == held {
            return Some(self.released(id));
        }
        if permits == 0 {
            self.naive.advance(self.time);
            return None;
        }
        self.naive.advance(self.time);
        // Its bound may have passed meanwhile, or its abandonment.
        match self.naive.permits(id) {
            0 => Some(self.released(id)),
            held if permits > held => None,
            held => {
                self.reweigh(id, held - permits);
                Some(true)
            }
        }
    }

    pub(super) fn released(&mut self, id: Id) -> bool {
        let is_released = self.finish(id, Outcome::Completed);
        self.naive.books.double_releases += u64::from(!is_released);
        is_released
    }

    /// Whom the part is taken from, if there is one to be had; an error if so many cannot be.
    pub(super) fn split(&mut self, id: Id, permits: u32) -> Result<Option<Holder>, ()> {
        self.naive.advance(self.time);
        let runs = |one: &&Holder| one.id == id && one.phase == Phase::Running;
        let one = self.naive.holders.iter().find(runs).cloned();
        if permits == 0 || one.as_ref().is_some_and(|one| permits >= one.weight) {
            return Err(());
        }
        let Some(one) = one else {
            return Ok(None);
        };
        // Nobody is granted in between: the part takes what the first gives.
        let first = self.naive.holders.iter_mut().find(|one| one.id == id);
        first.expect("as above").weight -= permits;
        Ok(Some(one))
    }

    pub(super) fn adjust(&mut self, id: Id, weight: u32) -> bool {
        self.naive.advance(self.time);
        let (naive, held) = (&self.naive, self.naive.permits(id));
        let limit = u64::from(naive.settings.limit);
        let fits = naive.used() - u64::from(held) + u64::from(weight) <= limit;
        let mut holders = naive.holders.iter();
        let runs = holders.any(|one| one.id == id && one.phase == Phase::Running);
        let grows = naive.state == State::Open && naive.waiters.is_empty() && fits && runs;
        let is_possible = held > 0 && (weight <= held || grows);
        if is_possible {
            self.reweigh(id, weight);
        }
        is_possible
    }

    fn reweigh(&mut self, id: Id, weight: u32) {
        let naive = &mut self.naive;
        for one in naive.holders.iter_mut().filter(|one| one.id == id) {
            one.weight = weight;
        }
        naive.books.peak_active = naive.books.peak_active.max(naive.used());
        naive.settle();
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
    /// what it could only queue, or reject as full, is watched for, unless it has waited enough.
    pub(super) fn offered(
        &mut self,
        came: Offer,
        want: Want,
        asked: &Asked,
        deadline: u64,
    ) -> Checked {
        let call = waiter(*asked, deadline);
        let has_turn = asked.siblings < self.naive.width(asked.weight);
        let want = match want {
            Want::Admitted if has_turn => Want::Admitted,
            Want::Admitted | Want::Queued | Want::Rejected(Rejection::Full(_)) => {
                let bound = self.room_bound(asked, deadline);
                if bound > self.naive.now {
                    self.watch(asked, bound);
                    return agree("offer", came, Offer::Watching);
                }
                let nanos = self.naive.now - self.waits_since(asked);
                Want::Rejected(Rejection::NoRoom { nanos })
            }
            // It waited in vain, if it had to wait before.
            Want::Rejected(Rejection::QueueTimeout) if asked.siblings == 0 => {
                match self.naive.now - self.waits_since(asked) {
                    0 => Want::Rejected(Rejection::QueueTimeout),
                    nanos => Want::Rejected(Rejection::NoRoom { nanos }),
                }
            }
            Want::Rejected(rejection) => Want::Rejected(rejection),
        };
        match came {
            Offer::Admitted(id) => self.arrived(Admission::Admitted(id), want, call),
            Offer::Rejected(one) => self.arrived(Admission::Rejected(one), want, call),
            Offer::Watching => Err(format!("it watches, the contract says {want:?}")),
        }
    }

    pub(super) fn watch_capacity(&mut self, asked: &Asked, deadline: u64, held: &[Id]) -> bool {
        self.naive.advance(self.time);
        let naive = &self.naive;
        let bound = self.room_bound(asked, deadline);
        let has = naive.has_capacity(asked.weight, asked.siblings)
            || naive.waits_for_itself(asked.weight, naive.held(held))
            || bound <= naive.now;
        if !has {
            self.watch(asked, bound);
        }
        has
    }

    pub(super) fn unwatch_capacity(&mut self, owner: usize) {
        self.naive.advance(self.time);
        self.naive.owners[owner].watches_capacity.clear();
        self.naive.owners[owner].alarms[ROOM] = NEVER;
    }

    fn watch(&mut self, asked: &Asked, bound: u64) {
        let owner = &mut self.naive.owners[asked.owner];
        owner.watches_capacity.push((asked.weight, asked.siblings));
        owner.alarms[ROOM] = owner.alarms[ROOM].min(bound);
    }

    /// When the wait for capacity of an item ends.
    fn room_bound(&self, asked: &Asked, deadline: u64) -> u64 {
        let timeout = asked.timeout.min(self.naive.settings.timeout);
        if asked.siblings > 0 {
            NEVER
        } else {
            let until = self.waits_since(asked).saturating_add(timeout);
            until.min(deadline)
        }
    }

    fn waits_since(&self, asked: &Asked) -> u64 {
        self.time.saturating_sub(asked.waited).min(self.naive.now)
    }
}
