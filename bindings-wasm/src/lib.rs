//! The engine for any JavaScript host: the engines of one module instance. Conversions only.
//!
//! Numbers go through one mailbox, a piece of the module's memory that the host sees as an array;
//! see `docs/engine.md`. No function calls back into JavaScript, so none finds the table in use.
#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

#[cfg(target_family = "wasm")]
mod bare;
mod instance;

use alloc::vec::Vec;

use bulkheads_core::OwnerId;
use bulkheads_engine::mailbox::place;
use bulkheads_engine::{Engine, Notation, Options};
use js_sys::Float64Array;
use wasm_bindgen::prelude::*;

use instance::{with, with_engine};

/// Each engine has one driver.
const OWNER: OwnerId = OwnerId::FIRST;

/// The handle of a new engine; `undefined` is the default of an option. 0 if an option is out of
/// its range: `fault` says which.
#[wasm_bindgen]
#[must_use]
pub fn open(
    max_concurrent: f64,
    max_queue: Option<f64>,
    timeout: Option<f64>,
    call_timeout: Option<f64>,
    abandon_after: Option<f64>,
) -> u32 {
    let options = Options {
        max_concurrent,
        max_queue,
        timeout,
        call_timeout,
        abandon_after,
    };
    with(
        |instance| match Engine::new(Notation::CamelMillis, options) {
            Ok(engine) => instance.engines.insert(engine),
            Err(fault) => {
                instance.fault = Some(fault);
                0
            }
        },
    )
}

/// Frees an engine.
#[wasm_bindgen(js_name = drop)]
pub fn drop_engine(handle: u32) {
    with(|instance| drop(instance.engines.remove(handle)));
}

/// Where the mailbox lies in the module's memory, in bytes; it stays there, but the memory may
/// grow.
#[wasm_bindgen]
#[must_use]
pub fn mailbox() -> *const f64 {
    with(|instance| instance.mail.as_ptr())
}

/// Does the input that lies in the mailbox.
#[wasm_bindgen]
pub fn exchange() {
    with_engine(|engine, mail| engine.exchange(OWNER, mail));
}

/// As `exchange` for an arrival whose caller holds the permits of these ids.
#[wasm_bindgen(js_name = exchangeHolding)]
pub fn exchange_holding(ids: &Float64Array) {
    let ids = ids.to_vec();
    with_engine(|engine, mail| engine.exchange_holding(OWNER, mail, &ids));
}

/// The callers behind one signal give up.
#[wasm_bindgen]
pub fn abort(ids: &Float64Array) {
    let ids = ids.to_vec();
    with_engine(|engine, mail| engine.exchange_abort(OWNER, mail, &ids));
}

/// What was wrong with the last `open` or input, as a code, with the value at the mailbox's
/// beginning; 0 if nothing was.
#[wasm_bindgen]
#[must_use]
pub fn fault() -> u32 {
    let of_options = with(|instance| instance.fault.take());
    let of_input = with_engine(|engine, _| engine.take_fault()).flatten();
    let Some(fault) = of_options.or(of_input) else {
        return 0;
    };
    with(|instance| instance.mail[place::CODE] = fault.value);
    fault.code()
}

/// One snapshot, a copy.
// No `js_sys::Float64Array`: V8 11 (Node 20) aborts the process when optimized code that calls a
// function with one result, a reference, is deoptimized during that call.
#[wasm_bindgen]
#[must_use]
pub fn stats() -> Vec<f64> {
    let stats = with_engine(|engine, mail| engine.exchange_stats(OWNER, mail).to_vec());
    stats.unwrap_or_default()
}
