//! Counted runs: ordinary runs without a slot and an id, which cannot be singled out.
//!
//! A run of weight 1 that has no deadline, no signal and is not measured needs only a count for its
//! owner. A host that shares memory with the engine may even begin and end such runs without
//! asking, as far as the engine has laid out a [`Credit`]; every input takes in what the host did
//! since.

use crate::books::Why;
use crate::hull::Hull;
use crate::ids::{CompartmentId, OwnerId};
use crate::returning::{Outcome, Reclaim};
use crate::snapshot::State;
use crate::step::Step;
use crate::time::Span;

/// How many counted runs a host may begin by itself, and what it has done with that.
///
/// To begin one: `free` and `starts` must be above 0; take one of each, and keep the least `free`
/// in `least`. To end one: if `free` is 0 or more, put one back, and count a failure in `failed`;
/// below 0 only the engine knows what the end allows: call [`Step::finish_counted`]. The run that
/// takes the last of `starts` is to be measured: end it by [`Step::finish_measured`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Permits that are free; [`Credit::NONE`] if every begin and end matters.
    pub free: i32,
    /// Runs that may begin, the last of them to be measured.
    pub starts: u32,
    /// The least `free` since the engine set it.
    pub least: i32,
    /// Runs that have failed since the engine set it.
    pub failed: u32,
}

impl Credit {
    /// The host may do nothing by itself.
    pub const NONE: Self = Self {
        free: -1,
        starts: 0,
        least: -1,
        failed: 0,
    };
}

impl Hull {
    /// What `owner`'s host may do by itself until the next input; only for an owner whose host
    /// reports every use by [`Hull::absorb`], and only if it is the only owner.
    #[must_use]
    pub fn credit(&self, CompartmentId(index): CompartmentId, owner: OwnerId) -> Credit {
        let pool = &self.compartment(index).pool;
        let lives = self.owners.find(owner).is_some();
        // Resizing 2: above a lowered limit a permit that comes back must not be taken again.
        if !lives || !self.is_plain(index) || pool.used() > u64::from(pool.limit()) {
            return Credit::NONE;
        }
        let free = i32::try_from(pool.available()).unwrap_or(i32::MAX);
        let starts = self.compartment(index).sampling.left() + 1;
        Credit {
            free,
            starts,
            least: free,
            failed: 0,
        }
    }

    /// Takes in what the host did with a credit, `given` being that credit as it was laid out.
    /// Numbers that no host could have come to are cut to what is possible.
    pub fn absorb(
        &mut self,
        CompartmentId(index): CompartmentId,
        owner: OwnerId,
        given: Credit,
        left: Credit,
    ) {
        if given.free < 0 || !self.may_count(index, owner) {
            return;
        }
        // The last start is the one that is measured.
        let starts = given
            .starts
            .min(self.compartment(index).sampling.left().saturating_add(1));
        let begun = given.starts.saturating_sub(left.starts).min(starts);
        // No host can have begun more at a time than there were permits.
        let free = i64::from(left.free.max(0));
        let ended = i64::from(begun) + free - i64::from(given.free);
        let most = given.free.saturating_sub(left.least).clamp(0, given.free);
        let here = self.compartment_mut(index);
        let most = here.pool.used() + u64::from(most.unsigned_abs());
        let unmeasured = begun.min(here.sampling.left());
        here.sampling.skip(unmeasured);
        if begun > unmeasured {
            here.sampling.next();
        }
        here.counted.add(begun);
        let ended = here.counted.take(owner, u32::try_from(ended).unwrap_or(0));
        let failed = left.failed.min(ended);
        here.books.admitted += u64::from(begun);
        here.books.failed += u64::from(failed);
        here.books.completed += u64::from(ended - failed);
        here.pool.take(begun);
        here.pool.give(ended);
        let peak = most.max(here.pool.used());
        here.books.peak_active = here.books.peak_active.max(peak);
    }

    /// Begins a counted run, if it can run at once and needs no clock.
    pub fn admit_counted(&mut self, CompartmentId(index): CompartmentId, owner: OwnerId) -> bool {
        if !self.may_count(index, owner) || !self.is_plain(index) {
            return false;
        }
        let here = self.compartment_mut(index);
        let may_begin = here.sampling.left() > 0 && here.pool.fits(1);
        if may_begin {
            here.count_admissions(1, 1);
            here.counted.add(1);
        }
        may_begin
    }

    /// Whether runs of this owner may do without a slot.
    fn may_count(&mut self, index: u32, owner: OwnerId) -> bool {
        self.compartment(index).counted.is_of(owner) || self.claim(index, owner)
    }

    /// Apart, because it is rare.
    #[cold]
    fn claim(&mut self, index: u32, owner: OwnerId) -> bool {
        let lives = self.owners.find(owner).is_some();
        lives && self.compartment_mut(index).counted.claim(owner)
    }

    /// Ends a counted run, if that affects no other call. False, and nothing has changed, if not:
    /// ask [`Step::finish_counted`].
    pub fn finish_counted_untimed(
        &mut self,
        CompartmentId(index): CompartmentId,
        owner: OwnerId,
        outcome: Outcome,
    ) -> bool {
        self.is_quiescent(index) && self.end_counted(index, owner, outcome.why(false))
    }

    fn end_counted(&mut self, index: u32, owner: OwnerId, why: Why) -> bool {
        let here = self.compartment_mut(index);
        let is_ended = here.counted.take(owner, 1) > 0;
        if is_ended {
            here.books.count(why);
            here.pool.give(1);
        }
        is_ended
    }

    // Shared in Node 4.1
    /// The counted runs of an owner that ends.
    pub(crate) fn abandon_counted(&mut self, owner: OwnerId) {
        for index in self.indices() {
            let here = self.compartment_mut(index);
            let runs = here.counted.take(owner, u32::MAX);
            here.counted.unclaim(owner);
            here.books.abandoned_runs += u64::from(runs);
            here.pool.give(runs);
            if runs > 0 {
                self.touch(index);
            }
        }
    }

    /// Whether ordinary runs affect no other call and have no deadline.
    fn is_plain(&self, index: u32) -> bool {
        let here = self.compartment(index);
        here.state == State::Open && !here.config.is_bounded() && self.is_quiescent(index)
    }
}

impl Step<'_> {
    /// Ends a counted run of this owner. False, and nothing counted, if it has none: it was evicted
    /// meanwhile, or the process has forked.
    pub fn finish_counted(
        &mut self,
        compartment: CompartmentId,
        owner: OwnerId,
        outcome: Outcome,
    ) -> bool {
        let CompartmentId(index) = compartment;
        self.end_counted(index, owner, outcome.why(false))
    }

    /// As [`Step::reclaim`] for a counted run of this owner: what holds its permit was dropped.
    // Running 3.1
    pub fn reclaim_counted(&mut self, compartment: CompartmentId, owner: OwnerId) -> Reclaim {
        let CompartmentId(index) = compartment;
        if self.end_counted(index, owner, Why::Leaked) {
            self.hull.reclaimed(index)
        } else {
            Reclaim::Stale
        }
    }

    fn end_counted(&mut self, index: u32, owner: OwnerId, why: Why) -> bool {
        let is_ended = self.hull.end_counted(index, owner, why);
        if is_ended {
            self.hull.touch(index);
        }
        is_ended
    }

    /// As [`Step::finish_counted`] for a run that is measured, with the time that it ran.
    // Stats 2.3
    pub fn finish_measured(
        &mut self,
        compartment: CompartmentId,
        owner: OwnerId,
        outcome: Outcome,
        ran: Span,
    ) -> bool {
        let is_ended = self.finish_counted(compartment, owner, outcome);
        if is_ended {
            let here = self.hull.compartment_mut(compartment.0);
            here.books.record_run(ran.as_nanos());
        }
        is_ended
    }
}
