//! What `Calls` begins and ends its calls with: the methods, and what the collector has to know.

use bulkheads_engine::EventNumbers;
use pyo3::exceptions::PyKeyError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::blocking;
use crate::calls::{Kind, outcome};
use crate::drivers::{Driver, Timer};
use crate::engine::{Engine, whole};
use crate::host::Step;
use crate::request::Request;
use crate::shared::Handle;
use crate::table::{Holder, Ticket};
use crate::waiting::Waiting;
use crate::work::{Checked, Way};

/// Calls from admission to release. A class without subclasses: Python calls the methods of such faster. A call without options that finds room, in the only step under way, takes the short way: no
/// look at the clock, no event, nothing to tell anybody.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Runs {
    calls: Py<PyAny>,
    name: Py<PyAny>,
    ready: Py<PyAny>,
    handle: Handle,
    checked: Checked,
    checked_blocking: Checked,
    /// Whether it is noted which context holds what, so that a call is turned away that would wait for itself.
    detects: bool,
}

impl Runs {
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    fn with_driver(&self, owner: i64, act: impl FnOnce(&mut Driver)) {
        let mut shared = self.handle.lock();
        let owner = shared.drivers.owner(owner);
        if let Some(driver) = owner.and_then(|owner| shared.drivers.get_mut(owner)) {
            act(driver);
        }
    }

    /// Asked for whatever is out of the ordinary.
    pub(crate) fn calls<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.calls.bind(py)
    }

    /// What need not be waited for.
    pub(crate) fn ready(&self, py: Python<'_>) -> Py<PyAny> {
        self.ready.clone_ref(py)
    }

    pub(crate) const fn detects(&self) -> bool {
        self.detects
    }

    pub(crate) fn name(&self) -> &Py<PyAny> {
        &self.name
    }
}

#[pymethods]
impl Runs {
    #[new]
    fn new(
        calls: Py<PyAny>,
        name: Py<PyAny>,
        engine: &Engine,
        ready: Py<PyAny>,
        detects: bool,
    ) -> Self {
        Self {
            calls,
            name,
            ready,
            handle: engine.handle.clone(),
            checked: Checked::new(Way::Awaited),
            checked_blocking: Checked::new(Way::Blocking),
            detects,
        }
    }

    /// A call of `run`: its ticket, or minus one minus that of a call that has to wait. Raises the reason if it is refused.
    #[pyo3(signature = (work, weight, timeout, deadline, /))]
    fn begin(
        slf: &Bound<'_, Self>,
        work: &Bound<'_, PyAny>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        slf.get().checked.check(work)?;
        let request = Request::any(slf, weight, timeout, deadline)?;
        Ok(Self::arrive(slf, request, Kind::Block)?.number())
    }

    /// A block of code, as `begin`.
    #[pyo3(signature = (weight, timeout, deadline, /))]
    fn begin_block(
        slf: &Bound<'_, Self>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        let request = Request::any(slf, weight, timeout, deadline)?;
        Ok(Self::arrive(slf, request, Kind::Block)?.number())
    }

    /// Work of a task that does not run yet, as `begin`; it is not willing to wait. It is to be handed over.
    #[pyo3(signature = (weight, /))]
    fn begin_later(slf: &Bound<'_, Self>, weight: f64) -> PyResult<i64> {
        let request = Request {
            at_once: 0,
            weight,
            timeout: 0.0,
            ..Request::PLAIN
        };
        Ok(Self::arrive(slf, request, Kind::Later)?.number())
    }

    /// A permit by hand, as `begin`. It is to be taken out.
    #[pyo3(signature = (weight, timeout, deadline, /))]
    fn begin_hand(
        slf: &Bound<'_, Self>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        let request = Request::any(slf, weight, timeout, deadline)?;
        Ok(Self::arrive(slf, request, Kind::Hand)?.number())
    }

    /// A bare `async with`: None, or what it has to await.
    #[pyo3(name = "enter")]
    fn enter_or_wait(slf: &Bound<'_, Self>) -> PyResult<Option<Py<Waiting>>> {
        Self::enter(slf)
    }

    /// The end of a bare `async with`.
    #[pyo3(signature = (kind, error, traceback, /))]
    fn leave(
        slf: &Bound<'_, Self>,
        kind: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        traceback: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let _ = (kind, traceback);
        Self::exit(slf, error)?;
        Ok(slf.get().ready(slf.py()))
    }

    /// Calls `work` with permits, for which this thread may have to be blocked.
    #[pyo3(signature = (work, args, weight, timeout, deadline, /))]
    fn run_sync<'py>(
        slf: &Bound<'py, Self>,
        work: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        weight: &Bound<'py, PyAny>,
        timeout: &Bound<'py, PyAny>,
        deadline: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        blocking::refuse_in_loop(
            slf,
            "`run_sync`",
            "`await run(…)`, or `await asyncio.to_thread(…)` for a function that blocks",
        )?;
        slf.get().checked_blocking.check(work)?;
        let request = Request::any(slf, weight, timeout, deadline)?;
        Self::run_blocking(slf, work, args, request)
    }

    /// A permit by hand, put into an object that has none yet; this thread may have to be blocked until it is there.
    #[pyo3(signature = (permit, weight, timeout, deadline, /))]
    fn fill(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        blocking::refuse_in_loop(slf, "`acquire_sync`", "`await acquire(…)`")?;
        let request = Request::any(slf, weight, timeout, deadline)?;
        Self::fill_blocking(slf, permit, request)
    }

    /// As `fill`, if the permit can be had at once.
    #[pyo3(signature = (permit, weight, /))]
    fn fill_at_once(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        weight: f64,
    ) -> PyResult<bool> {
        Self::fill_now(slf, permit, weight)
    }

    /// Takes a permit out of its object and gives it back; false if there is none. 0 completed, 1 failed, 2 leaked.
    #[pyo3(signature = (permit, outcome, /))]
    fn empty(slf: &Bound<'_, Self>, permit: &Bound<'_, PyAny>, outcome: u32) -> PyResult<bool> {
        Self::take_back(slf, permit, outcome)
    }

    /// What a call that has to wait awaits. Raises the reason if it may not go on.
    #[pyo3(signature = (ticket, /))]
    fn wait(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<Py<Waiting>> {
        Self::waiting(slf, ticket)
    }

    /// A waiter has its end, which its driver tells.
    #[pyo3(signature = (owner, kind, id, time, /))]
    fn tell(slf: &Bound<'_, Self>, owner: i64, kind: u32, id: f64, time: f64) -> bool {
        let mut shared = slf.get().handle.lock();
        let event = EventNumbers { kind, id, time };
        let Some(owner) = shared.drivers.owner(owner) else {
            return false;
        };
        shared.tell(owner, event)
    }

    /// What the loop will do without being asked again: the compiled calls leave a timer alone that serves as it is.
    #[pyo3(signature = (owner, armed, is_tidied, /))]
    fn note_timer(&self, owner: i64, armed: f64, is_tidied: bool) {
        let timer = Timer { armed, is_tidied };
        self.with_driver(owner, |driver| driver.note_timer(timer));
    }

    /// Whether a driver is telling: what comes of the compiled calls it leaves to that then.
    #[pyo3(signature = (owner, is_settling, /))]
    fn note_settling(&self, owner: i64, is_settling: bool) {
        self.with_driver(owner, |driver| driver.note_settling(is_settling));
    }

    /// Something else was told, which comes before whoever is told from now on.
    #[pyo3(signature = (owner, /))]
    fn seal(&self, owner: i64) {
        self.with_driver(owner, |driver| driver.wakes.seal());
    }

    /// Wakes those who were told: the callback that was asked for.
    #[pyo3(signature = (owner, /))]
    fn wake(slf: &Bound<'_, Self>, owner: i64) -> PyResult<()> {
        Self::wake_batch(slf, owner)
    }

    /// Gives the permit of a run back; `error` is that of its work, None if it returned. Raises its early answer, if it has one.
    #[pyo3(signature = (ticket, error, /))]
    fn end(slf: &Bound<'_, Self>, ticket: Ticket, error: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::finish(slf, slf.get().handle.lock(), ticket, error)
    }

    /// The work of a run returned, as `end`: Python calls this faster than any method.
    fn __delitem__(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let none = slf.py().None();
        Self::finish(slf, slf.get().handle.lock(), ticket, none.bind(slf.py()))
    }

    /// Gives the permit of a run back, which goes on without.
    #[pyo3(signature = (ticket, error, /))]
    fn release(slf: &Bound<'_, Self>, ticket: Ticket, error: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut shared = slf.get().handle.lock();
        let Some((id, is_answered)) = shared.table.release(ticket) else {
            return Ok(());
        };
        drop(shared);
        if is_answered {
            slf.get()
                .calls(slf.py())
                .call_method1(intern!(slf.py(), "end_answered"), (whole(id),))?;
        }
        Self::finish_timed(slf, id, outcome(error))?;
        Self::let_go(slf)
    }

    /// The run goes on in the current task, which did not begin it.
    #[pyo3(signature = (ticket, /))]
    fn hand_over(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let holder = Holder::of(&Step::running(slf.py())?)?;
        let mut shared = slf.get().handle.lock();
        let answered = shared.table.hand_over(ticket, holder);
        let id = shared.table.get(ticket).map(|run| run.id);
        drop(shared);
        if let Some(id) = id {
            Self::hold(slf, id)?;
        }
        if let Some((id, task)) = answered {
            let hand_over = intern!(slf.py(), "hand_answered_over");
            slf.get()
                .calls(slf.py())
                .call_method1(hand_over, (whole(id), task))?;
        }
        Ok(())
    }

    /// Id of a call.
    #[pyo3(signature = (ticket, /))]
    fn id(&self, ticket: Ticket) -> PyResult<i64> {
        let shared = self.handle.lock();
        let id = shared.table.get(ticket).map(|run| whole(run.id));
        drop(shared);
        id.ok_or_else(|| PyKeyError::new_err(ticket))
    }

    /// A call that never ran, whose permit was taken out, or was released.
    #[pyo3(signature = (ticket, /))]
    fn forget(&self, ticket: Ticket) {
        let run = self.handle.lock().table.end(ticket);
        drop(run);
    }

    /// The run of this id is answered early: its task, and how often that had been cancelled when it came. The end of this
    /// run is concluded in Python.
    #[pyo3(signature = (id, /))]
    fn answer(&self, id: f64) -> Option<(Option<Py<PyAny>>, i64)> {
        self.handle.lock().table.answer(id)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.calls)?;
        let Some(shared) = self.handle.try_lock() else {
            return Ok(());
        };
        shared.table.visit(&visit)?;
        for driver in shared.drivers.iter() {
            visit.call(&driver.event_loop)?;
            visit.call(&driver.object)?;
            visit.call(&driver.clock)?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let mut shared = self.handle.lock();
        let held = shared.table.forget();
        let drivers = shared.drivers.forget_all();
        drop(shared);
        drop((held, drivers));
    }
}

impl Drop for Runs {
    /// Engines may live on, whose references nobody would see any more.
    fn drop(&mut self) {
        self.__clear__();
    }
}
