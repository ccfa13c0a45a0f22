//! How a scenario is tried.

use std::time::Duration;

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

/// How many schedules each scheduler tries, unless there is a time.
const SCHEDULES: usize = 1000;
/// How many it tries at most of a scenario that must fail, which ends with the first that does: so
/// many that it fails by chance less than once in a lifetime of runs.
const UNTIL_FAILURE: usize = 100_000;

/// Some, at random and with a few interruptions at the worst places, which find different races.
/// With `SHUTTLE_SECONDS`: as many of each as fit in this time.
pub fn some(scenario: impl Fn() + Clone + Send + Sync + 'static) {
    let seconds = std::env::var("SHUTTLE_SECONDS").ok();
    let seconds = seconds.map(|text| text.parse().expect("SHUTTLE_SECONDS is a number"));
    let time = seconds.map(Duration::from_secs_f64);
    try_both(SCHEDULES, time, scenario);
}

/// As many as it takes to find the fault of this scenario.
pub fn until_failure(scenario: impl Fn() + Clone + Send + Sync + 'static) {
    try_both(UNTIL_FAILURE, None, scenario);
}

fn try_both(
    count: usize,
    time: Option<Duration>,
    scenario: impl Fn() + Clone + Send + Sync + 'static,
) {
    let most = time.map_or(count, |_| usize::MAX);
    let random = try_with(RandomScheduler::new(most), time, scenario.clone());
    let few_switches = try_with(PctScheduler::new(3, most), time, scenario);
    println!("{} schedules", random + few_switches);
}

fn try_with(
    scheduler: impl Scheduler + 'static,
    time: Option<Duration>,
    scenario: impl Fn() + Send + Sync + 'static,
) -> usize {
    let mut config = Config::new();
    config.max_time = time;
    // They say that its atomics are stronger than a machine's; there are none here.
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(scenario)
}
