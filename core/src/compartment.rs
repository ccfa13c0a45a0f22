//! One compartment: its policy, its permits, its queue, its books, and who watches it.

use alloc::vec::Vec;

use crate::books::Books;
use crate::config::Config;
use crate::ids::OwnerId;
use crate::ledger::Pool;
use crate::queue::Queue;
use crate::sampling::Sampling;
use crate::snapshot::State;

/// A compartment, but for its calls, which are the slab's.
#[derive(Debug)]
pub(crate) struct Compartment {
    pub(crate) config: Config,
    pub(crate) pool: Pool,
    pub(crate) queue: Queue,
    pub(crate) books: Books,
    pub(crate) sampling: Sampling,
    pub(crate) watches: Vec<Watch>,
    pub(crate) counted: Counted,
    pub(crate) state: State,
    /// Closed with abort: the notice goes out once.
    pub(crate) is_aborting: bool,
    /// Stands in the list of those that this step has to settle.
    pub(crate) is_touched: bool,
    /// The limit was lowered in this step: a call that watches for capacity may now wait for itself.
    pub(crate) is_narrowed: bool,
}

/// Runs without a slot. They are all one owner's: while it has any, the calls of others get slots.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// The number of the owner, 0 for none: comparing one number is a tenth of a counted run.
    owner: u64,
    runs: u32,
}

impl Counted {
    pub(crate) const fn runs(&self) -> u32 {
        self.runs
    }

    /// Whether this owner was the last that had any; it lives.
    pub(crate) const fn is_of(&self, owner: OwnerId) -> bool {
        self.owner == owner.as_raw()
    }

    /// A living owner is the next that has any, unless another one still has some.
    pub(crate) fn claim(&mut self, owner: OwnerId) -> bool {
        let is_free = self.runs == 0;
        if is_free {
            self.owner = owner.as_raw();
        }
        is_free
    }

    /// The owner has ended.
    pub(crate) fn unclaim(&mut self, owner: OwnerId) {
        if self.is_of(owner) {
            self.owner = 0;
        }
    }

    pub(crate) const fn add(&mut self, runs: u32) {
        self.runs += runs;
    }

    /// Takes up to this many of an owner's runs; answers how many there were.
    pub(crate) fn take(&mut self, owner: OwnerId, runs: u32) -> u32 {
        let own = if self.is_of(owner) { self.runs } else { 0 };
        let taken = runs.min(own);
        self.runs -= taken;
        taken
    }
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
            pool: Pool::new(config.max_concurrent),
            config,
            queue: Queue::new(),
            books: Books::default(),
            watches: Vec::new(),
            counted: Counted::default(),
            state: State::Open,
            is_aborting: false,
            is_touched: false,
            is_narrowed: false,
        }
    }

    // Admission 3.1
    pub(crate) const fn has_place(&self) -> bool {
        // Vocabulary 3, Options 3.1: calls are counted, not weights; with 0 there is never a place.
        self.queue.len() < self.config.max_queue
    }

    /// Books runs that are admitted without a clock, none of which is to be measured; `weight` is
    /// that of all of them.
    pub(crate) fn count_admissions(&mut self, runs: u32, weight: u32) {
        let used = self.pool.take(weight);
        self.sampling.skip(runs);
        self.books.admitted += u64::from(runs);
        self.books.peak_active = self.books.peak_active.max(used);
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
