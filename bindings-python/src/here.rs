//! Where a call is made: its loop, its task, its driver.

use std::sync::MutexGuard;

use bulkheads::OwnerId;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::drivers::{Driver, Timer};
use crate::host::{self, Step};
use crate::runs::Runs;
use crate::shared::{Settled, Shared};
use crate::table::{Holder, Ticket};

/// The driver of the running loop, and the task that runs.
pub(crate) struct Here<'py> {
    pub(crate) owner: OwnerId,
    pub(crate) driver: Bound<'py, PyAny>,
    clock: Bound<'py, PyAny>,
    pub(crate) event_loop: Bound<'py, PyAny>,
    task: Option<Bound<'py, PyAny>>,
    is_shared: bool,
}

impl<'py> Here<'py> {
    /// Raises `RuntimeError` where no loop runs.
    pub(crate) fn find(runs: &Bound<'py, Runs>) -> PyResult<Self> {
        if let Some(here) = Self::known(runs) {
            return Ok(here);
        }
        let event_loop = host::running_loop(runs.py())?;
        let task = host::current_task(&event_loop)?;
        // Known or not: the loop may have come to another thread.
        Self::introduce(runs, &event_loop)?;
        let shared = runs.get().handle().lock();
        let driver = shared.drivers.of(&event_loop);
        driver
            .map(|driver| Self::new(&shared, driver, task, &event_loop))
            .ok_or_else(|| PyRuntimeError::new_err("the driver of this loop was ended meanwhile"))
    }

    /// None if it takes more than a look to find out.
    pub(crate) fn known(runs: &Bound<'py, Runs>) -> Option<Self> {
        let Step { event_loop, task } = Step::only(runs.py())?;
        let shared = runs.get().handle().lock();
        let driver = shared.drivers.of(&event_loop)?;
        Some(Self::new(&shared, driver, Some(task), &event_loop))
    }

    fn new(
        shared: &Shared,
        driver: &Driver,
        task: Option<Bound<'py, PyAny>>,
        event_loop: &Bound<'py, PyAny>,
    ) -> Self {
        let py = event_loop.py();
        Self {
            owner: driver.owner,
            driver: driver.object.bind(py).clone(),
            clock: driver.clock.bind(py).clone(),
            event_loop: event_loop.clone(),
            task,
            is_shared: shared.drivers.is_shared(),
        }
    }

    fn introduce(runs: &Bound<'py, Runs>, event_loop: &Bound<'py, PyAny>) -> PyResult<()> {
        let py = runs.py();
        let object = runs.call_method0(intern!(py, "driver"))?;
        let number = object.getattr(intern!(py, "owner"))?.extract()?;
        let clock = object.getattr(intern!(py, "clock"))?;
        let timer = Timer {
            armed: object.getattr(intern!(py, "armed"))?.extract()?,
            is_tidied: object.getattr(intern!(py, "is_tidied"))?.extract()?,
        };
        let event_loop = event_loop.clone();
        let mut shared = runs.get().handle().lock();
        if let Some(owner) = shared.drivers.owner(number) {
            if !shared.drivers.is_here(owner) {
                let driver = Driver::new(owner, object, event_loop, clock, timer);
                shared.drivers.introduce(driver);
            }
        }
        Ok(())
    }

    pub(crate) fn holder(&self) -> PyResult<Holder> {
        match &self.task {
            Some(task) => Holder::task(task.clone()),
            None => Ok(Holder::event_loop(&self.event_loop)),
        }
    }

    /// The time; but first, loops that were closed give back what they held.
    pub(crate) fn now(&self, runs: &Bound<'py, Runs>) -> PyResult<f64> {
        if self.is_shared {
            runs.call_method0(intern!(runs.py(), "evict_closed"))?;
        }
        self.clock.call0()?.extract()
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

    /// What the current task entered last with a bare `async with`.
    ///
    /// A fixture may leave in another task than it entered in. Such permits all weigh the same: the latest will do, best of a
    /// task that has ended.
    pub(crate) fn last_entry(&self, runs: &Bound<'py, Runs>) -> PyResult<Ticket> {
        let key = self.holder()?.key;
        let shared = runs.get().handle().lock();
        if let Some(ticket) = shared.table.last_entered(key) {
            return Ok(ticket);
        }
        let others = shared.table.all_entered(runs.py(), self.owner);
        drop(shared);
        let done = intern!(runs.py(), "done");
        for (ticket, task) in &others {
            if let Some(task) = task {
                if task.call_method0(runs.py(), done)?.is_truthy(runs.py())? {
                    return Ok(*ticket);
                }
            }
        }
        let last = others.last().map(|(ticket, _)| *ticket);
        last.ok_or_else(|| PyRuntimeError::new_err("this bulkhead was not entered in this loop"))
    }
}
