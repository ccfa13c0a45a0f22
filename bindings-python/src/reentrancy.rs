//! Which context holds what, for calls that would wait for themselves. Nothing of it is done
//! without `detect_reentrancy`.
//!
//! A context is what `contextvars` says: that of a task, or of a thread. Tasks, and whatever else
//! runs in a copy of a context, hold what that held when they were begun, until it comes back. The
//! core knows what has come back, however it did.

use std::sync::{Arc, Weak};

use bulkheads_core::Id;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::calls::Calls;
use crate::state::Shared;

/// The permits of one id. A context keeps no bulkhead alive.
#[pyclass(frozen, module = "bulkheads._engine")]
struct Held {
    shared: Weak<Shared>,
    id: Id,
}

impl Held {
    fn is_held(&self) -> bool {
        let shared = self.shared.upgrade();
        shared.is_some_and(|shared| shared.look(|state| state.core.permits(self.id) > 0))
    }
}

/// The ids of this bulkhead in the caller's context, stale ones among them.
#[inline]
pub(crate) fn held(calls: &Bound<'_, Calls>) -> PyResult<Vec<Id>> {
    // Nested calls 5
    if !calls.get().detects {
        return Ok(Vec::new());
    }
    let shared = &calls.get().shared;
    // Nested calls 2.1
    let tuple = get(calls.py())?;
    let held = tuple.iter().filter_map(|held| {
        let held = held.cast_into::<Held>().ok()?;
        let is_own = std::ptr::eq(held.get().shared.as_ptr(), Arc::as_ptr(shared));
        is_own.then(|| held.get().id)
    });
    Ok(held.collect())
}

/// The caller's context holds the permits of this id, for as long as they are held.
#[inline]
pub(crate) fn hold(calls: &Bound<'_, Calls>, id: Id) -> PyResult<()> {
    if calls.get().detects {
        return add(calls, id);
    }
    Ok(())
}

/// Something has come back, most likely what was taken last. The rest is looked at as more is
/// added.
#[inline]
pub(crate) fn let_go(calls: &Bound<'_, Calls>) -> PyResult<()> {
    if calls.get().detects {
        return drop_last(calls.py());
    }
    Ok(())
}

#[cold]
fn add(calls: &Bound<'_, Calls>, id: Id) -> PyResult<()> {
    let py = calls.py();
    let tuple = get(py)?;
    let shared = Arc::downgrade(&calls.get().shared);
    let mut held: Vec<_> = tuple.iter().collect();
    // At these lengths only: each look asks the core, and so what has come back is never more than
    // what is held.
    if held.len() & held.len().wrapping_sub(1) == 0 {
        held.retain(is_held);
    }
    held.push(Bound::new(py, Held { shared, id })?.into_any());
    set(&PyTuple::new(py, held)?)
}

#[cold]
fn drop_last(py: Python<'_>) -> PyResult<()> {
    let tuple = get(py)?;
    let held = tuple.iter().rev().position(|held| is_held(&held));
    let dropped = held.unwrap_or(tuple.len());
    if dropped == 0 {
        return Ok(());
    }
    set(&tuple.get_slice(0, tuple.len() - dropped))
}

fn is_held(held: &Bound<'_, PyAny>) -> bool {
    held.cast::<Held>().is_ok_and(|held| held.get().is_held())
}

fn get(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let value = variable(py)?.call_method0(intern!(py, "get"))?;
    Ok(value.cast_into()?)
}

fn set(held: &Bound<'_, PyTuple>) -> PyResult<()> {
    let py = held.py();
    variable(py)?.call_method1(intern!(py, "set"), (held,))?;
    Ok(())
}

fn variable(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static HELD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let variable = HELD.get_or_try_init(py, || {
        // Nested calls 3.3: a task and `asyncio.to_thread` begin with a copy of their context.
        let class = py.import("contextvars")?.getattr("ContextVar")?;
        let options = [("default", PyTuple::empty(py))];
        let options = pyo3::types::IntoPyDict::into_py_dict(options, py)?;
        let variable = class.call(("permits of bulkheads",), Some(&options))?;
        PyResult::Ok(variable.unbind())
    })?;
    Ok(variable.bind(py))
}
