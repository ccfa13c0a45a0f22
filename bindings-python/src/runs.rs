//! Calls from admission to release, as far as they go without waiting.

use std::sync::MutexGuard;

use pyo3::exceptions::PyKeyError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

use crate::engine::{Engine, value_error, whole};
use crate::here::Here;
use crate::host::Step;
use crate::shared::{Handle, Shared};
use crate::table::{Holder, Run, Ticket};
use crate::work;

/// Whatever the engine answers from here on is an id, below zero minus an id, between them a code.
const FIRST_ID: f64 = 4_294_967_296.0;
const MAX_COUNT: u32 = i32::MAX.unsigned_abs();
/// Work that the bulkhead runs.
const RUN: u32 = 1;
const COMPLETED: u32 = 0;
const FAILED: u32 = 1;

/// What `Calls` builds on. A call without options that finds room, in the only step under way, takes the short way: no look at
/// the clock, no event, nothing to tell anybody. Every other call goes by its driver.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Runs {
    handle: Handle,
}

/// Who will hold the permit.
#[derive(Clone, Copy)]
enum Kind {
    /// The current task, which keeps the ticket.
    Block,
    /// The current task, which does not.
    Entry,
    /// A task that does not run yet.
    Later,
}

/// What a call asks for.
#[derive(Clone, Copy)]
struct Request {
    weight: f64,
    timeout: f64,
    deadline: f64,
}

impl Request {
    const PLAIN: Self = Self {
        weight: 1.0,
        timeout: f64::INFINITY,
        deadline: f64::INFINITY,
    };

    /// The weight of a call without bounds of its own; None for what the facade has to look at, and perhaps to refuse.
    fn ordinary(
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> Option<u32> {
        let weight = weight.cast_exact::<PyInt>().ok()?.extract().ok()?;
        let timeout = timeout.cast_exact::<PyFloat>().ok()?.value();
        let is_ordinary =
            (1..=MAX_COUNT).contains(&weight) && timeout == f64::INFINITY && deadline.is_none();
        is_ordinary.then_some(weight)
    }

    /// Any arguments. Raises what is wrong with them.
    fn any(
        runs: &Bound<'_, Runs>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        if let Some(weight) = Self::ordinary(weight, timeout, deadline) {
            return Ok(Self {
                weight: weight.into(),
                ..Self::PLAIN
            });
        }
        let checked = intern!(runs.py(), "checked");
        let checked = runs.call_method1(checked, (weight, timeout, deadline))?;
        let (weight, timeout, deadline) = checked.extract()?;
        Ok(Self {
            weight,
            timeout,
            deadline,
        })
    }
}

impl Runs {
    /// A bare `async with`; false if it may have to wait, or to be refused.
    pub(crate) fn enter_now(slf: &Bound<'_, Self>) -> PyResult<bool> {
        let Some(step) = Step::only(slf.py()) else {
            return Ok(false);
        };
        let ticket = slf.get().admit_now(&step, 1, None, true)?;
        Ok(ticket.is_some())
    }

    /// The end of a bare `async with`.
    pub(crate) fn leave(slf: &Bound<'_, Self>, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let step = Step::only(slf.py());
        let shared = slf.get().handle.lock();
        let key = step.as_ref().map(|step| step.task.as_ptr() as usize);
        if let Some(ticket) = key.and_then(|key| shared.table.last_entered(key)) {
            return Self::finish(slf, shared, ticket, error);
        }
        drop(shared);
        let ticket = Here::find(slf)?.last_entry(slf)?;
        Self::finish(slf, slf.get().handle.lock(), ticket, error)
    }

    /// A ticket for a call that runs at once with no look at the clock, or None. `code` is that of its work: it must have
    /// been checked.
    fn admit_now(
        &self,
        step: &Step<'_>,
        weight: u32,
        code: Option<&Bound<'_, PyAny>>,
        enters: bool,
    ) -> PyResult<Option<Ticket>> {
        let holder = Holder::task(step.task.clone())?;
        let mut shared = self.handle.lock();
        if code.is_some_and(|code| !shared.has_checked(code)) {
            return Ok(None);
        }
        let Some(driver) = shared.drivers.of(&step.event_loop) else {
            return Ok(None);
        };
        let owner = driver.owner;
        let id = shared.core.admit_now(owner, weight, RUN);
        if id < FIRST_ID {
            return Ok(None);
        }
        let ticket = shared
            .table
            .begin(Run::new(id, owner, weight.into(), holder));
        if enters {
            shared.table.enter(ticket);
        }
        Ok(Some(ticket))
    }

    /// A ticket, or minus one minus the ticket of a call that waits. Raises the reason if it is refused.
    fn arrive(slf: &Bound<'_, Self>, request: Request, kind: Kind) -> PyResult<i64> {
        let here = Here::find(slf)?;
        let holder = match kind {
            Kind::Block | Kind::Entry => here.holder()?,
            Kind::Later => Holder::NOBODY,
        };
        let now = here.now(slf)?;
        let Request {
            weight,
            timeout,
            deadline,
        } = request;
        let mut shared = slf.get().handle.lock();
        let answer = shared
            .core
            .acquire(here.owner, now, weight, timeout, deadline, RUN)
            .map_err(value_error)?;
        let is_known = !(0.0..FIRST_ID).contains(&answer);
        let ticket = is_known.then(|| {
            let run = Run::new(answer.abs(), here.owner, weight, holder);
            shared.table.begin(run)
        });
        if let (Kind::Entry, true, Some(ticket)) = (kind, answer > 0.0, ticket) {
            shared.table.enter(ticket);
        }
        let is_settled = shared.is_settled(here.owner);
        drop(shared);
        if answer < 0.0 {
            let expect = intern!(slf.py(), "expect");
            here.driver.call_method1(expect, (whole(-answer),))?;
        }
        here.settle_unless(is_settled)?;
        match ticket {
            Some(ticket) if answer > 0.0 => Ok(ticket.into()),
            Some(ticket) => Ok(!i64::from(ticket)),
            None => {
                let refusal = intern!(slf.py(), "refusal");
                let error = slf.call_method1(refusal, (whole(answer), whole(weight)))?;
                Err(PyErr::from_value(error))
            }
        }
    }

    /// Gives the permit of a run back. Raises its early answer, if it has one.
    fn finish(
        slf: &Bound<'_, Self>,
        mut shared: MutexGuard<'_, Shared>,
        ticket: Ticket,
        error: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let run = shared.table.end(ticket);
        let Some((id, phase)) = run.as_ref().map(|run| (run.id, run.phase)) else {
            return Ok(());
        };
        let is_done = phase.is_released || shared.core.finish_now(id, outcome(error));
        drop(shared);
        drop(run);
        if !is_done {
            Self::finish_timed(slf, id, outcome(error))?;
        }
        if phase.is_answered {
            let conclude = intern!(slf.py(), "conclude");
            slf.call_method1(conclude, (whole(id), error))?;
        }
        Ok(())
    }

    fn finish_timed(slf: &Bound<'_, Self>, id: f64, outcome: u32) -> PyResult<()> {
        let Some(here) = Here::known(slf) else {
            // Its coroutine is finalised, perhaps outside of its loop.
            let give_back = intern!(slf.py(), "give_back");
            slf.call_method1(give_back, (whole(id), outcome))?;
            return Ok(());
        };
        let now = here.now(slf)?;
        let mut shared = slf.get().handle.lock();
        shared.core.finish(now, id, outcome);
        let is_settled = shared.is_settled(here.owner);
        drop(shared);
        here.settle_unless(is_settled)
    }
}

#[pymethods]
impl Runs {
    #[new]
    fn new(name: &Bound<'_, PyAny>, engine: &Engine) -> Self {
        let _ = name;
        Self {
            handle: engine.handle.clone(),
        }
    }

    /// A call of `run`: its ticket, or minus one minus that of a call that has to wait. Raises the reason if it is refused.
    #[pyo3(signature = (work, weight, timeout, deadline, /))]
    fn begin(
        slf: &Bound<'_, Self>,
        work: &Bound<'_, PyAny>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        let ordinary = Request::ordinary(weight, timeout, deadline);
        let code = work::code(work)?;
        if let (Some(weight), Some(code), Some(step)) = (ordinary, &code, Step::only(slf.py())) {
            let ticket = slf.get().admit_now(&step, weight, Some(code), false)?;
            if let Some(ticket) = ticket {
                return Ok(ticket.into());
            }
        }
        slf.get().check_work(work, code)?;
        let request = Request::any(slf, weight, timeout, deadline)?;
        Self::arrive(slf, request, Kind::Block)
    }

    /// A block of code, as `begin`.
    #[pyo3(signature = (weight, timeout, deadline, /))]
    fn begin_block(
        slf: &Bound<'_, Self>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        let request = Request::any(slf, weight, timeout, deadline)?;
        Self::arrive(slf, request, Kind::Block)
    }

    /// Work of a task that does not run yet, as `begin`; it is not willing to wait. It is to be handed over.
    #[pyo3(signature = (weight, /))]
    fn begin_later(slf: &Bound<'_, Self>, weight: f64) -> PyResult<i64> {
        let request = Request {
            weight,
            timeout: 0.0,
            ..Request::PLAIN
        };
        Self::arrive(slf, request, Kind::Later)
    }

    /// A bare `async with`, as `begin`. One that has to wait is to be `entered` afterwards.
    fn begin_entry(slf: &Bound<'_, Self>) -> PyResult<i64> {
        Self::arrive(slf, Request::PLAIN, Kind::Entry)
    }

    #[pyo3(signature = (ticket, /))]
    fn entered(&self, ticket: Ticket) {
        self.handle.lock().table.enter(ticket);
    }

    /// Gives the permit of a run back; `error` is that of its work, None if it returned. Raises its early answer, if it has one.
    #[pyo3(signature = (ticket, error, /))]
    fn end(slf: &Bound<'_, Self>, ticket: Ticket, error: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::finish(slf, slf.get().handle.lock(), ticket, error)
    }

    /// Gives the permit of a run back, which goes on without.
    #[pyo3(signature = (ticket, error, /))]
    fn release(slf: &Bound<'_, Self>, ticket: Ticket, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut shared = slf.get().handle.lock();
        let Some((id, is_answered)) = shared.table.release(ticket) else {
            return Ok(());
        };
        drop(shared);
        if is_answered {
            slf.call_method1(intern!(slf.py(), "end_answered"), (whole(id),))?;
        }
        Self::finish_timed(slf, id, outcome(error))
    }

    /// The run goes on in the current task, which did not begin it.
    #[pyo3(signature = (ticket, /))]
    fn hand_over(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let holder = Here::find(slf)?.holder()?;
        let mut shared = slf.get().handle.lock();
        let answered = shared.table.hand_over(ticket, holder);
        drop(shared);
        if let Some((id, task)) = answered {
            let hand_over = intern!(slf.py(), "hand_answered_over");
            slf.call_method1(hand_over, (whole(id), task))?;
        }
        Ok(())
    }

    /// Id and weight of a call.
    #[pyo3(signature = (ticket, /))]
    fn waiter(&self, ticket: Ticket) -> PyResult<(i64, i64)> {
        let shared = self.handle.lock();
        let run = shared
            .table
            .get(ticket)
            .map(|run| (whole(run.id), whole(run.weight)));
        drop(shared);
        run.ok_or_else(|| PyKeyError::new_err(ticket))
    }

    /// A call that never ran, or was released.
    #[pyo3(signature = (ticket, /))]
    fn forget(&self, ticket: Ticket) {
        let run = self.handle.lock().table.end(ticket);
        drop(run);
    }

    /// The run of this id is answered early: its task, and how often that had been cancelled when it came. The end of this
    /// run is concluded in Python.
    #[pyo3(signature = (id, /))]
    fn answer(&self, id: f64) -> Option<(Option<Py<PyAny>>, i64)> {
        self.handle.lock().table.answer(id)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(shared) = self.handle.try_lock() else {
            return Ok(());
        };
        for task in shared.table.tasks() {
            visit.call(task)?;
        }
        for driver in shared.drivers.iter() {
            visit.call(&driver.event_loop)?;
            visit.call(&driver.object)?;
            visit.call(&driver.clock)?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let mut shared = self.handle.lock();
        let tasks = shared.table.forget_tasks();
        let drivers = shared.drivers.forget_all();
        drop(shared);
        drop((tasks, drivers));
    }
}

impl Drop for Runs {
    /// Engines may live on, whose references nobody would see any more.
    fn drop(&mut self) {
        self.__clear__();
    }
}

impl Runs {
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    fn check_work(&self, work: &Bound<'_, PyAny>, code: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        work::check(work, code.as_ref())?;
        if let Some(code) = code {
            let before = self.handle.lock().remember_checked(code.unbind());
            drop(before);
        }
        Ok(())
    }
}

fn outcome(error: &Bound<'_, PyAny>) -> u32 {
    if error.is_none() { COMPLETED } else { FAILED }
}
