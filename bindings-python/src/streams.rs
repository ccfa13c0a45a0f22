//! Entries of async generators, whose bodies run only while a consumer asks for the next item.

use bulkheads_core::Id;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::calls::Calls;
use crate::table::Ticket;

/// The frame of the async generator that enters here, if one does and the call has a bound.
pub(crate) fn frame(calls: &Bound<'_, Calls>, is_bounded: bool) -> PyResult<Option<Py<PyAny>>> {
    static FRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !calls.get().is_bounded && !is_bounded {
        return Ok(None);
    }
    let frame = FRAME.import(calls.py(), "bulkheads._streams", "frame")?;
    let frame = frame.call0()?;
    Ok((!frame.is_none()).then(|| frame.unbind()))
}

/// Notes in which one a call was entered.
pub(crate) fn note(calls: &Bound<'_, Calls>, ticket: Ticket, frame: Py<PyAny>) {
    let before = calls.get().shared.look(|state| {
        let call = state.table.get_mut(ticket)?;
        call.stream.replace(frame)
    });
    drop(before);
}

/// Whether the task of a call is elsewhere: the async generator that has entered stands still, and
/// the task waits for something else.
// Running 5.5
pub(crate) fn is_elsewhere(
    calls: &Bound<'_, Calls>,
    ticket: Ticket,
    id: Id,
    task: &Py<PyAny>,
) -> PyResult<bool> {
    static WAITS_IN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = calls.py();
    let frame = calls.get().shared.look(|state| {
        let call = state.table.get(ticket).filter(|call| call.id == id)?;
        Some(call.stream.as_ref()?.clone_ref(py))
    });
    let Some(frame) = frame else {
        return Ok(false);
    };
    let waits_in = WAITS_IN.import(py, "bulkheads._streams", "waits_in")?;
    Ok(!waits_in.call1((task, frame))?.is_truthy()?)
}
