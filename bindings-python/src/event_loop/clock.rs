//! The clocks of loops and threads, each set forward to the core's time.
//!
//! One that begins behind what the core has seen, a virtual one say, would let all calls wait until
//! that time has come round again.

use bulkheads_core::{Instant, Span};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyFunction;

use crate::numbers::instant;

/// A timer may fire so many nanoseconds early, and takes the core that much ahead.
pub(crate) const RESOLUTION: u64 = 1;

/// What says the time, and how far the core's time is ahead of that.
pub(crate) struct Clock {
    read: Read,
    pub(crate) offset: Span,
}

enum Read {
    /// The function of a loop.
    Loop(Py<PyAny>),
    /// `time.monotonic`, looked up at each reading, since tests replace it. asyncio's own loops
    /// call it too, but take twice as long.
    System,
}

impl Clock {
    /// That of all code outside of loops, and, with the same offset, of all loops that read the
    /// system's clock.
    pub(crate) const fn system(offset: Span) -> Self {
        let read = Read::System;
        Self { read, offset }
    }

    /// That of a loop, as it is; and whether it is the system's. That of a compiled loop is, which
    /// other threads should not ask.
    pub(crate) fn of(event_loop: &Bound<'_, PyAny>) -> PyResult<(Self, bool)> {
        let py = event_loop.py();
        let read = event_loop.getattr(intern!(py, "time"))?;
        let function = read.getattr_opt(intern!(py, "__func__"))?;
        let function = function.unwrap_or_else(|| read.clone());
        let own = py
            .import("asyncio")?
            .getattr("BaseEventLoop")?
            .getattr("time")?;
        if function.is(&own) {
            return Ok((Self::system(Span::ZERO), true));
        }
        let is_compiled = !function.is_instance_of::<PyFunction>();
        let clock = Self {
            read: Read::Loop(read.unbind()),
            offset: Span::ZERO,
        };
        Ok((clock, is_compiled))
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        let read = match &self.read {
            Read::Loop(read) => Read::Loop(read.clone_ref(py)),
            Read::System => Read::System,
        };
        Self {
            read,
            offset: self.offset,
        }
    }

    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Instant> {
        static TIME: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let seconds = match &self.read {
            Read::Loop(read) => read.bind(py).call0()?,
            Read::System => {
                let time =
                    TIME.get_or_try_init(py, || PyResult::Ok(py.import("time")?.unbind()))?;
                let monotonic = time.bind(py).getattr(intern!(py, "monotonic"))?;
                monotonic.call0()?
            }
        };
        Ok(instant(seconds.extract()?).after(self.offset))
    }

    /// The offset that makes it agree with the latest time that the core has seen; it stays as it
    /// is if it is not behind.
    pub(crate) fn caught_up(&self, py: Python<'_>, latest: Instant) -> PyResult<Span> {
        let gap = latest.nanos_since(self.read(py)?);
        if gap <= 2 * RESOLUTION {
            return Ok(self.offset);
        }
        let offset = self.offset.as_nanos().saturating_add(gap);
        Ok(Span::from_nanos(offset))
    }
}
