//! A bulkhead that begins anew.

use alloc::vec::Vec;

use crate::bulkhead::{Books, Bulkhead};
use crate::sampling::Sampling;
use crate::store::Phase;

impl Bulkhead {
    /// Forgets everybody, as a forked process does, which guards calls of its own from now on: nobody waits or runs, no event is
    /// left, every counter is zero, and the only owner is [`crate::OwnerId::FIRST`]. Limit and state stay. Ids from before are
    /// stale, and owners from before are evicted.
    pub fn restart(&mut self) {
        let taken: Vec<u32> = self.store.in_use().map(|(slot, _)| slot).collect();
        for slot in taken {
            if self.store.get(slot).phase == Phase::Waiting {
                self.leave_queue(slot);
                self.store.remove(slot);
            } else {
                self.free_permits(slot);
            }
        }
        self.owners.restart();
        self.books = Books::default();
        self.sampling = Sampling::new(self.config.ran_sampled_every());
        self.enqueued = 0;
    }
}
