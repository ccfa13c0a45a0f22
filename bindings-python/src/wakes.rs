//! Whom a driver has to wake.
//!
//! A loop makes an object for each callback, and calls Python code to put it into its queue. So the waiters that are told one
//! after the other are woken by one callback, in the order in which they were told.

use std::collections::VecDeque;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::waiting::Waiting;

/// How a task wants to be woken.
pub(crate) struct Callback {
    pub(crate) function: Py<PyAny>,
    pub(crate) context: Option<Py<PyAny>>,
    pub(crate) waiting: Py<Waiting>,
}

impl Callback {
    pub(crate) fn run(&self, py: Python<'_>) -> PyResult<()> {
        let Self {
            function,
            context,
            waiting,
        } = self;
        match context {
            Some(context) => context.call_method1(py, intern!(py, "run"), (function, waiting))?,
            None => function.call1(py, (waiting,))?,
        };
        Ok(())
    }

    pub(crate) fn call_soon(&self, py: Python<'_>) -> PyResult<()> {
        let options = PyDict::new(py);
        options.set_item(intern!(py, "context"), &self.context)?;
        let event_loop = self.waiting.get().event_loop().bind(py);
        let arguments = (&self.function, &self.waiting);
        event_loop.call_method(intern!(py, "call_soon"), arguments, Some(&options))?;
        Ok(())
    }
}

#[derive(Default)]
pub(crate) struct Wakes {
    /// Ids, one batch for each callback that the loop will call.
    batches: VecDeque<Vec<f64>>,
    /// Whether the last batch takes more.
    is_open: bool,
}

impl Wakes {
    /// True if another callback is needed.
    pub(crate) fn push(&mut self, id: f64) -> bool {
        match self.batches.back_mut() {
            Some(batch) if self.is_open => {
                batch.push(id);
                false
            }
            _ => {
                self.batches.push_back(vec![id]);
                self.is_open = true;
                true
            }
        }
    }

    /// Something else was told, which comes before whoever is told from now on.
    pub(crate) fn seal(&mut self) {
        self.is_open = false;
    }

    /// The batch of the callback that is called.
    pub(crate) fn take(&mut self) -> Vec<f64> {
        let batch = self.batches.pop_front().unwrap_or_default();
        self.is_open &= !self.batches.is_empty();
        batch
    }

    /// What was taken and not woken: for another callback.
    pub(crate) fn put_back(&mut self, rest: Vec<f64>) {
        self.batches.push_front(rest);
    }
}
