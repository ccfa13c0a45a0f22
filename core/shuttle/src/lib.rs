//! The bindings' way of sharing one core, under a scheduler that chooses every interleaving itself.
//!
//! The core, the lock around it, the bells and the collecting of wakes are those that ship:
//! `bulkheads-driver`, with the scheduler's lock and atomics in place of the machine's. A driver
//! does an input, registers its caller, takes its events one at a time, arms its timer, and wakes
//! the owners that the input has notified. A driver with nothing to do sleeps until it is woken or
//! its timer fires, so a wake-up that is lost leaves a thread asleep for good, which the scheduler
//! reports as a deadlock.

mod driver;
mod host;
pub mod schedules;
mod sleeper;

pub use driver::{Driver, Fate, Gone};
pub use host::{Host, Way};
pub use sleeper::Sleeper;
