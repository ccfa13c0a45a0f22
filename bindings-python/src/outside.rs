//! Inputs where no loop runs: in threads, finalisers, at import time.

use std::sync::MutexGuard;

use bulkheads_core::OwnerId;
use bulkheads_engine::{Engine, owner_number};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::engine::whole;
use crate::runs::Runs;
use crate::shared::Shared;

/// The time, and for how long a thread may be blocked until it looks again, whatever happens. Before that, loops that were
/// closed give back what they held.
pub(crate) fn look(runs: &Bound<'_, Runs>) -> PyResult<(f64, f64)> {
    let look = intern!(runs.py(), "look");
    runs.get().calls(runs.py()).call_method0(look)?.extract()
}

/// Whether an event loop runs in this thread.
pub(crate) fn is_in_loop(py: Python<'_>) -> PyResult<bool> {
    static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let running = RUNNING_LOOP.import(py, "asyncio", "_get_running_loop")?;
    Ok(!running.call0()?.is_none())
}

/// An input, whose answer counts whatever a signal handler raises while the clock is read and loops are woken: that comes beside it.
pub(crate) fn input<R>(
    runs: &Bound<'_, Runs>,
    act: impl FnOnce(&mut Engine, f64) -> R,
) -> (R, PyResult<()>) {
    // The core takes a time in the past for the one it stands at.
    let (now, looked) = match look(runs) {
        Ok((now, _)) => (now, Ok(())),
        Err(error) => (0.0, Err(error)),
    };
    let mut shared = runs.get().handle().lock();
    let answer = act(&mut shared.core, now);
    let woken = wake_told(runs, shared);
    (answer, looked.and(woken.map(|_| ())))
}

/// The end of an input: wakes everybody whom it told something. True if loops are among them, for which Python code runs.
pub(crate) fn wake_told(
    runs: &Bound<'_, Runs>,
    mut shared: MutexGuard<'_, Shared>,
) -> PyResult<bool> {
    let are_loops_told = shared.wake_threads();
    drop(shared);
    if are_loops_told {
        wake_loops(runs)?;
    }
    Ok(are_loops_told)
}

/// All of them, whatever a signal handler raises.
fn wake_loops(runs: &Bound<'_, Runs>) -> PyResult<()> {
    let owners = runs.get().handle().lock().take_wakes(OwnerId::FIRST);
    let owners: Vec<i64> = owners.into_iter().map(whole).collect();
    let first = owner_number(OwnerId::FIRST);
    let mut raised = Ok(());
    for owner in owners.into_iter().filter(|owner| *owner != whole(first)) {
        // One that is woken twice finds nothing the second time.
        if let Err(error) = wake(runs, owner) {
            let again = wake(runs, owner);
            raised = raised.and_then(|()| again.and(Err(error)));
        }
    }
    raised
}

fn wake(runs: &Bound<'_, Runs>, owner: i64) -> PyResult<()> {
    let wake = intern!(runs.py(), "wake");
    runs.get().calls(runs.py()).call_method1(wake, (owner,))?;
    Ok(())
}
