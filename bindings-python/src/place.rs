//! Where an input is made: in a loop, by its driver, or outside of any.

use std::sync::Arc;

use bulkheads_core::{Instant, OwnerId, Span};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::callbacks::{LoopCallback, What};
use crate::calls::Calls;
use crate::event_loop::asyncio::Step;
use crate::event_loop::clock::Clock;
use crate::event_loop::driver::{Driver, Host};
use crate::settle::{catch_up, evict_closed, outside_clock, step};
use crate::state::State;

pub(crate) struct Place {
    /// That of the running loop's driver; None where no loop runs: in threads, finalisers, at
    /// import time.
    pub(crate) owner: Option<OwnerId>,
    clock: Clock,
    /// Whether other loops may have been closed.
    looks: bool,
}

impl Place {
    /// None if it takes more than a look to find out, or no loop runs.
    pub(crate) fn known(calls: &Bound<'_, Calls>) -> Option<Self> {
        let step = Step::only(calls.py())?;
        calls.get().shared.look(|state| Self::of(state, &step))
    }

    /// None if the driver of this step is not known, or its loop in another thread.
    pub(crate) fn of(state: &State, step: &Step<'_>) -> Option<Self> {
        let driver = state.drivers.of(&step.event_loop)?;
        Some(Self {
            owner: Some(driver.owner),
            clock: driver.clock.clone_ref(step.event_loop.py()),
            looks: state.drivers.is_shared(),
        })
    }

    /// Wherever it is.
    pub(crate) fn find(calls: &Bound<'_, Calls>) -> PyResult<Self> {
        if let Some(place) = Self::known(calls) {
            return Ok(place);
        }
        if Step::is_in_loop(calls.py())? {
            return Self::in_loop(calls);
        }
        Ok(Self::outside(calls))
    }

    /// Raises `RuntimeError` where no loop runs.
    pub(crate) fn in_loop(calls: &Bound<'_, Calls>) -> PyResult<Self> {
        if let Some(place) = Self::known(calls) {
            return Ok(place);
        }
        let step = attached_step(calls)?;
        let place = calls.get().shared.look(|state| Self::of(state, &step));
        place.ok_or_else(closed_loop)
    }

    /// As code that no loop runs, also where one does: a finaliser may run in the midst of a
    /// driver's step.
    pub(crate) fn outside(calls: &Bound<'_, Calls>) -> Self {
        Self {
            owner: None,
            clock: outside_clock(calls),
            looks: true,
        }
    }

    /// How far the core's time is ahead of the clock here.
    pub(crate) fn offset(&self) -> Span {
        self.clock.offset
    }

    /// The time. But first, loops that were closed give back what they held.
    pub(crate) fn now(&self, calls: &Bound<'_, Calls>) -> PyResult<Instant> {
        if self.looks {
            evict_closed(calls)?;
            if self.owner.is_none() {
                // That of a loop that was closed is not read any more.
                return outside_clock(calls).read(calls.py());
            }
        }
        let now = self.clock.read(calls.py())?;
        if let Some(owner) = self.owner {
            calls.get().shared.look(|state| {
                let latest = state.core.now();
                let driver = state.drivers.get_mut(owner);
                driver.map(|driver| driver.set_clock(now, latest))
            });
        }
        Ok(now)
    }

    /// An input, and all that follows from it. Its answer counts whatever a signal handler raises
    /// while the clock is read and others are woken: that comes beside it.
    pub(crate) fn input<R>(
        &self,
        calls: &Bound<'_, Calls>,
        act: impl FnOnce(&mut State, Instant) -> R,
    ) -> (R, PyResult<()>) {
        let read = self.now(calls);
        // A time in the past is the one that the core stands at.
        let now = *read.as_ref().unwrap_or(&Instant::ZERO);
        let (answer, settled) = step(calls, self.owner, |state| act(state, now));
        (answer, read.map(drop).and(settled))
    }
}

/// An input that must happen, wherever its caller is: whatever it takes to find that out may raise.
pub(crate) fn input_anywhere<R>(
    calls: &Bound<'_, Calls>,
    act: impl FnOnce(&mut State, Instant) -> R,
) -> PyResult<R> {
    let place = Place::find(calls).unwrap_or_else(|_| Place::outside(calls));
    let (answer, followed) = place.input(calls, act);
    followed.map(|()| answer)
}

/// The caller's step, in a loop whose driver is known from here on. Raises `RuntimeError` if no
/// loop runs.
pub(crate) fn attached_step<'py>(calls: &Bound<'py, Calls>) -> PyResult<Step<'py>> {
    let step = Step::running(calls.py())?;
    let take_over = |state: &mut State| state.drivers.take_over(&step.event_loop);
    let known = calls.get().shared.look(take_over);
    if known.is_none() {
        attach(calls, &step.event_loop)?;
    }
    Ok(step)
}

/// The driver of a running loop was evicted: that loop was found closed.
pub(crate) fn closed_loop() -> PyErr {
    PyRuntimeError::new_err("the loop is closed")
}

fn attach(calls: &Bound<'_, Calls>, event_loop: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = calls.py();
    evict_closed(calls)?;
    let (mut clock, is_real) = Clock::of(event_loop)?;
    let context = PyDict::new(py);
    let class = py.import("contextvars")?.getattr("Context")?;
    // Running 7.2
    context.set_item("context", class.call0()?)?;
    let owner = calls.get().shared.look(|state| state.core.add_owner());
    let callback = |what| LoopCallback::made(calls, owner, what);
    let host = Host {
        event_loop: event_loop.clone().unbind(),
        context: context.unbind(),
        cancel: callback(What::Cancel)?,
        fire: callback(What::Fire)?,
        settle: callback(What::Settle)?,
        tidy: callback(What::Tidy)?,
        wake: callback(What::Wake)?,
    };
    let latest = calls.get().shared.look(|state| state.core.now());
    if is_real {
        // All loops and threads that read the system's clock have one offset.
        catch_up(calls)?;
        clock.offset = calls.get().shared.look(|state| state.offset);
    } else {
        clock.offset = clock.caught_up(py, latest)?;
    }
    let driver = Driver::new(owner, Arc::new(host), clock, is_real);
    let shared = &calls.get().shared;
    shared.listen(owner, Arc::clone(&driver.bell));
    let refused = shared.look(|state| {
        // A signal handler may have come between, and have made the driver of this loop.
        if state.drivers.take_over(event_loop).is_none() {
            state.drivers.push(driver);
            return None;
        }
        state.core.evict(Instant::ZERO, owner);
        Some(driver)
    });
    if refused.is_some() {
        shared.unlisten(owner);
    }
    Ok(())
}
