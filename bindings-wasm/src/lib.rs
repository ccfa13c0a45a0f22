//! The engine for any JavaScript host: one class over one core. Conversions only.
//!
//! The methods are those of `docs/engine.md`. No method calls back into JavaScript, so none can
//! find the object borrowed; after `free()` every method throws.
#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

#[cfg(target_family = "wasm")]
mod bare;

use alloc::string::ToString;
use alloc::vec::Vec;

use bulkheads::engine::{Engine as Core, EventNumbers, Options};
use bulkheads::{InvalidOption, Notation, OwnerId};
use js_sys::RangeError;
use wasm_bindgen::prelude::*;

/// A private core with one owner. Times are milliseconds, `Infinity` for none.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    core: Core,
    /// What `nextEvent` returned last: three numbers in three calls cost less than an object.
    event: EventNumbers,
}

const OWNER: OwnerId = OwnerId::FIRST;

#[wasm_bindgen]
#[expect(
    clippy::missing_errors_doc,
    reason = "each error is a RangeError for a bad number"
)]
impl Engine {
    /// A new core; `undefined` is the default.
    #[wasm_bindgen(constructor)]
    pub fn new(
        max_concurrent: f64,
        max_queue: Option<f64>,
        timeout: Option<f64>,
        call_timeout: Option<f64>,
        abandon_after: Option<f64>,
    ) -> Result<Self, JsValue> {
        let options = Options {
            max_concurrent,
            max_queue,
            timeout,
            call_timeout,
            abandon_after,
        };
        let core = Core::new(Notation::CamelMillis, options).map_err(range_error)?;
        Ok(Self {
            core,
            event: EventNumbers::default(),
        })
    }

    /// The id, minus the id (queued), or the code of the rejection.
    pub fn acquire(
        &mut self,
        now: f64,
        weight: f64,
        timeout: f64,
        deadline: f64,
        flags: u32,
    ) -> Result<f64, JsValue> {
        self.core
            .acquire(OWNER, now, weight, timeout, deadline, flags)
            .map_err(range_error)
    }

    /// The id or the code of the rejection.
    #[wasm_bindgen(js_name = tryAcquire)]
    pub fn try_acquire(&mut self, now: f64, weight: f64) -> Result<f64, JsValue> {
        self.core
            .try_acquire(OWNER, now, weight)
            .map_err(range_error)
    }

    /// The caller of a granted waiter goes on.
    pub fn start(&mut self, id: f64) {
        self.core.start(id);
    }

    /// Gives a permit back: 0 completed, 1 failed, 2 leaked.
    pub fn finish(&mut self, now: f64, id: f64, outcome: u32) -> bool {
        self.core.finish(now, id, outcome)
    }

    /// Gives back a permit that was taken by hand.
    pub fn release(&mut self, now: f64, id: f64) -> bool {
        self.core.release(now, id)
    }

    /// 0 settled, 1 withdrawn, 2 answered early.
    pub fn cancel(&mut self, now: f64, id: f64) -> u32 {
        self.core.cancel(now, id)
    }

    /// One signal of many callers, as one step.
    pub fn abort(&mut self, now: f64, ids: &[f64]) {
        self.core.abort(now, ids);
    }

    /// Changes the limit; 0 pauses.
    pub fn resize(&mut self, now: f64, limit: f64) -> Result<(), JsValue> {
        self.core.resize(now, limit).map_err(range_error)
    }

    /// Turns away new calls and waiters; with `abort` answers running calls early.
    pub fn close(&mut self, now: f64, abort: bool) {
        self.core.close(now, abort);
    }

    /// Turns away new calls.
    pub fn drain(&mut self, now: f64) {
        self.core.drain(now);
    }

    /// Whether nobody waits or runs; if not, one `idle` event follows.
    #[wasm_bindgen(js_name = watchIdle)]
    pub fn watch_idle(&mut self, now: f64) -> bool {
        self.core.watch_idle(OWNER, now)
    }

    /// Whether a call of this weight would not find the bulkhead full; if not, one `room` event
    /// follows.
    #[wasm_bindgen(js_name = watchRoom)]
    pub fn watch_room(&mut self, now: f64, weight: f64) -> Result<bool, JsValue> {
        self.core
            .watch_room(OWNER, now, weight)
            .map_err(range_error)
    }

    /// Does what is due.
    #[wasm_bindgen(js_name = handleTimeout)]
    pub fn handle_timeout(&mut self, now: f64) {
        self.core.handle_timeout(now);
    }

    /// The next event's kind, 0 for none.
    #[wasm_bindgen(js_name = nextEvent)]
    pub fn next_event(&mut self) -> u32 {
        self.event = self.core.next_event(OWNER);
        self.event.kind
    }

    /// Whose event `nextEvent` returned last.
    #[must_use]
    #[wasm_bindgen(js_name = eventId)]
    pub fn event_id(&self) -> f64 {
        self.event.id
    }

    /// The time waited or ran of the event that `nextEvent` returned last.
    #[must_use]
    #[wasm_bindgen(js_name = eventTime)]
    pub fn event_time(&self) -> f64 {
        self.event.time
    }

    /// When `handleTimeout` must be called next, `Infinity` for never.
    #[must_use]
    #[wasm_bindgen(js_name = nextTimer)]
    pub fn next_timer(&self) -> f64 {
        self.core.next_timer(OWNER)
    }

    /// Whether anybody unanswered depends on that timer.
    #[must_use]
    #[wasm_bindgen(js_name = keepsAlive)]
    pub fn keeps_alive(&self) -> bool {
        self.core.keeps_alive(OWNER)
    }

    /// One snapshot, a copy.
    // No `js_sys::Float64Array`: V8 11 (Node 20) aborts the process when optimized code that calls a
    // function with one result, a reference, is deoptimized during that call.
    #[must_use]
    pub fn stats(&self) -> Vec<f64> {
        self.core.stats().to_vec()
    }

    /// Permits of this bulkhead.
    #[must_use]
    pub fn limit(&self) -> f64 {
        f64::from(self.core.core().limit())
    }

    /// Permits in use.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub fn active(&self) -> f64 {
        self.core.core().active() as f64
    }

    /// Waiters.
    #[must_use]
    pub fn queued(&self) -> f64 {
        f64::from(self.core.core().queued())
    }

    /// How many may wait.
    #[must_use]
    #[wasm_bindgen(js_name = maxQueue)]
    pub fn max_queue(&self) -> f64 {
        f64::from(self.core.core().max_queue())
    }
}

fn range_error(error: InvalidOption) -> JsValue {
    RangeError::new(&error.to_string()).into()
}
