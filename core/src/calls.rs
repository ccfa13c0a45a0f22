//! Every call of the hull in one slab: waiters and holders of permits, each in a slot of its own.

use alloc::vec::Vec;

use crate::ids::{Id, next_generation};
use crate::list::{Link, NIL};
use crate::time::{Instant, Span};

/// What a slot is; the table above [`crate::Hull`] says what leads where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Free,
    Waiting,
    Granted,
    Running,
    Overrun,
}

impl Phase {
    /// Whether a call in this phase holds its permits.
    pub(crate) const fn holds(self) -> bool {
        // Vocabulary 1: from the grant until its work settles, an early answer or not.
        matches!(self, Self::Granted | Self::Running | Self::Overrun)
    }
}

/// One slot of the slab.
#[derive(Debug)]
pub(crate) struct Call {
    /// The caller's deadline: bounds the run. The end of its wait stands among the timers.
    pub(crate) deadline: Instant,
    /// Its own bound on its run, from the grant.
    pub(crate) own_bound: Span,
    /// When it was enqueued, then when it was granted. The latter is right only for a call that is
    /// measured or has a timer: the others are admitted without a clock.
    pub(crate) since: Instant,
    /// Its place among the arrivals of the hull while it waits, among the admissions afterwards.
    pub(crate) seq: u64,
    pub(crate) weight: u32,
    /// Index of its owner.
    pub(crate) owner: u32,
    /// Index of its compartment.
    pub(crate) compartment: u32,
    /// Where its timer stands among those of its owner, [`NIL`] if it has none.
    pub(crate) timer: u32,
    /// When its timer is due, for a timer in a list.
    pub(crate) due: Instant,
    /// Its neighbours in the queue and among the timers; a free slot's `next` is the next free one.
    pub(crate) links: [Link; 2],
    generation: u32,
    pub(crate) phase: Phase,
    /// Work that the bulkhead runs; otherwise a manual permit.
    pub(crate) is_run: bool,
    /// Whether its run time goes into the histogram.
    pub(crate) is_measured: bool,
}

#[derive(Debug)]
pub(crate) struct Calls {
    slots: Vec<Call>,
    free: u32,
}

impl Calls {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: NIL,
        }
    }

    /// Puts a call into a free slot; its generation is set here.
    pub(crate) fn insert(&mut self, call: Call) -> u32 {
        let slot = self.free;
        let Some(place) = self.slots.get_mut(slot as usize) else {
            let slot = u32::try_from(self.slots.len()).unwrap_or(NIL);
            self.slots.push(call);
            return slot;
        };
        self.free = place.links[0].next;
        *place = Call {
            generation: place.generation,
            ..call
        };
        slot
    }

    /// As [`Self::insert`] for a run without a deadline that is not measured. Of what the slot
    /// still holds from before, only these fields are ever read of such a run: writing the others
    /// would cost a third of an ordinary call.
    pub(crate) fn insert_plain(&mut self, plain: Plain) -> u32 {
        let slot = self.free;
        let Some(place) = self.slots.get_mut(slot as usize) else {
            return self.insert_first_plain(plain);
        };
        self.free = place.links[0].next;
        place.seq = plain.seq;
        place.owner = plain.owner;
        place.compartment = plain.compartment;
        place.weight = plain.weight;
        place.phase = Phase::Running;
        place.is_run = plain.is_run;
        place.is_measured = false;
        slot
    }

    /// Apart, because it is rare: inlined it would slow down the other case.
    #[cold]
    fn insert_first_plain(&mut self, plain: Plain) -> u32 {
        let mut call = Call::new(plain.owner, plain.compartment, plain.weight, plain.is_run);
        call.phase = Phase::Running;
        call.seq = plain.seq;
        self.insert(call)
    }

    /// Frees a slot; every id of it is stale from now on.
    pub(crate) fn remove(&mut self, slot: u32) {
        let free = self.free;
        let call = self.at(slot);
        call.phase = Phase::Free;
        call.generation = next_generation(call.generation);
        call.links[0].next = free;
        self.free = slot;
    }

    pub(crate) fn at(&mut self, slot: u32) -> &mut Call {
        &mut self.slots[slot as usize]
    }

    pub(crate) fn get(&self, slot: u32) -> &Call {
        &self.slots[slot as usize]
    }

    pub(crate) fn id(&self, slot: u32) -> Id {
        Id::new(slot, self.get(slot).generation)
    }

    /// The call of an id that is current.
    pub(crate) fn current(&self, id: Id) -> Option<&Call> {
        let call = self.slots.get(id.slot() as usize)?;
        let is_current = u64::from(call.generation) == id.generation() && call.phase != Phase::Free;
        is_current.then_some(call)
    }

    /// Every slot in use; their order means nothing.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = (u32, &Call)> {
        (0..)
            .zip(&self.slots)
            .filter(|(_, call)| call.phase != Phase::Free)
    }
}

/// An ordinary run: no deadline, not measured, nothing to arm.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) seq: u64,
    pub(crate) owner: u32,
    pub(crate) compartment: u32,
    pub(crate) weight: u32,
    pub(crate) is_run: bool,
}

impl Call {
    /// A call that is in no phase yet.
    pub(crate) const fn new(owner: u32, compartment: u32, weight: u32, is_run: bool) -> Self {
        Self {
            deadline: Instant::NEVER,
            own_bound: Span::FOREVER,
            since: Instant::ZERO,
            seq: 0,
            weight,
            owner,
            compartment,
            timer: NIL,
            due: Instant::NEVER,
            links: [Link::NONE; 2],
            generation: 1,
            phase: Phase::Free,
            is_run,
            is_measured: false,
        }
    }
}
