//! From the grant to the permit's return.

use crate::bulkhead::Bulkhead;
use crate::event::Event;
use crate::ids::Id;
use crate::owners::Kind;
use crate::store::Phase;
use crate::time::Instant;

/// How a permit's holder ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It succeeded.
    Completed,
    /// It failed, or was cancelled.
    Failed,
    /// The permit was dropped without release.
    Leaked,
}

impl Bulkhead {
    /// A granted waiter goes on: its work starts, or its permit is delivered. Its bound acts from
    /// here on; one that has passed already acts at the next input.
    pub fn start(&mut self, id: Id) {
        let Some(slot) = self.store.find(id) else {
            return;
        };
        let entry = self.store.at(slot);
        if entry.phase != Phase::Granted {
            return;
        }
        entry.phase = Phase::Running;
        if self.aborting && entry.run {
            self.answer_closed(slot);
        } else {
            self.arm_bound(slot);
        }
    }

    /// Gives back a permit whose end its driver sees exactly once. What was answered early counts
    /// as failed whatever `outcome` says.
    ///
    /// A result in hand is never thrown away: a bound that has passed but was not handled yet no
    /// longer acts. False, and nothing counted, if the id is stale: its run was abandoned.
    pub fn finish(&mut self, now: Instant, id: Id, outcome: Outcome) -> bool {
        if let Some(slot) = self.store.find(id) {
            if self.store.get(slot).phase == Phase::Running {
                self.owners.disarm(&mut self.store, Kind::Run, slot);
            }
        }
        self.advance(now);
        let Some(slot) = self.held(id) else {
            return false;
        };
        let overrun = self.store.get(slot).phase == Phase::Overrun;
        self.count_end(overrun, outcome);
        self.give_back(slot);
        self.settle();
        true
    }

    /// As [`Bulkhead::finish`], with no look at the clock, if it matters to nobody else and is not measured. False, and
    /// nothing has changed, if not: call [`Bulkhead::finish`].
    pub fn finish_now(&mut self, id: Id, outcome: Outcome) -> bool {
        // In a calm bulkhead nobody waits: whoever is there holds permits.
        let entry = self.store.current(id).filter(|entry| !entry.measured);
        let (true, Some(entry)) = (self.is_calm(), entry) else {
            return false;
        };
        let (weight, overrun) = (entry.weight, entry.phase == Phase::Overrun);
        self.store.remove(id.slot());
        self.count_end(overrun, outcome);
        self.count_return(weight, overrun);
        true
    }

    /// Gives back a permit taken by hand. False if the id is stale: a second release changes
    /// nothing but its counter.
    pub fn release(&mut self, now: Instant, id: Id) -> bool {
        let released = self.finish(now, id, Outcome::Completed);
        if !released {
            self.books.double_releases += 1;
        }
        released
    }

    /// The permits that an id holds: none while it waits, and none once it is stale.
    #[must_use]
    pub fn permits(&self, id: Id) -> u32 {
        self.held(id).map_or(0, |slot| self.store.get(slot).weight)
    }

    /// The slot of an id that holds permits.
    fn held(&self, id: Id) -> Option<u32> {
        self.store
            .find(id)
            .filter(|slot| self.store.get(*slot).phase != Phase::Waiting)
    }

    fn count_end(&mut self, overrun: bool, outcome: Outcome) {
        *match outcome {
            Outcome::Leaked => &mut self.books.leaked,
            Outcome::Completed if !overrun => &mut self.books.completed,
            Outcome::Completed | Outcome::Failed => &mut self.books.failed,
        } += 1;
    }

    /// Returns the permits of a slot and frees it; who calls this has counted why.
    pub(crate) fn give_back(&mut self, slot: u32) {
        let entry = self.store.get(slot);
        if entry.measured {
            self.books.ran.record(self.now.nanos_since(entry.since));
        }
        self.free_permits(slot);
    }

    /// As [`Self::give_back`], for permits that nobody ran with.
    pub(crate) fn free_permits(&mut self, slot: u32) {
        let entry = self.store.get(slot);
        let (weight, overrun) = (entry.weight, entry.phase == Phase::Overrun);
        self.count_return(weight, overrun);
        let kind = if overrun { Kind::Grace } else { Kind::Run };
        self.owners.disarm(&mut self.store, kind, slot);
        self.store.remove(slot);
    }

    fn count_return(&mut self, weight: u32, overrun: bool) {
        self.used -= u64::from(weight);
        self.overrun -= u64::from(overrun);
    }

    /// Answers a run early because the bulkhead was closed with abort.
    pub(crate) fn answer_closed(&mut self, slot: u32) {
        let event = Event::CallClosed {
            id: self.store.id(slot),
        };
        self.owners.push_event(self.store.get(slot).owner, event);
        self.answer_early(slot, self.now);
    }
}
