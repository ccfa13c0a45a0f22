//! An awaitable that is done at once.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The class `Done`, whose objects have no state.
///
/// Python asks what it awaits to go on by the slot `am_send`, if there is one, which can answer
/// that it is done without an exception. `pyo3` knows no such slot, and an `async with` awaits
/// twice: this saves a tenth of its time.
pub(crate) fn class(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    let mut slots = [
        slot(ffi::Py_am_await, itself as *mut c_void),
        slot(ffi::Py_am_send, send as *mut c_void),
        slot(ffi::Py_tp_iter, itself as *mut c_void),
        slot(ffi::Py_tp_iternext, next as *mut c_void),
        slot(0, null_mut()),
    ];
    let size = size_of::<ffi::PyObject>();
    let mut spec = ffi::PyType_Spec {
        name: c"bulkheads._engine.Done".as_ptr(),
        basicsize: c_int::try_from(size).unwrap_or_default(),
        itemsize: 0,
        flags: u32::try_from(ffi::Py_TPFLAGS_DEFAULT)?,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: Python copies what it needs of the specification but the name, which is static; each
    // function is of the type of its slot. It returns a new reference, or null with an error set.
    unsafe {
        let class = ffi::PyType_FromSpec(&raw mut spec);
        Bound::from_owned_ptr_or_err(py, class).map(|class| class.cast_into_unchecked())
    }
}

/// The one object, made a coroutine by Python: what need not be waited for.
pub(crate) fn ready(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static READY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let ready = READY.import(py, "bulkheads._awaitables", "READY")?;
    Ok(ready.clone().unbind())
}

const fn slot(slot: c_int, pfunc: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc }
}

unsafe extern "C" fn itself(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls it with an object of this class, attached.
    unsafe { ffi::Py_NewRef(object) }
}

/// Null without an error: there is nothing more, as `StopIteration` says.
unsafe extern "C" fn next(_: *mut ffi::PyObject) -> *mut ffi::PyObject {
    null_mut()
}

unsafe extern "C" fn send(
    _: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
    result: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: Python calls it with a place for a new reference, attached.
    unsafe { *result = ffi::Py_NewRef(ffi::Py_None()) };
    ffi::PySendResult::PYGEN_RETURN
}
