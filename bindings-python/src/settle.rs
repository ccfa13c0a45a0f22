//! The step of a driver: an input, the events that it causes, the timer, and the other owners to
//! wake. Then closed loops.

use std::sync::Arc;

use bulkheads_core::{Id, Instant, OwnerId};
use bulkheads_driver::Wakes;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;

use crate::calls::Calls;
use crate::event_loop::clock::Clock;
use crate::event_loop::driver::{Host, HostCall, Waker};
use crate::numbers::to_seconds;
use crate::state::State;
use crate::streams;
use crate::table::Ticket;

/// An input of this owner's caller, or of code outside of loops, and all that follows from it. If
/// something raises meanwhile, a signal handler say, the rest is done all the same: the answer
/// counts, and the error comes beside it.
pub(crate) fn step<R>(
    calls: &Bound<'_, Calls>,
    owner: Option<OwnerId>,
    act: impl FnOnce(&mut State) -> R,
) -> (R, PyResult<()>) {
    let whose = owner.unwrap_or(OwnerId::FIRST);
    let ((answer, is_needed), wakes) = calls.get().shared.step(whose, |state| {
        let answer = act(state);
        (answer, owner.is_some_and(|owner| state.deliver(owner)))
    });
    let woken = wake(calls, wakes);
    let made = match owner {
        Some(owner) if is_needed => make_calls(calls, owner),
        _ => Ok(()),
    };
    (answer, woken.and(made))
}

/// As `step`, of no input: what others have caused is delivered.
pub(crate) fn settle(calls: &Bound<'_, Calls>, owner: Option<OwnerId>) -> PyResult<()> {
    step(calls, owner, |_| ()).1
}

/// Wakes the threads and loops that an input has notified.
pub(crate) fn wake(calls: &Bound<'_, Calls>, wakes: Wakes<Waker>) -> PyResult<()> {
    let mut raised = Ok(());
    wakes.ring(|waker| match waker {
        Waker::Thread(thread) => thread.unpark(),
        Waker::Green(event) => {
            let set = event.call_method0(calls.py(), intern!(calls.py(), "set"));
            raised = std::mem::replace(&mut raised, Ok(())).and(set.map(drop));
        }
        Waker::Loop(owner, host) => {
            let woken = wake_loop(calls, *owner, host);
            raised = std::mem::replace(&mut raised, Ok(())).and(woken);
        }
    });
    raised
}

fn make_calls(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let next = |state: &mut State| state.drivers.get_mut(owner)?.next_call();
    let mut raised = Ok(());
    while let Some((host, call)) = calls.get().shared.look(next) {
        raised = raised.and(make(calls, owner, &host, call));
    }
    raised
}

fn make(calls: &Bound<'_, Calls>, owner: OwnerId, host: &Host, call: HostCall) -> PyResult<()> {
    let py = calls.py();
    let soon = |callback: &Py<PyAny>| insist(|| call_soon(py, host, callback)).1;
    match call {
        HostCall::Arm(when) => arm(calls, owner, host, when),
        HostCall::Cancel(ticket, id) => {
            if is_on_stack(calls, ticket, id)? {
                calls.get().shared.look(|state| {
                    let driver = state.drivers.get_mut(owner);
                    driver.map(|driver| driver.cancels.push((ticket, id)))
                });
                return soon(&host.cancel);
            }
            cancel(calls, ticket, id)
        }
        HostCall::Resolve(futures) => resolve(py, futures),
        HostCall::Tidy => soon(&host.tidy),
        HostCall::WakeBatch => soon(&host.wake),
    }
}

/// Twice, if it raised the first time: a signal handler may have, before or after it was done. A
/// callback that comes twice finds nothing to do the second time.
fn insist<T>(mut act: impl FnMut() -> PyResult<T>) -> (Option<T>, PyResult<()>) {
    match act() {
        Ok(value) => (Some(value), Ok(())),
        Err(error) => (act().ok(), Err(error)),
    }
}

fn call_soon(py: Python<'_>, host: &Host, callback: &Py<PyAny>) -> PyResult<()> {
    let event_loop = host.event_loop.bind(py);
    let context = Some(host.context.bind(py));
    event_loop.call_method(intern!(py, "call_soon"), (callback,), context)?;
    Ok(())
}

/// From any thread. A loop that is closed is ended instead.
fn wake_loop(calls: &Bound<'_, Calls>, owner: OwnerId, host: &Host) -> PyResult<()> {
    let py = calls.py();
    let name = intern!(py, "call_soon_threadsafe");
    let (event_loop, context) = (host.event_loop.bind(py), Some(host.context.bind(py)));
    let wake = || {
        event_loop
            .call_method(name, (&host.settle,), context)
            .map(drop)
    };
    match wake() {
        Err(error) if error.is_instance_of::<PyRuntimeError>(py) => evict(calls, owner),
        Err(error) => wake().and(Err(error)),
        Ok(()) => Ok(()),
    }
}

fn arm(calls: &Bound<'_, Calls>, owner: OwnerId, host: &Host, when: Instant) -> PyResult<()> {
    let py = calls.py();
    let disarmed = disarm(calls, owner);
    let at = |state: &mut State| Some(state.drivers.get_mut(owner)?.arm(when));
    let Some(at) = calls.get().shared.look(at) else {
        return disarmed;
    };
    let seconds = to_seconds(at);
    let name = intern!(py, "call_at");
    let (event_loop, context) = (host.event_loop.bind(py), Some(host.context.bind(py)));
    let (handle, armed) = insist(|| event_loop.call_method(name, (seconds, &host.fire), context));
    let handle = handle.map(Bound::unbind);
    calls.get().shared.look(|state| {
        let driver = state.drivers.get_mut(owner);
        driver.map(|driver| driver.timer.handle = handle)
    });
    disarmed.and(armed)
}

/// Cancels the timer that the loop has.
pub(crate) fn disarm(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let py = calls.py();
    let take = |state: &mut State| state.drivers.get_mut(owner)?.timer.handle.take();
    if let Some(handle) = calls.get().shared.look(take) {
        handle.call_method0(py, intern!(py, "cancel"))?;
    }
    Ok(())
}

fn resolve(py: Python<'_>, futures: Vec<Py<PyAny>>) -> PyResult<()> {
    let mut raised = Ok(());
    for future in futures {
        let set = || {
            if !future
                .call_method0(py, intern!(py, "done"))?
                .is_truthy(py)?
            {
                future.call_method1(py, intern!(py, "set_result"), (py.None(),))?;
            }
            Ok(())
        };
        raised = raised.and(insist(set).1);
    }
    raised
}

/// The task of a call whose work is to be cancelled, if it has not ended.
fn task(calls: &Bound<'_, Calls>, ticket: Ticket, id: Id) -> Option<Py<PyAny>> {
    calls.get().shared.look(|state| {
        let call = state.table.get(ticket)?;
        let is_meant = call.id == id && call.early.is_some() && !call.is_released;
        let task = call.holder.task.as_ref().filter(|_| is_meant)?;
        Some(task.clone_ref(calls.py()))
    })
}

/// Whether a task is in the middle of its step: as the current one, or below its eager child.
/// Cancelled now it would be interrupted where it waits next, which may be after the work has
/// ended.
fn is_on_stack(calls: &Bound<'_, Calls>, ticket: Ticket, id: Id) -> PyResult<bool> {
    let py = calls.py();
    let Some(task) = task(calls, ticket, id) else {
        return Ok(false);
    };
    let coroutine = task.bind(py).call_method0(intern!(py, "get_coro"))?;
    match coroutine.getattr_opt(intern!(py, "cr_running"))? {
        Some(is_running) => is_running.is_truthy(),
        None => Ok(true),
    }
}

/// Cancels the task of a call, as `asyncio.timeout` does.
pub(crate) fn cancel(calls: &Bound<'_, Calls>, ticket: Ticket, id: Id) -> PyResult<()> {
    let py = calls.py();
    let Some(task) = task(calls, ticket, id) else {
        return Ok(());
    };
    if streams::is_elsewhere(calls, ticket, id, &task)? {
        return Ok(());
    }
    let is_cancelled = task
        .call_method0(py, intern!(py, "cancel"))?
        .is_truthy(py)?;
    calls.get().shared.look(|state| {
        let call = state.table.get_mut(ticket).filter(|call| call.id == id)?;
        call.early.as_mut()?.cancels += u32::from(is_cancelled);
        Some(())
    });
    Ok(())
}

/// Ends the drivers whose loops were closed: what they still held goes to the others.
pub(crate) fn evict_closed(calls: &Bound<'_, Calls>) -> PyResult<()> {
    let py = calls.py();
    let hosts: Vec<_> = calls.get().shared.look(|state| {
        let drivers = state.drivers.iter();
        let hosts = drivers.map(|driver| (driver.owner, Arc::clone(&driver.host)));
        hosts.collect()
    });
    for (owner, host) in hosts {
        // Threads and loops in Python 4.2: a loop that is only stopped is not closed.
        let is_closed = host.event_loop.call_method0(py, intern!(py, "is_closed"))?;
        if is_closed.is_truthy(py)? {
            evict(calls, owner)?;
        }
    }
    Ok(())
}

/// Whatever a signal handler raises, the owner is gone then.
fn evict(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<()> {
    let py = calls.py();
    let shared = &calls.get().shared;
    let read = outside_clock(calls).read(py);
    let now = *read.as_ref().unwrap_or(&Instant::ZERO);
    let (gone, settled) = step(calls, None, |state| {
        // Threads and loops in Python 4.1
        state.core.evict(now, owner);
        state.drivers.remove(owner)
    });
    shared.unlisten(owner);
    drop(gone);
    let caught_up = catch_up(calls);
    read.map(drop).and(settled).and(caught_up)
}

pub(crate) fn outside_clock(calls: &Bound<'_, Calls>) -> Clock {
    let py = calls.py();
    let look = |state: &mut State| (state.lent_clock(py), state.offset);
    let (lent, offset) = calls.get().shared.look(look);
    lent.unwrap_or_else(|| Clock::system(offset))
}

/// Code outside of loops goes over to the clock that the remaining loops read.
pub(crate) fn catch_up(calls: &Bound<'_, Calls>) -> PyResult<()> {
    let py = calls.py();
    let (latest, offset, is_real) = calls.get().shared.look(|state| {
        let last = state.drivers.iter().next_back();
        let is_real = last.is_none_or(|driver| driver.is_real);
        (state.core.now(), state.offset, is_real)
    });
    if is_real {
        let offset = Clock::system(offset).caught_up(py, latest)?;
        calls.get().shared.look(|state| state.offset = offset);
    }
    Ok(())
}
