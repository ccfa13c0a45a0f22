//! Capacity: who may take how many permits. Nothing else reads a limit or the permits in use.

use alloc::vec::Vec;

/// The permits of one compartment.
#[derive(Debug)]
pub(crate) struct Pool {
    limit: u32,
    /// Above `limit` after that was lowered, until enough permits came back.
    used: u64,
}

/// The pools of a hull, by the index of their compartment.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pools: Vec<Pool>,
}

impl Ledger {
    /// A pool for the next compartment.
    pub(crate) fn open(&mut self, limit: u32) {
        self.pools.push(Pool { limit, used: 0 });
    }

    pub(crate) fn limit(&self, compartment: u32) -> u32 {
        self.pool(compartment).limit
    }

    pub(crate) fn used(&self, compartment: u32) -> u64 {
        self.pool(compartment).used
    }

    /// Permits that are free now.
    pub(crate) fn available(&self, compartment: u32) -> u64 {
        let Pool { limit, used } = *self.pool(compartment);
        u64::from(limit).saturating_sub(used)
    }

    // Resizing 4: a limit of zero is a pause.
    pub(crate) fn is_paused(&self, compartment: u32) -> bool {
        self.limit(compartment) == 0
    }

    // Admission 2.1, Resizing 2: nothing is granted while `used > limit`.
    /// Whether a call of this weight fits now.
    pub(crate) fn fits(&self, compartment: u32, weight: u32) -> bool {
        let Pool { limit, used } = *self.pool(compartment);
        used + u64::from(weight) <= u64::from(limit)
    }

    // Admission 1.1, Resizing 4
    /// Whether a call of this weight could never run. During a pause no call is too heavy.
    pub(crate) fn is_too_heavy(&self, compartment: u32, weight: u32) -> bool {
        weight > self.limit(compartment) && !self.is_paused(compartment)
    }

    // Nested 1.1, Nested calls 1.3
    /// Whether a call that comes with `held` permits of its own caller's would not fit even if
    /// everybody else gave back everything. No caller holds more than what is in use.
    pub(crate) fn waits_for_itself(&self, compartment: u32, weight: u32, held: u64) -> bool {
        let needed = held.min(self.used(compartment)) + u64::from(weight);
        held > 0 && !self.is_paused(compartment) && needed > u64::from(self.limit(compartment))
    }

    /// Answers how many permits are in use then.
    pub(crate) fn take(&mut self, compartment: u32, weight: u32) -> u64 {
        let pool = &mut self.pools[compartment as usize];
        pool.used += u64::from(weight);
        pool.used
    }

    pub(crate) fn give(&mut self, compartment: u32, permits: u64) {
        self.pools[compartment as usize].used -= permits;
    }

    /// Answers the limit that it had.
    pub(crate) fn set_limit(&mut self, compartment: u32, limit: u32) -> u32 {
        core::mem::replace(&mut self.pools[compartment as usize].limit, limit)
    }

    fn pool(&self, compartment: u32) -> &Pool {
        &self.pools[compartment as usize]
    }
}
