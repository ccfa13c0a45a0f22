//! A permit that its holder gives back, takes apart or makes heavier in part.

use crate::calls::{Call, Phase};
use crate::ids::{CompartmentId, Id};
use crate::options::{self, InvalidOption, Opt, Rule};
use crate::snapshot::State;
use crate::step::Step;

impl Step<'_> {
    /// See [`crate::Bulkhead::release_part`]; for all that it holds of a step that
    /// [`crate::Hull::at_result`] has made.
    ///
    /// # Errors
    /// `permits` is 0, or more than the call holds.
    // Running 2.4
    pub fn release_part(
        &mut self,
        compartment: CompartmentId,
        id: Id,
        permits: u32,
    ) -> Result<bool, InvalidOption> {
        // None at all is refused of a permit that came back already, too.
        let held = self.part_of(compartment, id, |_| true);
        check_part(permits, held.unwrap_or(permits), Rule::Part)?;
        let Some(held) = held.filter(|held| permits < *held) else {
            return Ok(self.release(compartment, id));
        };
        self.hull.reweigh(id.slot(), held - permits);
        Ok(true)
    }

    /// See [`crate::Bulkhead::split`].
    ///
    /// # Errors
    /// `permits` is 0, or as many as the call holds, or more.
    // Running 2.5
    pub fn split(
        &mut self,
        compartment: CompartmentId,
        id: Id,
        permits: u32,
    ) -> Result<Option<Id>, InvalidOption> {
        let held = self.part_of(compartment, id, runs);
        check_part(permits, held.unwrap_or(u32::MAX), Rule::ProperPart)?;
        Ok(held.map(|_| self.hull.split_off(id.slot(), permits)))
    }

    /// See [`crate::Bulkhead::adjust`].
    ///
    /// # Errors
    /// `weight` out of its range.
    // Running 2.6
    pub fn adjust(
        &mut self,
        compartment: CompartmentId,
        id: Id,
        weight: u32,
    ) -> Result<bool, InvalidOption> {
        options::check_count(Opt::Weight, weight)?;
        let Some(held) = self.part_of(compartment, id, |_| true) else {
            return Ok(false);
        };
        let here = self.hull.compartment(compartment.0);
        let more = weight.saturating_sub(held);
        // What a permit takes in addition is a new admission: it stands behind every waiter, and
        // nothing is admitted after the end, nor to a permit whose own time is over.
        let is_free = here.state == State::Open && here.queue.is_empty() && here.pool.fits(more);
        let may_grow = is_free && self.part_of(compartment, id, runs).is_some();
        let is_possible = more == 0 || may_grow;
        if is_possible {
            self.hull.reweigh(id.slot(), weight);
        }
        Ok(is_possible)
    }

    /// What a call of this compartment holds, if it is current and as it must be.
    fn part_of(
        &self,
        CompartmentId(index): CompartmentId,
        id: Id,
        is_right: impl Fn(&Call) -> bool,
    ) -> Option<u32> {
        let call = self.hull.calls.current(id)?;
        let is_held = call.compartment == index && call.phase.holds();
        (is_held && is_right(call)).then_some(call.weight)
    }
}

/// Whether its bound has not passed, and its holder has it.
fn runs(call: &Call) -> bool {
    call.phase == Phase::Running
}

// Running 2.7
fn check_part(permits: u32, held: u32, rule: Rule) -> Result<(), InvalidOption> {
    let most = held - u32::from(rule == Rule::ProperPart);
    if (1..=most).contains(&permits) {
        return Ok(());
    }
    Err(InvalidOption {
        option: Opt::Permits,
        value: permits.into(),
        rule,
    })
}
