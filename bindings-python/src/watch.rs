//! Moments: when the bulkhead is idle, and when it has capacity for an item of `map`. A future of
//! the loop stands for each that waits.

use std::sync::Arc;

use bulkheads_core::{Instant, Offer, OwnerId, Request};
use pyo3::intern;
use pyo3::prelude::*;

use crate::calls::Calls;
use crate::errors::Figures;
use crate::event_loop::driver::Driver;
use crate::finish::end_failed;
use crate::numbers::value_error;
use crate::place::{Place, closed_loop};
use crate::reentrancy::held;
use crate::request::{Asked, Kind};
use crate::state::State;
use crate::table::{Call, Holder, Ticket};

/// The number of the next idle moment; 0 if that is now.
pub(crate) fn idle_moment(calls: &Bound<'_, Calls>) -> PyResult<u64> {
    let (number, followed) = Place::find(calls)?.input(calls, State::watch_idle);
    followed.map(|()| number)
}

/// A future that is done at an idle moment; None if the one of this number has come.
pub(crate) fn wait_idle<'py>(
    calls: &Bound<'py, Calls>,
    number: u64,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let place = Place::in_loop(calls)?;
    // A loop may still have to deliver an earlier moment than the one that this is about.
    watch(
        calls,
        &place,
        |driver| &mut driver.idle_waiters,
        |state, now| {
            if state.was_idle(number) {
                return Ok(true);
            }
            let owner = place.owner.ok_or_else(closed_loop)?;
            Ok(state.core.watch_idle(now, owner).is_none())
        },
    )
}

/// What an item of `map` asks for.
#[derive(Clone, Copy)]
pub(crate) struct Item {
    pub(crate) asked: Asked,
    /// How many items of its map run.
    pub(crate) running: u32,
    /// Since when the map has been waiting for capacity while none of them runs.
    pub(crate) since: Instant,
}

impl Item {
    pub(crate) fn new(asked: &Bound<'_, Asked>, running: u32, since: u64) -> Self {
        Self {
            asked: *asked.get(),
            running,
            since: Instant::from_nanos(since),
        }
    }

    fn request(&self, owner: OwnerId) -> Request<'static> {
        let request = self.asked.request(Kind::Block, owner);
        request.siblings(self.running).waits_since(self.since)
    }
}

/// The core's time, from which a wait for capacity counts.
pub(crate) fn waits_since(calls: &Bound<'_, Calls>) -> PyResult<u64> {
    let (now, followed) = Place::in_loop(calls)?.input(calls, |_, now| now);
    followed.map(|()| now.as_nanos())
}

/// A future that is done when it is time to ask again; None if such an item could run, or would be
/// rejected for good.
pub(crate) fn wait_capacity<'py>(
    calls: &Bound<'py, Calls>,
    item: Item,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let place = Place::in_loop(calls)?;
    let owner = place.owner.ok_or_else(closed_loop)?;
    let held = held(calls)?;
    watch(
        calls,
        &place,
        |driver| &mut driver.capacity_waiters,
        |state, now| {
            let request = item.request(owner).held(&held);
            let has_come = state.core.watch_capacity(now, request);
            has_come.map_err(|error| value_error(&error))
        },
    )
}

/// An item of `map`: the ticket of its call, whose work is done by a task that does not run yet, or
/// the future that says when to ask again. Raises the reason if it is rejected for good.
// Map 1.1
pub(crate) fn begin_item<'py>(
    calls: &Bound<'py, Calls>,
    item: Item,
) -> PyResult<Begun<Bound<'py, PyAny>>> {
    let place = Place::in_loop(calls)?;
    let owner = place.owner.ok_or_else(closed_loop)?;
    let held = held(calls)?;
    let weight = item.asked.weight;
    loop {
        let (offer, followed) = place.input(calls, |state, now| {
            let request = item.request(owner).held(&held);
            let offer = state.core.acquire_or_watch(now, request);
            let offer = offer.map_err(|error| value_error(&error))?;
            let ticket = match offer {
                Offer::Admitted(id) => {
                    let call = Call::new(id, owner, weight, Holder::NONE, true);
                    Some(state.table.begin_timed(call))
                }
                Offer::Rejected(_) | Offer::Watching => None,
            };
            PyResult::Ok((offer, ticket, Figures::new(&state.core, weight)))
        });
        match (offer?, followed) {
            ((_, Some(ticket), _), Ok(())) => return Ok(Begun::Ticket(ticket)),
            ((_, Some(ticket), _), Err(error)) => return Err(end_failed(calls, ticket, error)),
            ((Offer::Rejected(why), None, figures), _) => {
                return Err(calls.get().errors.rejected(calls.py(), why, figures));
            }
            ((_, None, _), followed) => followed?,
        }
        if let Some(future) = wait_capacity(calls, item)? {
            return Ok(Begun::Later(future));
        }
    }
}

/// What became of an item.
pub(crate) enum Begun<T> {
    Later(T),
    Ticket(Ticket),
}

/// Its waiter does not wait for it any longer.
pub(crate) fn forget(calls: &Bound<'_, Calls>, future: &Bound<'_, PyAny>) -> PyResult<()> {
    drop_waiter(calls, future);
    let place = Place::find(calls)?;
    // Its owner may have a timer for it, which would keep the loop from a longer sleep.
    let ((), followed) = place.input(calls, |state, now| {
        if let Some(owner) = place.owner
            && state
                .drivers
                .get_mut(owner)
                .is_some_and(|driver| driver.capacity_waiters.is_empty())
        {
            state.core.unwatch_capacity(now, owner);
        }
    });
    followed
}

fn drop_waiter(calls: &Bound<'_, Calls>, future: &Bound<'_, PyAny>) {
    let forgotten: Vec<_> = calls.get().shared.look(|state| {
        let drivers = state.drivers.iter_mut();
        let waiters = drivers.flat_map(Driver::waiters);
        let forgotten = waiters.filter_map(|waiters| {
            let place = waiters.iter().position(|waiter| waiter.is(future))?;
            Some(waiters.swap_remove(place))
        });
        forgotten.collect()
    });
    drop(forgotten);
}

/// Asks first, since mostly there is nothing to wait for.
fn watch<'py>(
    calls: &Bound<'py, Calls>,
    place: &Place,
    waiters: fn(&mut Driver) -> &mut Vec<Py<PyAny>>,
    mut ask: impl FnMut(&mut State, Instant) -> PyResult<bool>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = calls.py();
    let owner = place.owner.ok_or_else(closed_loop)?;
    let (has_come, followed) = place.input(calls, &mut ask);
    followed?;
    if has_come? {
        return Ok(None);
    }
    let host = |state: &mut State| Some(Arc::clone(&state.drivers.get(owner)?.host));
    let host = calls.get().shared.look(host).ok_or_else(closed_loop)?;
    let event_loop = host.event_loop.bind(py);
    let future = event_loop.call_method0(intern!(py, "create_future"))?;
    // Again: the moment may have come since, while no future was registered.
    let (has_come, followed) = place.input(calls, |state, now| {
        let has_come = ask(state, now)?;
        let driver = state.drivers.get_mut(owner);
        if let (false, Some(driver)) = (has_come, driver) {
            waiters(driver).push(future.clone().unbind());
        }
        PyResult::Ok(has_come)
    });
    if let Err(error) = followed {
        drop_waiter(calls, &future);
        return Err(error);
    }
    Ok((!has_come?).then_some(future))
}
