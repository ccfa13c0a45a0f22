//! Capacity: who may take how many permits. Nothing else reads a limit or the permits in use.

/// The permits of one compartment.
#[derive(Debug)]
pub(crate) struct Pool {
    limit: u32,
    /// Above `limit` after that was lowered, until enough permits came back.
    used: u64,
}

impl Pool {
    pub(crate) const fn new(limit: u32) -> Self {
        Self { limit, used: 0 }
    }

    pub(crate) const fn limit(&self) -> u32 {
        self.limit
    }

    pub(crate) const fn used(&self) -> u64 {
        self.used
    }

    /// Permits that are free now.
    pub(crate) const fn available(&self) -> u64 {
        (self.limit as u64).saturating_sub(self.used)
    }

    // Options 3.3, Resizing 4: a limit of zero is a pause.
    pub(crate) const fn is_paused(&self) -> bool {
        self.limit == 0
    }

    // Admission 2.1, Admission 4.3, Resizing 2: nothing is granted while `used > limit`.
    /// Whether a call of this weight fits now.
    pub(crate) const fn fits(&self, weight: u32) -> bool {
        self.used + weight as u64 <= self.limit as u64
    }

    // Admission 1.1, Resizing 4
    /// Whether a call of this weight could never run. During a pause no call is too heavy.
    pub(crate) const fn is_too_heavy(&self, weight: u32) -> bool {
        weight > self.limit && !self.is_paused()
    }

    // Map 1.3
    /// How many calls of this weight can run at a time, at least one.
    pub(crate) const fn width(&self, weight: u32) -> u32 {
        let width = self.limit / if weight == 0 { 1 } else { weight };
        if width == 0 { 1 } else { width }
    }

    // Nested calls 1.1, Nested calls 1.3
    /// Whether a call that comes with `held` permits of its own caller's would not fit even if all
    /// other callers gave back everything. No caller holds more than what is in use.
    pub(crate) fn waits_for_itself(&self, weight: u32, held: u64) -> bool {
        let needed = held.min(self.used) + u64::from(weight);
        held > 0 && !self.is_paused() && needed > u64::from(self.limit)
    }

    /// Answers how many permits are in use then.
    pub(crate) fn take(&mut self, weight: u32) -> u64 {
        self.used += u64::from(weight);
        self.used
    }

    pub(crate) fn give(&mut self, weight: u32) {
        self.used -= u64::from(weight);
    }

    /// Answers the limit that it had.
    pub(crate) const fn set_limit(&mut self, limit: u32) -> u32 {
        core::mem::replace(&mut self.limit, limit)
    }
}
