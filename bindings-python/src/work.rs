//! What can be run in a bulkhead.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyFunction;

const ASYNC_GENERATOR: u32 = 0x200;

/// The code of a function or of a method that is one; None for any other object, and for what cannot be called.
pub(crate) fn code<'py>(work: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = work.py();
    if let Ok(function) = work.cast_exact::<PyFunction>() {
        return function.getattr(intern!(py, "__code__")).map(Some);
    }
    if work.get_type().is(method_type(py)?) {
        let function = work.getattr(intern!(py, "__func__"))?;
        if let Ok(function) = function.cast_exact::<PyFunction>() {
            return function.getattr(intern!(py, "__code__")).map(Some);
        }
    }
    Ok(None)
}

/// Raises `TypeError` unless it can be called, and runs while it is awaited.
pub(crate) fn check(work: &Bound<'_, PyAny>, code: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    static CHECK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = work.py();
    if let Some(code) = code {
        let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
        if flags & ASYNC_GENERATOR == 0 {
            return Ok(());
        }
    }
    CHECK
        .import(py, "bulkheads._work", "check_work")?
        .call1((work,))?;
    Ok(())
}

fn method_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static METHOD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    METHOD.import(py, "types", "MethodType")
}
