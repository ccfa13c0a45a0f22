//! The way of a call that blocks its thread while it waits.
//!
//! All of it is compiled: Python runs signal handlers between any two of its own instructions, and Ctrl-C there would lose a
//! permit that nobody has noted yet.

use std::time::Duration;

use bulkheads_core::OwnerId;
use bulkheads_engine::EventNumbers;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::calls::{COMPLETED, FAILED, FIRST_ID, GRANTED, Kind, is_closed};
use crate::engine::{value_error, whole};
use crate::errors::Refusal;
use crate::outside::{self, look, wake_told};
use crate::request::Request;
use crate::runs::Runs;
use crate::table::{Holder, Run};

/// A permit that a thread got, and the owner under which it has it.
pub(crate) struct Taken {
    pub(crate) id: f64,
    owner: OwnerId,
}

/// What became of a call that was not admitted at a glance.
enum Arrival {
    Admitted(Taken),
    Queued(Taken),
}

impl Runs {
    /// `with`: an anonymous permit of weight 1, which nests in each thread.
    pub(crate) fn enter_blocking(slf: &Bound<'_, Self>) -> PyResult<()> {
        refuse_in_loop(slf, "`with`", "`async with`")?;
        let taken = Self::take(slf, Request::PLAIN)?;
        let run = Run::new(taken.id, taken.owner, 1.0, Holder::thread());
        slf.get().handle().lock().begin(run, Kind::Entry);
        Ok(())
    }

    /// The end of a `with`. It may come in another thread than its beginning, as that of a generator: such permits all weigh the
    /// same, so the latest of any thread will do.
    pub(crate) fn exit_blocking(slf: &Bound<'_, Self>, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let shared = slf.get().handle().lock();
        let own = shared.table.last_entered(Holder::thread().key);
        let Some(ticket) = own.or_else(|| shared.table.last_entered_by_threads()) else {
            drop(shared);
            if is_closed(error) {
                return Ok(());
            }
            let name = slf.get().name();
            let text = format!("{name}: no thread is inside, so that none can leave");
            return Err(PyRuntimeError::new_err(text));
        };
        Self::finish(slf, shared, ticket, error)
    }

    /// Calls `work` with permits; they are back before this returns.
    pub(crate) fn run_blocking<'py>(
        slf: &Bound<'py, Self>,
        work: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        request: Request,
    ) -> PyResult<Bound<'py, PyAny>> {
        let taken = Self::take(slf, request)?;
        let result = work.call1(args).and_then(|result| ended(work, result));
        let outcome = if result.is_ok() { COMPLETED } else { FAILED };
        Self::give_back(slf, taken.id, outcome)?;
        result
    }

    /// Blocks until the call has its permits. Raises the reason if it is refused, and what a signal handler raises.
    pub(crate) fn take(slf: &Bound<'_, Self>, request: Request) -> PyResult<Taken> {
        let taken = Self::take_unnoted(slf, request)?;
        let held = Self::hold(slf, taken.id);
        held.or_else(|error| Self::undo(slf, taken.id, error))?;
        Ok(taken)
    }

    fn take_unnoted(slf: &Bound<'_, Self>, request: Request) -> PyResult<Taken> {
        let mut shared = slf.get().handle().lock();
        let owner = OwnerId::FIRST;
        let id = shared
            .core
            .admit_now(owner, request.at_once, Kind::Hand.flags());
        if id >= FIRST_ID {
            return Ok(Taken { id, owner });
        }
        drop(shared);
        match Self::arrive_blocking(slf, request)? {
            Arrival::Admitted(taken) => Ok(taken),
            Arrival::Queued(taken) => Self::wait_blocking(slf, taken, request.weight),
        }
    }

    fn arrive_blocking(slf: &Bound<'_, Self>, request: Request) -> PyResult<Arrival> {
        let (now, _) = look(slf)?;
        let holding = Self::holding(slf, now)?;
        let mut guard = slf.get().handle().lock();
        let shared = &mut *guard;
        let owner = shared.threads.join(&mut shared.core);
        let answer = shared.acquire(owner, now, &request, Kind::Hand, holding);
        let is_queued = matches!(answer, Ok(answer) if answer < 0.0);
        if !is_queued {
            shared.threads.leave(owner);
        }
        let refusal = match answer {
            Ok(code) if (0.0..FIRST_ID).contains(&code) => {
                let bulkhead = shared.core.core();
                Some(Refusal::new(code, request.weight, holding, bulkhead))
            }
            _ => None,
        };
        let woken = wake_told(slf, guard);
        if let Some(refusal) = refusal {
            woken?;
            return Err(refusal.error(slf)?);
        }
        let id = answer.map_err(value_error)?.abs();
        let taken = Taken { id, owner };
        match woken {
            Ok(_) if is_queued => Ok(Arrival::Queued(taken)),
            Ok(_) => Ok(Arrival::Admitted(taken)),
            Err(error) if is_queued => Err(Self::give_up_blocking(slf, &taken, error)),
            Err(error) => Self::undo(slf, id, error),
        }
    }

    fn wait_blocking(slf: &Bound<'_, Self>, taken: Taken, weight: f64) -> PyResult<Taken> {
        let told = Self::wait_to_be_told(slf, taken.owner);
        let told = told.map_err(|error| Self::give_up_blocking(slf, &taken, error))?;
        let mut shared = slf.get().handle().lock();
        shared.threads.leave(taken.owner);
        if told.kind == GRANTED {
            shared.core.start(taken.id);
            return Ok(taken);
        }
        drop(shared);
        let removal = intern!(slf.py(), "removal");
        let calls = slf.get().calls(slf.py());
        let error = calls.call_method1(removal, (told.kind, told.time, whole(weight)))?;
        Err(PyErr::from_value(error))
    }

    /// The end of a wait. This thread drives the timers of its own owner; whoever else causes the end wakes it.
    fn wait_to_be_told(slf: &Bound<'_, Self>, owner: OwnerId) -> PyResult<EventNumbers> {
        let py = slf.py();
        loop {
            // Signal handlers are Python code, which may park as well and so take our wake-up: first these, then a look at what
            // there is, and nothing of Python's between that and the parking.
            py.check_signals()?;
            let (now, nap) = look(slf)?;
            let mut shared = slf.get().handle().lock();
            if shared.core.next_timer(owner) <= now {
                shared.core.handle_timeout(now);
            }
            let told = shared.core.next_event(owner);
            let nap = nap.min(shared.core.next_timer(owner) - now);
            let loops_were_woken = wake_told(slf, shared)?;
            if told.kind != 0 {
                return Ok(told);
            }
            if !loops_were_woken {
                py.detach(|| nap_for(nap));
            }
        }
    }

    /// A blocked thread gives up, perhaps with its grant on the way: that passes on. Answers the error with which it does.
    fn give_up_blocking(slf: &Bound<'_, Self>, taken: &Taken, error: PyErr) -> PyErr {
        // The core takes a time in the past for the one it stands at.
        let now = look(slf).map_or(0.0, |(now, _)| now);
        let mut shared = slf.get().handle().lock();
        shared.core.cancel(now, taken.id);
        while shared.core.next_event(taken.owner).kind != 0 {}
        shared.threads.leave(taken.owner);
        if let Err(further) = wake_told(slf, shared) {
            further.write_unraisable(slf.py(), None);
        }
        error
    }
}

/// Raises `RuntimeError` where an event loop runs, also when nothing would have to wait.
pub(crate) fn refuse_in_loop(runs: &Bound<'_, Runs>, way: &str, other: &str) -> PyResult<()> {
    if !outside::is_in_loop(runs.py())? {
        return Ok(());
    }
    let name = runs.get().name();
    let text = format!("{name}: {way} would block the event loop of this thread; use {other}");
    Err(PyRuntimeError::new_err(text))
}

/// What the work returned, unless that would go on without a permit.
fn ended<'py>(work: &Bound<'py, PyAny>, result: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static CHECK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let may_go_on = [ffi::Py_am_await, ffi::Py_am_anext, ffi::Py_am_send]
        .into_iter()
        .any(|slot| {
            // SAFETY: it takes a type and the number of a slot, and answers what stands there.
            unsafe { !ffi::PyType_GetSlot(result.get_type().as_type_ptr(), slot).is_null() }
        });
    if !may_go_on {
        return Ok(result);
    }
    let check = CHECK.import(work.py(), "bulkheads._work", "check_result")?;
    check.call1((work, &result))?;
    Ok(result)
}

/// Until this thread is woken. It may go on earlier, for no reason.
fn nap_for(seconds: f64) {
    match Duration::try_from_secs_f64(seconds) {
        Ok(nap) => std::thread::park_timeout(nap),
        Err(_) if seconds > 0.0 => std::thread::park(),
        Err(_) => {}
    }
}
