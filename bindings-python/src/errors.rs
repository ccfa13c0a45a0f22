//! From the core's reasons to Python's errors, with words.

use bulkheads_core::{Bulkhead, FullReason, Rejection};
use pyo3::exceptions::asyncio::CancelledError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict, PyString, PyType};

use crate::numbers::to_seconds;
use crate::table::{WaitEnd, Why};

/// What an error says of the bulkhead and the call at that moment.
#[derive(Clone, Copy)]
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

    fn of_bulkhead<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = [
            ("limit", self.limit.into()),
            ("active", self.active),
            ("queued", self.queued.into()),
            ("max_queue", self.max_queue.into()),
        ];
        fields.into_py_dict(py)
    }
}

/// The error of a call that was rejected as it arrived.
pub(crate) fn rejected(name: &Bound<'_, PyString>, why: Rejection, figures: Figures) -> PyErr {
    let error = match why {
        Rejection::Full(reason) => full(name, reason, figures),
        Rejection::Closed => closed(name),
        Rejection::TooHeavy => too_heavy(name, figures),
        Rejection::Reentrant { holding } => reentrant(name, figures, holding),
        Rejection::QueueTimeout => queue_timeout(
            name,
            figures,
            0,
            "the deadline had passed when the call arrived",
        ),
        // Only signals cause it, which Python has none of.
        Rejection::Cancelled => Ok(CancelledError::new_err(())),
    };
    error.unwrap_or_else(|error| error)
}

/// The error of a call that left the queue without a permit.
pub(crate) fn removed(
    name: &Bound<'_, PyString>,
    end: WaitEnd,
    figures: Figures,
) -> PyResult<PyErr> {
    match end {
        WaitEnd::Closed => closed(name),
        WaitEnd::TooHeavy => too_heavy(name, figures),
        WaitEnd::TimedOut(nanos) => {
            let waited = to_seconds(nanos);
            let text = format!(
                "no permit within {waited:.3} s of waiting; shed load or raise max_concurrent"
            );
            queue_timeout(name, figures, nanos, &text)
        }
        // It has its permits.
        WaitEnd::Granted => Ok(PyErr::new::<pyo3::exceptions::PyRuntimeError, _>(())),
    }
}

/// The error of a call whose work was cancelled by the bulkhead.
pub(crate) fn cancelled_work(name: &Bound<'_, PyString>, why: Why) -> PyResult<PyErr> {
    let py = name.py();
    match why {
        Why::TimedOut(nanos) => {
            static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            let class = CLASS.import(py, "bulkheads._errors", "BulkheadCallTimeoutError")?;
            let ran = to_seconds(nanos);
            let text = format!("{name}: the work was cancelled after {ran:.3} s");
            error(class, name, &text, &[("ran", ran)].into_py_dict(py)?)
        }
        Why::Aborted => {
            let text = format!("{name}: closed with abort while the work ran");
            error(
                closed_class(py)?,
                name,
                &text,
                &[("is_rejection", false)].into_py_dict(py)?,
            )
        }
    }
}

/// Its words are found when somebody reads them: whoever sheds load catches many and reads none.
fn full(name: &Bound<'_, PyString>, reason: FullReason, figures: Figures) -> PyResult<PyErr> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = name.py();
    let class = CLASS.import(py, "bulkheads._errors", "BulkheadFullError")?;
    let text = match reason {
        FullReason::QueueFull => intern!(
            py,
            "queue full (max_queue {max_queue}); shed load or raise it"
        ),
        FullReason::NoQueue => intern!(
            py,
            "no permit free (max_concurrent {limit}) and no queue configured (max_queue 0); shed load or raise one"
        ),
        FullReason::NotWilling => intern!(
            py,
            "no permit free (max_concurrent {limit}) and the call is not willing to wait (timeout 0)"
        ),
        FullReason::Paused => intern!(
            py,
            "paused (max_concurrent 0) and no place in the queue (max_queue {max_queue}); resize it to go on"
        ),
    };
    let Figures {
        limit,
        active,
        queued,
        max_queue,
        ..
    } = figures;
    let figures = (name, text, limit, active, queued, max_queue).into_pyobject(py)?;
    // SAFETY: every class has a function for new objects, in this slot, which takes the class, a tuple and perhaps null. It returns
    // a new reference, or null with an error set. Called by way of the class it would call `__init__` too, which is Python code, and
    // wants words.
    let error = unsafe {
        let new = ffi::PyType_GetSlot(class.as_type_ptr(), ffi::Py_tp_new);
        let new: ffi::newfunc = std::mem::transmute(new);
        let error = new(class.as_type_ptr(), figures.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, error)?
    };
    Ok(PyErr::from_value(error))
}

fn queue_timeout(
    name: &Bound<'_, PyString>,
    figures: Figures,
    nanos: u64,
    text: &str,
) -> PyResult<PyErr> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = name.py();
    let class = CLASS.import(py, "bulkheads._errors", "BulkheadTimeoutError")?;
    let fields = figures.of_bulkhead(py)?;
    fields.set_item("waited", to_seconds(nanos))?;
    error(class, name, &format!("{name}: {text}"), &fields)
}

fn closed(name: &Bound<'_, PyString>) -> PyResult<PyErr> {
    let py = name.py();
    let text = format!("{name}: closed; it takes no more calls");
    error(closed_class(py)?, name, &text, &PyDict::new(py))
}

fn closed_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "bulkheads._errors", "BulkheadClosedError")
}

fn too_heavy(name: &Bound<'_, PyString>, figures: Figures) -> PyResult<PyErr> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = name.py();
    let class = CLASS.import(py, "bulkheads._errors", "BulkheadWeightError")?;
    let Figures { weight, limit, .. } = figures;
    let text = format!("{name}: weight {weight} is above the limit (max_concurrent {limit})");
    let fields = [("weight", weight), ("limit", limit)];
    error(class, name, &text, &fields.into_py_dict(py)?)
}

fn reentrant(name: &Bound<'_, PyString>, figures: Figures, holding: u64) -> PyResult<PyErr> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = name.py();
    let class = CLASS.import(py, "bulkheads._errors", "BulkheadReentrantError")?;
    let Figures { weight, limit, .. } = figures;
    let text = format!(
        "{name}: its caller holds {holding} already and {weight} more is above the limit (max_concurrent {limit}), \
         so that it would wait for itself"
    );
    let fields = [("weight", weight), ("limit", limit)].into_py_dict(py)?;
    fields.set_item("holding", holding)?;
    error(class, name, &text, &fields)
}

fn error(
    class: &Bound<'_, PyType>,
    name: &Bound<'_, PyString>,
    text: &str,
    fields: &Bound<'_, PyDict>,
) -> PyResult<PyErr> {
    fields.set_item("bulkhead", name)?;
    Ok(PyErr::from_value(class.call((text,), Some(fields))?))
}
