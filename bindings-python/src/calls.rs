//! The way of a call: admitted, perhaps after a wait, and ended.

use std::sync::MutexGuard;

use bulkheads::engine::EventNumbers;
use pyo3::intern;
use pyo3::prelude::*;

use crate::engine::{value_error, whole};
use crate::here::Here;
use crate::host::Step;
use crate::request::Request;
use crate::runs::Runs;
use crate::shared::Shared;
use crate::table::{Holder, Run, Ticket};
use crate::waiting::Waiting;

/// Whatever the engine answers from here on is an id, below zero minus an id, between them a code.
const FIRST_ID: f64 = 4_294_967_296.0;
/// Work that the bulkhead runs.
const RUN: u32 = 1;
const COMPLETED: u32 = 0;
const FAILED: u32 = 1;
const GRANTED: u32 = 1;

/// Who will hold the permit.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The current task, which keeps the ticket.
    Block,
    /// The current task, which does not: a bare `async with`.
    Entry,
    /// Whoever takes it in hand.
    Hand,
    /// A task that does not run yet.
    Later,
}

/// What became of a call.
pub(crate) enum Arrival {
    Admitted(Ticket),
    Queued(Ticket),
}

impl Arrival {
    /// The ticket, or minus one minus the ticket of a call that waits.
    pub(crate) fn number(&self) -> i64 {
        match self {
            Self::Admitted(ticket) => (*ticket).into(),
            Self::Queued(ticket) => !i64::from(*ticket),
        }
    }
}

impl Runs {
    /// A bare `async with` awaits what is answered; None if its permit is there.
    pub(crate) fn enter(slf: &Bound<'_, Self>) -> PyResult<Option<Py<Waiting>>> {
        if let Some(step) = Step::only(slf.py()) {
            if slf.get().admit_now(&step, 1, None, Kind::Entry)?.is_some() {
                return Ok(None);
            }
        }
        match Self::arrive(slf, Request::PLAIN, Kind::Entry)? {
            Arrival::Admitted(_) => Ok(None),
            Arrival::Queued(ticket) => Self::waiting(slf, ticket).map(Some),
        }
    }

    /// The end of a bare `async with`.
    pub(crate) fn exit(slf: &Bound<'_, Self>, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let step = Step::only(slf.py());
        let shared = slf.get().handle().lock();
        let key = step.as_ref().map(|step| step.task.as_ptr() as usize);
        if let Some(ticket) = key.and_then(|key| shared.table.last_entered(key)) {
            return Self::finish(slf, shared, ticket, error);
        }
        drop(shared);
        let ticket = Here::find(slf)?.last_entry(slf)?;
        Self::finish(slf, slf.get().handle().lock(), ticket, error)
    }

    /// A ticket for a call that runs at once with no look at the clock, or None. `function` is the address of its
    /// work, which must have been checked.
    pub(crate) fn admit_now(
        &self,
        step: &Step<'_>,
        weight: u32,
        function: Option<usize>,
        kind: Kind,
    ) -> PyResult<Option<Ticket>> {
        let holder = Holder::task(step.task.clone())?;
        let mut shared = self.handle().lock();
        if function.is_some_and(|function| !shared.checked.knows(function)) {
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
        let run = Run::new(id, owner, weight.into(), holder);
        let ticket = shared.table.begin(run);
        if let Kind::Entry = kind {
            shared.table.enter(ticket);
        }
        Ok(Some(ticket))
    }

    /// Any call. Raises the reason if it is refused.
    pub(crate) fn arrive(slf: &Bound<'_, Self>, request: Request, kind: Kind) -> PyResult<Arrival> {
        let here = Here::find(slf)?;
        let (holder, flags) = match kind {
            Kind::Block | Kind::Entry => (here.holder()?, RUN),
            Kind::Hand => (Holder::NOBODY, 0),
            Kind::Later => (Holder::NOBODY, RUN),
        };
        let now = here.now(slf)?;
        let Request {
            weight,
            timeout,
            deadline,
        } = request;
        let mut shared = slf.get().handle().lock();
        let answer = shared
            .core
            .acquire(here.owner, now, weight, timeout, deadline, flags)
            .map_err(value_error)?;
        let is_entry = matches!(kind, Kind::Entry);
        let run = Run::new(answer.abs(), here.owner, weight, holder);
        let arrival = if answer < 0.0 {
            Arrival::Queued(shared.table.begin(run.waiting(is_entry)))
        } else if answer < FIRST_ID {
            here.settle(shared)?;
            return Err(Self::refusal(slf, whole(answer), whole(weight))?);
        } else {
            let ticket = shared.table.begin(run);
            if is_entry {
                shared.table.enter(ticket);
            }
            Arrival::Admitted(ticket)
        };
        here.settle(shared)?;
        Ok(arrival)
    }

    /// What a call that is queued awaits.
    pub(crate) fn waiting(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<Py<Waiting>> {
        let event_loop = Here::find(slf)?.event_loop.unbind();
        Py::new(slf.py(), Waiting::new(slf, ticket, event_loop))
    }

    /// A waiter that was told goes on. Raises the reason if it was not granted.
    pub(crate) fn resume(
        slf: &Bound<'_, Self>,
        ticket: Ticket,
        told: EventNumbers,
    ) -> PyResult<()> {
        let mut shared = slf.get().handle().lock();
        if told.kind != GRANTED {
            let run = shared.table.end(ticket);
            drop(shared);
            let weight = run.map_or(0, |run| whole(run.weight));
            let removal = intern!(slf.py(), "removal");
            let error = slf.call_method1(removal, (told.kind, told.time, weight))?;
            return Err(PyErr::from_value(error));
        }
        let wait = shared.table.resume(ticket);
        shared.core.start(told.id);
        drop(shared);
        drop(wait);
        Here::find(slf)?.settle(slf.get().handle().lock())
    }

    /// A caller gives up while it waits, or before it goes on.
    pub(crate) fn give_up(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let run = slf.get().handle().lock().table.end(ticket);
        let Some(id) = run.map(|run| run.id) else {
            return Ok(());
        };
        let Some(here) = Here::known(slf) else {
            let cancel = intern!(slf.py(), "cancel");
            slf.call_method1(cancel, (whole(id),))?;
            return Ok(());
        };
        let now = here.now(slf)?;
        let mut shared = slf.get().handle().lock();
        shared.core.cancel(now, id);
        here.settle(shared)
    }

    /// Gives the permit of a run back. Raises its early answer, if it has one.
    pub(crate) fn finish(
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

    pub(crate) fn finish_timed(slf: &Bound<'_, Self>, id: f64, outcome: u32) -> PyResult<()> {
        let Some(here) = Here::known(slf) else {
            // Its coroutine is finalised, perhaps outside of its loop.
            let give_back = intern!(slf.py(), "give_back");
            slf.call_method1(give_back, (whole(id), outcome))?;
            return Ok(());
        };
        let now = here.now(slf)?;
        let mut shared = slf.get().handle().lock();
        shared.core.finish(now, id, outcome);
        here.settle(shared)
    }

    pub(crate) fn wake_batch(slf: &Bound<'_, Self>, owner: i64) -> PyResult<()> {
        let runs = slf.get();
        let mut shared = runs.handle().lock();
        let Some(owner) = shared.drivers.owner(owner) else {
            return Ok(());
        };
        let batch = shared
            .drivers
            .get_mut(owner)
            .map(|driver| driver.wakes.take());
        drop(shared);
        let mut batch = batch.unwrap_or_default().into_iter();
        while let Some(id) = batch.next() {
            let callback = runs.handle().lock().table.take_callback(id);
            let Some(callback) = callback else { continue };
            if let Err(error) = callback.run(slf.py()) {
                // What ends the process: the others are woken all the same, if the loop goes on.
                let mut shared = runs.handle().lock();
                if let Some(driver) = shared.drivers.get_mut(owner) {
                    driver.wakes.put_back(batch.collect());
                    let driver = driver.object.clone_ref(slf.py());
                    drop(shared);
                    driver.call_method0(slf.py(), intern!(slf.py(), "wake_soon"))?;
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn refusal(slf: &Bound<'_, Self>, code: i64, weight: i64) -> PyResult<PyErr> {
        let refusal = intern!(slf.py(), "refusal");
        let error = slf.call_method1(refusal, (code, weight))?;
        Ok(PyErr::from_value(error))
    }
}

pub(crate) fn outcome(error: &Bound<'_, PyAny>) -> u32 {
    if error.is_none() { COMPLETED } else { FAILED }
}
