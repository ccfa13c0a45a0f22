//! Permits by hand, as objects: an object that holds one knows its id, 0 if it holds none.
//!
//! An id goes from the core into its object, and back, with none of Python's instructions in between.

use bulkheads_core::OwnerId;
use bulkheads_engine::Engine;
use pyo3::intern;
use pyo3::prelude::*;

use crate::calls::{FAILED, FIRST_ID, Kind, LEAKED};
use crate::engine::{value_error, whole};
use crate::here::Here;
use crate::outside;
use crate::request::{self, Request};
use crate::runs::Runs;

impl Runs {
    /// Puts a permit into an object that has none; the thread may have to be blocked until it is there.
    pub(crate) fn fill_blocking(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        request: Request,
    ) -> PyResult<()> {
        let taken = Self::take(slf, request)?;
        Self::put(slf, permit, taken.id)
    }

    /// Puts a permit into an object that has none, if there is one at once.
    pub(crate) fn fill_now(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        weight: f64,
    ) -> PyResult<bool> {
        let id = if outside::is_in_loop(slf.py())? {
            Self::try_take_in_loop(slf, weight)?
        } else {
            Self::try_take(slf, weight)?
        };
        if id < FIRST_ID {
            return Ok(false);
        }
        Self::hold(slf, id).or_else(|error| Self::undo(slf, id, error))?;
        Self::put(slf, permit, id)?;
        Ok(true)
    }

    /// The id of a permit, or the code of the rejection.
    fn try_take_in_loop(slf: &Bound<'_, Self>, weight: f64) -> PyResult<f64> {
        let here = Here::find(slf)?;
        if let Some(id) = Self::take_at_a_glance(slf, here.owner, weight) {
            return Ok(id);
        }
        let now = here.now(slf)?;
        let mut shared = slf.get().handle().lock();
        let answer = shared.core.try_acquire(here.owner, now, weight);
        here.settle(shared)?;
        answer.map_err(value_error)
    }

    fn try_take(slf: &Bound<'_, Self>, weight: f64) -> PyResult<f64> {
        let owner = OwnerId::FIRST;
        if let Some(id) = Self::take_at_a_glance(slf, owner, weight) {
            return Ok(id);
        }
        let act = |core: &mut Engine, now| core.try_acquire(owner, now, weight);
        let (answer, told) = outside::input(slf, act);
        let id = answer.map_err(value_error)?;
        match told {
            Err(error) if id >= FIRST_ID => Self::undo(slf, id, error),
            told => told.map(|()| id),
        }
    }

    /// With no look at the clock.
    fn take_at_a_glance(slf: &Bound<'_, Self>, owner: OwnerId, weight: f64) -> Option<f64> {
        let weight = request::at_once(weight)?;
        let mut shared = slf.get().handle().lock();
        let id = shared.core.admit_now(owner, weight, Kind::Hand.flags());
        (id >= FIRST_ID).then_some(id)
    }

    /// Takes the permit out of its object and gives it back; false if there is none.
    pub(crate) fn take_back(
        slf: &Bound<'_, Self>,
        permit: &Bound<'_, PyAny>,
        outcome: u32,
    ) -> PyResult<bool> {
        let name = intern!(slf.py(), "_id");
        let id: f64 = permit.getattr(name)?.extract()?;
        permit.setattr(name, 0)?;
        if id == 0.0 {
            return Ok(false);
        }
        if outcome == LEAKED {
            // A finaliser may run in the midst of a driver's step, whose outcomes come first.
            outside::input(slf, |core, now| core.finish(now, id, outcome)).1?;
        } else {
            Self::give_back(slf, id, outcome)?;
        }
        Ok(true)
    }

    /// The end of a permit that stands in no table.
    pub(crate) fn give_back(slf: &Bound<'_, Self>, id: f64, outcome: u32) -> PyResult<()> {
        let is_done = slf.get().handle().lock().core.finish_now(id, outcome);
        if !is_done {
            Self::finish_timed(slf, id, outcome)?;
        }
        Self::let_go(slf)
    }

    /// A permit cannot be handed to its caller.
    pub(crate) fn undo<T>(slf: &Bound<'_, Self>, id: f64, error: PyErr) -> PyResult<T> {
        if let Err(further) = Self::give_back(slf, id, FAILED) {
            further.write_unraisable(slf.py(), None);
        }
        Err(error)
    }

    fn put(slf: &Bound<'_, Self>, permit: &Bound<'_, PyAny>, id: f64) -> PyResult<()> {
        let filled = permit.setattr(intern!(slf.py(), "_id"), whole(id));
        filled.or_else(|error| Self::undo(slf, id, error))
    }
}
