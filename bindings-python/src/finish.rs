//! The end of a call.

use bulkheads_core::{Id, Outcome, OwnerId};
use pyo3::exceptions::asyncio::CancelledError;
use pyo3::exceptions::{PyException, PyGeneratorExit, PyRuntimeError};
use pyo3::intern;
use pyo3::prelude::*;

use crate::calls::Calls;
use crate::event_loop::asyncio::{Step, cancelling};
use crate::place::{attached_step, input_anywhere};
use crate::reentrancy::let_go;
use crate::state::State;
use crate::table::{Call, Early, Ticket, Why};

/// Gives the permits of a call back; `error` is that of its work, None if it returned. Raises the
/// answer that the bulkhead gives instead, if it does.
#[inline]
pub(crate) fn finish(
    calls: &Bound<'_, Calls>,
    ticket: Ticket,
    error: &Bound<'_, PyAny>,
) -> PyResult<()> {
    finish_found(calls, error, |_| Some(ticket)).map(drop)
}

/// As `finish`, of the call that `find` finds; false if that is none.
#[inline]
fn finish_found(
    calls: &Bound<'_, Calls>,
    error: &Bound<'_, PyAny>,
    find: impl FnOnce(&State) -> Option<Ticket>,
) -> PyResult<bool> {
    let outcome = outcome(error);
    let ended = calls.get().shared.look(|state| {
        let call = state.table.end(find(state)?)?;
        let is_done = call.is_released || state.core.finish_untimed(call.id, outcome);
        Some((call, is_done))
    });
    let Some((call, is_done)) = ended else {
        return Ok(false);
    };
    if !is_done {
        finish_timed(calls, call.id, outcome)?;
    }
    let_go(calls)?;
    match &call.early {
        None => Ok(true),
        Some(early) => conclude(calls, &call, early, error).map(|()| true),
    }
}

/// As `finish`, if the ticket is still that of this entry; false if it is not.
pub(crate) fn finish_entry(
    calls: &Bound<'_, Calls>,
    ticket: Ticket,
    id: Id,
    error: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let find = |state: &State| state.table.is_entry(ticket, id).then_some(ticket);
    finish_found(calls, error, find)
}

/// The end of permits that stand in no table.
pub(crate) fn give_back(calls: &Bound<'_, Calls>, id: Id, outcome: Outcome) -> PyResult<()> {
    let finish = |state: &mut State| state.core.finish_untimed(id, outcome);
    if !calls.get().shared.look(finish) {
        finish_timed(calls, id, outcome)?;
    }
    let_go(calls)
}

/// Gives the permits of a call back, which goes on without.
pub(crate) fn release(
    calls: &Bound<'_, Calls>,
    ticket: Ticket,
    error: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let release = |state: &mut State| {
        let call = state.table.get_mut(ticket)?;
        call.is_released = true;
        Some(call.id)
    };
    let id = calls.get().shared.look(release);
    id.map_or(Ok(()), |id| give_back(calls, id, outcome(error)))
}

/// See `Calls::detach`.
pub(crate) fn detach(calls: &Bound<'_, Calls>, ticket: Ticket, is_overrun: bool) -> PyResult<u64> {
    let detach = |state: &mut State| {
        let call = state
            .table
            .get_mut(ticket)
            .filter(|call| !call.is_released)?;
        call.is_released = true;
        Some(call.id)
    };
    let Some(id) = calls.get().shared.look(detach) else {
        return Ok(0);
    };
    if is_overrun {
        overrun(calls, id)?;
    }
    Ok(id.as_raw())
}

// Running 4.4: the permit stays taken until the work really settles.
pub(crate) fn overrun(calls: &Bound<'_, Calls>, id: Id) -> PyResult<()> {
    input_anywhere(calls, |state, now| {
        state.core.cancel(now, id);
    })
}

/// A signal handler raised before a call had its permits in hand. Answers with what.
pub(crate) fn end_failed(calls: &Bound<'_, Calls>, ticket: Ticket, error: PyErr) -> PyErr {
    let value = error.value(calls.py()).clone().into_any();
    if let Err(further) = finish(calls, ticket, &value) {
        further.write_unraisable(calls.py(), None);
    }
    error
}

fn finish_timed(calls: &Bound<'_, Calls>, id: Id, outcome: Outcome) -> PyResult<()> {
    input_anywhere(calls, |state, now| {
        state.core.finish(now, id, outcome);
    })
}

/// The end of a call whose work was cancelled by the bulkhead, after its permits were given back.
/// Cancellations by others and what ends the process go before the bulkhead's answer.
#[cold]
fn conclude(
    calls: &Bound<'_, Calls>,
    call: &Call,
    early: &Early,
    error: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = calls.py();
    // The task of a generator that stood still was left alone, and what others do to it does not
    // concern the task that leaves the generator.
    let was_elsewhere = call.stream.is_some() && early.cancels == 0;
    let is_cancelled = !was_elsewhere && is_cancelled_by_others(py, call, early)?;
    let ends_by_cancellation = error.is_instance_of::<CancelledError>();
    let is_answer = error.is_none() || error.is_instance_of::<PyException>();
    let answers_itself = match early.why {
        // Ending 4.1
        Why::Aborted => !ends_by_cancellation,
        // Running 5.1
        Why::TimedOut(_) => !is_answer && !ends_by_cancellation,
    };
    if answers_itself || (is_cancelled && ends_by_cancellation) {
        return Ok(());
    }
    let answer = if is_cancelled {
        CancelledError::new_err(())
    } else {
        calls.get().errors.cancelled_work(py, early.why)
    };
    let cause = (!error.is_none()).then(|| PyErr::from_value(error.clone()));
    answer.set_cause(py, cause);
    Err(answer)
}

/// Takes the bulkhead's own cancellations back, so that `cancelling()` stays right; whether one of
/// others is left.
fn is_cancelled_by_others(py: Python<'_>, call: &Call, early: &Early) -> PyResult<bool> {
    let Some(task) = &call.holder.task else {
        return Ok(false);
    };
    let task = task.bind(py);
    for _ in 0..early.cancels {
        task.call_method0(intern!(py, "uncancel"))?;
    }
    Ok(cancelling(task)? > call.holder.cancelling)
}

/// The end of a bare `async with`.
pub(crate) fn exit(calls: &Bound<'_, Calls>, error: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(step) = Step::only(calls.py()) {
        let is_ended = finish_found(calls, error, |state| {
            state.drivers.of(&step.event_loop)?;
            state.table.last_entered(step.key())
        });
        if is_ended? {
            return Ok(());
        }
    }
    exit_elsewhere(calls, error)
}

/// The end of a bare `async with` whose caller is not known to have entered.
///
/// A fixture may leave in another task than it entered in. A coroutine may be closed where no loop
/// runs, or in another loop, perhaps by the collector, which may have taken the bulkhead's books
/// before.
#[cold]
pub(crate) fn exit_elsewhere(calls: &Bound<'_, Calls>, error: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_closed = error.is_instance_of::<PyGeneratorExit>();
    let entry = if is_closed && !Step::is_in_loop(calls.py())? {
        last_of_the_ended(calls, None)?
    } else {
        entry_in_loop(calls)?
    };
    match entry {
        Some(ticket) => finish(calls, ticket, error),
        None if is_closed => Ok(()),
        None => {
            let text = "this bulkhead was not entered in this loop";
            Err(PyRuntimeError::new_err(text))
        }
    }
}

fn entry_in_loop(calls: &Bound<'_, Calls>) -> PyResult<Option<Ticket>> {
    let step = attached_step(calls)?;
    let (own, owner) = calls.get().shared.look(|state| {
        let driver = state.drivers.of(&step.event_loop);
        let owner = driver.map(|driver| driver.owner);
        (state.table.last_entered(step.key()), owner)
    });
    match own {
        Some(ticket) => Ok(Some(ticket)),
        None => last_of_the_ended(calls, owner),
    }
}

/// Such permits all weigh the same: of tasks that have ended the latest will do.
fn last_of_the_ended(calls: &Bound<'_, Calls>, owner: Option<OwnerId>) -> PyResult<Option<Ticket>> {
    let py = calls.py();
    let entries = |state: &mut State| state.table.entered_in_loops(py, owner);
    let entries = calls.get().shared.look(entries);
    for (ticket, task) in entries.iter().rev() {
        if let Some(task) = task {
            if task.call_method0(py, intern!(py, "done"))?.is_truthy(py)? {
                return Ok(Some(*ticket));
            }
        }
    }
    Ok(None)
}

// Running 2.3
pub(crate) fn outcome(error: &Bound<'_, PyAny>) -> Outcome {
    if error.is_none() {
        Outcome::Completed
    } else {
        Outcome::Failed
    }
}
