//! What a call asks for.

use bulkheads_core::{Instant, MAX_COUNT, Opt, OwnerId, Request, Span};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

use crate::calls::Calls;
use crate::numbers;
use crate::place::Place;

/// What a call asks for.
#[pyclass(frozen)]
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) weight: u32,
    timeout: Span,
    deadline: Instant,
    call_timeout: Span,
}

/// Who will hold the permits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The current task, which keeps the ticket.
    Block,
    /// The current task, which does not: a bare `async with`.
    Entry,
    /// A permit that its taker releases.
    Manual,
}

impl Asked {
    /// Without bounds of its own.
    pub(crate) const fn plain(weight: u32) -> Self {
        Self {
            weight,
            timeout: Span::FOREVER,
            deadline: Instant::NEVER,
            call_timeout: Span::FOREVER,
        }
    }

    /// With its own bound on its work.
    pub(crate) fn bounded(mut self, call_timeout: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.call_timeout = numbers::call_timeout(call_timeout)?;
        Ok(self)
    }

    /// Whether it brings a bound on its work.
    pub(crate) fn is_bounded(&self) -> bool {
        self.call_timeout < Span::FOREVER || self.deadline < Instant::NEVER
    }

    /// Not willing to wait.
    pub(crate) const fn at_once(weight: u32) -> Self {
        Self {
            timeout: Span::ZERO,
            ..Self::plain(weight)
        }
    }

    /// Any arguments. Raises what is wrong with them.
    #[inline]
    pub(crate) fn any(
        calls: &Bound<'_, Calls>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        if let Some(weight) = ordinary(weight, timeout, deadline) {
            return Ok(Self::plain(weight));
        }
        let weight = numbers::count(Opt::Weight, weight)?;
        let timeout = numbers::wait(timeout)?;
        let offset = if deadline.is_none() {
            Span::ZERO
        } else {
            Place::find(calls)?.offset()
        };
        let deadline = numbers::deadline(deadline, offset)?;
        Ok(Self {
            timeout,
            deadline,
            ..Self::plain(weight)
        })
    }

    pub(crate) const fn request(&self, kind: Kind, owner: OwnerId) -> Request<'static> {
        let request = match kind {
            // Running 5.2
            Kind::Block | Kind::Entry => Request::run(self.weight).call_timeout(self.call_timeout),
            // Running 5.4
            Kind::Manual => Request::permit(self.weight),
        };
        request
            .owner(owner)
            .timeout(self.timeout)
            .deadline(self.deadline)
    }
}

/// The weight of a call without bounds of its own; None for what has to be looked at more closely,
/// and perhaps refused.
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
