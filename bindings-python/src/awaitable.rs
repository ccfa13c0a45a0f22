//! What a call that has to wait awaits.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::asyncio::CancelledError;
use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyStopIteration};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTraceback};

use crate::admit;
use crate::calls::Calls;
use crate::place::closed_loop;
use crate::settle::settle;
use crate::state::State;
use crate::table::{Callback, Ticket, Wait};

/// An awaitable of its own, its iterator, and the future that the iterator yields to the task: what
/// asyncio takes for a future is whatever has `_asyncio_future_blocking`. What it waits for stands
/// in the table.
///
/// A caller that gives up first, even between its grant and its resumption, gives everything back.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Waiting {
    calls: Py<Calls>,
    ticket: Ticket,
    event_loop: Py<PyAny>,
    /// Whether a task is to wait for it: the protocol of futures.
    is_blocking: AtomicBool,
    is_over: AtomicBool,
}

impl Waiting {
    pub(crate) fn new(calls: &Bound<'_, Calls>, ticket: Ticket) -> PyResult<Py<Self>> {
        let py = calls.py();
        let event_loop = calls.get().shared.look(|state| {
            let owner = state.table.get(ticket)?.owner;
            let driver = state.drivers.get(owner)?;
            Some(driver.host.event_loop.clone_ref(py))
        });
        let waiting = Self {
            calls: calls.clone().unbind(),
            ticket,
            event_loop: event_loop.ok_or_else(closed_loop)?,
            is_blocking: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        };
        Py::new(py, waiting)
    }

    /// None once it is over.
    fn look<R>(&self, look: impl FnOnce(&Wait) -> R) -> Option<R> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let shared = &self.calls.get().shared;
        shared.look(|state| state.table.wait(self.ticket).map(look))
    }

    fn give_up(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_over.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        admit::give_up(self.calls.bind(py), self.ticket)
    }
}

#[pymethods]
impl Waiting {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Itself, for the task to wait for; then, when it goes on, nothing. Raises the reason if it
    /// may not go on.
    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Option<Py<Self>>> {
        let waiting = slf.get();
        let Some(end) = waiting.look(|wait| wait.end) else {
            return Err(PyRuntimeError::new_err("cannot wait again"));
        };
        if let Some(end) = end {
            waiting.is_over.store(true, Ordering::Relaxed);
            admit::resume(waiting.calls.bind(slf.py()), waiting.ticket, end)?;
            return Ok(None);
        }
        if waiting.is_blocking.swap(true, Ordering::Relaxed) {
            return Err(PyRuntimeError::new_err("await wasn't used with future"));
        }
        Ok(Some(slf.clone().unbind()))
    }

    #[pyo3(signature = (value, /))]
    fn send(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<Option<Py<Self>>> {
        let _ = value;
        match Self::__next__(slf)? {
            None => Err(PyStopIteration::new_err(())),
            this => Ok(this),
        }
    }

    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        &self,
        kind: &Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
        traceback: Option<Bound<'_, PyTraceback>>,
    ) -> PyResult<()> {
        // Leaving the queue 2.3
        self.give_up(kind.py())?;
        Err(thrown(kind, value, traceback))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.give_up(py)
    }

    #[getter(_asyncio_future_blocking)]
    fn is_blocking(&self) -> bool {
        self.is_blocking.load(Ordering::Relaxed)
    }

    #[setter(_asyncio_future_blocking)]
    fn set_blocking(&self, is_blocking: bool) {
        self.is_blocking.store(is_blocking, Ordering::Relaxed);
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<Waiting for {}>", self.calls.get().name().bind(py))
    }

    fn get_loop(&self, py: Python<'_>) -> Py<PyAny> {
        self.event_loop.clone_ref(py)
    }

    fn done(&self) -> bool {
        self.look(Wait::is_done).unwrap_or(true)
    }

    fn cancelled(&self) -> bool {
        self.look(|wait| wait.cancelled.is_some()).unwrap_or(false)
    }

    /// What it waited for is not said here.
    fn result(&self, py: Python<'_>) -> PyResult<()> {
        let message = |wait: &Wait| Some(wait.cancelled.as_ref()?.clone_ref(py));
        match self.look(message).flatten() {
            None => Ok(()),
            Some(message) if message.is_none(py) => Err(CancelledError::new_err(())),
            Some(message) => Err(CancelledError::new_err((message,))),
        }
    }

    fn exception(&self, py: Python<'_>) -> PyResult<()> {
        self.result(py)
    }

    #[pyo3(signature = (function, *, context=None))]
    fn add_done_callback(
        slf: &Bound<'_, Self>,
        function: Py<PyAny>,
        context: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let waiting = slf.get();
        let callback = Callback {
            function,
            context,
            argument: slf.clone().into_any().unbind(),
        };
        let shared = &waiting.calls.get().shared;
        let late = shared.look(|state| state.table.add_callback(waiting.ticket, callback));
        let Some(late) = late else { return Ok(()) };
        let options = PyDict::new(slf.py());
        options.set_item("context", late.context)?;
        let event_loop = waiting.event_loop.bind(slf.py());
        event_loop.call_method("call_soon", (late.function, slf), Some(&options))?;
        Ok(())
    }

    /// Whether it will be woken with a cancellation.
    #[pyo3(signature = (msg=None))]
    fn cancel(&self, py: Python<'_>, msg: Option<Py<PyAny>>) -> PyResult<bool> {
        if self.done() {
            return Ok(false);
        }
        let message = msg.unwrap_or_else(|| py.None());
        let calls = self.calls.bind(py);
        let cancel = |state: &mut State| state.cancel_wait(self.ticket, message);
        if let Some(owner) = calls.get().shared.look(cancel) {
            settle(calls, Some(owner))?;
        }
        Ok(true)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.calls)?;
        visit.call(&self.event_loop)
    }
}

impl Drop for Waiting {
    /// Dropped before completion: the call is withdrawn.
    fn drop(&mut self) {
        if *self.is_over.get_mut() {
            return;
        }
        let given_up = Python::try_attach(|py| {
            // An exception may be on its way through the frame that drops it, and Python code must
            // not see that one.
            let raised = PyErr::take(py);
            // Threads and loops in Python 4.3
            if let Err(error) = self.give_up(py) {
                error.write_unraisable(py, None);
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
        let _ = given_up;
    }
}

/// The error that `throw` is to raise, in whichever of its three forms it was called.
pub(crate) fn thrown(
    kind: &Bound<'_, PyAny>,
    value: Option<Bound<'_, PyAny>>,
    traceback: Option<Bound<'_, PyTraceback>>,
) -> PyErr {
    let error = match value {
        None => PyErr::from_value(kind.clone()),
        Some(value) if value.is_instance_of::<PyBaseException>() => PyErr::from_value(value),
        Some(value) => match kind.call1((value,)) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        },
    };
    if traceback.is_some() {
        error.set_traceback(kind.py(), traceback);
    }
    error
}
