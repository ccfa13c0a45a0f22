//! Random bytes, without a crate for them.

use std::hash::{BuildHasher, Hasher, RandomState};

pub(crate) struct Random(u64);

impl Random {
    /// Seeded by the standard library, which asks the system.
    pub(crate) fn new() -> Self {
        Self(RandomState::new().build_hasher().finish() | 1)
    }

    /// Marsaglia's xorshift with the shifts 13, 7, 17.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// Prints bytes when a panic passes by.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let digits = self.0.iter().map(|byte| format!("{byte:02x}"));
            eprintln!("these bytes fail: {}", digits.collect::<String>());
        }
    }
}
