//! Arrivals on both sides.

use bulkheads_core::{Admission, Bulkhead, Hull, Instant, Offer, Request, Untimed};

use super::super::input::Asked;
use super::{World, compartment, request};

impl World {
    /// One request on both sides.
    pub(super) fn both<A, B>(
        &mut self,
        asked: Asked,
        hull: impl FnOnce(&mut Hull, Instant, Request<'_>) -> A,
        alone: impl FnOnce(&mut Bulkhead, Instant, Request<'_>) -> B,
    ) -> (A, B) {
        let now = self.now();
        let (mine, theirs) = self.owner(asked.owner, asked.place);
        let (held, own) = self.held(asked.held, asked.place);
        let request = request(asked, self.time);
        let one = hull(&mut self.hull, now, request.owner(mine).held(&held));
        let request = request.owner(theirs).held(&own);
        let other = alone(&mut self.alone[asked.place], now, request);
        (one, other)
    }

    pub(super) fn admitted(&mut self, place: usize, one: Admission, other: Admission) {
        match (one, other) {
            (Admission::Admitted(id), Admission::Admitted(twin))
            | (Admission::Queued(id), Admission::Queued(twin)) => self.pair(id, place, twin),
            (one, other) => assert_eq!(one, other),
        }
    }

    pub(super) fn acquire(&mut self, asked: Asked) {
        self.pass_elsewhere(asked.place);
        let here = compartment(asked.place);
        let (one, other) = self.both(
            asked,
            |hull, now, request| hull.at(now).acquire(here, request).expect("valid"),
            |alone, now, request| alone.acquire(now, request).expect("valid"),
        );
        self.admitted(asked.place, one, other);
    }

    pub(super) fn acquire_untimed(&mut self, asked: Asked) {
        let here = compartment(asked.place);
        let (mine, theirs) = self.owner(asked.owner, asked.place);
        let (held, own) = self.held(asked.held, asked.place);
        let request = request(asked, self.time);
        let came = self
            .hull
            .acquire_untimed(here, &request.owner(mine).held(&held));
        if came == Untimed::NeedsClock {
            self.acquire(asked);
            return;
        }
        let other = request.owner(theirs).held(&own);
        match (came, self.alone[asked.place].acquire_untimed(other)) {
            (Untimed::Admitted(id), Untimed::Admitted(twin)) => self.pair(id, asked.place, twin),
            (one, other) => assert_eq!(one, other),
        }
    }

    pub(super) fn acquire_or_watch(&mut self, asked: Asked) {
        self.pass_elsewhere(asked.place);
        let here = compartment(asked.place);
        let (one, other) = self.both(
            asked,
            |hull, now, request| hull.at(now).acquire_or_watch(here, request).expect("valid"),
            |alone, now, request| alone.acquire_or_watch(now, request).expect("valid"),
        );
        match (one, other) {
            (Offer::Admitted(id), Offer::Admitted(twin)) => self.pair(id, asked.place, twin),
            (one, other) => assert_eq!(one, other),
        }
    }
}
