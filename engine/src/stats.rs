//! A snapshot as numbers: names and values from one list.

use bulkheads_core::{Rejected, Snapshot, Summary};

use crate::notation::Notation;

/// How many numbers a snapshot is.
pub const STATS_LEN: usize = 37;

/// The names of [`numbers`], in its order.
pub const STATS: [&str; STATS_LEN] = {
    let mut names = [""; STATS_LEN];
    let mut index = 0;
    while index < STATS_LEN {
        names[index] = FIGURES[index].0;
        index += 1;
    }
    names
};

/// All figures in the order of [`STATS`], times in the host's unit.
#[must_use]
pub fn numbers(stats: &Snapshot, notation: Notation) -> [f64; STATS_LEN] {
    FIGURES.map(|(_, figure)| match figure {
        Figure::Count(of) => exact(of(stats)),
        Figure::Rejected(of) => exact(of(&stats.rejected)),
        Figure::Waited(of) => exact(of(&stats.waited)),
        Figure::WaitedTime(of) => notation.units(of(&stats.waited)),
        Figure::Ran(of) => exact(of(&stats.ran)),
        Figure::RanTime(of) => notation.units(of(&stats.ran)),
    })
}

#[derive(Clone, Copy)]
enum Figure {
    Count(fn(&Snapshot) -> u64),
    Rejected(fn(&Rejected) -> u64),
    Waited(fn(&Summary) -> u64),
    WaitedTime(fn(&Summary) -> u64),
    Ran(fn(&Summary) -> u64),
    RanTime(fn(&Summary) -> u64),
}

use Figure::{Count, Ran, RanTime, Rejected as R, Waited, WaitedTime};

const FIGURES: [(&str, Figure); STATS_LEN] = [
    ("state", Count(|stats| stats.state as u64)),
    ("limit", Count(|stats| stats.limit.into())),
    ("active", Count(|stats| stats.active)),
    ("available", Count(|stats| stats.available)),
    ("running", Count(|stats| stats.running)),
    ("queued", Count(|stats| stats.queued.into())),
    ("max_queue", Count(|stats| stats.max_queue.into())),
    ("overrun", Count(|stats| stats.overrun)),
    ("peak_active", Count(|stats| stats.peak_active)),
    ("peak_queued", Count(|stats| stats.peak_queued.into())),
    ("admitted", Count(|stats| stats.admitted)),
    ("completed", Count(|stats| stats.completed)),
    ("failed", Count(|stats| stats.failed)),
    ("call_timeouts", Count(|stats| stats.call_timeouts)),
    ("unclaimed", Count(|stats| stats.unclaimed)),
    ("abandoned_runs", Count(|stats| stats.abandoned_runs)),
    ("leaked", Count(|stats| stats.leaked)),
    ("double_releases", Count(|stats| stats.double_releases)),
    ("rejected_cancelled", R(|rejected| rejected.cancelled)),
    ("rejected_closed", R(|rejected| rejected.closed)),
    ("rejected_full", R(|rejected| rejected.full)),
    (
        "rejected_queue_timeout",
        R(|rejected| rejected.queue_timeout),
    ),
    ("rejected_reentrant", R(|rejected| rejected.reentrant)),
    ("rejected_too_heavy", R(|rejected| rejected.too_heavy)),
    ("waited_count", Waited(|waited| waited.count)),
    ("waited_sum", WaitedTime(|waited| waited.sum)),
    ("waited_p50", WaitedTime(|waited| waited.p50)),
    ("waited_p90", WaitedTime(|waited| waited.p90)),
    ("waited_p99", WaitedTime(|waited| waited.p99)),
    ("waited_max", WaitedTime(|waited| waited.max)),
    ("ran_count", Ran(|ran| ran.count)),
    ("ran_sum", RanTime(|ran| ran.sum)),
    ("ran_p50", RanTime(|ran| ran.p50)),
    ("ran_p90", RanTime(|ran| ran.p90)),
    ("ran_p99", RanTime(|ran| ran.p99)),
    ("ran_max", RanTime(|ran| ran.max)),
    (
        "ran_sampled_every",
        Count(|stats| stats.ran_sampled_every.into()),
    ),
];

#[expect(clippy::cast_precision_loss, reason = "counters stay below 2^53")]
const fn exact(count: u64) -> f64 {
    count as f64
}
