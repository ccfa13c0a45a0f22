//! What can be run in a bulkhead.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyFunction};

const COROUTINE: u32 = 0x80;
const ASYNC_GENERATOR: u32 = 0x200;

/// Remembers the addresses of a few functions that were found fit to run, each in the place that
/// its own bits give it.
///
/// A look at a function's flags is an audited event, and dear. An address may have come to another
/// function since, so this only saves that look: what a function returns is looked at in any case
/// before it is awaited.
pub(crate) struct Checked {
    way: Way,
    places: [AtomicUsize; 8],
}

/// How work is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Awaited,
    Blocking,
}

impl Checked {
    pub(crate) fn new(way: Way) -> Self {
        let places = <[AtomicUsize; 8]>::default();
        Self { way, places }
    }

    /// Raises `TypeError` unless it can be called, and runs while it is awaited, or until it
    /// returns.
    pub(crate) fn check(&self, work: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(function) = function(work)? else {
            return self.way.check(work);
        };
        let address = function.as_ptr() as usize;
        // Python's objects lie at multiples of 16.
        let place = &self.places[(address >> 4) % self.places.len()];
        if place.load(Ordering::Relaxed) != address {
            self.way.check_function(work, &function)?;
            place.store(address, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Way {
    fn check_function(
        self,
        work: &Bound<'_, PyAny>,
        function: &Bound<'_, PyFunction>,
    ) -> PyResult<()> {
        let py = work.py();
        let code = function.getattr(intern!(py, "__code__"))?;
        let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
        let refused = match self {
            // Threads and loops in Python 2.4
            Self::Awaited => 0,
            Self::Blocking => ASYNC_GENERATOR | COROUTINE,
        };
        if flags & refused == 0 {
            return Ok(());
        }
        self.check(work)
    }

    fn check(self, work: &Bound<'_, PyAny>) -> PyResult<()> {
        static AWAITED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static BLOCKING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        if work.is_exact_instance_of::<PyCFunction>() {
            return Ok(());
        }
        let py = work.py();
        let check = match self {
            Self::Awaited => AWAITED.import(py, "bulkheads._work", "check_work")?,
            Self::Blocking => BLOCKING.import(py, "bulkheads._work", "check_blocking_work")?,
        };
        check.call1((work,))?;
        Ok(())
    }
}

/// The function that a call of it comes to, a method's own too; None for any other object, and for
/// what cannot be called.
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

fn method_type(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static METHOD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    METHOD.import(py, "types", "MethodType")
}
