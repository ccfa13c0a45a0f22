//! The engine of the Python package: the core's numbers behind a lock, see `docs/engine.md`.
//!
//! Nothing here touches a Python object while the lock is held. So no finaliser, signal handler or
//! other thread can ask for the lock of a thread that already has it, and a forked child never
//! inherits it taken.

mod engine;
mod number;

use pyo3::prelude::*;

/// The compiled half of `bulkheads`; private, the package wraps it.
#[pymodule(gil_used = false)]
mod _engine {
    #[pymodule_export]
    use crate::engine::Engine;
}
