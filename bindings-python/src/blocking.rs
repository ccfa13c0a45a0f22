//! Calls that block their thread while they wait.
//!
//! All of it is compiled: Python runs signal handlers between any two of its own instructions, and
//! Ctrl-C there would lose a permit that stands nowhere yet.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bulkheads_core::{Admission, Event, Id, Instant, Outcome, OwnerId, Span, Untimed};
use bulkheads_driver::Bell;
use pyo3::exceptions::{PyGeneratorExit, PyRuntimeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::calls::Calls;
use crate::errors::Figures;
use crate::event_loop::asyncio::{Step, refuse_trio};
use crate::event_loop::driver::behind;
use crate::finish::{finish, give_back};
use crate::numbers::value_error;
use crate::parking::Parking;
use crate::place::Place;
use crate::reentrancy::{held, hold};
use crate::request::{Asked, Kind};
use crate::settle::{step, wake};
use crate::state::{CLOSED_LOOKED_AFTER, State};
use crate::table::{Call, Holder, Removal, WaitEnd};

/// Python runs signal handlers in its main thread, and only while that runs Python: after so long
/// it looks.
const SIGNALS_LOOKED_AFTER: Duration = Duration::from_millis(50);

/// Permits that a thread got, and the owner under which it has them.
pub(crate) struct Taken {
    pub(crate) id: Id,
    owner: OwnerId,
}

/// `with`: an anonymous permit, which nests in each thread.
pub(crate) fn enter(calls: &Bound<'_, Calls>, asked: &Asked) -> PyResult<()> {
    refuse_in_loop(calls, "`with`", "`async with`")?;
    let taken = take(calls, asked)?;
    let holder = Holder::thread();
    // Threads and loops in Python 3.1: its owner outlives the thread.
    let call = Call::new(taken.id, taken.owner, asked.weight, holder, false);
    calls.get().shared.look(|state| {
        let ticket = state.table.begin(call);
        state.table.enter(ticket);
    });
    Ok(())
}

/// The end of a `with`. It may come in another thread than its beginning, as that of a generator:
/// those of one weight are alike, so the latest of any thread will do.
pub(crate) fn exit(
    calls: &Bound<'_, Calls>,
    weight: u32,
    error: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let key = Holder::thread().key;
    // Threads and loops in Python 3.2
    let entry = |state: &mut State| state.table.last_entered_by_threads(key, weight);
    if let Some(ticket) = calls.get().shared.look(entry) {
        return finish(calls, ticket, error);
    }
    if error.is_instance_of::<PyGeneratorExit>() {
        // The collector may have taken the bulkhead's books before the generator.
        return Ok(());
    }
    let name = calls.get().name();
    let text = format!("{name}: no thread is inside, so that none can leave");
    Err(PyRuntimeError::new_err(text))
}

/// Calls `work` with permits; they are back before this returns.
pub(crate) fn run<'py>(
    calls: &Bound<'py, Calls>,
    work: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    asked: &Asked,
) -> PyResult<Bound<'py, PyAny>> {
    let taken = take(calls, asked)?;
    let result = work.call1(args);
    if let Ok(result) = &result
        && goes_on(result)?
    {
        return follow(calls, taken.id, work, result);
    }
    let outcome = if result.is_ok() {
        Outcome::Completed
    } else {
        Outcome::Failed
    };
    give_back(calls, taken.id, outcome)?;
    result
}

/// What the work returned goes on: a generator has the permit until it ends, a future of another
/// thread is waited for. Raises `TypeError` for what only a loop can carry on.
fn follow<'py>(
    calls: &Bound<'py, Calls>,
    id: Id,
    work: &Bound<'py, PyAny>,
    result: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    static FOLLOW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = calls.py();
    let follow = FOLLOW.import(py, "bulkheads._follow", "follow")?;
    let answer = follow.call1((calls, id.as_raw(), work, result));
    let error = match answer {
        Ok(answer) => {
            if answer.is(result) {
                give_back(calls, id, Outcome::Completed)?;
            }
            return Ok(answer);
        }
        Err(error) => error,
    };
    // Its work may go on, with the permit, though no caller waits for it any more.
    let runs = is_future(result)? && !result.call_method0(intern!(py, "done"))?.is_truthy()?;
    if runs {
        Err(error)
    } else {
        Err(undo(calls, id, error))
    }
}

/// Blocks until the call has its permits. Raises the reason if it is refused, and what a signal
/// handler raises.
pub(crate) fn take(calls: &Bound<'_, Calls>, asked: &Asked) -> PyResult<Taken> {
    let owner = OwnerId::FIRST;
    let held = held(calls)?;
    let look = calls.get().shared.look(|state| {
        // Running 5.4
        let request = asked.request(Kind::Manual, owner).held(&held);
        let untimed = state.acquire_untimed(request, asked.weight, 0);
        (untimed, Figures::new(&state.core, asked.weight))
    });
    let taken = match look {
        (Untimed::Admitted(id), _) => Taken { id, owner },
        (Untimed::NeedsClock, _) => take_timed(calls, asked, &held)?,
        (Untimed::Rejected(why), figures) => {
            return Err(calls.get().errors.rejected(calls.py(), why, figures));
        }
    };
    // Threads and loops in Python 2.2
    hold(calls, taken.id).map_err(|error| undo(calls, taken.id, error))?;
    Ok(taken)
}

/// Permits cannot be handed to their taker. Answers why.
pub(crate) fn undo(calls: &Bound<'_, Calls>, id: Id, error: PyErr) -> PyErr {
    if let Err(further) = give_back(calls, id, Outcome::Failed) {
        further.write_unraisable(calls.py(), None);
    }
    error
}

/// Raises `RuntimeError` where an event loop runs, also when nothing would have to wait.
pub(crate) fn refuse_in_loop(calls: &Bound<'_, Calls>, way: &str, other: &str) -> PyResult<()> {
    // Threads and loops in Python 2.3
    if !Step::is_in_loop(calls.py())? {
        return refuse_trio(calls.py());
    }
    let name = calls.get().name();
    let text = format!("{name}: {way} would block the event loop of this thread; use {other}");
    Err(PyRuntimeError::new_err(text))
}

fn take_timed(calls: &Bound<'_, Calls>, asked: &Asked, held: &[Id]) -> PyResult<Taken> {
    let now = Place::outside(calls).now(calls)?;
    let ((owner, admission, figures), followed) = step(calls, None, |state| {
        let owner = state.threads.join(&mut state.core);
        let request = asked.request(Kind::Manual, owner).held(held);
        let admission = state.core.acquire(now, request);
        if !matches!(admission, Ok(Admission::Queued(_))) {
            state.threads.leave(owner);
        }
        let figures = Figures::new(&state.core, asked.weight);
        (owner, admission, figures)
    });
    match admission.map_err(|error| value_error(&error))? {
        Admission::Admitted(id) => {
            followed.map_err(|error| undo(calls, id, error))?;
            Ok(Taken { id, owner })
        }
        Admission::Queued(id) => {
            let taken = Taken { id, owner };
            followed.map_err(|error| give_up(calls, &taken, error))?;
            wait(calls, taken, asked.weight)
        }
        Admission::Rejected(why) => {
            followed?;
            Err(calls.get().errors.rejected(calls.py(), why, figures))
        }
    }
}

fn wait(calls: &Bound<'_, Calls>, taken: Taken, weight: u32) -> PyResult<Taken> {
    let end = wait_for_end(calls, taken.owner);
    let end = end.map_err(|error| give_up(calls, &taken, error))?;
    let figures = calls.get().shared.look(|state| {
        state.threads.leave(taken.owner);
        if let WaitEnd::Granted = end {
            state.core.start(taken.id);
        }
        Figures::new(&state.core, weight)
    });
    match end {
        WaitEnd::Granted => Ok(taken),
        WaitEnd::Removed(why) => Err(calls.get().errors.removed(calls.py(), why, figures)),
    }
}

/// This thread drives the timers of its own owner; an input of another owner that ends its wait
/// wakes it.
fn wait_for_end(calls: &Bound<'_, Calls>, owner: OwnerId) -> PyResult<WaitEnd> {
    let py = calls.py();
    let shared = &calls.get().shared;
    let is_main = is_main_thread(py)?;
    let parking = Parking::here(py)?;
    let bell = Bell::new(parking.waker(py));
    shared.listen(owner, Arc::clone(&bell));
    // How long it was parked just before.
    let mut parked = Duration::ZERO;
    let end = loop {
        // Signal handlers are Python code, which may park as well and so take our wake-up: first
        // these, then a look at what there is, and nothing of Python's between that and the
        // parking.
        // Threads and loops in Python 2.1
        if let Err(error) = py.check_signals().and_then(|()| parking.prepare(py)) {
            break Err(error);
        }
        let now = match Place::outside(calls).now(calls) {
            Ok(now) => now,
            Err(error) => break Err(error),
        };
        bell.answer();
        let ((end, pause), wakes) = shared.step(owner, |state| {
            let now = on_from(state.core.now(), now, std::mem::take(&mut parked));
            let timer = state.core.poll_timeout(owner);
            if timer.is_some_and(|timer| timer <= now) {
                state.core.handle_timeout(now);
            }
            let end = std::iter::from_fn(|| state.core.poll_event(owner)).find_map(end_of);
            let timer = state.core.poll_timeout(owner);
            (end, pause(now, timer, is_main, state.drivers.len() == 0))
        });
        let are_others_woken = !wakes.is_empty();
        let woken = wake(calls, wakes);
        match (end, woken) {
            (_, Err(error)) => break Err(error),
            (Some(end), Ok(())) => break Ok(end),
            // Python code may have run, for loops that were woken.
            (None, Ok(())) if are_others_woken => {}
            // Threads and loops in Python 1.3
            (None, Ok(())) => {
                let began = std::time::Instant::now();
                if let Err(error) = parking.park(py, pause) {
                    break Err(error);
                }
                parked = began.elapsed();
            }
        }
    };
    shared.unlisten(owner);
    end
}

/// The time for a thread. A clock that has gone far back says nothing: it goes on from the latest
/// time by what it was parked.
fn on_from(latest: Instant, now: Instant, parked: Duration) -> Instant {
    if behind(now, latest) == 0 {
        return now;
    }
    let parked = u64::try_from(parked.as_nanos()).unwrap_or(u64::MAX);
    latest.after(Span::from_nanos(parked))
}

/// What an event says of a wait.
fn end_of(event: Event) -> Option<WaitEnd> {
    match event {
        Event::Granted { .. } => Some(WaitEnd::Granted),
        Event::QueueTimedOut { nanos, .. } => Some(WaitEnd::Removed(Removal::TimedOut(nanos))),
        Event::Closed { .. } => Some(WaitEnd::Removed(Removal::Closed)),
        Event::TooHeavy { .. } => Some(WaitEnd::Removed(Removal::TooHeavy)),
        // Of no wait: this owner has no signals, run deadlines and watches, and nothing can cancel
        // its work.
        Event::Abort { .. }
        | Event::CallTimedOut { .. }
        | Event::Cancelled { .. }
        | Event::Capacity { .. }
        | Event::Idle { .. } => None,
    }
}

/// How long this thread may be parked until it looks again. It may go on earlier, for no reason.
fn pause(now: Instant, timer: Option<Instant>, is_main: bool, is_without_loops: bool) -> Duration {
    let timer = timer.map(|timer| Duration::from_nanos(timer.nanos_since(now)));
    let look = if is_main {
        Some(SIGNALS_LOOKED_AFTER)
    } else if is_without_loops {
        None
    } else {
        Some(Duration::from_nanos(
            CLOSED_LOOKED_AFTER.load(Ordering::Relaxed),
        ))
    };
    let pause = [timer, look].into_iter().flatten().min();
    pause.unwrap_or(Duration::MAX)
}

/// A blocked thread gives up, perhaps with its grant on the way: that passes on. Answers the error
/// with which it does.
fn give_up(calls: &Bound<'_, Calls>, taken: &Taken, error: PyErr) -> PyErr {
    let ((), followed) = Place::outside(calls).input(calls, |state, now| {
        state.core.cancel(now, taken.id);
        while state.core.poll_event(taken.owner).is_some() {}
        state.threads.leave(taken.owner);
    });
    if let Err(further) = followed {
        further.write_unraisable(calls.py(), None);
    }
    error
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("current_thread")?;
    Ok(current.is(&threading.call_method0("main_thread")?))
}

/// Whether what the work returned may do more work.
fn goes_on(result: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = result.get_type();
    let slots = [ffi::Py_am_await, ffi::Py_am_anext, ffi::Py_am_send];
    // SAFETY: it takes a type and the number of a slot, and answers what stands there.
    let has = |slot| unsafe { !ffi::PyType_GetSlot(class.as_type_ptr(), slot).is_null() };
    Ok(slots.into_iter().any(has) || is_future(result)?)
}

fn is_future(result: &Bound<'_, PyAny>) -> PyResult<bool> {
    static FUTURE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let future = FUTURE.import(result.py(), "concurrent.futures", "Future")?;
    result.is_instance(future)
}
