//! The class `Engine`: converts, calls, maps errors.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkheads::engine::{self, Options, owner_number};
use bulkheads::{InvalidOption, Notation, OwnerId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::number::Number;

/// A handle on a bulkhead's core: the core, shared, and the number of one owner.
#[pyclass(frozen, module = "bulkheads._engine")]
pub(crate) struct Engine {
    shared: Arc<Mutex<engine::Engine>>,
    owner: OwnerId,
}

impl Engine {
    /// Poisoning cannot happen: the core does not panic, and a panic would end the process.
    fn core(&self) -> MutexGuard<'_, engine::Engine> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            shared: Arc::new(Mutex::new(core)),
            owner: OwnerId::FIRST,
        })
    }

    fn attach(&self) -> Self {
        let owner = self.core().attach();
        Self {
            shared: Arc::clone(&self.shared),
            owner,
        }
    }

    fn owner(&self) -> i64 {
        whole(owner_number(self.owner))
    }

    fn acquire(
        &self,
        now: f64,
        weight: Number,
        timeout: Number,
        deadline: Number,
        flags: u32,
    ) -> PyResult<i64> {
        let (weight, timeout, deadline) = (weight.0, timeout.0, deadline.0);
        self.core()
            .acquire(self.owner, now, weight, timeout, deadline, flags)
            .map(whole)
            .map_err(value_error)
    }

    fn try_acquire(&self, now: f64, weight: Number) -> PyResult<i64> {
        self.core()
            .try_acquire(self.owner, now, weight.0)
            .map(whole)
            .map_err(value_error)
    }

    fn start(&self, id: f64) {
        self.core().start(id);
    }

    fn finish(&self, now: f64, id: f64, outcome: u32) -> bool {
        self.core().finish(now, id, outcome)
    }

    fn release(&self, now: f64, id: f64) -> bool {
        self.core().release(now, id)
    }

    fn cancel(&self, now: f64, id: f64) -> u32 {
        self.core().cancel(now, id)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "taken out of a Python sequence"
    )]
    fn abort(&self, now: f64, ids: Vec<f64>) {
        self.core().abort(now, &ids);
    }

    fn resize(&self, now: f64, limit: Number) -> PyResult<()> {
        self.core().resize(now, limit.0).map_err(value_error)
    }

    fn close(&self, now: f64, abort: bool) {
        self.core().close(now, abort);
    }

    fn drain(&self, now: f64) {
        self.core().drain(now);
    }

    fn evict(&self, now: f64) {
        self.core().evict(self.owner, now);
    }

    fn watch_idle(&self, now: f64) -> bool {
        self.core().watch_idle(self.owner, now)
    }

    fn watch_room(&self, now: f64, weight: Number) -> PyResult<bool> {
        self.core()
            .watch_room(self.owner, now, weight.0)
            .map_err(value_error)
    }

    fn handle_timeout(&self, now: f64) {
        self.core().handle_timeout(now);
    }

    /// Kind, id and time at once: between two calls another thread could take the next event.
    fn next_event(&self) -> Option<(u32, i64, f64)> {
        let event = self.core().next_event(self.owner);
        (event.kind != 0).then(|| (event.kind, whole(event.id), event.time))
    }

    fn next_timer(&self) -> f64 {
        self.core().next_timer(self.owner)
    }

    fn keeps_alive(&self) -> bool {
        self.core().keeps_alive(self.owner)
    }

    fn take_wakes(&self) -> Vec<i64> {
        let wakes = self.core().take_wakes(self.owner);
        wakes.into_iter().map(whole).collect()
    }

    fn stats(&self) -> Vec<f64> {
        let numbers = self.core().stats();
        numbers.to_vec()
    }

    fn limit(&self) -> u32 {
        self.core().core().limit()
    }

    fn active(&self) -> u64 {
        self.core().core().active()
    }

    fn queued(&self) -> u32 {
        self.core().core().queued()
    }

    fn max_queue(&self) -> u32 {
        self.core().core().max_queue()
    }
}

fn value_error(error: InvalidOption) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Ids, minus ids and codes are whole and below 2^53.
#[expect(clippy::cast_possible_truncation, reason = "exact below 2^53")]
const fn whole(number: f64) -> i64 {
    number as i64
}
