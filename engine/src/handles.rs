//! What a host names by numbers: each engine by a small one, that is reused.

use alloc::vec::Vec;

/// Values by handle. Handles begin at 1, so that 0 names nothing.
#[derive(Debug)]
pub struct Handles<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Handles<T> {
    /// Without values.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Answers the handle of a value.
    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(handle) = self.free.pop() {
            self.slots[handle as usize - 1] = Some(value);
            return handle;
        }
        self.slots.push(Some(value));
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// The value of a handle; `None` if it names nothing.
    #[must_use]
    pub fn get(&self, handle: u32) -> Option<&T> {
        self.slots.get(handle.wrapping_sub(1) as usize)?.as_ref()
    }

    /// As [`Handles::get`].
    pub fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        self.slots
            .get_mut(handle.wrapping_sub(1) as usize)?
            .as_mut()
    }

    /// Takes a value out; its handle may be given to another.
    pub fn remove(&mut self, handle: u32) -> Option<T> {
        let slot = self.slots.get_mut(handle.wrapping_sub(1) as usize)?;
        let value = slot.take()?;
        self.free.push(handle);
        Some(value)
    }
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self::new()
    }
}
