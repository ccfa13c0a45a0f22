//! The beginning of a call in a loop: admitted, perhaps after a wait, or refused.

use bulkheads_core::{Admission, Id, InvalidOption, OwnerId, Rejection, Untimed};
use pyo3::prelude::*;

use crate::calls::Calls;
use crate::errors::{self, Figures};
use crate::event_loop::asyncio::Step;
use crate::finish::end_failed;
use crate::numbers::value_error;
use crate::place::{Place, attached_step, closed_loop, input_anywhere};
use crate::reentrancy::{held, hold};
use crate::request::{Asked, Kind};
use crate::settle::step;
use crate::state::State;
use crate::table::{Call, Holder, Ticket, WaitEnd};

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

/// Raises the reason if the call is refused.
pub(crate) fn arrive(calls: &Bound<'_, Calls>, asked: &Asked, kind: Kind) -> PyResult<Arrival> {
    if let Some(step) = Step::only(calls.py()) {
        if let Some(arrival) = arrive_in(calls, &step, asked, kind)? {
            return Ok(arrival);
        }
    }
    let step = attached_step(calls)?;
    arrive_in(calls, &step, asked, kind)?.ok_or_else(closed_loop)
}

/// What a look without a clock has come to.
enum Look {
    Admitted(Ticket, Id),
    NeedsClock(Place, Holder),
    Rejected(Rejection, Figures, Holder),
}

/// None if the driver of this step is not known.
#[inline]
fn arrive_in(
    calls: &Bound<'_, Calls>,
    step: &Step<'_>,
    asked: &Asked,
    kind: Kind,
) -> PyResult<Option<Arrival>> {
    let holder = match kind {
        Kind::Block | Kind::Entry => Holder::of(step)?,
        Kind::Manual => Holder::NOBODY,
    };
    let held = held(calls)?;
    let look = calls.get().shared.look(|state| {
        let owner = state.drivers.of(&step.event_loop)?.owner;
        let request = asked.request(kind, owner).held(&held);
        Some(match state.acquire_untimed(request, asked.weight, 1) {
            Untimed::Admitted(id) => {
                let ticket = begin(state, id, owner, asked, kind, holder);
                Look::Admitted(ticket, id)
            }
            Untimed::NeedsClock => Look::NeedsClock(Place::of(state, step)?, holder),
            Untimed::Rejected(why) => {
                Look::Rejected(why, Figures::new(&state.core, asked.weight), holder)
            }
        })
    });
    match look {
        None => Ok(None),
        Some(Look::Admitted(ticket, id)) => admitted(calls, ticket, id).map(Some),
        Some(Look::NeedsClock(place, holder)) => {
            arrive_timed(calls, &place, asked, kind, holder, &held).map(Some)
        }
        Some(Look::Rejected(why, figures, holder)) => {
            drop(holder);
            Err(errors::rejected(
                calls.get().name.bind(calls.py()),
                why,
                figures,
            ))
        }
    }
}

/// A call that needs the time: it may wait, be bounded, measured or refused.
fn arrive_timed(
    calls: &Bound<'_, Calls>,
    place: &Place,
    asked: &Asked,
    kind: Kind,
    holder: Holder,
    held: &[Id],
) -> PyResult<Arrival> {
    let owner = place.owner.ok_or_else(closed_loop)?;
    let now = place.now(calls)?;
    let (arrival, followed) = step(calls, place.owner, |state| {
        let request = asked.request(kind, owner).held(held);
        let admission = state.core.acquire(now, request)?;
        Ok(match admission {
            Admission::Admitted(id) => {
                let ticket = begin(state, id, owner, asked, kind, holder);
                Ok((Arrival::Admitted(ticket), id))
            }
            Admission::Queued(id) => {
                let call = call(id, owner, asked, kind, holder);
                let ticket = state.table.begin(call.waiting(kind == Kind::Entry));
                Ok((Arrival::Queued(ticket), id))
            }
            Admission::Rejected(why) => Err((why, Figures::new(&state.core, asked.weight), holder)),
        })
    });
    let arrival = arrival.map_err(|error: InvalidOption| value_error(&error))?;
    match (arrival, followed) {
        (Ok((Arrival::Admitted(ticket), id)), Ok(())) => admitted(calls, ticket, id),
        (Ok((Arrival::Admitted(ticket), _)), Err(error)) => Err(end_failed(calls, ticket, error)),
        (Ok((queued, _)), Ok(())) => Ok(queued),
        (Ok((Arrival::Queued(ticket), _)), Err(error)) => {
            if let Err(further) = give_up(calls, ticket) {
                further.write_unraisable(calls.py(), None);
            }
            Err(error)
        }
        (Err((why, figures, holder)), followed) => {
            drop(holder);
            followed?;
            Err(errors::rejected(
                calls.get().name.bind(calls.py()),
                why,
                figures,
            ))
        }
    }
}

fn call(id: Id, owner: OwnerId, asked: &Asked, kind: Kind, holder: Holder) -> Call {
    Call::new(id, owner, asked.weight, holder, kind != Kind::Manual)
}

#[inline]
fn begin(
    state: &mut State,
    id: Id,
    owner: OwnerId,
    asked: &Asked,
    kind: Kind,
    holder: Holder,
) -> Ticket {
    let ticket = state.table.begin(call(id, owner, asked, kind, holder));
    if kind == Kind::Entry {
        state.table.enter(ticket);
    }
    ticket
}

/// The caller's context holds its permits.
#[inline]
fn admitted(calls: &Bound<'_, Calls>, ticket: Ticket, id: Id) -> PyResult<Arrival> {
    hold(calls, id).map_err(|error| end_failed(calls, ticket, error))?;
    Ok(Arrival::Admitted(ticket))
}

/// A waiter that has its end goes on. Raises the reason if it was not granted.
pub(crate) fn resume(calls: &Bound<'_, Calls>, ticket: Ticket, end: WaitEnd) -> PyResult<()> {
    if !matches!(end, WaitEnd::Granted) {
        let ended = calls.get().shared.look(|state| {
            let call = state.table.end(ticket)?;
            Some((Figures::new(&state.core, call.weight), call))
        });
        let name = calls.get().name.bind(calls.py());
        return match ended {
            Some((figures, _)) => Err(errors::removed(name, end, figures)?),
            None => Ok(()),
        };
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
