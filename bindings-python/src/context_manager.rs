//! `async with` and `with` on a bulkhead.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::admit::{self, Arrival};
use crate::awaitable::Waiting;
use crate::blocking;
use crate::calls::Calls;
use crate::done;
use crate::leave::{self, Leave, Leaves, Token};
use crate::request::{Asked, Kind};
use crate::streams;

/// What `Bulkhead` builds on.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Gate {
    methods: OnceLock<BoundMethods>,
}

/// Of one bulkhead: what is called as it is entered, and as it is left.
struct BoundMethods {
    calls: Py<Calls>,
    asked: Asked,
    enter: Py<PyAny>,
    leaves: Arc<Leaves>,
}

/// `__aenter__` or `__aexit__`, as Python looks them up. Python makes an object of its own for each
/// use of a method that it has to look up on the class, and this is a fifth of the time of an
/// `async with`; so entering has one that is made before, and leaving one that knows its entry.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct BoundMethod {
    leaves: bool,
}

/// `__aexit__` of the class: exit stacks call it with the bulkhead.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct LeaveOfClass {
    token: Arc<Token>,
}

/// What entering returns: the permit is taken when it is awaited, by the task that awaits it. It
/// has no state: one serves all.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Entry {
    calls: Py<Calls>,
    asked: Asked,
}

#[pymethods]
impl Gate {
    #[new]
    #[pyo3(signature = (*args, **options))]
    fn new(args: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> Self {
        let _ = (args, options);
        Self {
            methods: OnceLock::new(),
        }
    }

    /// Once, before anything else.
    #[pyo3(signature = (entry, /))]
    fn _open(&self, entry: &Bound<'_, Entry>) -> PyResult<()> {
        let py = entry.py();
        let calls = entry.get().calls.bind(py);
        let methods = BoundMethods {
            calls: calls.clone().unbind(),
            asked: entry.get().asked,
            enter: entry.getattr(intern!(py, "get"))?.unbind(),
            leaves: Arc::default(),
        };
        let text = "a Bulkhead is made once; make another instead of calling __init__ again";
        let opened = self.methods.set(methods);
        opened.map_err(|_| PyRuntimeError::new_err(text))
    }

    #[classattr]
    fn __aenter__() -> BoundMethod {
        BoundMethod { leaves: false }
    }

    #[classattr]
    fn __aexit__() -> BoundMethod {
        BoundMethod { leaves: true }
    }

    fn __enter__(slf: &Bound<'_, Self>) -> PyResult<()> {
        let methods = slf.get().opened()?;
        blocking::enter(methods.calls.bind(slf.py()), &methods.asked)
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        slf: &Bound<'_, Self>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let _ = (kind, traceback);
        let methods = slf.get().opened()?;
        blocking::exit(methods.calls.bind(slf.py()), methods.asked.weight, error)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(methods) = self.methods.get() else {
            return Ok(());
        };
        visit.call(&methods.calls)?;
        visit.call(&methods.enter)?;
        methods.leaves.visit(&visit)
    }
}

impl Gate {
    fn opened(&self) -> PyResult<&BoundMethods> {
        let text = "Bulkhead.__init__ was not called";
        self.methods
            .get()
            .ok_or_else(|| PyRuntimeError::new_err(text))
    }
}

impl BoundMethod {
    fn of<'py>(&self, gate: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = gate.py();
        let methods = gate.cast::<Gate>()?.get().opened()?;
        if self.leaves {
            return Leave::looked_up(methods.calls.bind(py), &methods.leaves);
        }
        Ok(methods.enter.bind(py).clone())
    }
}

#[pymethods]
impl BoundMethod {
    fn __get__<'py>(
        slf: Bound<'py, Self>,
        gate: Option<Bound<'py, PyAny>>,
        class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = class;
        match gate {
            Some(gate) => {
                leave::forget_looked_up();
                slf.get().of(&gate)
            }
            // As exit stacks look it up, which call it with the bulkhead.
            None if slf.get().leaves => {
                let token = Arc::default();
                leave::set_looked_up(None, &token);
                Ok(Bound::new(slf.py(), LeaveOfClass { token })?.into_any())
            }
            None => Ok(slf.into_any()),
        }
    }

    /// As a function of the class.
    #[pyo3(signature = (gate, /, *args))]
    fn __call__<'py>(
        &self,
        gate: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.of(gate)?.call1(args)
    }
}

#[pymethods]
impl LeaveOfClass {
    #[pyo3(signature = (bulkhead, kind, error, traceback, /))]
    fn __call__(
        &self,
        bulkhead: &Bound<'_, PyAny>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let _ = (kind, traceback);
        let methods = bulkhead.cast::<Gate>()?.get().opened()?;
        leave::end(methods.calls.bind(bulkhead.py()), self.token.take(), error)
    }

    /// Looked up, it is itself, like every method of a class.
    fn __get__<'py>(
        slf: Bound<'py, Self>,
        gate: Option<&Bound<'_, PyAny>>,
        class: Option<&Bound<'_, PyAny>>,
    ) -> Bound<'py, Self> {
        let _ = (gate, class);
        slf
    }
}

#[pymethods]
impl Entry {
    #[new]
    #[pyo3(signature = (calls, asked, /))]
    fn new(calls: Py<Calls>, asked: &Bound<'_, Asked>) -> Self {
        let asked = *asked.get();
        Self { calls, asked }
    }

    fn get(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __await__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let calls = self.calls.bind(py);
        let token = leave::take_looked_up(calls);
        // Before it is entered: a signal handler may raise here.
        let stream = streams::frame(calls, self.asked.is_bounded())?;
        let arrival = admit::arrive(calls, &self.asked, Kind::Entry)?;
        if let Some(token) = token {
            token.set(arrival);
        }
        if let Some(frame) = stream {
            streams::note(calls, arrival.ticket(), frame);
        }
        match arrival {
            Arrival::Admitted(..) => done::ready(py),
            Arrival::Queued(ticket, _) => Ok(Waiting::new(calls, ticket)?.into_any()),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.calls)
    }
}
