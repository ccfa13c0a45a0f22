//! Callers who give up.

use crate::bulkhead::Bulkhead;
use crate::event::Event;
use crate::ids::Id;
use crate::store::Phase;
use crate::time::Instant;

/// What giving up did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cancellation {
    /// It runs: its caller is answered, its permit stays until it is finished.
    AnsweredEarly,
    /// Nothing: it is stale, was answered already, or is a permit that its caller holds.
    Settled,
    /// It never runs: it left the queue, or its unclaimed grant passed on.
    Withdrawn,
}

impl Bulkhead {
    /// One caller gives up. The answer is the outcome; there is no event for it.
    ///
    /// A call that something due ended first is settled, and its event tells how.
    pub fn cancel(&mut self, now: Instant, id: Id) -> Cancellation {
        self.advance(now);
        let cancellation = self.withdraw(id);
        self.settle();
        cancellation
    }

    /// The callers behind one signal give up, as one step: every end first, in the order of
    /// `ids` (that of arrival), then the grants. The ends come as [`Event::Cancelled`].
    pub fn abort(&mut self, now: Instant, ids: impl IntoIterator<Item = Id>) {
        self.advance(now);
        for id in ids {
            let owner = self.store.find(id).map(|slot| self.store.get(slot).owner);
            let cancelled = self.withdraw(id) != Cancellation::Settled;
            if let (true, Some(owner)) = (cancelled, owner) {
                self.owners.push_event(owner, Event::Cancelled { id });
            }
        }
        self.settle();
    }

    /// Ends or answers one call without granting yet.
    fn withdraw(&mut self, id: Id) -> Cancellation {
        let Some(slot) = self.store.find(id) else {
            return Cancellation::Settled;
        };
        match (self.store.get(slot).phase, self.store.get(slot).run) {
            (Phase::Waiting, _) => {
                self.leave_queue(slot);
                self.store.remove(slot);
                self.books.rejected.cancelled += 1;
                Cancellation::Withdrawn
            }
            (Phase::Granted, _) => {
                self.free_permits(slot);
                self.books.unclaimed += 1;
                Cancellation::Withdrawn
            }
            (Phase::Running, true) => {
                self.answer_early(slot, self.now);
                Cancellation::AnsweredEarly
            }
            (Phase::Running, false) | (Phase::Overrun | Phase::Free, _) => Cancellation::Settled,
        }
    }
}
