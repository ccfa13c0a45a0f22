//! All calls in one slab, and the queue as a list linked through it.

use alloc::vec::Vec;

use crate::ids::{Id, MAX_GENERATION};
use crate::time::Instant;

/// No slot: the end of a list, or a slot without a timer.
pub(crate) const NIL: u32 = u32::MAX;

/// What a slot is; the table above [`crate::Bulkhead`] says what leads where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Free,
    Waiting,
    Granted,
    Running,
    Overrun,
}

/// One slot of the slab.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The caller's deadline: bounds the run; the wait's own end stands in the timer heap.
    pub(crate) bound: Instant,
    /// When it was enqueued, then when it was granted; the latter matters, and is right, only if it is measured or bounded.
    pub(crate) since: Instant,
    /// Its place among arrivals while it waits, among admissions afterwards.
    pub(crate) seq: u64,
    pub(crate) weight: u32,
    /// Index of its owner.
    pub(crate) owner: u32,
    /// Where its deadline stands, [`NIL`] if it has none; the next three are for one in a list.
    pub(crate) timer: u32,
    pub(crate) due: Instant,
    pub(crate) sooner: u32,
    pub(crate) later: u32,
    generation: u32,
    prev: u32,
    /// The next in the queue, or the next free slot.
    next: u32,
    pub(crate) phase: Phase,
    /// Work that the bulkhead runs; otherwise a permit taken by hand.
    pub(crate) run: bool,
    /// How long it runs goes into the histogram.
    pub(crate) measured: bool,
}

#[derive(Debug)]
pub(crate) struct Store {
    entries: Vec<Entry>,
    free: u32,
    head: u32,
    tail: u32,
    queued: u32,
}

impl Store {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            free: NIL,
            head: NIL,
            tail: NIL,
            queued: 0,
        }
    }

    /// Puts an entry into a free slot; its generation and links are set here.
    pub(crate) fn insert(&mut self, entry: Entry) -> Id {
        let slot = self.free;
        if let Some(place) = self.entries.get_mut(slot as usize) {
            self.free = place.next;
            *place = Entry {
                generation: place.generation,
                ..entry
            };
            return Id::new(slot, place.generation);
        }
        let slot = u32::try_from(self.entries.len()).unwrap_or(NIL);
        let id = Id::new(slot, entry.generation);
        self.entries.push(entry);
        id
    }

    /// As [`Store::insert`] for a run without a bound that is not measured: of what a free slot
    /// still holds only this matters.
    pub(crate) fn insert_run(&mut self, seq: u64, owner: u32, weight: u32, run: bool) -> Id {
        let slot = self.free;
        let Some(place) = self.entries.get_mut(slot as usize) else {
            return self.insert_further_run(seq, owner, weight, run);
        };
        self.free = place.next;
        place.seq = seq;
        place.owner = owner;
        place.weight = weight;
        place.phase = Phase::Running;
        place.run = run;
        place.measured = false;
        Id::new(slot, place.generation)
    }

    /// Apart, because it is rare and would slow the other down.
    #[cold]
    fn insert_further_run(&mut self, seq: u64, owner: u32, weight: u32, run: bool) -> Id {
        let mut entry = Entry::new(Phase::Running, owner, weight, run);
        entry.seq = seq;
        self.insert(entry)
    }

    /// Frees a slot; every id of it is stale from now on.
    pub(crate) fn remove(&mut self, slot: u32) {
        let free = self.free;
        let entry = self.at(slot);
        entry.phase = Phase::Free;
        entry.generation = if entry.generation == MAX_GENERATION {
            1
        } else {
            entry.generation + 1
        };
        entry.next = free;
        self.free = slot;
    }

    pub(crate) fn at(&mut self, slot: u32) -> &mut Entry {
        &mut self.entries[slot as usize]
    }

    pub(crate) fn get(&self, slot: u32) -> &Entry {
        &self.entries[slot as usize]
    }

    pub(crate) fn id(&self, slot: u32) -> Id {
        Id::new(slot, self.get(slot).generation)
    }

    /// The slot of an id that is current.
    pub(crate) fn find(&self, id: Id) -> Option<u32> {
        self.current(id).map(|_| id.slot())
    }

    /// The entry of an id that is current.
    pub(crate) fn current(&self, id: Id) -> Option<&Entry> {
        let entry = self.entries.get(id.slot() as usize)?;
        let current = u64::from(entry.generation) == id.generation() && entry.phase != Phase::Free;
        current.then_some(entry)
    }

    pub(crate) const fn head(&self) -> Option<u32> {
        if self.head == NIL {
            None
        } else {
            Some(self.head)
        }
    }

    pub(crate) const fn queued(&self) -> u32 {
        self.queued
    }

    /// Puts a slot at the end of the queue.
    pub(crate) fn enqueue(&mut self, slot: u32) {
        let tail = self.tail;
        let entry = self.at(slot);
        entry.prev = tail;
        entry.next = NIL;
        if tail == NIL {
            self.head = slot;
        } else {
            self.at(tail).next = slot;
        }
        self.tail = slot;
        self.queued += 1;
    }

    /// Takes a slot out of the queue, wherever it stands.
    pub(crate) fn unlink(&mut self, slot: u32) {
        let (prev, next) = (self.get(slot).prev, self.get(slot).next);
        if prev == NIL {
            self.head = next;
        } else {
            self.at(prev).next = next;
        }
        if next == NIL {
            self.tail = prev;
        } else {
            self.at(next).prev = prev;
        }
        self.queued -= 1;
    }

    /// The one behind a queued slot.
    pub(crate) fn behind(&self, slot: u32) -> Option<u32> {
        let next = self.get(slot).next;
        (next != NIL).then_some(next)
    }

    /// The queue from its head.
    pub(crate) fn queue(&self) -> impl Iterator<Item = u32> + '_ {
        core::iter::successors(self.head(), |slot| self.behind(*slot))
    }

    /// Every slot in use, in no order that means anything.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = (u32, &Entry)> {
        (0..)
            .zip(&self.entries)
            .filter(|(_, entry)| entry.phase != Phase::Free)
    }
}

impl Entry {
    pub(crate) fn new(phase: Phase, owner: u32, weight: u32, run: bool) -> Self {
        Self {
            bound: Instant::NEVER,
            since: Instant::ZERO,
            seq: 0,
            weight,
            owner,
            timer: NIL,
            due: Instant::NEVER,
            sooner: NIL,
            later: NIL,
            generation: 1,
            prev: NIL,
            next: NIL,
            phase,
            run,
            measured: false,
        }
    }
}
