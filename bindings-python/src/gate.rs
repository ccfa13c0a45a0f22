//! `async with` and `with` on a bulkhead.

use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runs::Runs;

/// What `Bulkhead` builds on.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Gate {
    ways: OnceLock<Ways>,
}

/// Of one bulkhead: what is called as it is entered, and as it is left.
struct Ways {
    runs: Py<Runs>,
    enter: Py<PyAny>,
    leave: Py<PyAny>,
}

/// `__aenter__` or `__aexit__`. Python makes an object of its own for each use of a method that it has to look up on the
/// class, and this is a fifth of the time of an `async with`; so here is one that is made before.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Way {
    leaves: bool,
}

/// What entering returns: the permit is taken when it is awaited, and by whoever awaits it. It has no state: one serves all.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Entry {
    runs: Py<Runs>,
}

#[pymethods]
impl Gate {
    #[new]
    #[pyo3(signature = (*args, **options))]
    fn new(args: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> Self {
        let _ = (args, options);
        Self {
            ways: OnceLock::new(),
        }
    }

    /// Once, before anything else.
    #[pyo3(signature = (entry, /))]
    fn _open(&self, entry: &Bound<'_, Entry>) -> PyResult<()> {
        let py = entry.py();
        let runs = entry.get().runs.bind(py);
        let ways = Ways {
            runs: runs.clone().unbind(),
            enter: entry.getattr(intern!(py, "get"))?.unbind(),
            leave: runs.getattr(intern!(py, "leave"))?.unbind(),
        };
        let text = "a Bulkhead is made once; make another instead of calling __init__ again";
        let opened = self.ways.set(ways);
        opened.map_err(|_| PyRuntimeError::new_err(text))
    }

    #[classattr]
    fn __aenter__() -> Way {
        Way { leaves: false }
    }

    #[classattr]
    fn __aexit__() -> Way {
        Way { leaves: true }
    }

    fn __enter__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Runs::enter_blocking(slf.get().opened()?.runs.bind(slf.py()))
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        slf: &Bound<'_, Self>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let _ = (kind, traceback);
        Runs::exit_blocking(slf.get().opened()?.runs.bind(slf.py()), error)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(ways) = self.ways.get() else {
            return Ok(());
        };
        visit.call(&ways.runs)?;
        visit.call(&ways.enter)?;
        visit.call(&ways.leave)
    }
}

impl Gate {
    fn opened(&self) -> PyResult<&Ways> {
        let text = "Bulkhead.__init__ was not called";
        self.ways.get().ok_or_else(|| PyRuntimeError::new_err(text))
    }
}

impl Way {
    fn of<'a>(&self, gate: &'a Bound<'_, PyAny>) -> PyResult<&'a Py<PyAny>> {
        let ways = gate.cast::<Gate>()?.get().opened()?;
        let way = if self.leaves {
            &ways.leave
        } else {
            &ways.enter
        };
        Ok(way)
    }
}

#[pymethods]
impl Way {
    fn __get__<'py>(
        slf: Bound<'py, Self>,
        gate: Option<Bound<'py, PyAny>>,
        class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = class;
        match gate {
            Some(gate) => Ok(slf.get().of(&gate)?.bind(gate.py()).clone()),
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
        self.of(gate)?.bind(gate.py()).call1(args)
    }
}

#[pymethods]
impl Entry {
    #[new]
    fn new(runs: Py<Runs>) -> Self {
        Self { runs }
    }

    fn get(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __await__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match Runs::enter(self.runs.bind(py))? {
            None => Ok(self.runs.get().ready(py)),
            Some(waiting) => Ok(waiting.into_any()),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.runs)
    }
}
