//! One compartment: its policy, its queue, its books, and who watches it.

use alloc::vec::Vec;

use crate::books::Books;
use crate::config::Config;
use crate::queue::Queue;
use crate::sampling::Sampling;
use crate::snapshot::State;

/// A compartment, but for its permits, which are the ledger's, and its calls, which are the slab's.
#[derive(Debug)]
pub(crate) struct Compartment {
    pub(crate) config: Config,
    pub(crate) queue: Queue,
    pub(crate) books: Books,
    pub(crate) sampling: Sampling,
    pub(crate) watches: Vec<Watch>,
    pub(crate) state: State,
    /// Closed with abort: the notice goes out once.
    pub(crate) is_aborting: bool,
    /// Stands in the list of those that this step has to settle.
    pub(crate) is_touched: bool,
}

/// What one owner wants to hear once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) owner: u32,
    pub(crate) wish: Wish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The first moment without waiters and permits in use; the number of its latest request.
    Idle { ticket: u64 },
    /// The first moment at which a call of this weight would not be `full`.
    Capacity { weight: u32 },
}

impl Compartment {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            sampling: Sampling::new(config.ran_sampled_every()),
            config,
            queue: Queue::new(),
            books: Books::default(),
            watches: Vec::new(),
            state: State::Open,
            is_aborting: false,
            is_touched: false,
        }
    }

    // Admission 3.1
    pub(crate) const fn has_place(&self) -> bool {
        self.queue.len() < self.config.max_queue
    }

    /// Adds to what an owner wants to hear: one watch for each owner and kind, so that they stay
    /// few. For idleness the latest ticket counts, for capacity the lightest weight.
    pub(crate) fn watch(&mut self, owner: u32, wish: Wish) {
        let own = |watch: &&mut Watch| watch.owner == owner && same_kind(watch.wish, wish);
        let Some(watch) = self.watches.iter_mut().find(own) else {
            self.watches.push(Watch { owner, wish });
            return;
        };
        watch.wish = match (watch.wish, wish) {
            (Wish::Capacity { weight: old }, Wish::Capacity { weight: new }) => Wish::Capacity {
                weight: old.min(new),
            },
            (_, newer) => newer,
        };
    }

    pub(crate) fn unwatch(&mut self, owner: u32) {
        self.watches.retain(|watch| watch.owner != owner);
    }
}

const fn same_kind(one: Wish, other: Wish) -> bool {
    matches!(
        (one, other),
        (Wish::Idle { .. }, Wish::Idle { .. }) | (Wish::Capacity { .. }, Wish::Capacity { .. })
    )
}
