//! Which waiters a loop has to wake.
//!
//! A loop makes an object for each callback, and calls Python code to put it into its queue. So the
//! waiters that are notified one after the other are woken by one callback, in that order.

use std::collections::VecDeque;

use bulkheads_core::Id;

#[derive(Default)]
pub(crate) struct Wakes {
    /// One batch for each callback that the loop will call.
    batches: VecDeque<Vec<Id>>,
    /// Whether the last batch takes more.
    is_open: bool,
}

impl Wakes {
    /// True if another callback is needed.
    pub(crate) fn push(&mut self, id: Id) -> bool {
        match self.batches.back_mut() {
            Some(batch) if self.is_open => {
                batch.push(id);
                false
            }
            _ => {
                self.batches.push_back(vec![id]);
                self.is_open = true;
                true
            }
        }
    }

    /// Later wake-ups must run after the event that was delivered just now.
    pub(crate) fn close_batch(&mut self) {
        self.is_open = false;
    }

    /// The batch of the callback that is called.
    pub(crate) fn take(&mut self) -> Vec<Id> {
        let batch = self.batches.pop_front().unwrap_or_default();
        self.is_open &= !self.batches.is_empty();
        batch
    }

    /// What was taken and not woken: for another callback.
    pub(crate) fn put_back(&mut self, rest: Vec<Id>) {
        self.batches.push_front(rest);
    }
}
