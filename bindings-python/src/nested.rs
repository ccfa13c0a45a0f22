//! Which context holds what, for calls that would wait for themselves. Nothing of it is done unless somebody has asked for it.

use pyo3::intern;
use pyo3::prelude::*;

use crate::calls::{Arrival, FAILED, Kind};
use crate::engine::whole;
use crate::runs::Runs;

impl Runs {
    /// How many permits the caller's own context holds, once what is due by now has come back.
    #[inline]
    pub(crate) fn holding(slf: &Bound<'_, Self>, now: f64) -> PyResult<f64> {
        if slf.get().detects() {
            return look(slf, now);
        }
        Ok(0.0)
    }

    /// The caller's context holds the permits of this id, as long as anybody does.
    #[inline]
    pub(crate) fn hold(slf: &Bound<'_, Self>, id: f64) -> PyResult<()> {
        if slf.get().detects() {
            return remember(slf, id);
        }
        Ok(())
    }

    /// Something has come back, which the caller's context need not remember.
    #[inline]
    pub(crate) fn let_go(slf: &Bound<'_, Self>) -> PyResult<()> {
        if slf.get().detects() {
            return forget(slf);
        }
        Ok(())
    }

    /// A call that was admitted at once holds its permits, unless they are for a task that does not run yet.
    #[inline]
    pub(crate) fn note(slf: &Bound<'_, Self>, arrival: &Arrival, kind: Kind) -> PyResult<()> {
        if slf.get().detects() {
            return remember_arrival(slf, arrival, kind);
        }
        Ok(())
    }
}

#[cold]
fn look(runs: &Bound<'_, Runs>, now: f64) -> PyResult<f64> {
    let holding = intern!(runs.py(), "holding");
    let calls = runs.get().calls(runs.py());
    calls.call_method1(holding, (now,))?.extract()
}

#[cold]
fn remember(runs: &Bound<'_, Runs>, id: f64) -> PyResult<()> {
    let hold = intern!(runs.py(), "hold");
    let calls = runs.get().calls(runs.py());
    calls.call_method1(hold, (whole(id),))?;
    Ok(())
}

#[cold]
fn forget(runs: &Bound<'_, Runs>) -> PyResult<()> {
    let let_go = intern!(runs.py(), "let_go");
    runs.get().calls(runs.py()).call_method0(let_go)?;
    Ok(())
}

#[cold]
fn remember_arrival(runs: &Bound<'_, Runs>, arrival: &Arrival, kind: Kind) -> PyResult<()> {
    let (Arrival::Admitted(ticket), Kind::Block | Kind::Entry | Kind::Hand) = (arrival, kind)
    else {
        return Ok(());
    };
    let id = runs
        .get()
        .handle()
        .lock()
        .table
        .get(*ticket)
        .map(|run| run.id);
    let Some(id) = id else { return Ok(()) };
    remember(runs, id).or_else(|error| {
        let run = runs.get().handle().lock().table.end(*ticket);
        drop(run);
        Runs::finish_timed(runs, id, FAILED)?;
        Err(error)
    })
}
