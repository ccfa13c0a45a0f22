//! What asyncio knows of the moment: which loop runs here, and which task.

use std::ptr::null_mut;

use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyType};

/// Code that runs in a loop, mostly a task in the middle of its step.
pub(crate) struct Step<'py> {
    pub(crate) event_loop: Bound<'py, PyAny>,
    pub(crate) task: Option<Bound<'py, PyAny>>,
}

impl<'py> Step<'py> {
    /// The only step that is under way in the whole process: if its loop is known to run in this
    /// thread, it is that of the caller.
    ///
    /// Asking for the running loop takes a system call in some versions of Python, and longer than
    /// all the rest. None says nothing: several threads may have been interrupted in the middle of
    /// a step, or this asyncio may keep its books elsewhere.
    pub(crate) fn only(py: Python<'py>) -> Option<Self> {
        let steps = current_tasks(py)?.as_ptr();
        let (mut place, mut event_loop, mut task) = (0, null_mut(), null_mut());
        // SAFETY: it is a dictionary; what it answers is borrowed from that, and no code of
        // Python's runs until there are references of our own.
        unsafe {
            if ffi::PyDict_Size(steps) != 1
                || ffi::PyDict_Next(steps, &raw mut place, &raw mut event_loop, &raw mut task) == 0
            {
                return None;
            }
            Some(Self {
                event_loop: Bound::from_borrowed_ptr(py, event_loop),
                task: Some(Bound::from_borrowed_ptr(py, task)),
            })
        }
    }

    /// The caller's. Raises `RuntimeError` if no loop runs here.
    pub(crate) fn running(py: Python<'py>) -> PyResult<Self> {
        static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static CURRENT_TASK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let running_loop = RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?;
        let current_task = CURRENT_TASK.import(py, "asyncio", "current_task")?;
        let event_loop = running_loop.call0().or_else(|error| {
            refuse_trio(py)?;
            Err(error)
        })?;
        let task = current_task.call1((&event_loop,))?;
        let task = (!task.is_none()).then_some(task);
        Ok(Self { event_loop, task })
    }

    /// Whether an event loop runs in this thread.
    pub(crate) fn is_in_loop(py: Python<'_>) -> PyResult<bool> {
        static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let running = RUNNING_LOOP.import(py, "asyncio", "_get_running_loop")?;
        Ok(!running.call0()?.is_none())
    }

    /// Identifies the caller: the address of the task, or of the loop where it runs code without
    /// one.
    pub(crate) fn key(&self) -> usize {
        self.task.as_ref().unwrap_or(&self.event_loop).as_ptr() as usize
    }
}

/// Raises `RuntimeError` inside of trio, whose tasks wait for nothing of asyncio's.
pub(crate) fn refuse_trio(py: Python<'_>) -> PyResult<()> {
    let modules = py.import("sys")?.getattr(intern!(py, "modules"))?;
    let trio = modules.call_method1(intern!(py, "get"), ("trio.lowlevel",))?;
    // Threads and loops in Python 6.2
    if trio.is_none() || !trio.call_method0("in_trio_run")?.is_truthy()? {
        return Ok(());
    }
    let text = "bulkheads serves asyncio and threads, not trio: in trio, write \
                `await trio.to_thread.run_sync(bulkhead.run_sync, work)`, or let anyio run on asyncio";
    Err(PyRuntimeError::new_err(text))
}

/// How often a task was asked to cancel, and did not take it back.
pub(crate) fn cancelling(task: &Bound<'_, PyAny>) -> PyResult<i64> {
    let py = task.py();
    let count = match CANCELLING.get(py) {
        Some(method) if task.get_type().is(&method.class) => method.call(task)?,
        _ => {
            let method = task.getattr(intern!(py, "cancelling"))?;
            if let Some(method) = Method::of(task, &method) {
                let _ = CANCELLING.set(py, method);
            }
            method.call0()?
        }
    };
    count.extract()
}

static CANCELLING: PyOnceLock<Method> = PyOnceLock::new();

/// A method without arguments that is a C function, to be called as such: by way of its name it
/// takes five times as long, a tenth of the time of a whole call of a bulkhead.
struct Method {
    /// Of its objects; not of those of subclasses, which may have another.
    class: Py<PyType>,
    function: ffi::PyCFunction,
}

impl Method {
    /// None if `method`, of this object, is anything else.
    fn of(object: &Bound<'_, PyAny>, method: &Bound<'_, PyAny>) -> Option<Self> {
        let method = method.cast_exact::<PyCFunction>().ok()?;
        let method = method.as_ptr();
        // SAFETY: it is what these functions ask for.
        let (this, flags, function) = unsafe {
            (
                ffi::PyCFunction_GetSelf(method),
                ffi::PyCFunction_GetFlags(method),
                ffi::PyCFunction_GetFunction(method)?,
            )
        };
        let is_plain = this == object.as_ptr() && flags == ffi::METH_NOARGS;
        is_plain.then(|| Self {
            class: object.get_type().unbind(),
            function,
        })
    }

    fn call<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the flags say that it takes an object of its class, which this is, and null. It
        // returns a new reference, or null with an error set.
        unsafe {
            let result = (self.function)(object.as_ptr(), std::ptr::null_mut());
            Bound::from_owned_ptr_or_err(object.py(), result)
        }
    }
}

/// Where asyncio of Python 3.11 to 3.13 notes the step that each loop is in.
fn current_tasks(py: Python<'_>) -> Option<&Bound<'_, PyDict>> {
    static STEPS: PyOnceLock<Option<Py<PyDict>>> = PyOnceLock::new();
    let steps = STEPS.get_or_init(py, || {
        let tasks = py.import("asyncio.tasks").ok()?;
        let steps = tasks.getattr("_current_tasks").ok()?;
        Some(steps.cast_into::<PyDict>().ok()?.unbind())
    });
    steps.as_ref().map(|steps| steps.bind(py))
}

/// A thread that lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thread(usize);

impl Thread {
    pub(crate) fn current() -> Self {
        thread_local!(static PLACE: u8 = const { 0 });
        PLACE.with(|place| Self(std::ptr::from_ref(place) as usize))
    }

    /// Odd, which no address of an object is.
    pub(crate) const fn key(self) -> usize {
        self.0 << 1 | 1
    }
}
