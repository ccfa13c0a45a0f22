//! The engine for any JavaScript host: one class over one core. Conversions only.
//!
//! Numbers go through the mailbox, a piece of the module's memory that the host sees as an array; see `docs/engine.md`. No
//! method calls back into JavaScript, so none can find the object borrowed. Nobody calls `free`: the mailbox goes with it.
#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

#[cfg(target_family = "wasm")]
mod bare;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use bulkheads::engine::{Engine as Core, Options};
use bulkheads::mailbox::{MAILBOX_LEN, Mailbox};
use bulkheads::{Notation, OwnerId};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

/// A private core with one owner. Times are milliseconds, `Infinity` for none.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    core: Core,
    /// Where the host reads and writes between two calls.
    mail: Box<Mailbox>,
}

const OWNER: OwnerId = OwnerId::FIRST;

#[wasm_bindgen]
impl Engine {
    /// A new core; `undefined` is the default. If an option is out of its range, it has a fault to
    /// take and must not be used.
    #[must_use]
    #[wasm_bindgen(constructor)]
    pub fn new(
        max_concurrent: f64,
        max_queue: Option<f64>,
        timeout: Option<f64>,
        call_timeout: Option<f64>,
        abandon_after: Option<f64>,
    ) -> Self {
        let options = Options {
            max_concurrent,
            max_queue,
            timeout,
            call_timeout,
            abandon_after,
        };
        Self {
            core: Core::new_or_fault(Notation::CamelMillis, options),
            mail: Box::new([0.0; MAILBOX_LEN]),
        }
    }

    /// Where the mailbox lies in the module's memory, in bytes; it stays there, but the memory may grow.
    #[must_use]
    pub fn mailbox(&self) -> *const f64 {
        self.mail.as_ptr()
    }

    /// Does the input that lies in the mailbox.
    pub fn exchange(&mut self) {
        self.core.exchange(OWNER, &mut self.mail);
    }

    /// As input 1 of the mailbox.
    #[wasm_bindgen(js_name = admitNow)]
    pub fn admit_now(&mut self, weight: u32, flags: u32) -> f64 {
        self.core.admit_now(OWNER, weight, flags)
    }

    /// As input 2 of the mailbox.
    #[wasm_bindgen(js_name = finishNow)]
    pub fn finish_now(&mut self, id: f64, outcome: u32) -> bool {
        self.core.finish_now(id, outcome)
    }

    /// One signal of many callers.
    pub fn abort(&mut self, now: f64, ids: &Float64Array) {
        let ids = ids.to_vec();
        self.core.exchange_abort(OWNER, &mut self.mail, now, &ids);
    }

    /// What was wrong with the last input, up to the value, which then lies at the mailbox's
    /// beginning; `undefined` if nothing was.
    pub fn fault(&mut self) -> Option<String> {
        let fault = self.core.take_fault()?;
        self.mail[0] = fault.value;
        Some(fault.text_before_value())
    }

    /// One snapshot, a copy.
    // No `js_sys::Float64Array`: V8 11 (Node 20) aborts the process when optimized code that calls a
    // function with one result, a reference, is deoptimized during that call.
    #[must_use]
    pub fn stats(&self) -> Vec<f64> {
        self.core.stats().to_vec()
    }
}
