//! What can be run in a bulkhead.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyFunction};

const ASYNC_GENERATOR: u32 = 0x200;

/// The addresses of a few functions that were found fit to run, each in the place that its own bits give it.
///
/// A look at a function's flags is an audited event, and dear. An address may have come to another function since, so this
/// only saves that look: what a function returns is looked at in any case before it is awaited.
#[derive(Default)]
pub(crate) struct Checked([usize; 8]);

impl Checked {
    pub(crate) fn knows(&self, function: usize) -> bool {
        self.0[Self::place(function)] == function
    }

    pub(crate) fn note(&mut self, function: usize) {
        self.0[Self::place(function)] = function;
    }

    /// Python's objects lie at multiples of 16.
    const fn place(function: usize) -> usize {
        (function >> 4) & 7
    }
}

/// The function that a call of it comes to, a method's own too; None for any other object, and for what cannot be called.
pub(crate) fn function<'py>(work: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyFunction>>> {
    if let Ok(function) = work.cast_exact::<PyFunction>() {
        return Ok(Some(function.clone()));
    }
    let py = work.py();
    if work.get_type().is(method_type(py)?) {
        let function = work.getattr(intern!(py, "__func__"))?;
        return Ok(function.cast_into_exact::<PyFunction>().ok());
    }
    Ok(None)
}

/// Raises `TypeError` unless it can be called, and runs while it is awaited.
pub(crate) fn check(
    work: &Bound<'_, PyAny>,
    function: Option<&Bound<'_, PyFunction>>,
) -> PyResult<()> {
    static CHECK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = work.py();
    if let Some(function) = function {
        let code = function.getattr(intern!(py, "__code__"))?;
        let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
        if flags & ASYNC_GENERATOR == 0 {
            return Ok(());
        }
    } else if work.is_exact_instance_of::<PyCFunction>() {
        return Ok(());
    }
    let check = CHECK.import(py, "bulkheads._work", "check_work")?;
    check.call1((work,))?;
    Ok(())
}

fn method_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static METHOD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    METHOD.import(py, "types", "MethodType")
}
