//! The class `Engine`: converts, calls, maps errors.

use bulkheads_engine::{self, Options, owner_number};
use bulkheads_core::{InvalidOption, Notation, OwnerId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::number::Number;
use crate::shared::Handle;

/// A handle on a bulkhead's core: the core, shared, and the number of one owner.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Engine {
    pub(crate) handle: Handle,
    pub(crate) owner: OwnerId,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (max_concurrent, max_queue=None, timeout=None, call_timeout=None, abandon_after=None))]
    fn new(
        max_concurrent: Number,
        max_queue: Option<Number>,
        timeout: Option<Number>,
        call_timeout: Option<Number>,
        abandon_after: Option<Number>,
    ) -> PyResult<Self> {
        let options = Options {
            max_concurrent: max_concurrent.0,
            max_queue: max_queue.map(|number| number.0),
            timeout: timeout.map(|number| number.0),
            call_timeout: call_timeout.map(|number| number.0),
            abandon_after: abandon_after.map(|number| number.0),
        };
        let core = engine::Engine::new(Notation::SnakeSeconds, options).map_err(value_error)?;
        Ok(Self {
            handle: Handle::new(core),
            owner: OwnerId::FIRST,
        })
    }

    fn attach(&self) -> Self {
        let mut shared = self.handle.lock();
        let owner = shared.core.attach();
        shared.drivers.attach(owner);
        drop(shared);
        Self {
            handle: self.handle.clone(),
            owner,
        }
    }

    fn owner(&self) -> i64 {
        whole(owner_number(self.owner))
    }

    #[pyo3(signature = (now, weight, timeout, deadline, flags, holding=0.0))]
    fn acquire(
        &self,
        now: f64,
        weight: Number,
        timeout: Number,
        deadline: Number,
        flags: u32,
        holding: f64,
    ) -> PyResult<i64> {
        let (weight, timeout, deadline) = (weight.0, timeout.0, deadline.0);
        self.input(|core| core.acquire(self.owner, now, weight, timeout, deadline, flags, holding))
            .map(whole)
            .map_err(value_error)
    }

    fn admit_now(&self, weight: u32, flags: u32) -> i64 {
        whole(self.handle.lock().core.admit_now(self.owner, weight, flags))
    }

    fn finish_now(&self, id: f64, outcome: u32) -> bool {
        self.handle.lock().core.finish_now(id, outcome)
    }

    fn try_acquire(&self, now: f64, weight: Number) -> PyResult<i64> {
        self.input(|core| core.try_acquire(self.owner, now, weight.0))
            .map(whole)
            .map_err(value_error)
    }

    fn start(&self, id: f64) {
        self.input(|core| core.start(id));
    }

    fn finish(&self, now: f64, id: f64, outcome: u32) -> bool {
        self.input(|core| core.finish(now, id, outcome))
    }

    fn release(&self, now: f64, id: f64) -> bool {
        self.input(|core| core.release(now, id))
    }

    fn cancel(&self, now: f64, id: f64) -> u32 {
        self.input(|core| core.cancel(now, id))
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "taken out of a Python sequence"
    )]
    fn abort(&self, now: f64, ids: Vec<f64>) {
        self.input(|core| core.abort(now, &ids));
    }

    fn resize(&self, now: f64, limit: Number) -> PyResult<()> {
        self.input(|core| core.resize(now, limit.0))
            .map_err(value_error)
    }

    fn close(&self, now: f64, abort: bool) {
        self.input(|core| core.close(now, abort));
    }

    fn drain(&self, now: f64) {
        self.input(|core| core.drain(now));
    }

    fn evict(&self, now: f64) {
        let mut shared = self.handle.lock();
        shared.core.evict(self.owner, now);
        shared.drivers.detach(self.owner);
        let forgotten = shared.drivers.forget(self.owner);
        shared.wake_threads();
        drop(shared);
        drop(forgotten);
    }

    /// In a forked child: nobody of the parent's is here.
    fn restart(&self) {
        let mut shared = self.handle.lock();
        shared.core.restart();
        let forgotten = shared.forget_drivers();
        drop(shared);
        // A loop that is finalised here would take its files out of what the parent's loop still waits for.
        std::mem::forget(forgotten);
    }

    fn watch_idle(&self, now: f64) -> bool {
        self.input(|core| core.watch_idle(self.owner, now))
    }

    fn watch_room(&self, now: f64, weight: Number, holding: f64) -> PyResult<bool> {
        self.input(|core| core.watch_room(self.owner, now, weight.0, holding))
            .map_err(value_error)
    }

    fn handle_timeout(&self, now: f64) {
        self.input(|core| core.handle_timeout(now));
    }

    /// Kind, id and time at once: between two calls another thread could take the next event.
    fn next_event(&self) -> Option<(u32, i64, f64)> {
        let event = self.handle.lock().core.next_event(self.owner);
        (event.kind != 0).then(|| (event.kind, whole(event.id), event.time))
    }

    fn next_timer(&self) -> f64 {
        self.handle.lock().core.next_timer(self.owner)
    }

    fn now(&self) -> f64 {
        self.handle.lock().core.now()
    }

    fn keeps_alive(&self) -> bool {
        self.handle.lock().core.keeps_alive(self.owner)
    }

    fn take_wakes(&self) -> Vec<i64> {
        let wakes = self.handle.lock().take_wakes(self.owner);
        wakes.into_iter().map(whole).collect()
    }

    fn stats(&self) -> Vec<f64> {
        let numbers = self.handle.lock().core.stats();
        numbers.to_vec()
    }

    fn permits(&self, id: f64) -> u32 {
        self.handle.lock().core.permits(id)
    }

    fn limit(&self) -> u32 {
        self.handle.lock().core.core().limit()
    }

    fn active(&self) -> u64 {
        self.handle.lock().core.core().active()
    }

    fn queued(&self) -> u32 {
        self.handle.lock().core.core().queued()
    }

    fn max_queue(&self) -> u32 {
        self.handle.lock().core.core().max_queue()
    }
}

impl Engine {
    /// Blocked threads that it told something are woken in one step with it.
    fn input<R>(&self, act: impl FnOnce(&mut engine::Engine) -> R) -> R {
        let mut shared = self.handle.lock();
        let answer = act(&mut shared.core);
        if shared.threads.are_blocked() {
            shared.wake_threads();
        }
        answer
    }
}

pub(crate) fn value_error(error: InvalidOption) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Ids, minus ids and codes are whole and below 2^53.
#[expect(clippy::cast_possible_truncation, reason = "exact below 2^53")]
pub(crate) const fn whole(number: f64) -> i64 {
    number as i64
}
