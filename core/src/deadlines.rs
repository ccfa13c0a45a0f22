//! The deadlines of one kind: a list for those that come in their order, a heap for the rest.
//!
//! Calls without bounds of their own all have the bulkhead's time-out, so that their deadlines come
//! in the order in which they fall. Those are linked through the slab: adding one, taking the first
//! and leaving from the middle cost the same however many there are. A deadline that lies before
//! the last of the list goes to a binary heap, which knows where each of its slots stands: O(log n).

use alloc::vec::Vec;

use crate::store::{NIL, Store};
use crate::time::Instant;

/// Ordered by time, then by arrival or admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) seq: u64,
    pub(crate) slot: u32,
}

/// Where a slot's deadline stands, if it is not in the heap.
pub(crate) const LISTED: u32 = NIL - 1;

#[derive(Debug)]
pub(crate) struct Deadlines {
    first: u32,
    last: u32,
    heap: Vec<Deadline>,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            first: NIL,
            last: NIL,
            heap: Vec::new(),
        }
    }
}

impl Deadlines {
    pub(crate) fn first(&self, store: &Store) -> Option<Deadline> {
        let listed = listed(store, self.first);
        let heaped = self.heap.first().copied();
        match (listed, heaped) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    pub(crate) fn insert(&mut self, store: &mut Store, at: Instant, slot: u32) {
        let seq = store.get(slot).seq;
        let deadline = Deadline { at, seq, slot };
        if listed(store, self.last).is_none_or(|last| last < deadline) {
            self.append(store, deadline);
        } else {
            self.heap.push(deadline);
            self.rise(store, self.heap.len() - 1);
        }
    }

    /// Takes a slot out; one that has no deadline here must not be passed.
    pub(crate) fn remove(&mut self, store: &mut Store, slot: u32) {
        let place = store.get(slot).timer;
        store.at(slot).timer = NIL;
        if place == LISTED {
            self.unlink(store, slot);
        } else {
            self.remove_from_heap(store, place as usize);
        }
    }

    /// All of them, each with where it must say that it stands.
    pub(crate) fn places(&self, store: &Store) -> impl Iterator<Item = (u32, Deadline)> {
        let mut next = self.first;
        let list = core::iter::from_fn(move || {
            let deadline = listed(store, next)?;
            next = store.get(next).later;
            Some((LISTED, deadline))
        });
        list.chain((0..).zip(self.heap.iter().copied()))
    }

    /// Whether the list ascends, and no slot of the heap is due before its parent.
    pub(crate) fn is_in_order(&self, store: &Store) -> bool {
        let listed = || self.places(store).take_while(|(place, _)| *place == LISTED);
        let ascends = listed().zip(listed().skip(1)).all(|(a, b)| a.1 < b.1);
        let is_late = |place: usize| self.heap[(place - 1) / 2] < self.heap[place];
        ascends && (1..self.heap.len()).all(is_late)
    }

    fn append(&mut self, store: &mut Store, deadline: Deadline) {
        let Deadline { at, slot, .. } = deadline;
        let last = core::mem::replace(&mut self.last, slot);
        let entry = store.at(slot);
        entry.timer = LISTED;
        entry.due = at;
        entry.sooner = last;
        entry.later = NIL;
        if last == NIL {
            self.first = slot;
        } else {
            store.at(last).later = slot;
        }
    }

    fn unlink(&mut self, store: &mut Store, slot: u32) {
        let (sooner, later) = (store.get(slot).sooner, store.get(slot).later);
        if sooner == NIL {
            self.first = later;
        } else {
            store.at(sooner).later = later;
        }
        if later == NIL {
            self.last = sooner;
        } else {
            store.at(later).sooner = sooner;
        }
    }

    fn remove_from_heap(&mut self, store: &mut Store, place: usize) {
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            let place = self.rise(store, place);
            self.sink(store, place);
        }
    }

    fn rise(&mut self, store: &mut Store, mut place: usize) -> usize {
        let item = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent] <= item {
                break;
            }
            self.put(store, place, self.heap[parent]);
            place = parent;
        }
        self.put(store, place, item);
        place
    }

    fn sink(&mut self, store: &mut Store, mut place: usize) {
        let item = self.heap[place];
        while let Some(child) = self.lesser_child(place) {
            if item <= self.heap[child] {
                break;
            }
            self.put(store, place, self.heap[child]);
            place = child;
        }
        self.put(store, place, item);
    }

    fn lesser_child(&self, place: usize) -> Option<usize> {
        let left = 2 * place + 1;
        let right = left + 1;
        if right < self.heap.len() && self.heap[right] < self.heap[left] {
            return Some(right);
        }
        (left < self.heap.len()).then_some(left)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "no more places than slots, which are u32"
    )]
    fn put(&mut self, store: &mut Store, place: usize, item: Deadline) {
        self.heap[place] = item;
        store.at(item.slot).timer = place as u32;
    }
}

/// The deadline of a slot that stands in the list; none for no slot.
fn listed(store: &Store, slot: u32) -> Option<Deadline> {
    (slot != NIL).then(|| {
        let entry = store.get(slot);
        Deadline {
            at: entry.due,
            seq: entry.seq,
            slot,
        }
    })
}
