//! The bulkhead pattern as a sans-IO state machine.
//!
//! A [`Bulkhead`] guards one dependency with a budget of permits. A call that gets its permits
//! runs; a call that cannot get them yet waits in a bounded queue, for a bounded time; every other
//! call is rejected at once, with the bound that rejected it.
//!
//! Surprises first:
//! - Nothing here reads a clock, blocks, allocates in the steady state or runs user code. Time is
//!   an argument; a time that goes backwards is taken as standing still.
//! - Every input first does what is due at its `now`. A waiter at its deadline has timed out, even
//!   if that very input would have freed its permit.
//! - A waiter keeps its [`Id`] when it is granted; ids are reused after a generation count.
//! - A grant is *unclaimed* until [`Bulkhead::start`]: cancelled before, it never ran.
//! - Strictly first come, first served: a heavy head holds back lighter waiters.
//!
//! # Driving it
//! 1. Call an input ([`Bulkhead::acquire`], [`Bulkhead::finish`], [`Bulkhead::handle_timeout`], …)
//!    with the host's time. What happened to the caller itself is the return value.
//! 2. Call [`Bulkhead::poll_event`] until it answers `None`: what happened to others.
//! 3. Ask [`Bulkhead::poll_timeout`] and arm one host timer for it. When it fires, call
//!    [`Bulkhead::handle_timeout`]; too early or too often does nothing.
//! 4. Only then run user code.
//!
//! The crate is the state machine; it has no async facade for Rust.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod admission;
mod bulkhead;
mod cancel;
mod codes;
mod config;
mod deadlines;
mod due;
mod ending;
pub mod engine;
mod event;
mod histogram;
mod ids;
mod invariants;
pub mod mailbox;
mod options;
mod owners;
mod release;
mod restart;
mod sampling;
mod snapshot;
mod store;
mod time;

pub use admission::{Admission, FullReason, Rejection, Request};
pub use bulkhead::Bulkhead;
pub use cancel::Cancellation;
pub use config::Config;
pub use event::Event;
pub use histogram::{Histogram, Summary};
pub use ids::{Id, OwnerId};
pub use options::{InvalidOption, MAX_COUNT, Notation, Opt, Rule};
pub use release::Outcome;
pub use snapshot::{Rejected, STATS, Snapshot, State};
pub use time::{Instant, Span};

/// The README's example, which `cargo test` runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
