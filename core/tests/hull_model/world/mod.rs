//! A hull and its bulkheads: the same inputs on both sides, and the comparison after each.

mod arrive;
mod compare;
mod end;
mod parts;
mod play;

use std::collections::HashMap;

use bulkheads_core::{
    Bulkhead, CompartmentId, Config, Hull, Id, Instant, Outcome, OwnerId, Request, Span,
};

use super::input::{Asked, OWNERS};

/// The hull, its bulkheads, and whose id of the hull is which of theirs.
pub(crate) struct World {
    pub(super) hull: Hull,
    pub(super) alone: Vec<Bulkhead>,
    /// Of the hull, then of each bulkhead.
    pub(super) owners: Vec<(OwnerId, Vec<OwnerId>)>,
    pub(super) ids: Vec<Id>,
    pub(super) twins: HashMap<Id, (usize, Id)>,
    pub(super) tickets: HashMap<u64, (usize, u64)>,
    pub(super) time: u64,
    pub(super) has_one_owner: bool,
}

impl World {
    pub(crate) fn new(configs: &[Config], has_one_owner: bool) -> Self {
        let mut hull = Hull::new();
        let mut alone = Vec::new();
        for config in configs {
            hull.open(*config).expect("valid options");
            alone.push(Bulkhead::new(*config).expect("valid options"));
        }
        let mut owners = vec![(OwnerId::FIRST, vec![OwnerId::FIRST; alone.len()])];
        for _ in 1..if has_one_owner { 1 } else { OWNERS } {
            let each = alone.iter_mut().map(Bulkhead::add_owner).collect();
            owners.push((hull.add_owner(), each));
        }
        Self {
            hull,
            alone,
            owners,
            ids: Vec::new(),
            twins: HashMap::new(),
            tickets: HashMap::new(),
            time: 0,
            has_one_owner,
        }
    }

    pub(super) fn now(&self) -> Instant {
        Instant::from_nanos(self.time)
    }

    /// What the clock brings to the bulkheads that an input is not for.
    pub(super) fn pass_elsewhere(&mut self, place: usize) {
        let now = self.now();
        for (other, alone) in self.alone.iter_mut().enumerate() {
            if other != place {
                alone.handle_timeout(now);
            }
        }
    }

    pub(super) fn owner(&self, owner: usize, place: usize) -> (OwnerId, OwnerId) {
        let (hull, alone) = &self.owners[owner % self.owners.len()];
        (*hull, alone[place])
    }

    /// An id of the hull, and where its twin is.
    pub(super) fn pick(&self, pick: usize) -> Option<(Id, usize, Id)> {
        let newest = self
            .ids
            .len()
            .checked_sub(1 + pick % self.ids.len().max(1))?;
        let id = self.ids[newest];
        let (place, twin) = self.twins[&id];
        Some((id, place, twin))
    }

    pub(super) fn pair(&mut self, id: Id, place: usize, twin: Id) {
        self.ids.push(id);
        self.twins.insert(id, (place, twin));
    }

    /// The ids that a caller holds, and those of them that are of this compartment.
    pub(super) fn held(&self, held: usize, place: usize) -> (Vec<Id>, Vec<Id>) {
        let ids: Vec<_> = self.ids.iter().rev().take(held).copied().collect();
        let own = ids.iter().map(|id| self.twins[id]);
        let own = own.filter(|(of, _)| *of == place).map(|(_, twin)| twin);
        let own = own.collect();
        (ids, own)
    }
}

pub(crate) fn compartment(place: usize) -> CompartmentId {
    let mut hull = Hull::new();
    let ids = (0..=place).map(|_| hull.open(Config::new(1)).expect("valid options"));
    ids.last().expect("one at least")
}

pub(crate) const fn outcome(failed: bool) -> Outcome {
    if failed {
        Outcome::Failed
    } else {
        Outcome::Completed
    }
}

pub(crate) fn request(asked: Asked, time: u64) -> Request<'static> {
    let request = if asked.is_run {
        Request::run(asked.weight)
    } else {
        Request::permit(asked.weight)
    };
    request
        .aborted(asked.aborted)
        .timeout(Span::from_nanos(asked.timeout))
        .deadline(Instant::from_nanos(time.saturating_add(asked.deadline)))
        .call_timeout(Span::from_nanos(asked.call_timeout))
        .siblings(asked.siblings)
        .waits_since(Instant::from_nanos(time.saturating_sub(asked.waited)))
}
