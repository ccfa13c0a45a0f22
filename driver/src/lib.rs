//! How several threads, loops or workers drive one bulkhead: lock, act, collect the owners to wake,
//! unlock, wake. Written once; Node's addon, Python's module and the models in `core/shuttle` run
//! this code.
//!
//! - A [`Shared`] is a core behind its lock, with whatever a binding keeps beside it. Each driver
//!   of the core is an owner with a [`Bell`].
//! - [`Shared::step`] runs one input of one owner. The owners that the input has notified are
//!   collected under the same lock, so that no other input can come between, and woken after it:
//!   waking takes locks of the host's, and may run a host's code.
//! - A woken driver calls [`Bell::answer`] first and looks at its events then. In the other order
//!   it would miss an event that comes between the two.
//!
//! # What a driver must do
//! Register the caller of an input before it looks at any event after that input: another thread
//! may have granted, timed out or closed that very call in between, and the event is delivered
//! once.

#![forbid(unsafe_code)]

mod bell;
mod shared;
mod sync;

pub use bell::{Bell, Wakes};
pub use shared::Shared;

/// The README's example, which `cargo test` runs.
#[cfg(all(doctest, not(feature = "shuttle")))]
#[doc = include_str!("../README.md")]
struct Readme;
