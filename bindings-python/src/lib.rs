//! The compiled half of the Python package: one core behind a lock, its calls, and the drivers of
//! the loops that use it.
//!
//! From the bottom: `numbers`, `callable`, `event_loop`, `table` and `state` know no call of
//! Python's into the package; `settle`, `callbacks` and `place` are the driver; `admit`, `finish`,
//! `blocking`, `permits` and `watch` are the ways of a call; `awaitable`, `context_manager` and
//! `methods` are what Python sees.

mod admit;
mod awaitable;
mod blocking;
mod callable;
mod callbacks;
mod calls;
mod context_manager;
mod done;
mod errors;
mod event_loop;
mod finish;
mod fork;
mod leave;
mod methods;
mod numbers;
mod permits;
mod place;
mod reentrancy;
mod request;
mod settle;
mod state;
mod streams;
mod table;
mod threads;
mod watch;

use pyo3::prelude::*;

/// The compiled half of `bulkheads`; private, the package wraps it.
#[pymodule(gil_used = false)]
mod _engine {
    use std::sync::atomic::Ordering;

    use bulkheads_core::Span;
    use pyo3::prelude::*;

    use crate::event_loop::asyncio::Step;
    use crate::event_loop::clock::Clock;
    use crate::state::CLOSED_LOOKED_AFTER;
    use crate::{done, fork};

    #[pymodule_export]
    use crate::awaitable::Waiting;
    #[pymodule_export]
    use crate::calls::Calls;
    #[pymodule_export]
    use crate::context_manager::{Entry, Gate};
    #[pymodule_export]
    use crate::request::Asked;

    /// For tests: sets the interval, in nanoseconds, at which a waiter polls for closed loops.
    /// Answers the one before.
    #[pyfunction]
    #[pyo3(signature = (nanos, /))]
    fn look_for_closed_loops_after(nanos: u64) -> u64 {
        CLOSED_LOOKED_AFTER.swap(nanos, Ordering::Relaxed)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("Done", done::class(py)?)?;
        // What ends a call may run while the interpreter shuts down, when nothing can be imported.
        Step::is_in_loop(py)?;
        Clock::system(Span::ZERO).read(py)?;
        fork::watch(module)
    }
}
