//! What one bulkhead's compiled parts share, behind one lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkheads::OwnerId;
use bulkheads::engine::{Engine, EventNumbers};

use crate::drivers::{Driver, Drivers};
use crate::table::Table;
use crate::work::Checked;

/// The core, and what is known of those who use it.
///
/// Nobody touches a Python object while the lock is held, but to count a reference up: what is taken out of the tables is
/// dropped after it.
pub(crate) struct Shared {
    pub(crate) core: Engine,
    pub(crate) table: Table,
    pub(crate) drivers: Drivers,
    pub(crate) checked: Checked,
}

#[derive(Clone)]
pub(crate) struct Handle(Arc<Mutex<Shared>>);

impl Handle {
    pub(crate) fn new(core: Engine) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            core,
            table: Table::default(),
            drivers: Drivers::default(),
            checked: Checked::default(),
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
    /// Tells the waiters that an input ended, if that is all there is to do after it: no other event, no timer to arm, no other
    /// driver that may have an event.
    pub(crate) fn settle(&mut self, owner: OwnerId) -> Settled {
        let next = self.core.next_timer(owner);
        let is_at_rest = |driver: &Driver| driver.is_at_rest(next);
        if self.drivers.is_shared() || !self.drivers.get(owner).is_some_and(is_at_rest) {
            return Settled::ByDriver;
        }
        let is_for_driver = |event: EventNumbers| event.kind > LAST_OF_WAITERS;
        if self.core.events(owner).any(is_for_driver) {
            return Settled::ByDriver;
        }
        let mut wakes = false;
        loop {
            let event = self.core.next_event(owner);
            if event.kind == 0 {
                break;
            }
            wakes |= self.tell(owner, event);
        }
        if wakes {
            Settled::Waking
        } else {
            Settled::Quietly
        }
    }

    /// A waiter has its end; true if the loop has to be asked to wake it.
    pub(crate) fn tell(&mut self, owner: OwnerId, event: EventNumbers) -> bool {
        let driver = self.drivers.get_mut(owner);
        self.table.tell(event) && driver.is_some_and(|driver| driver.wakes.push(event.id))
    }
}

/// What is left to do after an input.
pub(crate) enum Settled {
    Quietly,
    /// The loop has to be asked to wake those who were told.
    Waking,
    /// All of it: the driver settles.
    ByDriver,
}

/// Event kinds up to here are ends of waiters.
const LAST_OF_WAITERS: u32 = 5;
