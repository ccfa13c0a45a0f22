//! Ends, credits, owners and limits on both sides.

use bulkheads_core::{Bulkhead, Credit, Id, Outcome};

use super::{World, compartment};

impl World {
    pub(super) fn finish_untimed(&mut self, pick: usize, outcome: Outcome) {
        let Some((id, place, twin)) = self.pick(pick) else {
            return;
        };
        if self.hull.finish_untimed(id, outcome) {
            assert!(self.alone[place].finish_untimed(twin, outcome));
        } else {
            self.finish(id, place, twin, outcome);
        }
    }

    pub(super) fn finish(&mut self, id: Id, place: usize, twin: Id, outcome: Outcome) {
        self.pass_elsewhere(place);
        let now = self.now();
        let one = self.hull.at_result(now, id).finish(id, outcome);
        assert_eq!(one, self.alone[place].finish(now, twin, outcome));
    }

    pub(super) fn abort(&mut self, picks: &[usize]) {
        let now = self.now();
        let picked: Vec<_> = picks.iter().filter_map(|pick| self.pick(*pick)).collect();
        self.hull.at(now).abort(picked.iter().map(|(id, _, _)| *id));
        for (place, alone) in self.alone.iter_mut().enumerate() {
            let own = picked.iter().filter(|(_, of, _)| *of == place);
            alone.abort(now, own.map(|(_, _, twin)| *twin));
        }
    }

    pub(super) fn finish_counted(&mut self, place: usize, owner: usize, outcome: Outcome) {
        let (mine, theirs) = self.owner(owner, place);
        let here = compartment(place);
        if self.hull.finish_counted_untimed(here, mine, outcome) {
            assert!(self.alone[place].finish_counted_untimed(theirs, outcome));
            return;
        }
        self.pass_elsewhere(place);
        let now = self.now();
        let one = self.hull.at(now).finish_counted(here, mine, outcome);
        assert_eq!(one, self.alone[place].finish_counted(now, theirs, outcome));
    }

    /// The hull may refuse a credit because of another compartment, never lay out another one.
    pub(super) fn credit(&mut self, place: usize, [begins, ends, failures]: [u32; 3]) {
        let (mine, theirs) = self.owner(0, place);
        let given = self.hull.credit(compartment(place), mine);
        if !self.has_one_owner || given == Credit::NONE {
            return;
        }
        assert_eq!(given, self.alone[place].credit(theirs));
        let mut left = given;
        for _ in 0..begins.min(given.starts).min(given.free.unsigned_abs()) {
            left.free -= 1;
            left.starts -= 1;
            left.least = left.least.min(left.free);
        }
        let active = i32::try_from(self.alone[place].active()).expect("few");
        // No more ends than runs that may be of this kind; the core takes only those that are.
        for end in 0..ends.min((given.free - left.free + active).unsigned_abs()) {
            left.free += 1;
            left.failed += u32::from(end < failures);
        }
        self.hull.absorb(compartment(place), mine, given, left);
        self.alone[place].absorb(theirs, given, left);
    }

    pub(super) fn evict(&mut self, owner: usize) {
        if self.has_one_owner {
            return;
        }
        let now = self.now();
        let owner = owner % self.owners.len();
        let (mine, theirs) = self.owners[owner].clone();
        self.hull.at(now).evict(mine);
        for (alone, id) in self.alone.iter_mut().zip(theirs) {
            alone.evict(now, id);
        }
        let each = self.alone.iter_mut().map(Bulkhead::add_owner).collect();
        self.owners[owner] = (self.hull.add_owner(), each);
    }

    pub(super) fn watch_idle(&mut self, place: usize, owner: usize) {
        self.pass_elsewhere(place);
        let (mine, theirs) = self.owner(owner, place);
        let now = self.now();
        let one = self.hull.at(now).watch_idle(compartment(place), mine);
        let other = self.alone[place].watch_idle(now, theirs);
        assert_eq!(one.is_some(), other.is_some());
        if let (Some(one), Some(other)) = (one, other) {
            self.tickets.insert(one, (place, other));
        }
    }

    pub(super) fn resize_all(&mut self, limit: u32) {
        let now = self.now();
        let mut step = self.hull.at(now);
        for (place, alone) in self.alone.iter_mut().enumerate() {
            let one = step.resize(compartment(place), limit);
            assert_eq!(one, alone.resize(now, limit));
        }
    }
}
