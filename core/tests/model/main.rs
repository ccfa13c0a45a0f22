//! Random histories of every input, several owners among them, against a naive model: the same
//! answers, the same events in the same order, the same books, and every invariant after each step.

#[path = "../corpus/mod.rs"]
mod corpus;
mod world;

use std::cell::RefCell;

use bulkheads_core::{Bulkhead, Config, Instant, Request, Span};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use world::{Asked, COUNTS, End, Input, NEVER, OWNERS, Settings, World};

/// How many histories are played, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 10_000;

fn times() -> impl Strategy<Value = u64> {
    prop_oneof![1..12_u64, Just(NEVER)]
}

fn settings() -> impl Strategy<Value = Settings> {
    let origin = prop_oneof![3 => Just(0), 1 => Just(NEVER - 40)];
    (1..6_u32, 0..6_u32, times(), times(), times(), origin).prop_map(
        |(limit, max_queue, timeout, call_timeout, abandon_after, origin)| Settings {
            limit,
            max_queue,
            timeout,
            call_timeout,
            abandon_after,
            origin,
        },
    )
}

/// How many of the latest ids the caller says that it holds, true or not.
fn held() -> impl Strategy<Value = usize> {
    prop_oneof![6 => Just(0), 2 => 1..7_usize, 1 => Just(usize::MAX)]
}

fn asked() -> impl Strategy<Value = Asked> {
    let deadline = prop_oneof![3 => Just(NEVER), 1 => 0..20_u64];
    let timeout = prop_oneof![3 => Just(NEVER), 1 => 0..8_u64];
    let flags = (any::<bool>(), 0..20_u8, any::<bool>());
    let call_timeout = prop_oneof![4 => Just(NEVER), 1 => 1..12_u64];
    let turn = prop_oneof![2 => Just((0, 0)), 1 => (0..5_u32, 0..8_u64)];
    let more = (held(), call_timeout, turn);
    (0..OWNERS, 1..5_u32, timeout, deadline, flags, more).prop_map(
        |(owner, weight, timeout, deadline, (run, aborted, untimed), more)| Asked {
            owner,
            weight,
            run,
            timeout,
            deadline,
            aborted: aborted == 0,
            held: more.0,
            untimed,
            call_timeout: more.1,
            siblings: more.2.0,
            waited: more.2.1,
        },
    )
}

fn inputs() -> impl Strategy<Value = Input> {
    let pick = || 0..12_usize;
    let whose = || (0..OWNERS, 1..5_u32);
    let outcome = prop_oneof![
        3 => Just(End::Completed),
        2 => Just(End::Failed),
        1 => Just(End::Leaked),
    ];
    let calls = prop_oneof![
        12 => asked().prop_map(Input::Acquire),
        2 => whose().prop_map(|(owner, weight)| Input::TryAcquire { owner, weight }),
        6 => pick().prop_map(Input::Start),
        7 => (pick(), outcome.clone()).prop_map(|(pick, outcome)| Input::Finish(pick, outcome)),
        3 => (pick(), outcome.clone()).prop_map(|(pick, end)| Input::FinishUntimed(pick, end)),
        2 => asked().prop_map(Input::Offer),
        4 => (0..OWNERS).prop_map(Input::AdmitCounted),
        4 => (0..OWNERS, outcome).prop_map(|(owner, end)| Input::FinishCounted(owner, end)),
        2 => pick().prop_map(Input::Release),
        1 => (pick(), 0..5_u32).prop_map(|(pick, permits)| Input::ReleasePart(pick, permits)),
        1 => (pick(), 0..5_u32).prop_map(|(pick, permits)| Input::Split(pick, permits)),
        1 => (pick(), 1..6_u32).prop_map(|(pick, weight)| Input::Adjust(pick, weight)),
        3 => pick().prop_map(Input::Cancel),
        1 => prop::collection::vec(pick(), 0..5).prop_map(Input::Abort),
    ];
    let rest = prop_oneof![
        8 => (0..6_u64).prop_map(Input::Pass),
        1 => (0..9_u64).prop_map(Input::Back),
        2 => (0..7_u32).prop_map(Input::Resize),
        1 => any::<bool>().prop_map(Input::Close),
        1 => Just(Input::Drain),
        1 => (0..OWNERS, times()).prop_map(|(owner, nanos)| Input::DrainWithin(owner, nanos)),
        1 => (0..OWNERS).prop_map(Input::Evict),
        1 => Just(Input::Haunt),
        1 => Just(Input::Invalid),
        1 => (0..OWNERS).prop_map(Input::WatchIdle),
        1 => asked().prop_map(Input::WatchCapacity),
        1 => (0..OWNERS).prop_map(Input::UnwatchCapacity),
        2 => (0..OWNERS, pick()).prop_map(|(owner, events)| Input::Take { owner, events }),
        2 => Just(Input::Wake),
    ];
    prop_oneof![36 => calls, 22 => rest]
}

/// A crowd behind one who never ends, with deadlines in any disorder: what the histories are too
/// short for.
fn crowds() -> impl Strategy<Value = Vec<Input>> {
    let arrives = (asked(), 0..100_u64).prop_map(|(asked, deadline)| {
        Input::Acquire(Asked {
            deadline,
            timeout: NEVER,
            aborted: false,
            held: 0,
            ..asked
        })
    });
    let input = prop_oneof![
        6 => arrives,
        3 => (0..60_usize).prop_map(Input::Cancel),
        1 => (0..4_u64).prop_map(Input::Pass),
    ];
    prop::collection::vec(input, 50..200)
}

/// Plays as many as are wanted, which is a part of what `PROPTEST_CASES` says, and calls `seen`
/// with the world that each leaves.
fn play_all<S: Strategy<Value = (Settings, Vec<Input>)>>(
    one_in: u32,
    histories: &S,
    seen: impl Fn(&World),
) {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases.map_or(CASES, |cases| cases.parse().expect("a number of cases"));
    let config = ProptestConfig {
        cases: cases.div_ceil(one_in),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let agreed = TestRunner::new(config).run(histories, |(settings, history)| {
        seen(&world::play(settings, &history).map_err(TestCaseError::fail)?);
        Ok(())
    });
    if let Err(error) = agreed {
        panic!("{error}");
    }
}

#[test]
fn every_history_agrees_with_the_naive_model() {
    let happened = RefCell::new([0; COUNTS]);
    let histories = (settings(), prop::collection::vec(inputs(), 1..60));
    play_all(1, &histories, |world| {
        for (total, count) in happened.borrow_mut().iter_mut().zip(world.counts()) {
            *total += count;
        }
    });
    let happened = happened.take();
    let everything = happened.iter().all(|count| *count > 0);
    assert!(everything, "something never happened: {happened:?}");
}

#[test]
fn every_crowd_agrees_with_the_naive_model() {
    let settings = Settings {
        limit: 4,
        max_queue: 100,
        timeout: NEVER,
        call_timeout: NEVER,
        abandon_after: NEVER,
        origin: 0,
    };
    play_all(25, &(Just(settings), crowds()), |_| {});
}

/// What the fuzzer found worth keeping; see `core/fuzz`.
#[test]
fn every_history_of_the_corpus_agrees_with_the_naive_model() {
    let inputs = corpus::inputs(include_str!("../../fuzz/corpus/history.hex"));
    assert!(inputs.len() > 100, "the corpus has {}", inputs.len());
    for (line, input) in inputs {
        let (settings, history) = world::history(&input);
        if let Err(error) = world::play(settings, &history) {
            panic!("line {line}: {error}");
        }
    }
}

#[test]
fn the_end_of_the_clock_is_harmless() {
    let span = Span::from_nanos(NEVER - 1);
    let config = Config::new(1).max_queue(3).timeout(span);
    let config = config.call_timeout(span).abandon_after(span);
    let mut core = Bulkhead::new(config).expect("valid options");
    for _ in 0..3 {
        let admission = core.acquire(Instant::from_nanos(5), Request::run(1));
        assert!(admission.is_ok());
        assert_eq!(core.check_invariants(), Ok(()));
    }
    core.handle_timeout(Instant::NEVER);
    assert_eq!(core.check_invariants(), Ok(()));
    assert_eq!(
        (core.active(), core.queued()),
        (1, 2),
        "too far off means never"
    );
}
