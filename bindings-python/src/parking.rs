//! How a blocked thread waits until it is woken.
//!
//! gevent and eventlet run many greenlets in one thread: who waits there lets the others run by an
//! event of theirs. The system's own way would stop them all, those that hold permits too.

use std::time::Duration;

use pyo3::intern;
use pyo3::prelude::*;

use crate::event_loop::driver::Waker;

pub(crate) enum Parking {
    Thread,
    /// `threading.Event`, as it was patched.
    Green(Py<PyAny>),
}

impl Parking {
    /// As this process was patched.
    pub(crate) fn here(py: Python<'_>) -> PyResult<Self> {
        if !is_patched(py, "gevent.monkey", "is_module_patched", "threading")?
            && !is_patched(py, "eventlet.patcher", "is_monkey_patched", "thread")?
        {
            return Ok(Self::Thread);
        }
        let event = py.import("threading")?.call_method0(intern!(py, "Event"))?;
        Ok(Self::Green(event.unbind()))
    }

    pub(crate) fn waker(&self, py: Python<'_>) -> Waker {
        match self {
            Self::Thread => Waker::Thread(std::thread::current()),
            Self::Green(event) => Waker::Green(event.clone_ref(py)),
        }
    }

    /// Before a look at what there is: a wake-up that comes after it counts.
    pub(crate) fn prepare(&self, py: Python<'_>) -> PyResult<()> {
        if let Self::Green(event) = self {
            event.call_method0(py, intern!(py, "clear"))?;
        }
        Ok(())
    }

    /// Until a wake-up, or so long; perhaps shorter.
    pub(crate) fn park(&self, py: Python<'_>, pause: Duration) -> PyResult<()> {
        match self {
            Self::Thread => py.detach(|| std::thread::park_timeout(pause)),
            // Threads and loops in Python 6.1
            Self::Green(event) => {
                let seconds = (pause < Duration::MAX).then_some(pause.as_secs_f64());
                event.call_method1(py, intern!(py, "wait"), (seconds,))?;
            }
        }
        Ok(())
    }
}

/// Whether a module that was imported says so.
fn is_patched(py: Python<'_>, module: &str, method: &str, what: &str) -> PyResult<bool> {
    let modules = py.import("sys")?.getattr(intern!(py, "modules"))?;
    let module = modules.call_method1(intern!(py, "get"), (module,))?;
    if module.is_none() {
        return Ok(false);
    }
    module.call_method1(method, (what,))?.is_truthy()
}
