//! `async with` on a bulkhead.

use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::awaitables::Ready;
use crate::runs::Runs;

/// What `Bulkhead` builds on.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Gate {
    entry: OnceLock<Py<Entry>>,
}

/// What `__aenter__` returns: the permit is taken when it is awaited, and by whoever awaits it. It has no state: one serves all.
#[pyclass(frozen, subclass, module = "bulkheads._engine")]
pub(crate) struct Entry {
    runs: Py<Runs>,
}

impl Gate {
    fn entry(&self) -> PyResult<&Py<Entry>> {
        let entry = self.entry.get();
        entry.ok_or_else(|| PyRuntimeError::new_err("Bulkhead.__init__ was not called"))
    }
}

#[pymethods]
impl Gate {
    #[new]
    #[pyo3(signature = (*args, **options))]
    fn new(args: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyAny>>) -> Self {
        let _ = (args, options);
        Self {
            entry: OnceLock::new(),
        }
    }

    /// Once, before anything else.
    #[pyo3(signature = (entry, /))]
    fn _open(&self, entry: Py<Entry>) {
        let _ = self.entry.set(entry);
    }

    /// An anonymous permit of weight 1. It nests, and serves many tasks at once.
    fn __aenter__(&self, py: Python<'_>) -> PyResult<Py<Entry>> {
        Ok(self.entry()?.clone_ref(py))
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __aexit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<Py<Ready>> {
        let _ = (kind, traceback);
        Runs::leave(self.entry()?.get().runs.bind(py), error)?;
        Ready::get(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.entry.get().map_or(Ok(()), |entry| visit.call(entry))
    }
}

#[pymethods]
impl Entry {
    #[new]
    fn new(runs: Py<Runs>) -> Self {
        Self { runs }
    }

    fn __await__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match Runs::enter(self.runs.bind(py))? {
            None => Ok(Ready::get(py)?.into_any()),
            Some(waiting) => Ok(waiting.into_any()),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.runs)
    }
}
