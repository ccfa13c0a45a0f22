//! Close, drain, and owners that died.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use crate::bulkhead::Bulkhead;
use crate::event::Event;
use crate::ids::OwnerId;
use crate::snapshot::State;
use crate::store::{Entry, Phase};
use crate::time::Instant;

impl Bulkhead {
    /// Rejects new calls and every waiter, in order of arrival. With `abort` it also answers the
    /// running calls early, in order of admission. Final; a second close may still add `abort`.
    pub fn close(&mut self, now: Instant, abort: bool) {
        self.advance(now);
        self.state = State::Closed;
        self.aborting |= abort;
        while let Some(slot) = self.store.head() {
            self.books.rejected.closed += 1;
            self.end_waiter(slot, |id, nanos| Event::Closed { id, nanos });
        }
        if abort {
            for slot in self.slots(|entry| entry.run && entry.phase == Phase::Running) {
                self.answer_closed(slot);
            }
        }
        self.settle();
    }

    /// Rejects new calls and serves the waiters. Changes nothing after [`Bulkhead::close`].
    pub fn drain(&mut self, now: Instant) {
        self.advance(now);
        self.state = self.state.max(State::Draining);
        self.settle();
    }

    /// Ends an owner whose driver has died: its waiters count as cancelled, its permits come back
    /// as abandoned runs, its events are dropped, its requests are rejected from now on.
    pub fn evict(&mut self, now: Instant, owner: OwnerId) {
        self.advance(now);
        let Some(index) = self.owners.find(owner) else {
            return;
        };
        for slot in self.slots(|entry| entry.owner == index) {
            if self.store.get(slot).phase == Phase::Waiting {
                self.leave_queue(slot);
                self.store.remove(slot);
                self.books.rejected.cancelled += 1;
            } else {
                self.give_back(slot);
                self.books.abandoned_runs += 1;
            }
        }
        self.owners.remove(index);
        self.settle();
    }

    /// The slots in use that `wanted` picks, in order of arrival and admission. Allocates: for
    /// endings only.
    fn slots(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<u32> {
        let picked = self.store.in_use().filter(|(_, entry)| wanted(entry));
        // Sorting a slice brings a tenth of the code of a small module with it; a heap does not.
        let slots: BinaryHeap<_> = picked.map(|(slot, entry)| (entry.seq, slot)).collect();
        let slots = slots.into_sorted_vec();
        slots.into_iter().map(|(_, slot)| slot).collect()
    }
}
