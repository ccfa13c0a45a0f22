//! What can be run in a bulkhead.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyFunction};

const ASYNC_GENERATOR: u32 = 0x200;

/// Remembers the addresses of a few functions that were found fit to run, each in the place that its own bits give it.
///
/// A look at a function's flags is an audited event, and dear. An address may have come to another function since, so this
/// only saves that look: what a function returns is looked at in any case before it is awaited.
#[derive(Default)]
pub(crate) struct Checked([AtomicUsize; 8]);

impl Checked {
    /// Raises `TypeError` unless it can be called, and runs while it is awaited.
    pub(crate) fn check(&self, work: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(function) = function(work)? else {
            return check_other(work);
        };
        let address = function.as_ptr() as usize;
        // Python's objects lie at multiples of 16.
        let place = &self.0[(address >> 4) % self.0.len()];
        if place.load(Ordering::Relaxed) != address {
            check_function(work, &function)?;
            place.store(address, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The function that a call of it comes to, a method's own too; None for any other object, and for what cannot be called.
fn function<'py>(work: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyFunction>>> {
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

fn check_function(work: &Bound<'_, PyAny>, function: &Bound<'_, PyFunction>) -> PyResult<()> {
    let py = work.py();
    let code = function.getattr(intern!(py, "__code__"))?;
    let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
    if flags & ASYNC_GENERATOR == 0 {
        return Ok(());
    }
    check_other(work)
}

fn check_other(work: &Bound<'_, PyAny>) -> PyResult<()> {
    static CHECK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if work.is_exact_instance_of::<PyCFunction>() {
        return Ok(());
    }
    let check = CHECK.import(work.py(), "bulkheads._work", "check_work")?;
    check.call1((work,))?;
    Ok(())
}

fn method_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static METHOD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    METHOD.import(py, "types", "MethodType")
}
