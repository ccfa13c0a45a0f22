//! The engine interface over plain numbers, written once for every binding: conversions only.
//!
//! Times are floats in the unit of a [`Notation`], infinite for none; ids and codes are floats
//! too, because that is what every host has. See `docs/engine.md` for the table of methods.

use alloc::vec::Vec;

use crate::admission::{Admission, Request};
use crate::bulkhead::Bulkhead;
use crate::cancel::Cancellation;
use crate::codes::{id_number, id_of, kind_of, outcome_of, permits_of, rejection_code};
use crate::config::Config;
use crate::ids::OwnerId;
use crate::options::{self, InvalidOption, Notation, Opt};
use crate::time::{Instant, Span};

pub use crate::codes::{ABORTED, EventNumbers, RUN, owner_number};

/// A bulkhead that speaks numbers.
#[derive(Debug)]
pub struct Engine {
    core: Bulkhead,
    notation: Notation,
    pub(crate) fault: Option<InvalidOption>,
}

/// The options of a bulkhead as the host gives them; `None` is the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `maxConcurrent`
    pub max_concurrent: f64,
    /// `maxQueue`
    pub max_queue: Option<f64>,
    /// `timeoutMs`
    pub timeout: Option<f64>,
    /// `callTimeoutMs`
    pub call_timeout: Option<f64>,
    /// `abandonAfterMs`
    pub abandon_after: Option<f64>,
}

impl Engine {
    /// A new core.
    ///
    /// # Errors
    /// An option out of its range.
    pub fn new(notation: Notation, options: Options) -> Result<Self, InvalidOption> {
        let limit = options::count(Opt::MaxConcurrent, options.max_concurrent, notation)?;
        let mut config = Config::new(limit);
        if let Some(calls) = options.max_queue {
            config = config.max_queue(options::count(Opt::MaxQueue, calls, notation)?);
        }
        if let Some(time) = options.timeout {
            config = config.timeout(options::span(Opt::Timeout, time, notation)?);
        }
        if let Some(time) = options.call_timeout {
            config = config.call_timeout(options::span(Opt::CallTimeout, time, notation)?);
        }
        if let Some(time) = options.abandon_after {
            config = config.abandon_after(options::span(Opt::AbandonAfter, time, notation)?);
        }
        Ok(Self {
            core: Bulkhead::new(config)?,
            notation,
            fault: None,
        })
    }

    /// As [`Engine::new`], for hosts where an exception in the midst of a call is dear: if an option
    /// is out of its range, the least engine there can be, with a fault to take.
    #[must_use]
    pub fn new_or_fault(notation: Notation, options: Options) -> Self {
        Self::new(notation, options).unwrap_or_else(|fault| Self {
            // One permit and nothing else is always valid.
            core: Bulkhead::unchecked(Config::new(1)),
            notation,
            fault: Some(fault),
        })
    }

    /// The core itself.
    #[must_use]
    pub const fn core(&self) -> &Bulkhead {
        &self.core
    }

    /// See [`Bulkhead::add_owner`].
    pub fn attach(&mut self) -> OwnerId {
        self.core.add_owner()
    }

    /// See [`Bulkhead::acquire`]. At least 2^32: admitted, the id; negative: queued, minus the
    /// id; otherwise the code of the rejection.
    ///
    /// # Errors
    /// An argument out of its range.
    #[expect(
        clippy::too_many_arguments,
        reason = "the row of the table in docs/engine.md"
    )]
    pub fn acquire(
        &mut self,
        owner: OwnerId,
        now: f64,
        weight: f64,
        timeout: f64,
        deadline: f64,
        flags: u32,
        holding: f64,
    ) -> Result<f64, InvalidOption> {
        let weight = options::count(Opt::Weight, weight, self.notation)?;
        let timeout = if timeout == f64::INFINITY {
            Span::FOREVER
        } else {
            options::wait(timeout, self.notation)?
        };
        let request = kind_of(flags)(weight)
            .owner(owner)
            .timeout(timeout)
            .deadline(options::deadline(deadline, self.notation)?)
            .aborted(flags & ABORTED != 0)
            .holding(permits_of(holding));
        Ok(match self.core.acquire(self.instant(now), request)? {
            Admission::Admitted(id) => id_number(id),
            Admission::Queued(id) => -id_number(id),
            Admission::Rejected(rejection) => rejection_code(rejection),
        })
    }

    /// See [`Bulkhead::admit_now`], for work of this weight without bounds of its own; 0 for `None`.
    pub fn admit_now(&mut self, owner: OwnerId, weight: u32, flags: u32) -> f64 {
        let request = kind_of(flags)(weight).owner(owner);
        self.core.admit_now(request).map_or(0.0, id_number)
    }

    /// See [`Bulkhead::try_acquire`]. At least 2^32: the id; otherwise the code of the rejection.
    ///
    /// # Errors
    /// A weight out of its range.
    pub fn try_acquire(
        &mut self,
        owner: OwnerId,
        now: f64,
        weight: f64,
    ) -> Result<f64, InvalidOption> {
        let weight = options::count(Opt::Weight, weight, self.notation)?;
        let request = Request::permit(weight).owner(owner);
        let answer = self.core.try_acquire(self.instant(now), request)?;
        Ok(answer.map_or_else(rejection_code, id_number))
    }

    /// See [`Bulkhead::start`].
    pub fn start(&mut self, id: f64) {
        self.core.start(id_of(id));
    }

    /// See [`Bulkhead::finish`]; 0 completed, 1 failed, 2 leaked.
    pub fn finish(&mut self, now: f64, id: f64, outcome: u32) -> bool {
        self.core
            .finish(self.instant(now), id_of(id), outcome_of(outcome))
    }

    /// See [`Bulkhead::finish_now`].
    pub fn finish_now(&mut self, id: f64, outcome: u32) -> bool {
        self.core.finish_now(id_of(id), outcome_of(outcome))
    }

    /// See [`Bulkhead::release`].
    pub fn release(&mut self, now: f64, id: f64) -> bool {
        self.core.release(self.instant(now), id_of(id))
    }

    /// See [`Bulkhead::permits`].
    #[must_use]
    pub fn permits(&self, id: f64) -> u32 {
        self.core.permits(id_of(id))
    }

    /// See [`Bulkhead::cancel`]; 0 settled, 1 withdrawn, 2 answered early.
    pub fn cancel(&mut self, now: f64, id: f64) -> u32 {
        match self.core.cancel(self.instant(now), id_of(id)) {
            Cancellation::Settled => 0,
            Cancellation::Withdrawn => 1,
            Cancellation::AnsweredEarly => 2,
        }
    }

    /// See [`Bulkhead::abort`].
    pub fn abort(&mut self, now: f64, ids: &[f64]) {
        self.core
            .abort(self.instant(now), ids.iter().map(|id| id_of(*id)));
    }

    /// See [`Bulkhead::resize`].
    ///
    /// # Errors
    /// A limit out of its range.
    pub fn resize(&mut self, now: f64, limit: f64) -> Result<(), InvalidOption> {
        let limit = options::count(Opt::Resize, limit, self.notation)?;
        self.core.resize(self.instant(now), limit)
    }

    /// See [`Bulkhead::close`].
    pub fn close(&mut self, now: f64, abort: bool) {
        self.core.close(self.instant(now), abort);
    }

    /// See [`Bulkhead::drain`].
    pub fn drain(&mut self, now: f64) {
        self.core.drain(self.instant(now));
    }

    /// See [`Bulkhead::evict`].
    pub fn evict(&mut self, owner: OwnerId, now: f64) {
        self.core.evict(self.instant(now), owner);
    }

    /// See [`Bulkhead::restart`].
    pub fn restart(&mut self) {
        self.core.restart();
    }

    /// See [`Bulkhead::watch_idle`].
    pub fn watch_idle(&mut self, owner: OwnerId, now: f64) -> bool {
        self.core.watch_idle(self.instant(now), owner)
    }

    /// See [`Bulkhead::watch_room`].
    ///
    /// # Errors
    /// A weight out of its range.
    pub fn watch_room(
        &mut self,
        owner: OwnerId,
        now: f64,
        weight: f64,
        holding: f64,
    ) -> Result<bool, InvalidOption> {
        let weight = options::count(Opt::Weight, weight, self.notation)?;
        let request = Request::run(weight)
            .owner(owner)
            .holding(permits_of(holding));
        self.core.watch_room(self.instant(now), request)
    }

    /// See [`Bulkhead::handle_timeout`].
    pub fn handle_timeout(&mut self, now: f64) {
        self.core.handle_timeout(self.instant(now));
    }

    /// See [`Bulkhead::poll_event`].
    pub fn next_event(&mut self, owner: OwnerId) -> EventNumbers {
        let event = self.core.poll_event(owner);
        event.map_or_else(EventNumbers::default, |event| {
            EventNumbers::of(event, self.notation)
        })
    }

    /// The events that [`Engine::next_event`] would answer, without taking them.
    pub fn events(&self, owner: OwnerId) -> impl Iterator<Item = EventNumbers> {
        let events = self.core.peek_events(owner);
        events.map(|event| EventNumbers::of(*event, self.notation))
    }

    /// An owner other than this one to wake, `None` when there are no more; see [`Bulkhead::poll_wake`]. To be asked in one step
    /// with the input, before anybody else's: `owner` is awake, and sees what that has told it.
    pub fn next_wake(&mut self, owner: OwnerId) -> Option<OwnerId> {
        core::iter::from_fn(|| self.core.poll_wake()).find(|other| *other != owner)
    }

    /// The owners to wake, each once, for drivers that ask apart from their inputs. `owner` itself is named if it has events:
    /// another's input may have told it something since it looked.
    pub fn take_wakes(&mut self, owner: OwnerId) -> Vec<f64> {
        let woken = core::iter::from_fn(|| self.core.poll_wake()).collect::<Vec<_>>();
        let has_news = |other: &OwnerId| self.core.peek_events(*other).next().is_some();
        let woken = woken
            .into_iter()
            .filter(|other| *other != owner || has_news(other));
        woken.map(owner_number).collect()
    }

    /// The options as they are in effect, in the order of [`Options`]; infinite for none.
    #[must_use]
    pub fn settings(&self) -> [f64; 5] {
        let config = self.core.config;
        let span = |span| match span {
            Span::FOREVER => f64::INFINITY,
            bounded => self.notation.units(bounded.as_nanos()),
        };
        [
            f64::from(config.max_concurrent),
            f64::from(config.max_queue),
            span(config.wait_bound()),
            span(config.call_timeout),
            span(config.abandon_after),
        ]
    }

    /// See [`Bulkhead::poll_timeout`]; infinite for none.
    #[must_use]
    pub fn next_timer(&self, owner: OwnerId) -> f64 {
        let at = self.core.poll_timeout(owner);
        at.map_or(f64::INFINITY, |at| self.notation.units(at.as_nanos()))
    }

    /// See [`Bulkhead::keeps_alive`].
    #[must_use]
    pub fn keeps_alive(&self, owner: OwnerId) -> bool {
        self.core.keeps_alive(owner)
    }

    /// The snapshot as numbers, in the order of [`crate::STATS`].
    #[must_use]
    pub fn stats(&self) -> [f64; 36] {
        self.core.snapshot().to_numbers(self.notation)
    }

    /// The latest time that it has seen.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.notation.units(self.core.now.as_nanos())
    }

    fn instant(&self, now: f64) -> Instant {
        options::instant(now, self.notation)
    }
}
