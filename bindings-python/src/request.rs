//! What a call asks for.

use bulkheads_core::MAX_COUNT;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

use crate::runs::Runs;

#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// Its weight if it may run without a look at the clock; otherwise 0.
    pub(crate) at_once: u32,
    pub(crate) weight: f64,
    pub(crate) timeout: f64,
    pub(crate) deadline: f64,
}

impl Request {
    pub(crate) const PLAIN: Self = Self {
        at_once: 1,
        weight: 1.0,
        timeout: f64::INFINITY,
        deadline: f64::INFINITY,
    };

    /// The weight of a call without bounds of its own; None for what the facade has to look at, and perhaps to refuse.
    fn ordinary(
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> Option<u32> {
        let weight = weight.cast_exact::<PyInt>().ok()?.extract().ok()?;
        let timeout = timeout.cast_exact::<PyFloat>().ok()?.value();
        let is_ordinary =
            (1..=MAX_COUNT).contains(&weight) && timeout == f64::INFINITY && deadline.is_none();
        is_ordinary.then_some(weight)
    }

    /// Any arguments. Raises what is wrong with them.
    pub(crate) fn any(
        runs: &Bound<'_, Runs>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        if let Some(weight) = Self::ordinary(weight, timeout, deadline) {
            return Ok(Self {
                at_once: weight,
                weight: weight.into(),
                ..Self::PLAIN
            });
        }
        let checked = intern!(runs.py(), "checked");
        let checked = runs
            .get()
            .calls(runs.py())
            .call_method1(checked, (weight, timeout, deadline))?;
        let (weight, timeout, deadline) = checked.extract()?;
        Ok(Self {
            at_once: 0,
            weight,
            timeout,
            deadline,
        })
    }
}

/// A weight in its range as a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, and in range"
)]
pub(crate) fn at_once(weight: f64) -> Option<u32> {
    let is_in_range = weight.fract() == 0.0 && (1.0..=f64::from(MAX_COUNT)).contains(&weight);
    is_in_range.then_some(weight as u32)
}
