//! The numbers that cross the boundary instead of objects.

/// Names one call from its admission to its release: waiter and permit are the same number.
///
/// `slot + generation · 2^32`: at least 2^32 and below 2^53, so that it is an exact JavaScript
/// number and never a small code. Slots are reused, the generation distinguishes a stale id from a
/// live one; a stale id changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

/// Generations run from 1 to this and start again.
const MAX_GENERATION: u32 = (1 << 21) - 1;

/// The generation after this one: ids of the earlier one are stale.
pub(crate) const fn next_generation(generation: u32) -> u32 {
    if generation == MAX_GENERATION {
        1
    } else {
        generation + 1
    }
}

impl Id {
    pub(crate) const fn new(slot: u32, generation: u32) -> Self {
        Self(slot as u64 | (generation as u64) << 32)
    }

    /// The id with this number; one that was never given out is merely stale.
    #[must_use]
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// Its number.
    #[must_use]
    pub const fn as_raw(self) -> u64 {
        self.0
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half is the slot")]
    pub(crate) const fn slot(self) -> u32 {
        self.0 as u32
    }

    pub(crate) const fn generation(self) -> u64 {
        self.0 >> 32
    }
}

/// Names one driver of a shared bulkhead: a loop, a worker, a blocked thread.
///
/// Numbered like [`Id`]: the id of an owner that was evicted stays stale when its place is reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OwnerId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl OwnerId {
    /// The owner that every hull is made with; all that a private one needs.
    pub const FIRST: Self = Self {
        index: 0,
        generation: 1,
    };

    /// Its number, `index + generation · 2^32`.
    #[must_use]
    pub const fn as_raw(self) -> u64 {
        Id::new(self.index, self.generation).as_raw()
    }
}

/// Names one compartment of a [`crate::Hull`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompartmentId(pub(crate) u32);

impl CompartmentId {
    /// The first compartment of a hull, and the only one of a [`crate::Bulkhead`].
    pub const FIRST: Self = Self(0);

    /// Its number: 0 for the first, counted up.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0
    }
}
