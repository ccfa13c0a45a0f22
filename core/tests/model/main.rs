//! Random histories of every input, several owners among them, against a naive model: the same
//! answers, the same events in the same order, the same books, and every invariant after each step.

mod contract;
mod inputs;
mod naive;

use bulkheads::{Bulkhead, Config, Instant, Outcome, OwnerId, Span};
use proptest::prelude::*;

use inputs::{Input, World};
use naive::{NEVER, Naive, Settings};

const OWNERS: usize = 3;

fn times() -> impl Strategy<Value = u64> {
    prop_oneof![1..12_u64, Just(NEVER)]
}

fn settings() -> impl Strategy<Value = Settings> {
    (1..6_u32, 0..6_u32, times(), times(), times()).prop_map(
        |(limit, max_queue, timeout, call_timeout, abandon_after)| Settings {
            limit,
            max_queue,
            timeout,
            call_timeout,
            abandon_after,
        },
    )
}

fn inputs() -> impl Strategy<Value = Input> {
    let pick = 0..12_usize;
    let deadline = prop_oneof![3 => Just(NEVER), 1 => 0..20_u64];
    let timeout = prop_oneof![3 => Just(NEVER), 1 => 0..8_u64];
    prop_oneof![
        12 => (0..OWNERS, 1..5_u32, any::<bool>(), timeout, deadline, 0..20_u8, any::<bool>()).prop_map(
            |(owner, weight, run, timeout, deadline, aborted, now)| Input::Acquire {
                owner, weight, run, timeout, deadline, aborted: aborted == 0, now,
            }
        ),
        2 => (0..OWNERS, 1..5_u32).prop_map(|(owner, weight)| Input::TryAcquire { owner, weight }),
        6 => pick.clone().prop_map(Input::Start),
        6 => (pick.clone(), any::<bool>()).prop_map(|(pick, ok)| Input::Finish(
            pick, if ok { Outcome::Completed } else { Outcome::Failed }
        )),
        3 => pick.clone().prop_map(|pick| Input::FinishNow(pick, Outcome::Completed)),
        1 => pick.clone().prop_map(|pick| Input::Finish(pick, Outcome::Leaked)),
        2 => pick.clone().prop_map(Input::Release),
        3 => pick.clone().prop_map(Input::Cancel),
        1 => prop::collection::vec(pick, 0..5).prop_map(Input::Abort),
        2 => (0..7_u32).prop_map(Input::Resize),
        1 => any::<bool>().prop_map(Input::Close),
        1 => Just(Input::Drain),
        1 => (0..OWNERS).prop_map(Input::Evict),
        8 => (0..6_u64).prop_map(Input::Pass),
        1 => (0..9_u64).prop_map(Input::Back),
    ]
}

fn span(nanos: u64) -> Span {
    Span::from_nanos(nanos)
}

fn world(settings: Settings) -> World {
    let config = Config::new(settings.limit)
        .max_queue(settings.max_queue)
        .timeout(span(settings.timeout))
        .call_timeout(span(settings.call_timeout))
        .abandon_after(span(settings.abandon_after));
    let mut core = Bulkhead::new(config).expect("the strategy gives valid options");
    let mut owners = vec![OwnerId::FIRST];
    owners.resize_with(OWNERS, || core.add_owner());
    World {
        core,
        naive: Naive::new(settings),
        owners,
        ids: Vec::new(),
        time: 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_agrees_with_the_naive_model(
        settings in settings(),
        history in prop::collection::vec(inputs(), 1..60),
    ) {
        let mut world = world(settings);
        for input in history {
            world.play(&input)?;
        }
        world.drain_everything()?;
    }
}

#[test]
fn a_time_at_the_end_of_the_clock_is_harmless() {
    let settings = Settings {
        limit: 1,
        max_queue: 3,
        timeout: NEVER - 1,
        call_timeout: NEVER - 1,
        abandon_after: NEVER - 1,
    };
    let mut world = world(settings);
    for _ in 0..3 {
        world.play(&Input::acquire(1)).expect("agrees");
    }
    world.core.handle_timeout(Instant::NEVER);
    assert_eq!(world.core.check_invariants(), Ok(()));
}
