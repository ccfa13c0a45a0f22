//! From the core's reasons to Python's errors, with words.

use std::sync::{Mutex, PoisonError};

use bulkheads_core::{Bulkhead, FullReason, Rejection};
use pyo3::exceptions::asyncio::CancelledError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict, PyString, PyTuple, PyType};

use crate::numbers::to_seconds;
use crate::table::{Removal, Why};

/// What an error says of the bulkhead and the call at that moment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figures {
    weight: u32,
    limit: u32,
    active: u64,
    queued: u32,
    max_queue: u32,
}

impl Figures {
    pub(crate) fn new(bulkhead: &Bulkhead, weight: u32) -> Self {
        Self {
            weight,
            limit: bulkhead.limit(),
            active: bulkhead.active(),
            queued: bulkhead.queued(),
            max_queue: bulkhead.max_queue(),
        }
    }
}

/// The errors of one bulkhead.
pub(crate) struct Errors {
    pub(crate) name: Py<PyString>,
    /// The arguments of the last error of a full bulkhead: these come in crowds that are all alike.
    last_full: Mutex<Option<(FullReason, Figures, Py<PyTuple>)>>,
}

impl Errors {
    pub(crate) const fn new(name: Py<PyString>) -> Self {
        Self {
            name,
            last_full: Mutex::new(None),
        }
    }

    /// The error of a call that was rejected as it arrived.
    pub(crate) fn rejected(&self, py: Python<'_>, why: Rejection, figures: Figures) -> PyErr {
        let error = match why {
            Rejection::Full(reason) => self.full(py, reason, figures),
            Rejection::Closed => self.closed(py),
            Rejection::TooHeavy => self.too_heavy(py, figures),
            Rejection::Reentrant { holding } => self.reentrant(py, figures, holding),
            Rejection::QueueTimeout => {
                let text = "the deadline had passed when the call arrived";
                self.queue_timeout(py, figures, 0, text)
            }
            Rejection::NoRoom { nanos } => self.too_late(py, figures, nanos),
            // Only signals cause it, which Python has none of.
            Rejection::Cancelled => Ok(CancelledError::new_err(())),
        };
        error.unwrap_or_else(|error| error)
    }

    /// The error of a call that left the queue without a permit.
    pub(crate) fn removed(&self, py: Python<'_>, why: Removal, figures: Figures) -> PyErr {
        let error = match why {
            Removal::Closed => self.closed(py),
            Removal::TooHeavy => self.too_heavy(py, figures),
            Removal::TimedOut(nanos) => self.too_late(py, figures, nanos),
        };
        error.unwrap_or_else(|error| error)
    }

    /// The error of a call whose work was cancelled by the bulkhead.
    pub(crate) fn cancelled_work(&self, py: Python<'_>, why: Why) -> PyErr {
        let error = match why {
            Why::TimedOut(nanos) => {
                let ran = to_seconds(nanos);
                // Errors 5
                let text = format!("the work was cancelled after {ran:.3} s");
                self.error(py, "BulkheadCallTimeoutError", &text, [("ran", ran)])
            }
            Why::Aborted => {
                let text = "closed with abort while the work ran";
                self.error(py, "BulkheadClosedError", text, [("is_rejection", false)])
            }
        };
        error.unwrap_or_else(|error| error)
    }

    /// Made of bare figures; its text is composed when it is read. A caller that sheds load catches
    /// many such errors and reads none.
    fn full(&self, py: Python<'_>, reason: FullReason, figures: Figures) -> PyResult<PyErr> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "bulkheads._errors", "BulkheadFullError")?;
        let arguments = self.full_arguments(py, reason, figures)?;
        // SAFETY: every class has a function for new objects, in this slot, which takes the class,
        // a tuple and perhaps null. It returns a new reference, or null with an error set. Called
        // by way of the class it would call `__init__` too, which is Python code, and wants words.
        let error = unsafe {
            let new = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new);
            let new: ffi::newfunc = std::mem::transmute(new);
            let error = new(
                class.as_type_ptr(),
                arguments.as_ptr(),
                std::ptr::null_mut(),
            );
            Bound::from_owned_ptr_or_err(py, error)?
        };
        Ok(PyErr::from_value(error))
    }

    fn full_arguments(
        &self,
        py: Python<'_>,
        reason: FullReason,
        figures: Figures,
    ) -> PyResult<Py<PyTuple>> {
        let last = self
            .last_full
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((like, of, arguments)) if (*like, *of) == (reason, figures) => {
                return Ok(arguments.clone_ref(py));
            }
            _ => drop(last),
        }
        // Errors 13
        let text = match reason {
            FullReason::QueueFull => "queue full (max_queue {max_queue}); shed load or raise it",
            FullReason::NoQueue => {
                "no permit free (max_concurrent {limit}) and no queue configured (max_queue 0); shed load or raise one of them"
            }
            FullReason::NotWilling => {
                "no permit free (max_concurrent {limit}) and the call is not willing to wait (timeout 0)"
            }
            FullReason::Paused => {
                "paused (max_concurrent 0) and no place in the queue (max_queue {max_queue}); resize it to go on"
            }
        };
        let Figures {
            limit,
            active,
            queued,
            max_queue,
            ..
        } = figures;
        // Errors 1
        let arguments = (&self.name, text, limit, active, queued, max_queue);
        let arguments = arguments.into_pyobject(py)?.unbind();
        let entry = Some((reason, figures, arguments.clone_ref(py)));
        let mut last = self
            .last_full
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *last, entry);
        drop(last);
        drop(before);
        Ok(arguments)
    }

    /// It has waited as long as it may.
    fn too_late(&self, py: Python<'_>, figures: Figures, nanos: u64) -> PyResult<PyErr> {
        let waited = to_seconds(nanos);
        let text = format!("no permit within {waited:.3} s; shed load or raise max_concurrent");
        self.queue_timeout(py, figures, nanos, &text)
    }

    fn queue_timeout(
        &self,
        py: Python<'_>,
        figures: Figures,
        nanos: u64,
        text: &str,
    ) -> PyResult<PyErr> {
        // Errors 2
        let fields: [(_, u64); 4] = [
            ("limit", figures.limit.into()),
            ("active", figures.active),
            ("queued", figures.queued.into()),
            ("max_queue", figures.max_queue.into()),
        ];
        let fields = fields.into_py_dict(py)?;
        fields.set_item("waited", to_seconds(nanos))?;
        self.error(py, "BulkheadTimeoutError", text, fields)
    }

    fn closed(&self, py: Python<'_>) -> PyResult<PyErr> {
        // Errors 3
        let text = "closed; it takes no more calls";
        self.error(py, "BulkheadClosedError", text, PyDict::new(py))
    }

    fn too_heavy(&self, py: Python<'_>, figures: Figures) -> PyResult<PyErr> {
        let Figures { weight, limit, .. } = figures;
        let text = format!("weight {weight} is above the limit (max_concurrent {limit})");
        // Errors 4
        let fields = [("weight", weight), ("limit", limit)];
        self.error(py, "BulkheadWeightError", &text, fields)
    }

    fn reentrant(&self, py: Python<'_>, figures: Figures, holding: u64) -> PyResult<PyErr> {
        let Figures { weight, limit, .. } = figures;
        let text = format!(
            "its caller holds {holding} already and {weight} more is above the limit (max_concurrent {limit}), so that it \
             would wait for itself"
        );
        // Errors 4.1
        let fields: [(_, u64); 3] = [
            ("weight", weight.into()),
            ("limit", limit.into()),
            ("holding", holding),
        ];
        self.error(py, "BulkheadReentrantError", &text, fields)
    }

    fn error<'py>(
        &self,
        py: Python<'py>,
        class: &str,
        text: &str,
        fields: impl IntoPyDict<'py>,
    ) -> PyResult<PyErr> {
        let fields = fields.into_py_dict(py)?;
        fields.set_item(intern!(py, "bulkhead"), &self.name)?;
        let class = py
            .import(intern!(py, "bulkheads._errors"))?
            .getattr(class)?;
        let text = format!("{}: {text}", self.name.bind(py));
        Ok(PyErr::from_value(class.call((text,), Some(&fields))?))
    }
}
