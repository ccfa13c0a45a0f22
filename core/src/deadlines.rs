//! The deadlines of one kind: a list for those that come in their order, a heap for the rest.
//!
//! Calls without deadlines of their own all have the bulkhead's time-out, so their deadlines come
//! in the order in which they fall due. Those are linked through the slab: adding one, taking the
//! first and leaving from the middle cost the same however many there are. A deadline that lies
//! before the last of the list goes to a binary heap, which knows where each of its slots stands:
//! O(log n).

use alloc::vec::Vec;

use crate::calls::Calls;
use crate::list::{List, NIL, TIMER};
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
    list: List<TIMER>,
    heap: Vec<Deadline>,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            list: List::new(),
            heap: Vec::new(),
        }
    }
}

impl Deadlines {
    pub(crate) fn first(&self, calls: &Calls) -> Option<Deadline> {
        let listed = self.list.first().map(|slot| listed(calls, slot));
        let heaped = self.heap.first().copied();
        match (listed, heaped) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Sets the timer of a slot that has none.
    pub(crate) fn insert(&mut self, calls: &mut Calls, at: Instant, slot: u32) {
        // Leaving the queue 4.1: at the end of the list, or into the heap.
        let seq = calls.get(slot).seq;
        let deadline = Deadline { at, seq, slot };
        let last = self.list.last().map(|last| listed(calls, last));
        if last.is_none_or(|last| last < deadline) {
            let call = calls.at(slot);
            call.timer = LISTED;
            call.due = at;
            self.list.push_back(calls, slot);
        } else {
            self.heap.push(deadline);
            self.rise(calls, self.heap.len() - 1);
        }
    }

    /// When the timer of a slot that has one here is due.
    pub(crate) fn due(&self, calls: &Calls, slot: u32) -> Instant {
        let call = calls.get(slot);
        if call.timer == LISTED {
            call.due
        } else {
            self.heap[call.timer as usize].at
        }
    }

    /// Takes the timer of a slot that has one here.
    pub(crate) fn remove(&mut self, calls: &mut Calls, slot: u32) {
        let place = core::mem::replace(&mut calls.at(slot).timer, NIL);
        if place == LISTED {
            self.list.remove(calls, slot);
        } else {
            self.remove_from_heap(calls, place as usize);
        }
    }

    /// All of them, each with the place that its slot must name.
    pub(crate) fn places<'a>(
        &'a self,
        calls: &'a Calls,
    ) -> impl Iterator<Item = (u32, Deadline)> + 'a {
        let list = self.list.iter(calls);
        let list = list.map(|slot| (LISTED, listed(calls, slot)));
        list.chain((0..).zip(self.heap.iter().copied()))
    }

    /// Whether the list ascends, and no slot of the heap is due before its parent.
    pub(crate) fn is_in_order(&self, calls: &Calls) -> bool {
        let listed = || self.places(calls).take_while(|(place, _)| *place == LISTED);
        let ascends = listed().zip(listed().skip(1)).all(|(a, b)| a.1 < b.1);
        let is_late = |place: usize| self.heap[(place - 1) / 2] < self.heap[place];
        ascends && (1..self.heap.len()).all(is_late)
    }

    fn remove_from_heap(&mut self, calls: &mut Calls, place: usize) {
        self.heap.swap_remove(place);
        if place < self.heap.len() {
            let place = self.rise(calls, place);
            self.sink(calls, place);
        }
    }

    fn rise(&mut self, calls: &mut Calls, mut place: usize) -> usize {
        let item = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent] <= item {
                break;
            }
            self.put(calls, place, self.heap[parent]);
            place = parent;
        }
        self.put(calls, place, item);
        place
    }

    fn sink(&mut self, calls: &mut Calls, mut place: usize) {
        let item = self.heap[place];
        while let Some(child) = self.lesser_child(place) {
            if item <= self.heap[child] {
                break;
            }
            self.put(calls, place, self.heap[child]);
            place = child;
        }
        self.put(calls, place, item);
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
    fn put(&mut self, calls: &mut Calls, place: usize, item: Deadline) {
        self.heap[place] = item;
        calls.at(item.slot).timer = place as u32;
    }
}

/// The deadline of a slot that stands in the list.
fn listed(calls: &Calls, slot: u32) -> Deadline {
    let call = calls.get(slot);
    Deadline {
        at: call.due,
        seq: call.seq,
        slot,
    }
}
