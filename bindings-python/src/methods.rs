//! What Python can do with a bulkhead: conversions, and one call each.

use bulkheads_core::{Bulkhead, Id, Opt, Outcome, Span};
use bulkheads_engine::STATS;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyString, PyTuple};

use crate::admit::arrive;
use crate::awaitable::Waiting;
use crate::calls::Calls;
use crate::event_loop::asyncio::{self, Step};
use crate::finish::{self, finish, give_back, release};
use crate::numbers::{self, Given, SECONDS, value_error};
use crate::place::{Place, closed_loop};
use crate::reentrancy::hold;
use crate::request::{Asked, Kind};
use crate::settle::settle;
use crate::state::State;
use crate::table::{Holder, Ticket};
use crate::watch::{self, Begun, Item};
use crate::{blocking, fork, permits, streams};

#[pymethods]
impl Calls {
    #[new]
    fn py_new(
        name: &Bound<'_, PyAny>,
        max_concurrent: &Bound<'_, PyAny>,
        max_queue: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        call_timeout: &Bound<'_, PyAny>,
        abandon_after: &Bound<'_, PyAny>,
        detect_reentrancy: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let Ok(name) = name.cast::<PyString>() else {
            let text = format!("name must be a str, got {}", name.repr()?);
            return Err(PyTypeError::new_err(text));
        };
        let given = Given {
            max_concurrent,
            max_queue,
            timeout,
            call_timeout,
            abandon_after,
        };
        let config = given.config()?;
        let detects = flag("detect_reentrancy", detect_reentrancy)?;
        let core = Bulkhead::new(config).map_err(|error| value_error(&error))?;
        let calls = Self::new(name.clone().unbind(), core, detects);
        fork::register(&calls.shared);
        Ok(calls)
    }

    #[getter(name)]
    fn py_name(&self, py: Python<'_>) -> Py<PyString> {
        self.errors.name.clone_ref(py)
    }

    /// A call of `run` without bounds of its own: its ticket, or minus one minus that of a call
    /// that has to wait. Raises the reason if it is refused.
    #[pyo3(signature = (work, /))]
    fn begin(slf: &Bound<'_, Self>, work: &Bound<'_, PyAny>) -> PyResult<i64> {
        slf.get().awaited.check(work)?;
        Ok(arrive(slf, &Asked::plain(1), Kind::Block)?.number())
    }

    /// As `begin`, of any call, or of a block of code: then `work` is None.
    #[pyo3(signature = (work, weight, timeout, deadline, call_timeout, /))]
    fn begin_bounded(
        slf: &Bound<'_, Self>,
        work: &Bound<'_, PyAny>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
        call_timeout: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        let asked = Asked::any(slf, weight, timeout, deadline)?.bounded(call_timeout)?;
        let stream = if work.is_none() {
            streams::frame(slf, asked.is_bounded())?
        } else {
            slf.get().awaited.check(work)?;
            None
        };
        let arrival = arrive(slf, &asked, Kind::Block)?;
        if let Some(frame) = stream {
            streams::note(slf, arrival.ticket(), frame);
        }
        Ok(arrival.number())
    }

    /// An item of `map`: its ticket, or the future that says when to ask again. It is to be handed
    /// over.
    #[pyo3(signature = (asked, running, since, /))]
    fn begin_item<'py>(
        slf: &Bound<'py, Self>,
        asked: &Bound<'py, Asked>,
        running: u32,
        since: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        match watch::begin_item(slf, Item::new(asked, running, since))? {
            Begun::Ticket(ticket) => Ok(ticket.into_pyobject(slf.py())?.into_any()),
            Begun::Later(future) => Ok(future),
        }
    }

    /// A manual permit, as `begin`. It is to be put into its object.
    #[pyo3(signature = (weight, timeout, deadline, /))]
    fn begin_manual(
        slf: &Bound<'_, Self>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<i64> {
        let asked = Asked::any(slf, weight, timeout, deadline)?;
        Ok(arrive(slf, &asked, Kind::Manual)?.number())
    }

    /// What a call that has to wait awaits. Raises the reason if it may not go on.
    #[pyo3(signature = (ticket, /))]
    fn wait(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<Py<Waiting>> {
        Waiting::new(slf, ticket)
    }

    /// Gives the permits of a call back; `error` is that of its work, None if it returned. Raises
    /// its early answer, if it has one.
    #[pyo3(signature = (ticket, error, /))]
    fn end(slf: &Bound<'_, Self>, ticket: Ticket, error: &Bound<'_, PyAny>) -> PyResult<()> {
        finish(slf, ticket, error)
    }

    /// The work of a call returned, as `end`: Python calls this faster than any method.
    fn __delitem__(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let none = slf.py().None();
        finish(slf, ticket, none.bind(slf.py()))
    }

    /// Gives the permits of a call back, which goes on without.
    #[pyo3(signature = (ticket, error, /))]
    fn release(slf: &Bound<'_, Self>, ticket: Ticket, error: &Bound<'_, PyAny>) -> PyResult<()> {
        release(slf, ticket, error)
    }

    /// The call goes on in the current task, which did not begin it.
    #[pyo3(signature = (ticket, /))]
    fn hand_over(slf: &Bound<'_, Self>, ticket: Ticket) -> PyResult<()> {
        let step = Step::running(slf.py())?;
        let cancelling = step.task.as_ref().map_or(Ok(0), asyncio::cancelling)?;
        let holder = Holder {
            cancelling,
            ..Holder::of(&step)
        };
        let handed = slf.get().shared.look(|state| {
            let call = state.table.get_mut(ticket)?;
            let before = std::mem::replace(&mut call.holder, holder);
            let (id, owner) = (call.id, call.owner);
            // Its work was to be cancelled before it had a task.
            let early = call.early.as_ref().map(|early| early.why);
            if let Some(why) = early {
                state.cancel_work(ticket, why);
            }
            Some((id, owner, before))
        });
        let Some((id, owner, _)) = handed else {
            return Ok(());
        };
        settle(slf, Some(owner)).and(hold(slf, id))
    }

    /// Id of a call.
    #[pyo3(signature = (ticket, /))]
    fn id(&self, ticket: Ticket) -> PyResult<u64> {
        let id = |state: &mut State| Some(state.table.get(ticket)?.id.as_raw());
        let id = self.shared.look(id);
        id.ok_or_else(|| PyKeyError::new_err(ticket))
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
        let others = "`await run(…)`, or `await asyncio.to_thread(…)` for a function that blocks";
        blocking::refuse_in_loop(slf, "`run_sync`", others)?;
        slf.get().blocking.check(work)?;
        let asked = Asked::any(slf, weight, timeout, deadline)?;
        blocking::run(slf, work, args, &asked)
    }

    /// A manual permit, put into an object that has none yet; this thread may have to be blocked
    /// until it is there.
    #[pyo3(signature = (permit, weight, timeout, deadline, /))]
    fn fill(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        blocking::refuse_in_loop(slf, "`acquire_sync`", "`await acquire(…)`")?;
        let asked = Asked::any(slf, weight, timeout, deadline)?;
        let taken = blocking::take(slf, &asked)?;
        permits::fill(slf, permit, taken.id)
    }

    /// Gives some of what an id holds back; false if it holds nothing any more.
    #[pyo3(signature = (id, permits, /))]
    fn release_part(slf: &Bound<'_, Self>, id: u64, permits: &Bound<'_, PyAny>) -> PyResult<bool> {
        let permits = numbers::count(Opt::Permits, permits)?;
        permits::release_part(slf, Id::from_raw(id), permits)
    }

    /// The id of a permit of its own with some of what this one holds; 0 if that is nothing any
    /// more.
    #[pyo3(signature = (id, permits, /))]
    fn split(slf: &Bound<'_, Self>, id: u64, permits: &Bound<'_, PyAny>) -> PyResult<u64> {
        let permits = numbers::count(Opt::Permits, permits)?;
        permits::split(slf, Id::from_raw(id), permits)
    }

    /// Whether an id holds so many permits now: more only if they are to be had at once.
    #[pyo3(signature = (id, weight, /))]
    fn adjust(slf: &Bound<'_, Self>, id: u64, weight: &Bound<'_, PyAny>) -> PyResult<bool> {
        let weight = numbers::count(Opt::Weight, weight)?;
        permits::adjust(slf, Id::from_raw(id), weight)
    }

    /// As `fill`, with that of a call that `begin_manual` began.
    #[pyo3(signature = (permit, ticket, /))]
    fn fill_from(slf: &Bound<'_, Self>, permit: &Bound<'_, PyAny>, ticket: Ticket) -> PyResult<()> {
        permits::fill_from(slf, permit, ticket)
    }

    /// As `fill`, if the permit can be had at once.
    #[pyo3(signature = (permit, weight, /))]
    fn fill_at_once(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        weight: u32,
    ) -> PyResult<bool> {
        permits::fill_at_once(slf, permit, weight)
    }

    /// Takes a permit out of its object and gives it back; false if there is none.
    #[pyo3(signature = (permit, has_failed, /))]
    fn empty(slf: &Bound<'_, Self>, permit: &Bound<'_, PyAny>, has_failed: bool) -> PyResult<bool> {
        let outcome = if has_failed {
            Outcome::Failed
        } else {
            Outcome::Completed
        };
        permits::empty(slf, permit, outcome)
    }

    /// As `empty`, for a permit that was dropped; true if it is the first of this bulkhead.
    #[pyo3(signature = (permit, /))]
    fn reclaim(slf: &Bound<'_, Self>, permit: &Bound<'_, PyAny>) -> PyResult<bool> {
        permits::reclaim(slf, permit)
    }

    /// A permit was released that had been before.
    fn count_double_release(slf: &Bound<'_, Self>) -> PyResult<()> {
        permits::count_double_release(slf)
    }

    #[pyo3(signature = (max_concurrent, /))]
    fn resize(slf: &Bound<'_, Self>, max_concurrent: &Bound<'_, PyAny>) -> PyResult<()> {
        let limit = numbers::count(Opt::Resize, max_concurrent)?;
        let (resized, followed) =
            Place::find(slf)?.input(slf, |state, now| state.core.resize(now, limit));
        resized.map_err(|error| value_error(&error))?;
        followed
    }

    #[pyo3(signature = (abort, /))]
    fn close(slf: &Bound<'_, Self>, abort: &Bound<'_, PyAny>) -> PyResult<()> {
        let abort = flag("abort", abort)?;
        let place = Place::find(slf)?;
        place
            .input(slf, |state, now| state.core.close(now, abort))
            .1
    }

    #[pyo3(signature = (timeout, /))]
    fn drain(slf: &Bound<'_, Self>, timeout: &Bound<'_, PyAny>) -> PyResult<()> {
        let timeout = numbers::wait(timeout)?;
        let place = Place::find(slf)?;
        if timeout == Span::FOREVER {
            return place.input(slf, |state, now| state.core.drain(now)).1;
        }
        // Only a loop has a timer.
        let owner = Place::in_loop(slf)?.owner.ok_or_else(closed_loop)?;
        let drain = |state: &mut State, now| state.core.drain_within(now, owner, timeout);
        place.input(slf, drain).1
    }

    /// The ticket of the next idle moment; 0 if that is now.
    fn idle_moment(slf: &Bound<'_, Self>) -> PyResult<u64> {
        watch::idle_moment(slf)
    }

    /// A future that is done at such a moment; None if the one of this number has come.
    #[pyo3(signature = (number, /))]
    fn wait_idle<'py>(slf: &Bound<'py, Self>, number: u64) -> PyResult<Option<Bound<'py, PyAny>>> {
        watch::wait_idle(slf, number)
    }

    /// A future that is done when it is time to ask again; None if such an item would be answered
    /// at once, but not as full.
    #[pyo3(signature = (asked, running, since, /))]
    fn wait_capacity<'py>(
        slf: &Bound<'py, Self>,
        asked: &Bound<'py, Asked>,
        running: u32,
        since: u64,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        watch::wait_capacity(slf, Item::new(asked, running, since))
    }

    /// From now on a map waits for capacity while none of its items runs; the core's time.
    fn waits_since(slf: &Bound<'_, Self>) -> PyResult<u64> {
        watch::waits_since(slf)
    }

    /// The waiter of this future has gone.
    #[pyo3(signature = (future, /))]
    fn forget(slf: &Bound<'_, Self>, future: &Bound<'_, PyAny>) -> PyResult<()> {
        watch::forget(slf, future)
    }

    /// A weight in its range, as an int; raises what a call with it would raise.
    #[staticmethod]
    #[pyo3(signature = (weight, /))]
    fn checked_weight(weight: &Bound<'_, PyAny>) -> PyResult<u32> {
        numbers::count(Opt::Weight, weight)
    }

    /// What calls ask for, checked; raises what a call with these arguments would raise.
    #[pyo3(signature = (weight, timeout, deadline, call_timeout, /))]
    fn ask(
        slf: &Bound<'_, Self>,
        weight: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
        deadline: &Bound<'_, PyAny>,
        call_timeout: &Bound<'_, PyAny>,
    ) -> PyResult<Asked> {
        Asked::any(slf, weight, timeout, deadline)?.bounded(call_timeout)
    }

    /// The permits of a call are held by its id from now on, whatever becomes of its caller: `end`
    /// keeps them, and `end_id` gives them back. With `overrun` its caller leaves before its work
    /// has ended.
    #[pyo3(signature = (ticket, overrun, /))]
    fn detach(slf: &Bound<'_, Self>, ticket: Ticket, overrun: bool) -> PyResult<u64> {
        finish::detach(slf, ticket, overrun)
    }

    /// The caller of this id leaves before its work has ended.
    #[pyo3(signature = (id, /))]
    fn overrun(slf: &Bound<'_, Self>, id: u64) -> PyResult<()> {
        finish::overrun(slf, Id::from_raw(id))
    }

    /// Gives back what an id holds, if it holds anything.
    #[pyo3(signature = (id, has_failed, /))]
    fn end_id(slf: &Bound<'_, Self>, id: u64, has_failed: bool) -> PyResult<()> {
        let outcome = if has_failed {
            Outcome::Failed
        } else {
            Outcome::Completed
        };
        give_back(slf, Id::from_raw(id), outcome)
    }

    /// Whether the work of a call is to end early.
    #[pyo3(signature = (ticket, /))]
    fn ends_early(&self, ticket: Ticket) -> bool {
        let look = |state: &mut State| Some(state.table.get(ticket)?.early.is_some());
        self.shared.look(look).unwrap_or(false)
    }

    /// The work of a call is the async generator with this frame.
    #[pyo3(signature = (ticket, frame, /))]
    fn set_stream(slf: &Bound<'_, Self>, ticket: Ticket, frame: Py<PyAny>) {
        streams::note(slf, ticket, frame);
    }

    /// Raises what a call with this time-out would raise.
    #[staticmethod]
    #[pyo3(signature = (timeout, /))]
    fn check_timeout(timeout: &Bound<'_, PyAny>) -> PyResult<()> {
        numbers::wait(timeout).map(drop)
    }

    /// Every figure, by the names that the engine gives them.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let snapshot = self.shared.look(|state| state.core.snapshot());
        let numbers = bulkheads_engine::numbers(&snapshot, SECONDS);
        STATS.into_iter().zip(numbers).into_py_dict(py)
    }

    /// Limit, permits in use, waiters, places in the queue.
    fn figures(&self) -> (u32, u64, u32, u32) {
        self.shared.look(|State { core, .. }| {
            (core.limit(), core.active(), core.queued(), core.max_queue())
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.visit(&visit)
    }

    fn __clear__(&self) {
        self.clear();
    }
}

/// True or False; what is only as good as that may be a mistake, and `abort` cannot be taken back.
fn flag(option: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(flag) = value.cast_exact::<PyBool>() {
        return Ok(flag.is_true());
    }
    let text = format!("{option} must be a bool, got {}", value.repr()?);
    Err(PyTypeError::new_err(text))
}
