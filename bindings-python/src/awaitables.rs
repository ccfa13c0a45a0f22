//! What the calls that need not wait return.

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Awaited, it is done at once. It has no state: one serves all.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Ready;

impl Ready {
    pub(crate) fn get(py: Python<'_>) -> PyResult<Py<Self>> {
        static READY: PyOnceLock<Py<Ready>> = PyOnceLock::new();
        let ready = READY.get_or_try_init(py, || Py::new(py, Self))?;
        Ok(ready.clone_ref(py))
    }
}

#[pymethods]
#[expect(clippy::unused_self, reason = "methods of a Python object")]
impl Ready {
    fn __await__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> Option<()> {
        None
    }

    /// It is a coroutine too, for whoever makes a task of it.
    #[pyo3(signature = (value, /))]
    fn send(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = value;
        Err(PyStopIteration::new_err(()))
    }

    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        &self,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let _ = (value, traceback);
        Err(PyErr::from_value(kind.clone()))
    }

    fn close(&self) {}
}
