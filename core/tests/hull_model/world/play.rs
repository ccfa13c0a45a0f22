//! One input on both sides.

use bulkheads_core::{Bulkhead, Cancellation, Span};

use super::super::input::{Input, PLACES};
use super::{World, compartment, outcome};

impl World {
    fn of_one(&mut self, input: &Input) {
        let now = self.now();
        match *input {
            Input::Release(pick) => {
                let Some((id, place, twin)) = self.pick(pick) else {
                    return;
                };
                self.pass_elsewhere(place);
                let step = &mut self.hull.at_result(now, id);
                let one = step.release(compartment(place), id);
                assert_eq!(one, self.alone[place].release(now, twin));
            }
            Input::Reclaim(pick) => {
                let Some((id, place, twin)) = self.pick(pick) else {
                    return;
                };
                self.pass_elsewhere(place);
                let one = self.hull.at_result(now, id).reclaim(id);
                assert_eq!(one, self.alone[place].reclaim(now, twin));
            }
            Input::Cancel(pick) => {
                let Some((id, place, twin)) = self.pick(pick) else {
                    return;
                };
                self.pass_elsewhere(place);
                let one: Cancellation = self.hull.at(now).cancel(id);
                assert_eq!(one, self.alone[place].cancel(now, twin));
            }
            Input::Resize(place, limit) => {
                self.pass_elsewhere(place);
                let one = self.hull.at(now).resize(compartment(place), limit);
                assert_eq!(one, self.alone[place].resize(now, limit));
            }
            Input::Close(place, abort) => {
                self.pass_elsewhere(place);
                self.hull.at(now).close(compartment(place), abort);
                self.alone[place].close(now, abort);
            }
            Input::Drain(place) => {
                self.pass_elsewhere(place);
                self.hull.at(now).drain(compartment(place));
                self.alone[place].drain(now);
            }
            Input::DrainWithin(place, owner, nanos) => {
                self.pass_elsewhere(place);
                let (mine, theirs) = self.owner(owner, place);
                let span = Span::from_nanos(nanos);
                let here = compartment(place);
                self.hull.at(now).drain_within(here, mine, span);
                self.alone[place].drain_within(now, theirs, span);
            }
            Input::UnwatchCapacity(place, owner) => {
                self.pass_elsewhere(place);
                let (mine, theirs) = self.owner(owner, place);
                self.hull.at(now).unwatch_capacity(compartment(place), mine);
                self.alone[place].unwatch_capacity(now, theirs);
            }
            _ => unreachable!("played elsewhere"),
        }
    }

    pub(crate) fn play(&mut self, input: &Input) {
        match *input {
            Input::Acquire(asked) => self.acquire(asked),
            Input::AcquireUntimed(asked) => self.acquire_untimed(asked),
            Input::AcquireOrWatch(asked) => self.acquire_or_watch(asked),
            Input::WatchCapacity(asked) => {
                self.pass_elsewhere(asked.place);
                let here = compartment(asked.place);
                let (one, other) = self.both(
                    asked,
                    |hull, now, request| hull.at(now).watch_capacity(here, request),
                    Bulkhead::watch_capacity,
                );
                assert_eq!(one, other);
            }
            Input::WatchIdle(place, owner) => self.watch_idle(place, owner),
            Input::Start(pick) => {
                if let Some((id, place, twin)) = self.pick(pick) {
                    self.hull.start(id);
                    self.alone[place].start(twin);
                }
            }
            Input::Finish(pick, failed) => {
                if let Some((id, place, twin)) = self.pick(pick) {
                    self.finish(id, place, twin, outcome(failed));
                }
            }
            Input::ReleasePart(pick, permits) => self.release_part(pick, permits),
            Input::Split(pick, permits) => self.split(pick, permits),
            Input::Adjust(pick, weight) => self.adjust(pick, weight),
            Input::FinishUntimed(pick, failed) => self.finish_untimed(pick, outcome(failed)),
            Input::Abort(ref picks) => self.abort(picks),
            Input::AdmitCounted(place, owner) => {
                let (mine, theirs) = self.owner(owner, place);
                if self.hull.admit_counted(compartment(place), mine) {
                    assert!(self.alone[place].admit_counted(theirs));
                }
            }
            Input::FinishCounted(place, owner, failed) => {
                self.finish_counted(place, owner, outcome(failed));
            }
            Input::Credit(place, begins, ends, failures) => {
                self.credit(place, [begins, ends, failures]);
            }
            Input::ResizeAll(limit) => self.resize_all(limit),
            Input::Evict(owner) => self.evict(owner),
            Input::Take(owner) => {
                // Compared as they stand after each input.
                let (mine, theirs) = self.owners[owner % self.owners.len()].clone();
                while self.hull.poll_event(mine).is_some() {}
                for (alone, id) in self.alone.iter_mut().zip(theirs) {
                    while alone.poll_event(id).is_some() {}
                }
            }
            Input::Pass(nanos) => {
                self.time += nanos;
                drop(self.hull.at(self.now()));
                self.pass_elsewhere(PLACES);
            }
            _ => self.of_one(input),
        }
        self.compare();
    }
}
