//! The numbers by which foreign hosts speak to the state machine: how they write options and times,
//! codes instead of enums, and a mailbox of numbers instead of arguments.
//!
//! Conversions only. `docs/engine.md` has the tables; `examples/tables.rs` writes those that
//! JavaScript reads, from the same lists that this crate uses.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod codes;
mod engine;
mod handles;
pub mod mailbox;
mod notation;
mod options;
mod stats;

pub use codes::{ABORTED, EVENTS, EventNumbers, OUTCOMES, REJECTIONS, RUN};
pub use engine::Engine;
pub use handles::Handles;
pub use notation::Notation;
pub use options::{
    ARGUMENTS, Fault, OPTIONS, Options, RULES, call_timeout, deadline, wait, weight,
};
pub use stats::{STATS, STATS_LEN, numbers};
