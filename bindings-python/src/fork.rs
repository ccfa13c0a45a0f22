//! Forked children: the statistics start at zero, and the parent's loops and threads are gone.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCFunction};

use crate::state::{Shared, State};

/// All bulkheads of the process.
static ALL: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Has it begin anew in every child that is forked from here on.
pub(crate) fn register(shared: &Arc<Shared>) {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() == all.capacity() {
        // Before it grows: at most half of those in it are gone, then.
        all.retain(|shared| shared.strong_count() > 0);
        let live = all.len();
        all.reserve(live + 1);
    }
    all.push(Arc::downgrade(shared));
}

/// Once, as the module is made.
pub(crate) fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? else {
        // This system has no fork.
        return Ok(());
    };
    let begin_anew = PyCFunction::new_closure(py, None, None, |_, _| {
        let all = ALL.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for shared in all.iter().filter_map(Weak::upgrade) {
            let drivers = shared.look(State::restart);
            // Kept: a loop that is finalised here would take its files out of what the parent's
            // loop still waits for.
            std::mem::forget((drivers, shared.unlisten_all()));
        }
    })?;
    let options = [("after_in_child", begin_anew)].into_py_dict(py)?;
    register.call((), Some(&options))?;
    Ok(())
}
