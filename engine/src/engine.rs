//! A bulkhead that speaks numbers.

use alloc::vec::Vec;

use bulkheads_core::{Bulkhead, Credit, Id, OwnerId, Rejection};

use crate::codes::EventNumbers;
use crate::notation::Notation;
use crate::options::{Fault, OPTIONS, Options};
use crate::stats::{STATS_LEN, numbers};

/// A bulkhead that speaks numbers; its inputs are those of the [`crate::mailbox`].
#[derive(Debug)]
pub struct Engine {
    pub(crate) core: Bulkhead,
    pub(crate) notation: Notation,
    /// What was wrong with the last input.
    pub(crate) fault: Option<Fault>,
    /// What the only owner's host may do by itself, as it was laid out last.
    pub(crate) credit: Credit,
    /// Several owners: none of them gets a credit, since none could see what the others do.
    pub(crate) is_shared: bool,
    /// More of the last rejection: see `place::DETAIL`.
    pub(crate) detail: f64,
}

impl Engine {
    /// A new core with one owner.
    ///
    /// # Errors
    /// An option out of its range.
    pub fn new(notation: Notation, options: Options) -> Result<Self, Fault> {
        let config = options.config(notation)?;
        let core = Bulkhead::new(config).map_err(|error| Fault::of(error, notation))?;
        Ok(Self {
            core,
            notation,
            fault: None,
            credit: Credit::NONE,
            is_shared: false,
            detail: 0.0,
        })
    }

    /// From here on several owners drive it, each with a mailbox of its own.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }

    /// The core itself.
    #[must_use]
    pub const fn core(&self) -> &Bulkhead {
        &self.core
    }

    /// See `Bulkhead::evict`.
    pub fn evict(&mut self, owner: OwnerId, now: f64) {
        let now = self.notation.instant(now);
        self.core.evict(now, owner);
    }

    /// The options as they are in effect, in the order of [`OPTIONS`]; infinite for none.
    #[must_use]
    pub fn settings(&self) -> [f64; OPTIONS.len()] {
        Options::settings(self.core.config(), self.notation)
    }

    /// Why the last input answered no number.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    /// The events of an owner, without taking them.
    pub(crate) fn events(&self, owner: OwnerId) -> impl Iterator<Item = EventNumbers> {
        let events = self.core.peek_events(owner);
        events.map(|event| EventNumbers::of(*event, self.notation))
    }

    /// The snapshot as numbers, in the order of [`crate::STATS`].
    pub(crate) fn stats(&self) -> [f64; STATS_LEN] {
        numbers(&self.core.snapshot(), self.notation)
    }

    #[expect(clippy::cast_precision_loss, reason = "permits, below 2^53")]
    pub(crate) fn note(&mut self, rejection: Rejection) -> Rejection {
        match rejection {
            Rejection::Reentrant { holding } => self.detail = holding as f64,
            Rejection::NoRoom { nanos } => self.detail = self.notation.units(nanos),
            _ => {}
        }
        rejection
    }
}

impl AsMut<Bulkhead> for Engine {
    fn as_mut(&mut self) -> &mut Bulkhead {
        &mut self.core
    }
}

pub(crate) fn ids_of(numbers: &[f64]) -> Vec<Id> {
    numbers.iter().map(|id| crate::codes::id_of(*id)).collect()
}
