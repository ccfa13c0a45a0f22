//! Where a call is made: in which step, and with which driver.

use std::sync::MutexGuard;

use bulkheads_core::OwnerId;
use bulkheads_engine::Engine;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::drivers::{Driver, Timer};
use crate::host::Step;
use crate::runs::Runs;
use crate::shared::{Settled, Shared};
use crate::table::Ticket;

/// The driver of the running loop.
pub(crate) struct Here<'py> {
    pub(crate) owner: OwnerId,
    pub(crate) driver: Bound<'py, PyAny>,
    clock: Bound<'py, PyAny>,
    is_shared: bool,
}

impl<'py> Here<'py> {
    /// Raises `RuntimeError` if no loop runs.
    pub(crate) fn find(runs: &Bound<'py, Runs>) -> PyResult<Self> {
        if let Some(here) = Self::known(runs) {
            return Ok(here);
        }
        let step = introduced(runs)?;
        Self::of(&runs.get().handle().lock(), &step).ok_or_else(ended)
    }

    /// None if it takes more than a look to find out, or no loop runs.
    pub(crate) fn known(runs: &Bound<'py, Runs>) -> Option<Self> {
        let step = Step::only(runs.py())?;
        Self::of(&runs.get().handle().lock(), &step)
    }

    /// None if the driver of this step is not known, or its loop in another thread.
    pub(crate) fn of(shared: &Shared, step: &Step<'py>) -> Option<Self> {
        let py = step.event_loop.py();
        let driver = shared.drivers.of(&step.event_loop)?;
        Some(Self {
            owner: driver.owner(),
            driver: driver.object.bind(py).clone(),
            clock: driver.clock.bind(py).clone(),
            is_shared: shared.drivers.is_shared(),
        })
    }

    /// The time; but first, loops that were closed give back what they held.
    pub(crate) fn now(&self, runs: &Bound<'py, Runs>) -> PyResult<f64> {
        if self.is_shared {
            let calls = runs.get().calls(runs.py());
            calls.call_method0(intern!(runs.py(), "evict_closed"))?;
        }
        self.clock.call0()?.extract()
    }

    /// An input that happens whatever a signal handler raises while the clock is read.
    pub(crate) fn input(
        &self,
        runs: &Bound<'py, Runs>,
        act: impl FnOnce(&mut Engine, f64),
    ) -> PyResult<()> {
        // The core takes a time in the past for the one it stands at.
        let (now, read) = match self.now(runs) {
            Ok(now) => (now, Ok(())),
            Err(error) => (0.0, Err(error)),
        };
        let mut shared = runs.get().handle().lock();
        act(&mut shared.core, now);
        let settled = self.settle(shared);
        read.and(settled)
    }

    /// Lets everybody know what came of an input.
    pub(crate) fn settle(&self, mut shared: MutexGuard<'_, Shared>) -> PyResult<()> {
        let settled = shared.settle(self.owner);
        drop(shared);
        let py = self.driver.py();
        match settled {
            Settled::Quietly => {}
            Settled::Waking => {
                self.driver.call_method0(intern!(py, "wake_soon"))?;
            }
            Settled::ByDriver => {
                self.driver.call_method0(intern!(py, "settle"))?;
            }
        }
        Ok(())
    }
}

/// The caller's step, whose driver is known from here on. Raises `RuntimeError` if no loop runs.
pub(crate) fn introduced<'py>(runs: &Bound<'py, Runs>) -> PyResult<Step<'py>> {
    let py = runs.py();
    let step = Step::running(py)?;
    if runs
        .get()
        .handle()
        .lock()
        .drivers
        .of(&step.event_loop)
        .is_some()
    {
        return Ok(step);
    }
    let object = runs.get().calls(py).call_method0(intern!(py, "driver"))?;
    let number = object.getattr(intern!(py, "owner"))?.extract()?;
    let clock = object.getattr(intern!(py, "clock"))?;
    let timer = Timer {
        armed: object.getattr(intern!(py, "armed"))?.extract()?,
        is_tidied: object.getattr(intern!(py, "is_tidied"))?.extract()?,
    };
    let event_loop = step.event_loop.clone();
    let mut shared = runs.get().handle().lock();
    let owner = shared.drivers.owner(number).ok_or_else(ended)?;
    // Its loop may have come to another thread.
    if !shared.drivers.is_here(owner) {
        let driver = Driver::new(owner, object, event_loop, clock, timer);
        shared.drivers.introduce(driver);
    }
    Ok(step)
}

/// Whoever evicts the driver of a running loop finds that loop closed.
pub(crate) fn ended() -> PyErr {
    PyRuntimeError::new_err("the loop is closed")
}

/// What was entered last with a bare `async with`, by the caller if possible.
///
/// A fixture may leave in another task than it entered in. Such permits all weigh the same: the latest will do, best of a
/// task that has ended.
pub(crate) fn last_entry(runs: &Bound<'_, Runs>) -> PyResult<Ticket> {
    let py = runs.py();
    let step = introduced(runs)?;
    let shared = runs.get().handle().lock();
    if let Some(ticket) = shared.table.last_entered(step.key()) {
        return Ok(ticket);
    }
    let owner = shared.drivers.of(&step.event_loop).map(Driver::owner);
    let others = owner.map(|owner| shared.table.all_entered(py, owner));
    drop(shared);
    let others = others.unwrap_or_default();
    for (ticket, task) in &others {
        if let Some(task) = task {
            if task.call_method0(py, intern!(py, "done"))?.is_truthy(py)? {
                return Ok(*ticket);
            }
        }
    }
    let last = others.last().map(|(ticket, _)| *ticket);
    last.ok_or_else(|| PyRuntimeError::new_err("this bulkhead was not entered in this loop"))
}
