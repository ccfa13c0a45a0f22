//! `__aexit__` of one entry.
//!
//! An `async with` looks up `__aenter__` and `__aexit__`, then calls and awaits the one, and much
//! later calls the other. So what is looked up as `__aexit__` knows which entry followed in the
//! same thread: calling it ends that one, in whichever task.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads_core::Id;
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;

use crate::admit::Arrival;
use crate::calls::Calls;
use crate::done;
use crate::finish::{exit, finish_entry};
use crate::table::Ticket;

/// The entry that an exit is of.
#[derive(Default)]
pub(crate) struct Token {
    ticket: AtomicU32,
    /// 0: of none yet, or it was ended.
    id: AtomicU64,
}

/// A token, and the address of the bulkhead's calls; 0 if it was looked up on the class.
type LookedUp = (usize, Arc<Token>);

thread_local! {
    /// What this thread has looked up last, until something is entered.
    static LOOKED_UP: RefCell<Option<LookedUp>> = const { RefCell::new(None) };
}

/// An `__aexit__` with this token was looked up; on the class, if it is of no calls.
pub(crate) fn set_looked_up(calls: Option<&Bound<'_, Calls>>, token: &Arc<Token>) {
    let of = calls.map_or(0, |calls| calls.as_ptr() as usize);
    LOOKED_UP.set(Some((of, Arc::clone(token))));
}

pub(crate) fn forget_looked_up() {
    LOOKED_UP.take();
}

/// Of what was looked up just before this bulkhead is entered.
pub(crate) fn take_looked_up(calls: &Bound<'_, Calls>) -> Option<Arc<Token>> {
    let (of, token) = LOOKED_UP.take()?;
    (of == 0 || of == calls.as_ptr() as usize).then_some(token)
}

impl Token {
    pub(crate) fn set(&self, arrival: Arrival) {
        self.ticket.store(arrival.ticket(), Ordering::Relaxed);
        self.id.store(arrival.id().as_raw(), Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Option<(Ticket, Id)> {
        let id = self.id.swap(0, Ordering::Relaxed);
        let ticket = self.ticket.load(Ordering::Relaxed);
        (id != 0).then_some((ticket, Id::from_raw(id)))
    }
}

/// What Python sees as `__aexit__` of a bulkhead is its method `leave`, which is made with it and
/// used again when its entry has ended: two objects for each entry would be a third of its time.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Leave {
    calls: Py<Calls>,
    leaves: Arc<Leaves>,
    token: Arc<Token>,
    method: Mutex<Option<Py<PyAny>>>,
}

/// Exits of ended entries.
#[derive(Default)]
pub(crate) struct Leaves(Mutex<Vec<Py<Leave>>>);

/// As many are kept.
const MOST: usize = 64;

impl Leaves {
    /// One that no other code has: an exit that was kept and is called again must not end the next
    /// entry.
    fn take(&self, py: Python<'_>) -> Option<Py<Leave>> {
        let leave = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()?;
        // SAFETY: both are objects that live.
        let has_one = leave.get().with_method(|method| unsafe {
            ffi::Py_REFCNT(method.as_ptr()) == 1 && ffi::Py_REFCNT(leave.as_ptr()) == 2
        });
        has_one.unwrap_or(false).then(|| leave.clone_ref(py))
    }

    fn put(&self, leave: Py<Leave>) {
        let mut leaves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if leaves.len() < MOST {
            leaves.push(leave);
        }
    }

    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let leaves = self.0.try_lock();
        leaves.map_or(Ok(()), |leaves| {
            leaves.iter().try_for_each(|leave| visit.call(leave))
        })
    }
}

impl Leave {
    /// `__aexit__` of a bulkhead.
    pub(crate) fn looked_up<'py>(
        calls: &Bound<'py, Calls>,
        leaves: &Arc<Leaves>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = calls.py();
        let leave = match leaves.take(py) {
            Some(leave) => leave.into_bound(py),
            None => Self::new(calls, leaves)?,
        };
        set_looked_up(Some(calls), &leave.get().token);
        let method = leave.get().with_method(|method| method.clone_ref(py));
        method.map_or_else(
            || leave.getattr(intern!(py, "leave")),
            |method| Ok(method.into_bound(py)),
        )
    }

    fn new<'py>(calls: &Bound<'py, Calls>, leaves: &Arc<Leaves>) -> PyResult<Bound<'py, Self>> {
        let py = calls.py();
        let leave = Self {
            calls: calls.clone().unbind(),
            leaves: Arc::clone(leaves),
            token: Arc::default(),
            method: Mutex::default(),
        };
        let leave = Bound::new(py, leave)?;
        let method = leave.getattr(intern!(py, "leave"))?.unbind();
        *leave.get().method() = Some(method);
        Ok(leave)
    }

    fn method(&self) -> std::sync::MutexGuard<'_, Option<Py<PyAny>>> {
        self.method.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_method<R>(&self, look: impl FnOnce(&Py<PyAny>) -> R) -> Option<R> {
        self.method().as_ref().map(look)
    }
}

#[pymethods]
impl Leave {
    /// The end of an `async with`.
    #[pyo3(signature = (kind, error, traceback, /))]
    fn leave(
        slf: &Bound<'_, Self>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let _ = (kind, traceback);
        let calls = slf.get().calls.bind(slf.py());
        let entry = slf.get().token.take();
        if entry.is_some() {
            slf.get().leaves.put(slf.clone().unbind());
        }
        end(calls, entry, error)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.calls)?;
        let method = self.method.try_lock();
        method.map_or(Ok(()), |method| visit.call(&*method))
    }

    fn __clear__(&self) {
        let method = self.method().take();
        drop(method);
    }
}

// Threads and loops in Python 3.3
/// Ends the entry that was entered; without a known one the last of this task.
pub(crate) fn end(
    calls: &Bound<'_, Calls>,
    entry: Option<(Ticket, Id)>,
    error: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let is_ended = match entry {
        Some((ticket, id)) => finish_entry(calls, ticket, id, error)?,
        None => false,
    };
    if !is_ended {
        exit(calls, error)?;
    }
    done::ready(calls.py())
}
