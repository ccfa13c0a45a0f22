//! One compartment: its policy, its permits, its queue, its books, and who watches it.

use alloc::vec::Vec;

use crate::books::Books;
use crate::config::Config;
use crate::ids::OwnerId;
use crate::ledger::Pool;
use crate::queue::Queue;
use crate::request::Request;
use crate::sampling::Sampling;
use crate::snapshot::State;
use crate::time::Instant;

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
    /// The limit was lowered in this step: a call that watches for capacity may now wait for
    /// itself.
    pub(crate) is_narrowed: bool,
    /// When its drain ends by closing: an owner has an alarm for that, unless it is never.
    pub(crate) drain_ends: Instant,
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

/// What one owner is to be notified of, once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) owner: u32,
    pub(crate) wish: Wish,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The first moment without waiters and permits in use; the number of its latest request.
    Idle { ticket: u64 },
    /// The first moment at which there would be capacity.
    Capacity(Room),
}

/// What capacity a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) weight: u32,
    /// The items of its `map` that run.
    pub(crate) siblings: u32,
}

impl Room {
    pub(crate) const fn of(request: &Request<'_>) -> Self {
        Self {
            weight: request.weight,
            siblings: request.siblings,
        }
    }

    /// Whether there is capacity for `self` whenever there is for `other`.
    const fn is_within(self, other: Self) -> bool {
        self.weight <= other.weight && self.siblings <= other.siblings
    }
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
            drain_ends: Instant::NEVER,
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

    /// Adds to what an owner is to be notified of. Those that the new wish makes superfluous go, so
    /// that they stay few: for idleness the latest ticket counts; for capacity the one that comes
    /// true first, after which the owner asks for all of its calls again.
    pub(crate) fn watch(&mut self, owner: u32, wish: Wish) {
        let own = |watch: &Watch| watch.owner == owner;
        let mut watches = self.watches.iter();
        if watches.any(|watch| own(watch) && wish.is_covered_by(watch.wish)) {
            return;
        }
        self.watches
            .retain(|watch| !own(watch) || !watch.wish.is_covered_by(wish));
        self.watches.push(Watch { owner, wish });
    }

    pub(crate) fn unwatch(&mut self, owner: u32) {
        self.watches.retain(|watch| watch.owner != owner);
    }

    pub(crate) fn unwatch_capacity(&mut self, owner: u32) {
        let is_other = |watch: &Watch| watch.owner != owner || watch.wish.is_for_idleness();
        self.watches.retain(is_other);
    }
}

impl Wish {
    pub(crate) const fn is_for_idleness(self) -> bool {
        matches!(self, Self::Idle { .. })
    }

    /// Whether an owner that is notified of `other` asks again in time for this one too.
    const fn is_covered_by(self, other: Self) -> bool {
        match (self, other) {
            (Self::Idle { ticket: own }, Self::Idle { ticket }) => own <= ticket,
            (Self::Capacity(own), Self::Capacity(room)) => room.is_within(own),
            (Self::Idle { .. }, Self::Capacity(_)) | (Self::Capacity(_), Self::Idle { .. }) => {
                false
            }
        }
    }
}
