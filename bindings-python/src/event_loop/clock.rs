//! The clocks of loops and threads, each set forward to the core's time.
//!
//! One that begins behind what the core has seen, a virtual one say, would let everybody wait until that time has come round again.

use bulkheads_core::{Instant, Span};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyFunction;

use crate::numbers::instant;

/// A timer may fire so many nanoseconds early, and takes the core that much ahead.
pub(crate) const RESOLUTION: u64 = 1;

/// A function that says the time, and how far the core's time is ahead of it.
pub(crate) struct Clock {
    read: Py<PyAny>,
    pub(crate) offset: Span,
}

impl Clock {
    /// That of all code outside of loops, and, with the same offset, of all loops that read the system's clock.
    pub(crate) fn system(py: Python<'_>, offset: Span) -> PyResult<Self> {
        static MONOTONIC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let read = MONOTONIC.import(py, "time", "monotonic")?.clone().unbind();
        Ok(Self { read, offset })
    }

    /// That of a loop, as it is.
    pub(crate) fn of(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        let read = event_loop.getattr(intern!(event_loop.py(), "time"))?;
        Ok(Self {
            read: read.unbind(),
            offset: Span::ZERO,
        })
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            read: self.read.clone_ref(py),
            offset: self.offset,
        }
    }

    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Instant> {
        let seconds = self.read.call0(py)?.extract(py)?;
        Ok(instant(seconds).after(self.offset))
    }

    /// The offset that makes it agree with the latest time that the core has seen; it stays as it is if it is not behind.
    pub(crate) fn caught_up(&self, py: Python<'_>, latest: Instant) -> PyResult<Span> {
        let gap = latest.nanos_since(self.read(py)?);
        if gap <= 2 * RESOLUTION {
            return Ok(self.offset);
        }
        let offset = self.offset.as_nanos().saturating_add(gap);
        Ok(Span::from_nanos(offset))
    }

    /// Whether it is the system's. That of a compiled loop is, which other threads should not ask.
    pub(crate) fn is_system(&self, py: Python<'_>) -> PyResult<bool> {
        let read = self.read.bind(py);
        let function = read.getattr_opt(intern!(py, "__func__"))?;
        let function = function.unwrap_or_else(|| read.clone());
        let asyncio = py.import("asyncio")?;
        let own = asyncio.getattr("BaseEventLoop")?.getattr("time")?;
        Ok(function.is(&own) || !function.is_instance_of::<PyFunction>())
    }
}
