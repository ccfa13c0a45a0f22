//! A doubly linked list through the slots of the slab: nothing allocates, and leaving from the
//! middle costs the same however long the list is.

use crate::calls::Calls;

/// No slot: the end of a list, or a slot without a timer.
pub(crate) const NIL: u32 = u32::MAX;

/// A slot's neighbours in one list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) prev: u32,
    pub(crate) next: u32,
}

impl Link {
    pub(crate) const NONE: Self = Self {
        prev: NIL,
        next: NIL,
    };
}

/// Which of a slot's links the queue of its compartment runs through.
pub(crate) const QUEUE: usize = 0;
/// Which of them the deadlines of its owner run through.
pub(crate) const TIMER: usize = 1;

/// A list through the link number `LINK` of each of its slots.
#[derive(Debug)]
pub(crate) struct List<const LINK: usize> {
    first: u32,
    last: u32,
    len: u32,
}

impl<const LINK: usize> List<LINK> {
    pub(crate) const fn new() -> Self {
        Self {
            first: NIL,
            last: NIL,
            len: 0,
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn first(&self) -> Option<u32> {
        (self.first != NIL).then_some(self.first)
    }

    pub(crate) fn last(&self) -> Option<u32> {
        (self.last != NIL).then_some(self.last)
    }

    pub(crate) fn push_back(&mut self, calls: &mut Calls, slot: u32) {
        let prev = core::mem::replace(&mut self.last, slot);
        calls.at(slot).links[LINK] = Link { prev, next: NIL };
        if prev == NIL {
            self.first = slot;
        } else {
            calls.at(prev).links[LINK].next = slot;
        }
        self.len += 1;
    }

    /// Takes out a slot that stands in this list.
    pub(crate) fn remove(&mut self, calls: &mut Calls, slot: u32) {
        let Link { prev, next } = calls.get(slot).links[LINK];
        if prev == NIL {
            self.first = next;
        } else {
            calls.at(prev).links[LINK].next = next;
        }
        if next == NIL {
            self.last = prev;
        } else {
            calls.at(next).links[LINK].prev = prev;
        }
        self.len -= 1;
    }

    /// The slot behind one that stands in a list of this link.
    pub(crate) fn after(calls: &Calls, slot: u32) -> Option<u32> {
        let next = calls.get(slot).links[LINK].next;
        (next != NIL).then_some(next)
    }

    pub(crate) fn iter<'a>(&'a self, calls: &'a Calls) -> impl Iterator<Item = u32> + 'a {
        core::iter::successors(self.first(), |slot| Self::after(calls, *slot))
    }
}
