//! The bindings' way of sharing one core, under a scheduler that chooses every interleaving itself.
//!
//! A core lies behind a lock. Each thread has a driver with an owner of its own; a driver does an input under the lock, takes
//! its events, arms its timer, and wakes the owners that the core names. Whoever has nothing to do sleeps until it is woken or
//! its timer fires. So a wake-up that is lost leaves a thread asleep for good, which the scheduler reports as a deadlock.

mod bell;
mod driver;
mod host;
pub mod schedules;

pub use driver::{Driver, Fate, Gone};
pub use host::{Host, Waking};
