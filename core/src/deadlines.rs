//! A binary heap of deadlines that knows where each of its slots stands.
//!
//! The position is written into the slab's entry, so that leaving from the middle costs
//! O(log n), and the heap holds no entry that has already left.

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

#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    heap: Vec<Deadline>,
}

impl Deadlines {
    pub(crate) fn first(&self) -> Option<Deadline> {
        self.heap.first().copied()
    }

    pub(crate) fn insert(&mut self, store: &mut Store, at: Instant, slot: u32) {
        let seq = store.get(slot).seq;
        self.heap.push(Deadline { at, seq, slot });
        self.rise(store, self.heap.len() - 1);
    }

    /// Takes a slot out; one that has no deadline here must not be passed.
    pub(crate) fn remove(&mut self, store: &mut Store, slot: u32) {
        let place = store.get(slot).heap as usize;
        store.at(slot).heap = NIL;
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            let place = self.rise(store, place);
            self.sink(store, place);
        }
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = Deadline> + '_ {
        self.heap.iter().copied()
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
        store.at(item.slot).heap = place as u32;
    }
}
