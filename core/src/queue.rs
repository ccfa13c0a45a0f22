//! Who waits in a compartment, and who of them is next.

use crate::calls::Calls;
use crate::list::{List, QUEUE};

/// The waiters of one compartment in the order in which they are granted.
#[derive(Debug)]
pub(crate) struct Queue {
    // Admission 4.1: the order of arrival.
    waiters: List<QUEUE>,
}

impl Queue {
    pub(crate) const fn new() -> Self {
        Self {
            waiters: List::new(),
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.waiters.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn push(&mut self, calls: &mut Calls, slot: u32) {
        self.waiters.push_back(calls, slot);
    }

    // Leaving the queue 3, Leaving the queue 4.1: from wherever it stands, at the same cost.
    pub(crate) fn remove(&mut self, calls: &mut Calls, slot: u32) {
        self.waiters.remove(calls, slot);
    }

    // Admission 4.2: only the head is ever granted, so a heavy head holds back the rest.
    /// The waiter that is granted next.
    pub(crate) fn head(&self) -> Option<u32> {
        self.waiters.first()
    }

    pub(crate) fn behind(calls: &Calls, slot: u32) -> Option<u32> {
        List::<QUEUE>::after(calls, slot)
    }

    pub(crate) fn iter<'a>(&'a self, calls: &'a Calls) -> impl Iterator<Item = u32> + 'a {
        self.waiters.iter(calls)
    }
}
