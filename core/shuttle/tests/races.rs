//! Grant, time-out, cancel, release, close and evict, racing over threads in every order that the schedulers think of.

use bulkheads_engine::Options;
use bulkheads_shuttle::{Fate, Host, Waking, schedules};
use shuttle::thread;

/// Of a thread: the weights of its calls, and its end.
type Life = (&'static [u32], Fate);

/// What happens beside the calls of the threads.
#[derive(Clone, Copy)]
struct Race {
    limit: u32,
    options: Options,
    threads: &'static [Life],
    ticks: u32,
    closes: bool,
}

const CALM: Race = Race {
    limit: 1,
    options: Options {
        max_concurrent: 0.0,
        max_queue: None,
        timeout: None,
        call_timeout: None,
        abandon_after: None,
    },
    threads: &[],
    ticks: 0,
    closes: false,
};

const THREE_CALLS: Life = (&[1, 1, 1], Fate::Leaves);
const TWO_CALLS: Life = (&[1, 1], Fate::Leaves);
const HEAVY_AND_LIGHT: &[Life] = &[
    (&[3, 1], Fate::Leaves),
    (&[1, 2], Fate::Leaves),
    (&[2, 1, 1], Fate::Leaves),
];
const TWO_OF_FOUR_DIE: &[Life] = &[
    (&[1, 1], Fate::Leaves),
    (&[1, 1, 1], Fate::Dies),
    (&[1, 1], Fate::Leaves),
    (&[1, 1], Fate::Dies),
];
const ONE_OF_THREE_DIES: &[Life] = &[
    (&[1, 2, 1], Fate::Leaves),
    (&[2, 1], Fate::Dies),
    (&[1, 1, 2], Fate::Leaves),
];

impl Race {
    fn run(self, way: Waking) {
        let host = Host::new(self.limit, way, self.options);
        let drivers = self.threads.iter().map(|_| host.attach());
        let drivers: Vec<_> = drivers.collect();
        let lives = drivers.into_iter().zip(self.threads);
        let mut threads: Vec<_> = lives
            .map(|(driver, (weights, fate))| thread::spawn(move || driver.live(weights, *fate)))
            .collect();
        let clock = host.clone();
        threads.push(thread::spawn(move || {
            (0..self.ticks).for_each(|_| clock.tick());
        }));
        if self.closes {
            host.close(true);
        }
        for thread in threads {
            thread.join().expect("no panic");
        }
        host.check_end();
    }

    fn explore(self) {
        for way in [Waking::WithTheInput, Waking::AfterItsEvents] {
            schedules::some(move || self.run(way));
        }
    }
}

#[test]
fn every_grant_reaches_its_thread() {
    Race {
        threads: &[THREE_CALLS; 3],
        ..CALM
    }
    .explore();
}

#[test]
fn heavy_and_light_calls_share_a_limit() {
    let limit = 3;
    Race {
        limit,
        threads: HEAVY_AND_LIGHT,
        ..CALM
    }
    .explore();
}

#[test]
fn time_outs_race_with_grants_and_results() {
    let options = Options {
        timeout: Some(2.0),
        call_timeout: Some(1.0),
        ..CALM.options
    };
    Race {
        options,
        threads: &[TWO_CALLS; 3],
        ticks: 6,
        ..CALM
    }
    .explore();
}

#[test]
fn what_a_dead_thread_held_reaches_the_living() {
    Race {
        threads: TWO_OF_FOUR_DIE,
        ..CALM
    }
    .explore();
}

#[test]
fn a_close_in_the_midst_of_it_ends_everybody() {
    Race {
        threads: &[THREE_CALLS; 3],
        closes: true,
        ..CALM
    }
    .explore();
}

#[test]
fn everything_at_once() {
    let options = Options {
        timeout: Some(2.0),
        call_timeout: Some(2.0),
        ..CALM.options
    };
    let (limit, ticks, closes) = (2, 5, true);
    Race {
        limit,
        options,
        threads: ONE_OF_THREE_DIES,
        ticks,
        closes,
    }
    .explore();
}

/// That the models notice: a driver that asks whom to wake after it has looked at its own events, and takes itself for awake,
/// throws away the wake of whatever came in between.
#[test]
#[should_panic(expected = "deadlock")]
fn a_lost_wake_up_is_a_deadlock() {
    let threads = &[THREE_CALLS; 3];
    let race = Race { threads, ..CALM };
    schedules::some(move || race.run(Waking::AfterItsEventsNeverItself));
}
