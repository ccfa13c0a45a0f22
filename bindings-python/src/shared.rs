//! What one bulkhead's compiled parts share, behind one lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkheads::OwnerId;
use bulkheads::engine::Engine;
use pyo3::prelude::*;

use crate::drivers::Drivers;
use crate::table::Table;

/// The core, and what is known of those who use it.
///
/// Nobody touches a Python object while the lock is held, but to count a reference up: what is taken out of the tables is
/// dropped after it.
pub(crate) struct Shared {
    pub(crate) core: Engine,
    pub(crate) table: Table,
    pub(crate) drivers: Drivers,
    /// Of the work that was run last: that it can be run need not be found out again.
    checked: Option<Py<PyAny>>,
}

#[derive(Clone)]
pub(crate) struct Handle(Arc<Mutex<Shared>>);

impl Handle {
    pub(crate) fn new(core: Engine) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            core,
            table: Table::default(),
            drivers: Drivers::default(),
            checked: None,
        })))
    }

    /// Poisoning cannot happen: the core does not panic, and a panic would end the process.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the collector, which runs wherever Python allocates, so never under the lock. None would only put it off.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, Shared>> {
        self.0.try_lock().ok()
    }
}

impl Shared {
    pub(crate) fn has_checked(&self, code: &Bound<'_, PyAny>) -> bool {
        self.checked
            .as_ref()
            .is_some_and(|checked| checked.is(code))
    }

    /// Answers what was remembered before, to be dropped after the lock.
    pub(crate) fn remember_checked(&mut self, code: Py<PyAny>) -> Option<Py<PyAny>> {
        self.checked.replace(code)
    }

    /// Whether the last input came to nothing that the driver of this owner would have to see to: it has no event, no timer
    /// to arm, and there is no other driver that may have an event.
    pub(crate) fn is_settled(&self, owner: OwnerId) -> bool {
        !self.drivers.is_shared()
            && self.core.events(owner).next().is_none()
            && self.drivers.is_armed(owner, self.core.next_timer(owner))
    }
}
