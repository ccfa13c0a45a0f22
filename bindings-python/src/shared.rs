//! What one bulkhead's compiled parts share, behind one lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkheads_engine::{Engine, EventNumbers, owner_number};
use bulkheads_core::{InvalidOption, OwnerId};
use pyo3::prelude::*;

use crate::calls::Kind;
use crate::drivers::{Driver, Drivers};
use crate::host::Step;
use crate::request::Request;
use crate::table::{Run, Table, Ticket};
use crate::threads::Threads;

/// The core, and what is known of those who use it.
///
/// Nobody touches a Python object while the lock is held, but to count a reference up: what is taken out of the tables is
/// dropped after it.
pub(crate) struct Shared {
    pub(crate) core: Engine,
    pub(crate) table: Table,
    pub(crate) drivers: Drivers,
    pub(crate) threads: Threads,
    /// Loops that were told something in a step in which threads were.
    woken: Vec<OwnerId>,
}

#[derive(Clone)]
pub(crate) struct Handle(Arc<Mutex<Shared>>);

impl Handle {
    pub(crate) fn new(core: Engine) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            core,
            table: Table::default(),
            drivers: Drivers::default(),
            threads: Threads::default(),
            woken: Vec::new(),
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
    /// A call was admitted.
    pub(crate) fn begin(&mut self, run: Run, kind: Kind) -> Ticket {
        let ticket = self.table.begin(run);
        if let Kind::Entry = kind {
            self.table.enter(ticket);
        }
        ticket
    }

    /// What was entered last in this step, if it is one of this thread.
    pub(crate) fn last_entered(&self, step: &Step<'_>) -> Option<Ticket> {
        self.drivers.of(&step.event_loop)?;
        self.table.last_entered(step.key())
    }

    /// The loop in which a call came; None if its driver was evicted.
    pub(crate) fn event_loop(&self, py: Python<'_>, ticket: Ticket) -> Option<Py<PyAny>> {
        let driver = self.drivers.get(self.table.get(ticket)?.owner)?;
        Some(driver.event_loop.clone_ref(py))
    }

    pub(crate) fn acquire(
        &mut self,
        owner: OwnerId,
        now: f64,
        request: &Request,
        kind: Kind,
        holding: f64,
    ) -> Result<f64, InvalidOption> {
        let Request {
            weight,
            timeout,
            deadline,
            ..
        } = *request;
        let flags = kind.flags();
        self.core
            .acquire(owner, now, weight, timeout, deadline, flags, holding)
    }

    /// Tells the waiters that an input ended, if that is all there is to do after it: no other event, no timer to arm, no other
    /// driver that may have an event.
    pub(crate) fn settle(&mut self, owner: OwnerId) -> Settled {
        if self.threads.are_blocked() {
            self.wake_threads();
        }
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

    /// Wakes the blocked threads that an input told something, in one step with it; true if a loop was told something too, which
    /// has to be woken in Python.
    pub(crate) fn wake_threads(&mut self) -> bool {
        while let Some(owner) = self.core.next_wake(OwnerId::FIRST) {
            if !self.threads.wake(owner) && !self.woken.contains(&owner) {
                self.woken.push(owner);
            }
        }
        !self.woken.is_empty()
    }

    /// The owners whose loops have to be woken, but not `owner` if it has nothing to hear.
    pub(crate) fn take_wakes(&mut self, owner: OwnerId) -> Vec<f64> {
        let mut wakes = self.core.take_wakes(owner);
        for other in std::mem::take(&mut self.woken) {
            if other != owner || self.core.events(owner).next().is_some() {
                wakes.push(owner_number(other));
            }
        }
        wakes
    }

    /// In a forked child none of them is there. What they held of Python's is to be dropped after the lock.
    pub(crate) fn forget_drivers(&mut self) -> Drivers {
        self.threads.forget();
        self.woken.clear();
        std::mem::take(&mut self.drivers)
    }

    /// The task of a waiter is cancelled: it is to be woken, and gives up then. Answers the driver if its loop has to be asked.
    pub(crate) fn cancel(
        &mut self,
        py: Python<'_>,
        ticket: Ticket,
        message: Py<PyAny>,
    ) -> Option<Py<PyAny>> {
        let (id, owner) = self.table.cancel(ticket, message)?;
        let driver = self.drivers.get_mut(owner)?;
        let asks = driver.wakes.push(id);
        asks.then(|| driver.object.clone_ref(py))
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
