//! The way of a call: admitted, perhaps after a wait, and ended.

use std::sync::MutexGuard;

use bulkheads_engine::EventNumbers;
use pyo3::exceptions::PyGeneratorExit;
use pyo3::intern;
use pyo3::prelude::*;

use crate::drivers::Driver;
use crate::engine::{value_error, whole};
use crate::errors::Refusal;
use crate::here::{self, Here};
use crate::host::Step;
use crate::outside;
use crate::request::Request;
use crate::runs::Runs;
use crate::shared::Shared;
use crate::table::{Holder, Run, Ticket};
use crate::waiting::Waiting;

/// Whatever the engine answers from here on is an id, below zero minus an id, between them a code.
pub(crate) const FIRST_ID: f64 = 4_294_967_296.0;
/// Work that the bulkhead runs.
const RUN: u32 = 1;
pub(crate) const COMPLETED: u32 = 0;
pub(crate) const FAILED: u32 = 1;
pub(crate) const LEAKED: u32 = 2;
pub(crate) const GRANTED: u32 = 1;

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

impl Kind {
    pub(crate) const fn flags(self) -> u32 {
        match self {
            Self::Block | Self::Entry | Self::Later => RUN,
            Self::Hand => 0,
        }
    }

    fn holder(self, step: &Step<'_>) -> PyResult<Holder> {
        match self {
            Self::Block | Self::Entry => Holder::of(step),
            Self::Hand | Self::Later => Ok(Holder::NOBODY),
        }
    }
}

impl Runs {
    /// A bare `async with` awaits what is answered; None if its permit is there.
    pub(crate) fn enter(slf: &Bound<'_, Self>) -> PyResult<Option<Py<Waiting>>> {
        match Self::arrive(slf, Request::PLAIN, Kind::Entry)? {
            Arrival::Queued(ticket) => Self::waiting(slf, ticket).map(Some),
            Arrival::Admitted(_) => Ok(None),
        }
    }

    /// The end of a bare `async with`.
    pub(crate) fn exit(slf: &Bound<'_, Self>, error: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Some(step) = Step::only(slf.py()) {
            let shared = slf.get().handle().lock();
            if let Some(ticket) = shared.last_entered(&step) {
                return Self::finish(slf, shared, ticket, error);
            }
        }
        match here::last_entry(slf) {
            Ok(ticket) => Self::finish(slf, slf.get().handle().lock(), ticket, error),
            Err(_) if is_closed(error) => Ok(()),
            Err(missing) => Err(missing),
        }
    }

    /// Raises the reason if the call is refused.
    pub(crate) fn arrive(slf: &Bound<'_, Self>, request: Request, kind: Kind) -> PyResult<Arrival> {
        if let Some(step) = Step::only(slf.py()) {
            if let Some(arrival) = Self::arrive_in(slf, &step, request, kind)? {
                Self::note(slf, &arrival, kind)?;
                return Ok(arrival);
            }
        }
        let step = here::introduced(slf)?;
        let arrival = Self::arrive_in(slf, &step, request, kind)?;
        let arrival = arrival.ok_or_else(here::ended)?;
        Self::note(slf, &arrival, kind)?;
        Ok(arrival)
    }

    /// None if the driver of this step is not known.
    fn arrive_in(
        slf: &Bound<'_, Self>,
        step: &Step<'_>,
        request: Request,
        kind: Kind,
    ) -> PyResult<Option<Arrival>> {
        let holder = kind.holder(step)?;
        let mut shared = slf.get().handle().lock();
        let Some(owner) = shared.drivers.of(&step.event_loop).map(Driver::owner) else {
            return Ok(None);
        };
        let id = shared.core.admit_now(owner, request.at_once, kind.flags());
        if id >= FIRST_ID {
            let run = Run::new(id, owner, request.weight, holder);
            return Ok(Some(Arrival::Admitted(shared.begin(run, kind))));
        }
        let here = Here::of(&shared, step);
        drop(shared);
        here.map(|here| Self::arrive_timed(slf, &here, request, kind, holder))
            .transpose()
    }

    /// A call that needs the time: it may wait, be bounded, measured or refused.
    fn arrive_timed(
        slf: &Bound<'_, Self>,
        here: &Here<'_>,
        request: Request,
        kind: Kind,
        holder: Holder,
    ) -> PyResult<Arrival> {
        let now = here.now(slf)?;
        let holding = Self::holding(slf, now)?;
        let weight = request.weight;
        let mut shared = slf.get().handle().lock();
        let answer = shared
            .acquire(here.owner, now, &request, kind, holding)
            .map_err(value_error)?;
        let run = Run::new(answer.abs(), here.owner, weight, holder);
        if answer >= FIRST_ID {
            let ticket = shared.begin(run, kind);
            return match here.settle(shared) {
                Ok(()) => Ok(Arrival::Admitted(ticket)),
                Err(error) => Err(Self::drop_run(slf, ticket, error)),
            };
        }
        if answer < 0.0 {
            let ticket = shared.table.begin(run.waiting(kind));
            if let Err(error) = here.settle(shared) {
                if let Err(further) = Self::give_up(slf, ticket) {
                    further.write_unraisable(slf.py(), None);
                }
                return Err(error);
            }
            return Ok(Arrival::Queued(ticket));
        }
        let refusal = Refusal::new(answer, weight, holding, shared.core.core());
        here.settle(shared)?;
        drop(run);
        Err(refusal.error(slf)?)
    }

    /// What a call that is queued awaits.
    pub(crate) fn waiting(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<Py<Waiting>> {
        let event_loop = slf.get().handle().lock().event_loop(slf.py(), ticket);
        let waiting = Waiting::new(slf, ticket, event_loop.ok_or_else(here::ended)?);
        Py::new(slf.py(), waiting)
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
            let error = slf
                .get()
                .calls(slf.py())
                .call_method1(removal, (told.kind, told.time, weight))?;
            return Err(PyErr::from_value(error));
        }
        let wait = shared.table.resume(ticket);
        shared.core.start(told.id);
        drop(shared);
        drop(wait);
        let held = Self::hold(slf, told.id);
        let told = held.and_then(|()| Here::find(slf)?.settle(slf.get().handle().lock()));
        told.map_err(|error| Self::drop_run(slf, ticket, error))
    }

    /// A signal handler raised before a call had its permits in hand. Answers with what.
    fn drop_run(slf: &Bound<'_, Self>, ticket: Ticket, error: PyErr) -> PyErr {
        let value = error.value(slf.py()).clone().into_any();
        if let Err(further) = Self::finish(slf, slf.get().handle().lock(), ticket, &value) {
            further.write_unraisable(slf.py(), None);
        }
        error
    }

    /// A caller gives up while it waits, or before it goes on.
    pub(crate) fn give_up(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let run = slf.get().handle().lock().table.end(ticket);
        let Some(id) = run.map(|run| run.id) else {
            return Ok(());
        };
        let Some(here) = Here::known(slf) else {
            if !outside::is_in_loop(slf.py())? {
                return outside::input(slf, |core, now| core.cancel(now, id)).1;
            }
            let cancel = intern!(slf.py(), "cancel");
            slf.get()
                .calls(slf.py())
                .call_method1(cancel, (whole(id),))?;
            return Ok(());
        };
        here.input(slf, |core, now| {
            core.cancel(now, id);
        })
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
        Self::let_go(slf)?;
        if phase.is_answered {
            let conclude = intern!(slf.py(), "conclude");
            slf.get()
                .calls(slf.py())
                .call_method1(conclude, (whole(id), error))?;
        }
        Ok(())
    }

    pub(crate) fn finish_timed(slf: &Bound<'_, Self>, id: f64, outcome: u32) -> PyResult<()> {
        let Some(here) = Here::known(slf) else {
            if !outside::is_in_loop(slf.py())? {
                return outside::input(slf, |core, now| core.finish(now, id, outcome)).1;
            }
            // Its coroutine is finalised, perhaps in another loop.
            let give_back = intern!(slf.py(), "give_back");
            slf.get()
                .calls(slf.py())
                .call_method1(give_back, (whole(id), outcome))?;
            return Ok(());
        };
        here.input(slf, |core, now| {
            core.finish(now, id, outcome);
        })
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
}

/// Whether a block ends because its coroutine or generator is closed: perhaps by the collector, which may have taken the books
/// of a bulkhead that nobody knows any more before, or outside of its loop, which has given back everything.
pub(crate) fn is_closed(error: &Bound<'_, PyAny>) -> bool {
    error.is_instance_of::<PyGeneratorExit>()
}

pub(crate) fn outcome(error: &Bound<'_, PyAny>) -> u32 {
    if error.is_none() { COMPLETED } else { FAILED }
}
