//! Permits in part on both sides.

use super::{World, compartment};

impl World {
    pub(super) fn release_part(&mut self, pick: usize, permits: u32) {
        let Some((id, place, twin)) = self.pick(pick) else {
            return;
        };
        self.pass_elsewhere(place);
        let now = self.now();
        // All that it holds is a result in hand.
        let mut step = if permits == self.hull.permits(id) {
            self.hull.at_result(now, id)
        } else {
            self.hull.at(now)
        };
        let one = step.release_part(compartment(place), id, permits);
        drop(step);
        assert_eq!(one, self.alone[place].release_part(now, twin, permits));
    }

    pub(super) fn split(&mut self, pick: usize, permits: u32) {
        let Some((id, place, twin)) = self.pick(pick) else {
            return;
        };
        self.pass_elsewhere(place);
        let now = self.now();
        let one = self.hull.at(now).split(compartment(place), id, permits);
        match (one, self.alone[place].split(now, twin, permits)) {
            (Ok(Some(part)), Ok(Some(twin))) => self.pair(part, place, twin),
            (one, other) => assert_eq!(one, other),
        }
    }

    pub(super) fn adjust(&mut self, pick: usize, weight: u32) {
        let Some((id, place, twin)) = self.pick(pick) else {
            return;
        };
        self.pass_elsewhere(place);
        let now = self.now();
        let one = self.hull.at(now).adjust(compartment(place), id, weight);
        assert_eq!(one, self.alone[place].adjust(now, twin, weight));
    }
}
