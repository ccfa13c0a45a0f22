//! What can happen to a hull, and how often.

use bulkheads_core::{Config, Span};
use proptest::prelude::*;

/// How many compartments, and how many owners when there are several.
pub(crate) const PLACES: usize = 3;
pub(crate) const OWNERS: usize = 2;
pub(crate) const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) place: usize,
    pub(crate) owner: usize,
    pub(crate) weight: u32,
    pub(crate) is_run: bool,
    pub(crate) aborted: bool,
    pub(crate) timeout: u64,
    pub(crate) deadline: u64,
    /// How many of the latest ids, of whichever compartments, its caller says that it holds.
    pub(crate) held: usize,
    /// Its own bound on its run.
    pub(crate) call_timeout: u64,
    /// How many items of its map run, and how long it has waited for capacity.
    pub(crate) siblings: u32,
    pub(crate) waited: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Input {
    Acquire(Asked),
    AcquireUntimed(Asked),
    AcquireOrWatch(Asked),
    WatchCapacity(Asked),
    WatchIdle(usize, usize),
    Start(usize),
    Finish(usize, bool),
    FinishUntimed(usize, bool),
    Release(usize),
    ReleasePart(usize, u32),
    Split(usize, u32),
    Adjust(usize, u32),
    Reclaim(usize),
    Cancel(usize),
    /// Ids of whichever compartments, in one step.
    Abort(Vec<usize>),
    AdmitCounted(usize, usize),
    FinishCounted(usize, usize, bool),
    /// What a host does by itself: begins, ends, failures.
    Credit(usize, u32, u32, u32),
    Resize(usize, u32),
    /// All compartments in one step.
    ResizeAll(u32),
    Close(usize, bool),
    Drain(usize),
    DrainWithin(usize, usize, u64),
    UnwatchCapacity(usize, usize),
    Evict(usize),
    Take(usize),
    Pass(u64),
}

pub(crate) fn config() -> impl Strategy<Value = Config> {
    let time = || prop_oneof![2 => Just(NEVER), 1 => 1..12_u64];
    (1..5_u32, 0..5_u32, time(), time(), time()).prop_map(
        |(limit, queue, timeout, call_timeout, abandon_after)| {
            Config::new(limit)
                .max_queue(queue)
                .timeout(Span::from_nanos(timeout))
                .call_timeout(Span::from_nanos(call_timeout))
                .abandon_after(Span::from_nanos(abandon_after))
        },
    )
}

fn asked() -> impl Strategy<Value = Asked> {
    let time = || prop_oneof![4 => Just(NEVER), 1 => 0..12_u64];
    let held = prop_oneof![3 => Just(0), 1 => 1..6_usize];
    let flags = (any::<bool>(), 0..20_u8);
    let call_timeout = prop_oneof![4 => Just(NEVER), 1 => 1..12_u64];
    let turn = prop_oneof![2 => Just((0, 0)), 1 => (0..4_u32, 0..8_u64)];
    let more = (held, call_timeout, turn);
    let whose = (0..PLACES, 0..OWNERS);
    (whose, 1..4_u32, flags, time(), time(), more).prop_map(
        |((place, owner), weight, (is_run, aborted), timeout, deadline, more)| Asked {
            place,
            owner,
            weight,
            is_run,
            aborted: aborted == 0,
            timeout,
            deadline,
            held: more.0,
            call_timeout: more.1,
            siblings: more.2.0,
            waited: more.2.1,
        },
    )
}

pub(crate) fn inputs() -> impl Strategy<Value = Input> {
    let pick = || 0..10_usize;
    let whose = || (0..PLACES, 0..OWNERS);
    let calls = prop_oneof![
        6 => asked().prop_map(Input::Acquire),
        5 => asked().prop_map(Input::AcquireUntimed),
        3 => asked().prop_map(Input::AcquireOrWatch),
        1 => asked().prop_map(Input::WatchCapacity),
        4 => pick().prop_map(Input::Start),
        5 => (pick(), any::<bool>()).prop_map(|(pick, failed)| Input::Finish(pick, failed)),
        4 => (pick(), any::<bool>()).prop_map(|(pick, failed)| Input::FinishUntimed(pick, failed)),
        2 => pick().prop_map(Input::Release),
        1 => (pick(), 0..4_u32).prop_map(|(pick, permits)| Input::ReleasePart(pick, permits)),
        2 => (pick(), 0..4_u32).prop_map(|(pick, permits)| Input::Split(pick, permits)),
        1 => (pick(), 1..5_u32).prop_map(|(pick, weight)| Input::Adjust(pick, weight)),
        1 => pick().prop_map(Input::Reclaim),
        2 => pick().prop_map(Input::Cancel),
        1 => prop::collection::vec(pick(), 0..5).prop_map(Input::Abort),
        4 => whose().prop_map(|(place, owner)| Input::AdmitCounted(place, owner)),
        3 => (whose(), any::<bool>()).prop_map(|((place, owner), failed)| {
            Input::FinishCounted(place, owner, failed)
        }),
        3 => (0..PLACES, 0..5_u32, 0..5_u32, 0..3_u32).prop_map(
            |(place, begins, ends, failures)| Input::Credit(place, begins, ends, failures)
        ),
    ];
    let rest = prop_oneof![
        6 => (0..6_u64).prop_map(Input::Pass),
        2 => whose().prop_map(|(place, owner)| Input::WatchIdle(place, owner)),
        2 => (0..PLACES, 0..6_u32).prop_map(|(place, limit)| Input::Resize(place, limit)),
        1 => (0..6_u32).prop_map(Input::ResizeAll),
        1 => (0..PLACES, any::<bool>()).prop_map(|(place, abort)| Input::Close(place, abort)),
        1 => (0..PLACES).prop_map(Input::Drain),
        1 => (whose(), 0..12_u64).prop_map(|((place, owner), nanos)| {
            Input::DrainWithin(place, owner, nanos)
        }),
        1 => whose().prop_map(|(place, owner)| Input::UnwatchCapacity(place, owner)),
        1 => (0..OWNERS).prop_map(Input::Evict),
        3 => (0..OWNERS).prop_map(Input::Take),
    ];
    prop_oneof![5 => calls, 2 => rest]
}
