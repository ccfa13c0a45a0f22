//! The threads that are blocked: each is an owner for as long as it waits.

use std::collections::HashMap;
use std::thread::Thread;

use bulkheads_core::OwnerId;
use bulkheads_engine::Engine;

/// An owner stays with the core when its thread goes on, which may hold a permit under it: the next thread that blocks gets it.
#[derive(Default)]
pub(crate) struct Threads {
    blocked: HashMap<OwnerId, Thread>,
    free: Vec<OwnerId>,
}

impl Threads {
    /// Whether any is blocked, so that it may have to be woken.
    pub(crate) fn are_blocked(&self) -> bool {
        !self.blocked.is_empty()
    }

    /// An owner for this thread, which blocks. It is to be left again.
    pub(crate) fn join(&mut self, core: &mut Engine) -> OwnerId {
        let owner = self.free.pop().unwrap_or_else(|| core.attach());
        self.blocked.insert(owner, std::thread::current());
        owner
    }

    pub(crate) fn leave(&mut self, owner: OwnerId) {
        if self.blocked.remove(&owner).is_some() {
            self.free.push(owner);
        }
    }

    /// Wakes the thread of this owner; false if it is none of a thread.
    pub(crate) fn wake(&self, owner: OwnerId) -> bool {
        let thread = self.blocked.get(&owner);
        thread.map(Thread::unpark).is_some()
    }

    /// In a forked child: none of them is here, and their owners are gone.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}
