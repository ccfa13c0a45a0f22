//! The beginning of a call in a loop: admitted, perhaps after a wait, or refused.

use bulkheads_core::{Admission, Id, InvalidOption, OwnerId, Rejection, Untimed};
use pyo3::prelude::*;

use crate::calls::Calls;
use crate::errors::Figures;
use crate::event_loop::asyncio::{self, Step};
use crate::finish::end_failed;
use crate::numbers::value_error;
use crate::place::{Place, attached_step, closed_loop, input_anywhere};
use crate::reentrancy::{held, hold};
use crate::request::{Asked, Kind};
use crate::settle::step;
use crate::state::State;
use crate::table::{Call, Holder, Ticket, WaitEnd};

/// What became of a call.
#[derive(Clone, Copy)]
pub(crate) enum Arrival {
    Admitted(Ticket, Id),
    Queued(Ticket, Id),
}

impl Arrival {
    pub(crate) const fn ticket(self) -> Ticket {
        match self {
            Self::Admitted(ticket, _) | Self::Queued(ticket, _) => ticket,
        }
    }

    pub(crate) const fn id(self) -> Id {
        match self {
            Self::Admitted(_, id) | Self::Queued(_, id) => id,
        }
    }

    /// The ticket, or minus one minus the ticket of a call that waits.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Admitted(ticket, _) => ticket.into(),
            Self::Queued(ticket, _) => !i64::from(ticket),
        }
    }
}

/// Raises the reason if the call is refused.
pub(crate) fn arrive(calls: &Bound<'_, Calls>, asked: &Asked, kind: Kind) -> PyResult<Arrival> {
    if let Some(step) = Step::only(calls.py()) {
        if let Some(arrival) = arrive_in(calls, &step, asked, kind)? {
            return Ok(arrival);
        }
    }
    arrive_first(calls, asked, kind)
}

/// The driver of this loop is not known, or several loops are in a step.
#[cold]
#[inline(never)]
fn arrive_first(calls: &Bound<'_, Calls>, asked: &Asked, kind: Kind) -> PyResult<Arrival> {
    let step = attached_step(calls)?;
    arrive_in(calls, &step, asked, kind)?.ok_or_else(closed_loop)
}

/// What the core has answered.
enum Answer {
    Begun(Arrival),
    Rejected(Rejection, Figures),
}

/// None if the driver of this step is not known.
#[expect(
    clippy::inline_always,
    reason = "a tenth of the time of an `async with`; it has two callers, one of them cold"
)]
#[inline(always)]
fn arrive_in(
    calls: &Bound<'_, Calls>,
    step: &Step<'_>,
    asked: &Asked,
    kind: Kind,
) -> PyResult<Option<Arrival>> {
    let held = if calls.get().detects {
        held(calls)?
    } else {
        Vec::new()
    };
    let look = calls.get().shared.look(|state| {
        let owner = state.drivers.of(&step.event_loop)?.owner;
        let request = asked.request(kind, owner).held(&held);
        Some(match state.acquire_untimed(request, asked.weight, 1) {
            Untimed::Admitted(id) => {
                let ticket = state.table.begin(call(id, owner, asked, kind, step));
                if kind == Kind::Entry {
                    state.table.enter(ticket);
                }
                Ok(Answer::Begun(Arrival::Admitted(ticket, id)))
            }
            Untimed::NeedsClock => Err(Place::of(state, step)?),
            Untimed::Rejected(why) => {
                let figures = Figures::new(&state.core, asked.weight);
                Ok(Answer::Rejected(why, figures))
            }
        })
    });
    let answer = match look {
        None => return Ok(None),
        Some(Ok(answer)) => answer,
        Some(Err(place)) => ask_timed(calls, &place, step, asked, kind, &held)?,
    };
    match answer {
        Answer::Begun(arrival) => begun(calls, step, kind, arrival).map(Some),
        Answer::Rejected(why, figures) => {
            Err(calls.get().errors.rejected(calls.py(), why, figures))
        }
    }
}

/// A call that needs the time: it may wait, be bounded, measured or refused.
fn ask_timed(
    calls: &Bound<'_, Calls>,
    place: &Place,
    here: &Step<'_>,
    asked: &Asked,
    kind: Kind,
    held: &[Id],
) -> PyResult<Answer> {
    let owner = place.owner.ok_or_else(closed_loop)?;
    let now = place.now(calls)?;
    let (answer, followed) = step(calls, place.owner, |state| {
        let request = asked.request(kind, owner).held(held);
        let begun = |id| call(id, owner, asked, kind, here);
        Ok(match state.core.acquire(now, request)? {
            Admission::Admitted(id) => {
                let ticket = state.table.begin_timed(begun(id));
                if kind == Kind::Entry {
                    state.table.enter(ticket);
                }
                Answer::Begun(Arrival::Admitted(ticket, id))
            }
            Admission::Queued(id) => {
                let call = begun(id).waiting(kind == Kind::Entry);
                Answer::Begun(Arrival::Queued(state.table.begin_timed(call), id))
            }
            Admission::Rejected(why) => {
                let figures = Figures::new(&state.core, asked.weight);
                Answer::Rejected(why, figures)
            }
        })
    });
    let answer = answer.map_err(|error: InvalidOption| value_error(&error))?;
    match (answer, followed) {
        (answer, Ok(())) => Ok(answer),
        (Answer::Begun(arrival), Err(error)) => Err(undo(calls, arrival, error)),
        (Answer::Rejected(..), Err(error)) => Err(error),
    }
}

#[inline]
fn call(id: Id, owner: OwnerId, asked: &Asked, kind: Kind, step: &Step<'_>) -> Call {
    let is_run = kind != Kind::Manual;
    let holder = if is_run {
        Holder::of(step)
    } else {
        Holder::NONE
    };
    Call::new(id, owner, asked.weight, holder, is_run)
}

/// The caller may have been cancelled before, and its context holds what it was admitted with.
#[inline]
fn begun(
    calls: &Bound<'_, Calls>,
    step: &Step<'_>,
    kind: Kind,
    arrival: Arrival,
) -> PyResult<Arrival> {
    let cancelling = match &step.task {
        Some(task) if kind != Kind::Manual => asyncio::cancelling(task),
        _ => Ok(0),
    };
    if matches!(cancelling, Ok(0)) && !calls.get().detects {
        return Ok(arrival);
    }
    note(calls, arrival, cancelling).map_err(|error| undo(calls, arrival, error))?;
    Ok(arrival)
}

#[cold]
fn note(calls: &Bound<'_, Calls>, arrival: Arrival, cancelling: PyResult<i64>) -> PyResult<()> {
    let cancelling = cancelling?;
    calls.get().shared.look(|state| {
        let call = state.table.get_mut(arrival.ticket());
        call.map(|call| call.holder.cancelling = cancelling)
    });
    match arrival {
        Arrival::Admitted(_, id) => hold(calls, id),
        Arrival::Queued(..) => Ok(()),
    }
}

/// A signal handler raised before a call was in its caller's hands. Answers with what.
#[cold]
fn undo(calls: &Bound<'_, Calls>, arrival: Arrival, error: PyErr) -> PyErr {
    let Arrival::Queued(ticket, _) = arrival else {
        return end_failed(calls, arrival.ticket(), error);
    };
    if let Err(further) = give_up(calls, ticket) {
        further.write_unraisable(calls.py(), None);
    }
    error
}

/// A waiter that has its end goes on. Raises the reason if it was not granted.
pub(crate) fn resume(calls: &Bound<'_, Calls>, ticket: Ticket, end: WaitEnd) -> PyResult<()> {
    if let WaitEnd::Removed(why) = end {
        let ended = calls.get().shared.look(|state| {
            let call = state.table.end(ticket)?;
            Some((Figures::new(&state.core, call.weight), call))
        });
        return ended.map_or(Ok(()), |(figures, _)| {
            Err(calls.get().errors.removed(calls.py(), why, figures))
        });
    }
    let owner = |state: &mut State| Some(state.table.get(ticket)?.owner);
    let owner = calls.get().shared.look(owner);
    // It may have a run deadline from now on.
    let (resumed, followed) = step(calls, owner, |state| {
        let wait = state.table.resume(ticket);
        let id = state.table.get(ticket)?.id;
        state.start(ticket, id);
        Some((id, wait))
    });
    let Some((id, _)) = resumed else {
        return followed;
    };
    let held = followed.and_then(|()| hold(calls, id));
    held.map_err(|error| end_failed(calls, ticket, error))
}

/// A caller gives up while it waits, or before it goes on.
pub(crate) fn give_up(calls: &Bound<'_, Calls>, ticket: Ticket) -> PyResult<()> {
    let call = calls.get().shared.look(|state| state.table.end(ticket));
    let Some(call) = call else { return Ok(()) };
    input_anywhere(calls, |state, now| {
        state.core.cancel(now, call.id);
    })
}
