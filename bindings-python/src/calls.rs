//! One bulkhead, as the compiled parts share it.

use std::sync::Arc;

use bulkheads_core::{Bulkhead, Span};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::callable::{Checked, Way};
use crate::errors::Errors;
use crate::state::{Shared, State};

/// Calls from admission to release. `methods` says what Python can do with it.
///
/// Final: `CPython` calls the methods of final classes faster.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Calls {
    pub(crate) errors: Errors,
    pub(crate) shared: Arc<Shared>,
    pub(crate) awaited: Checked,
    pub(crate) blocking: Checked,
    /// Whether it is noted which context holds what, so that a call is rejected that would wait for
    /// itself.
    pub(crate) detects: bool,
    /// Whether every run has a deadline.
    pub(crate) is_bounded: bool,
}

impl Calls {
    pub(crate) fn new(name: Py<PyString>, core: Bulkhead, detects: bool) -> Self {
        let is_bounded = core.config().run_bound() < Span::FOREVER;
        Self {
            errors: Errors::new(name),
            // Threads and loops in Python 1.1, Threads and loops in Python 1.2
            shared: Arc::new(Shared::new(State::new(core))),
            awaited: Checked::new(Way::Awaited),
            blocking: Checked::new(Way::Blocking),
            detects,
            is_bounded,
        }
    }

    pub(crate) const fn name(&self) -> &Py<PyString> {
        &self.errors.name
    }

    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let visited = self.shared.try_look(|state| {
            state.table.visit(visit)?;
            state.drivers.visit(visit)
        });
        // The collector runs wherever Python allocates. Not to visit only delays collection.
        visited.unwrap_or(Ok(()))
    }

    pub(crate) fn clear(&self) {
        let held = self.shared.look(|state| {
            let table = std::mem::take(&mut state.table);
            (table, std::mem::take(&mut state.drivers))
        });
        drop(held);
        drop(self.shared.unlisten_all());
    }
}
