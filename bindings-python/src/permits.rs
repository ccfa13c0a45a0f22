//! Manual permits, as objects: an object that holds one knows its id, 0 if it holds none.
//!
//! An id goes from the core into its object, and back, with none of Python's instructions in
//! between.

use bulkheads_core::{Id, Instant, InvalidOption, Outcome, OwnerId, Reclaim, Untimed};
use pyo3::intern;
use pyo3::prelude::*;

use crate::blocking::undo;
use crate::calls::Calls;
use crate::event_loop::asyncio::Step;
use crate::finish::give_back;
use crate::numbers::value_error;
use crate::place::Place;
use crate::reentrancy::hold;
use crate::request::{Asked, Kind};
use crate::state::State;
use crate::table::Ticket;

/// Puts the permit of this id into an object that has none.
pub(crate) fn fill(calls: &Bound<'_, Calls>, permit: &Bound<'_, PyAny>, id: Id) -> PyResult<()> {
    let filled = permit.setattr(intern!(calls.py(), "_id"), id.as_raw());
    filled.map_err(|error| undo(calls, id, error))
}

/// As `fill`, out of the table.
pub(crate) fn fill_from(
    calls: &Bound<'_, Calls>,
    permit: &Bound<'_, PyAny>,
    ticket: Ticket,
) -> PyResult<()> {
    let call = calls.get().shared.look(|state| state.table.end(ticket));
    call.map_or(Ok(()), |call| fill(calls, permit, call.id))
}

/// As `fill`, if there is one at once.
pub(crate) fn fill_at_once(
    calls: &Bound<'_, Calls>,
    permit: &Bound<'_, PyAny>,
    weight: u32,
) -> PyResult<bool> {
    let place = if Step::is_in_loop(calls.py())? {
        Place::in_loop(calls)?
    } else {
        Place::outside(calls)
    };
    let Some(id) = try_take(calls, &place, weight)? else {
        return Ok(false);
    };
    hold(calls, id).map_err(|error| undo(calls, id, error))?;
    fill(calls, permit, id)?;
    Ok(true)
}

fn try_take(calls: &Bound<'_, Calls>, place: &Place, weight: u32) -> PyResult<Option<Id>> {
    let owner = place.owner.unwrap_or(OwnerId::FIRST);
    let request = Asked::at_once(weight).request(Kind::Manual, owner);
    let own = usize::from(place.owner.is_some());
    let look = |state: &mut State| state.acquire_untimed(request, weight, own);
    match calls.get().shared.look(look) {
        Untimed::Admitted(id) => return Ok(Some(id)),
        Untimed::NeedsClock => {}
        Untimed::Rejected(_) => return Ok(None),
    }
    let (answer, followed) = place.input(calls, |state, now| state.core.try_acquire(now, request));
    let id = answer.map_err(|error| value_error(&error))?.ok();
    match (id, followed) {
        (Some(id), Err(error)) => Err(undo(calls, id, error)),
        (id, followed) => followed.map(|()| id),
    }
}

/// Takes the permit out of its object and gives it back; false if there is none.
pub(crate) fn empty(
    calls: &Bound<'_, Calls>,
    permit: &Bound<'_, PyAny>,
    outcome: Outcome,
) -> PyResult<bool> {
    let Some(id) = take_out(permit)? else {
        return Ok(false);
    };
    give_back(calls, id, outcome)?;
    Ok(true)
}

/// Gives some of what this id holds back; false if it holds nothing any more.
pub(crate) fn release_part(calls: &Bound<'_, Calls>, id: Id, permits: u32) -> PyResult<bool> {
    part(calls, |state, now| {
        state.core.release_part(now, id, permits)
    })
}

/// The id of a permit of its own with some of what this one holds; 0 if that is nothing any more.
/// It is to be put into its object.
pub(crate) fn split(calls: &Bound<'_, Calls>, id: Id, permits: u32) -> PyResult<u64> {
    let part = part(calls, |state, now| state.core.split(now, id, permits))?;
    let Some(part) = part else { return Ok(0) };
    hold(calls, part).map_err(|error| undo(calls, part, error))?;
    Ok(part.as_raw())
}

/// Whether this id holds so many permits now.
pub(crate) fn adjust(calls: &Bound<'_, Calls>, id: Id, weight: u32) -> PyResult<bool> {
    part(calls, |state, now| state.core.adjust(now, id, weight))
}

fn part<R>(
    calls: &Bound<'_, Calls>,
    act: impl FnOnce(&mut State, Instant) -> Result<R, InvalidOption>,
) -> PyResult<R> {
    let (answer, followed) = Place::find(calls)?.input(calls, act);
    let answer = answer.map_err(|error| value_error(&error))?;
    followed.map(|()| answer)
}

/// Gives a permit back that was dropped; true if it is the first of this bulkhead. A finaliser may
/// run in any thread and in the midst of a driver's step, whose outcomes come first.
pub(crate) fn reclaim(calls: &Bound<'_, Calls>, permit: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(id) = take_out(permit)? else {
        return Ok(false);
    };
    let place = Place::outside(calls);
    let (reclaim, followed) = place.input(calls, |state, now| state.core.reclaim(now, id));
    followed.map(|()| reclaim == Reclaim::First)
}

/// No id is current any more, and a stale one that is released counts as that.
pub(crate) fn count_double_release(calls: &Bound<'_, Calls>) -> PyResult<()> {
    let place = Place::find(calls)?;
    let count = place.input(calls, |state, now| state.core.release(now, Id::from_raw(0)));
    count.1
}

fn take_out(permit: &Bound<'_, PyAny>) -> PyResult<Option<Id>> {
    let name = intern!(permit.py(), "_id");
    let id = permit.getattr(name)?.extract()?;
    permit.setattr(name, 0)?;
    Ok((id != 0).then(|| Id::from_raw(id)))
}
