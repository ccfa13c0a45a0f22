//! The engine of the Python package: the core's numbers behind a lock, see `docs/engine.md`; and the calls of the package as
//! far as they go without waiting.
//!
//! Nothing here runs Python code, drops a Python object or lets go of the interpreter while the lock is held. So no finaliser or
//! signal handler can ask for the lock of a thread that already has it, and a forked child never inherits it taken.

mod blocking;
mod calls;
mod done;
mod drivers;
mod engine;
mod errors;
mod gate;
mod hand;
mod here;
mod host;
mod nested;
mod number;
mod outside;
mod request;
mod runs;
mod shared;
mod table;
mod threads;
mod waiting;
mod wakes;
mod work;

use pyo3::prelude::*;

/// The compiled half of `bulkheads`; private, the package wraps it.
#[pymodule(gil_used = false)]
mod _engine {
    use pyo3::prelude::*;

    use crate::done;

    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::gate::{Entry, Gate};
    #[pymodule_export]
    use crate::runs::Runs;
    #[pymodule_export]
    use crate::waiting::Waiting;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("Done", done::class(module.py())?)
    }
}
