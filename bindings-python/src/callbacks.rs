//! What loops call back.

use bulkheads_core::{Instant, OwnerId, Span};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::calls::Calls;
use crate::event_loop::clock::RESOLUTION;
use crate::event_loop::driver::behind;
use crate::numbers::to_seconds;
use crate::settle;
use crate::state::State;

/// How long until a timer that fired too early is tried again: some loops count whole milliseconds.
const TOO_EARLY: u64 = 1_000_000;

/// A callback of one driver's loop.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct LoopCallback {
    calls: Py<Calls>,
    owner: OwnerId,
    what: What,
}

#[derive(Clone, Copy)]
pub(crate) enum What {
    /// Cancel the tasks that were in the middle of a step before.
    Cancel,
    /// The timer's.
    Fire,
    /// Deliver events that another thread's input caused.
    Settle,
    /// Look after a timer that was not needed.
    Tidy,
    /// Wake a batch of waiters.
    Wake,
}

impl LoopCallback {
    pub(crate) fn made(
        calls: &Bound<'_, Calls>,
        owner: OwnerId,
        what: What,
    ) -> PyResult<Py<PyAny>> {
        let callback = Self {
            calls: calls.clone().unbind(),
            owner,
            what,
        };
        Ok(Py::new(calls.py(), callback)?.into_any())
    }
}

#[pymethods]
impl LoopCallback {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let (calls, owner) = (self.calls.bind(py), self.owner);
        match self.what {
            What::Cancel => cancel(calls, owner),
            What::Fire => fire(calls, owner),
            What::Settle => settle(calls, owner),
            What::Tidy => tidy(calls, owner),
            What::Wake => wake(calls, owner),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "<callback of bulkhead {}>",
            self.calls.get().name().bind(py)
        )
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.calls)
    }
}

fn settle(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let bell = |state: &mut State| Some(state.drivers.get(owner)?.bell.clone());
    let Some(bell) = calls.get().shared.look(bell) else {
        return Ok(());
    };
    // Before it looks: what comes after that look rings again.
    bell.answer();
    settle::settle(calls, Some(owner))
}

fn cancel(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let cancels = calls.get().shared.look(|state| {
        let driver = state.drivers.get_mut(owner);
        driver.map(|driver| std::mem::take(&mut driver.cancels))
    });
    let mut raised = Ok(());
    for (ticket, id) in cancels.unwrap_or_default() {
        raised = raised.and(settle::cancel(calls, ticket, id));
    }
    raised
}

fn fire(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let py = calls.py();
    let fired = calls.get().shared.look(|state| {
        let is_shared = state.drivers.is_shared();
        let driver = state.drivers.get_mut(owner)?;
        let armed = std::mem::replace(&mut driver.timer.armed, Instant::NEVER);
        let handle = driver.timer.handle.take();
        let clock = driver.clock.clone_ref(py);
        Some((armed, handle, clock, is_shared, state.core.now()))
    });
    let Some((armed, _handle, clock, is_shared, latest)) = fired else {
        return Ok(());
    };
    let looked = if is_shared {
        settle::evict_closed(calls)
    } else {
        Ok(())
    };
    // A time in the past is the one that the core stands at.
    let read = clock.read(py);
    let mut now = *read.as_ref().unwrap_or(&Instant::ZERO);
    let read_now = now;
    // As the loop compares them: far from the origin a float is coarser than a nanosecond.
    let early = to_seconds(armed.as_nanos()) - to_seconds(now.as_nanos());
    // One that has gone far back says nothing: the timer was armed for as long as it should last.
    let is_early = early > to_seconds(RESOLUTION) && behind(now, latest) == 0;
    let is_time = armed < Instant::NEVER && !is_early;
    if is_time {
        now = now.max(armed);
    }
    // Otherwise it would spin until it is time.
    let pause = Span::from_nanos(if is_time { 1 } else { TOO_EARLY });
    let ((), settled) = settle::step(calls, Some(owner), |state| {
        if let Some(driver) = state.drivers.get_mut(owner) {
            driver.set_clock(read_now, latest);
            driver.timer.earliest = now.after(pause);
        }
        state.core.handle_timeout(now);
    });
    looked.and(read.map(drop)).and(settled)
}

fn tidy(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let is_needed = calls.get().shared.look(|state| {
        let is_needed = state.next_timer(owner).is_some();
        if let Some(driver) = state.drivers.get_mut(owner) {
            driver.timer.cancel_scheduled = false;
            if !is_needed {
                driver.timer.armed = Instant::NEVER;
            }
        }
        is_needed
    });
    if is_needed {
        return Ok(());
    }
    settle::disarm(calls, owner)
}

fn wake(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let shared = &calls.get().shared;
    let batch = shared.look(|state| {
        let driver = state.drivers.get_mut(owner);
        driver.map(|driver| driver.wakes.take())
    });
    let mut batch = batch.unwrap_or_default().into_iter();
    while let Some(id) = batch.next() {
        let callback = shared.look(|state| state.table.take_callback(id));
        let Some(callback) = callback else { continue };
        if let Err(error) = callback.run(calls.py()) {
            // What ends the process: the others are woken all the same, if the loop goes on.
            let ((), settled) = settle::step(calls, Some(owner), |state| {
                if let Some(driver) = state.drivers.get_mut(owner) {
                    driver.put_back(batch.collect());
                }
            });
            return settled.and(Err(error));
        }
    }
    Ok(())
}
