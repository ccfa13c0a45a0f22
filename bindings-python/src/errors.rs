//! The errors of calls that are rejected as they arrive; that of a full bulkhead often comes in crowds.

use bulkheads_core::Bulkhead;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::engine::whole;
use crate::runs::Runs;

/// Why a call was rejected as it arrived.
pub(crate) struct Refusal {
    code: f64,
    weight: f64,
    /// What the caller held when this was decided.
    holding: f64,
    full: Option<Full>,
}

/// Of a full bulkhead: enough to find the words for it, should anybody read them.
struct Full {
    code: u32,
    limit: u32,
    active: u64,
    queued: u32,
    max_queue: u32,
}

impl Refusal {
    pub(crate) fn new(code: f64, weight: f64, holding: f64, bulkhead: &Bulkhead) -> Self {
        let full = Full::of(code, bulkhead);
        Self {
            code,
            weight,
            holding,
            full,
        }
    }

    pub(crate) fn error(&self, runs: &Bound<'_, Runs>) -> PyResult<PyErr> {
        if let Some(full) = &self.full {
            return full.error(runs.get().name().bind(runs.py()));
        }
        let figures = (whole(self.code), whole(self.weight), whole(self.holding));
        let refusal = intern!(runs.py(), "refusal");
        let calls = runs.get().calls(runs.py());
        let error = calls.call_method1(refusal, figures)?;
        Ok(PyErr::from_value(error))
    }
}

impl Full {
    /// None if this code is of another reason.
    fn of(code: f64, bulkhead: &Bulkhead) -> Option<Self> {
        let code = [1, 2, 3, 4]
            .into_iter()
            .find(|full| f64::from(*full) >= code)?;
        Some(Self {
            code,
            limit: bulkhead.limit(),
            active: bulkhead.active(),
            queued: bulkhead.queued(),
            max_queue: bulkhead.max_queue(),
        })
    }

    /// A `BulkheadFullError` of the bulkhead of this name.
    fn error(&self, name: &Bound<'_, PyAny>) -> PyResult<PyErr> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = name.py();
        let class = CLASS.import(py, "bulkheads._errors", "BulkheadFullError")?;
        let Self {
            code,
            limit,
            active,
            queued,
            max_queue,
        } = self;
        let figures = (name, code, limit, active, queued, max_queue).into_pyobject(py)?;
        // SAFETY: every class has a function for new objects, in this slot, which takes the class, a tuple and perhaps null.
        // It returns a new reference, or null with an error set. Called by way of the class it would call `__init__` too, which
        // is Python code, and wants words.
        let error = unsafe {
            let new = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new);
            let new: ffi::newfunc = std::mem::transmute(new);
            let error = new(class.as_type_ptr(), figures.as_ptr(), std::ptr::null_mut());
            Bound::from_owned_ptr_or_err(py, error)?
        };
        Ok(PyErr::from_value(error))
    }
}
