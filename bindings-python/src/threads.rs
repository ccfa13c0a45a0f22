//! The owners of threads that are blocked.

use bulkheads_core::{Bulkhead, OwnerId};

/// An owner stays with the core when its thread goes on, which may hold a permit under it: the next
/// thread that blocks gets it.
#[derive(Default)]
pub(crate) struct Threads {
    free: Vec<OwnerId>,
}

impl Threads {
    /// An owner for a thread that blocks. It is to be left again.
    pub(crate) fn join(&mut self, core: &mut Bulkhead) -> OwnerId {
        self.free.pop().unwrap_or_else(|| core.add_owner())
    }

    pub(crate) fn leave(&mut self, owner: OwnerId) {
        self.free.push(owner);
    }
}
