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
//! - A grant is *undelivered* until [`Bulkhead::start`]: cancelled before, it never ran.
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
//! # Where things are
//! [`Hull`] holds everything; a [`Bulkhead`] is a hull with one compartment. One place decides on
//! an arrival (`admission`), one knows capacity (`ledger`), one orders waiters (`queue`), one
//! writes phases and counts ends (`transition`; runs that need no clock have a short way beside
//! it), and [`Hull::at`] is the one door of every input with a time. Comments such as
//! `// Admission 2.1` name the sentence of the project's contract that the next lines decide.
//!
//! The crate is the state machine; it has no async facade for Rust.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod admission;
mod books;
mod bulkhead;
mod calls;
mod compartment;
mod config;
mod counted;
mod deadlines;
mod ending;
mod event;
mod histogram;
mod hull;
mod ids;
mod invariants;
mod leaving;
mod ledger;
mod list;
mod options;
mod owners;
mod parts;
mod queue;
mod rejection;
mod request;
mod returning;
mod sampling;
mod snapshot;
mod step;
mod time;
mod transition;

pub use admission::{Admission, Offer, Untimed};
pub use bulkhead::Bulkhead;
pub use config::{Config, SAMPLED_EVERY};
pub use counted::Credit;
pub use event::Event;
pub use histogram::{Histogram, Summary};
pub use hull::Hull;
pub use ids::{CompartmentId, Id, OwnerId};
pub use leaving::Cancellation;
pub use options::{InvalidOption, MAX_COUNT, Opt, Rule};
pub use rejection::{FullReason, Rejection};
pub use request::Request;
pub use returning::{Outcome, Reclaim};
pub use snapshot::{Rejected, Snapshot, State};
pub use step::Step;
pub use time::{Instant, Span};

/// The README's example, which `cargo test` runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
