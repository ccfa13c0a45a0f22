//! How a driver is woken, once for however many events.

use std::sync::Arc;

use crate::sync::{AtomicBool, Ordering};

/// The bell of one owner, around what wakes its thread or loop.
#[derive(Debug)]
pub struct Bell<W> {
    /// A wake is on its way; the driver will look after it, so that no second one is needed.
    is_rung: AtomicBool,
    waker: W,
}

impl<W> Bell<W> {
    /// A bell that has not been rung.
    #[must_use]
    pub fn new(waker: W) -> Arc<Self> {
        Arc::new(Self {
            is_rung: AtomicBool::new(false),
            waker,
        })
    }

    /// What wakes the driver.
    pub const fn waker(&self) -> &W {
        &self.waker
    }

    /// True if the waker has to be called: no wake is on its way.
    #[must_use]
    pub fn ring(&self) -> bool {
        // SeqCst, as in `answer`: the events were written under the core's lock before this, and
        // are read under it after `answer`, so one of the two sides sees the other.
        !self.is_rung.swap(true, Ordering::SeqCst)
    }

    /// The driver is awake. To be called before it looks at its events.
    pub fn answer(&self) {
        self.is_rung.store(false, Ordering::SeqCst);
    }
}

/// The drivers that an input has notified, to be woken after the lock.
#[must_use = "a driver that is not woken never delivers its grant"]
#[derive(Debug)]
pub struct Wakes<W>(pub(crate) Vec<Arc<Bell<W>>>);

impl<W> Wakes<W> {
    /// Calls `wake` for each that is not awake already.
    pub fn ring(self, mut wake: impl FnMut(&W)) {
        for bell in self.0 {
            if bell.ring() {
                wake(bell.waker());
            }
        }
    }

    /// No driver has to be woken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
