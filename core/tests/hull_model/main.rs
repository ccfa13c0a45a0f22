//! A hull of several compartments beside as many bulkheads of their own: whatever the inputs, each
//! compartment answers, notifies and books as its bulkhead does. Only its ids and tickets are
//! numbers of the hull, and only the hull can need a clock because of another compartment.

mod input;
mod world;

use proptest::prelude::*;

use input::PLACES;
use world::World;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_compartment_behaves_as_a_bulkhead_of_its_own(
        configs in prop::collection::vec(input::config(), PLACES),
        has_one_owner in any::<bool>(),
        history in prop::collection::vec(input::inputs(), 1..80),
    ) {
        let mut world = World::new(&configs, has_one_owner);
        for input in &history {
            world.play(input);
        }
    }
}
