//! Grant, time-out, cancel, release, close and evict, racing over threads in every order that the
//! schedulers think of.

use bulkheads_core::{Config, Span};
use bulkheads_shuttle::{Fate, Host, Way, schedules};
use shuttle::thread;

/// Of a thread: the weights of its calls, and its end.
type Life = (&'static [u32], Fate);

/// What happens beside the calls of the threads.
#[derive(Clone, Copy)]
struct Race {
    limit: u32,
    /// In ticks; 0 for none.
    timeout: u64,
    call_timeout: u64,
    threads: &'static [Life],
    ticks: u32,
    closes: bool,
}

const QUIET: Race = Race {
    limit: 1,
    timeout: 0,
    call_timeout: 0,
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
    fn run(self, way: Way) {
        let config = Config::new(self.limit).timeout(span(self.timeout));
        let host = Host::new(config.call_timeout(span(self.call_timeout)), way);
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
        schedules::some(move || self.run(Way::AsShipped));
    }
}

#[test]
fn every_grant_reaches_its_thread() {
    Race {
        threads: &[THREE_CALLS; 3],
        ..QUIET
    }
    .explore();
}

#[test]
fn heavy_and_light_calls_share_a_limit() {
    let limit = 3;
    Race {
        limit,
        threads: HEAVY_AND_LIGHT,
        ..QUIET
    }
    .explore();
}

#[test]
fn time_outs_race_with_grants_and_results() {
    Race {
        timeout: 2,
        call_timeout: 1,
        threads: &[TWO_CALLS; 3],
        ticks: 6,
        ..QUIET
    }
    .explore();
}

#[test]
fn what_a_dead_thread_held_reaches_the_living() {
    Race {
        threads: TWO_OF_FOUR_DIE,
        ..QUIET
    }
    .explore();
}

#[test]
fn a_close_in_the_midst_of_it_ends_everybody() {
    Race {
        threads: &[THREE_CALLS; 3],
        closes: true,
        ..QUIET
    }
    .explore();
}

#[test]
fn everything_at_once() {
    let (limit, ticks, closes) = (2, 5, true);
    Race {
        limit,
        timeout: 2,
        call_timeout: 2,
        threads: ONE_OF_THREE_DIES,
        ticks,
        closes,
    }
    .explore();
}

fn span(ticks: u64) -> Span {
    if ticks == 0 {
        Span::FOREVER
    } else {
        Span::from_nanos(ticks)
    }
}

/// That the models find a fault in the way of the drivers.
fn find(way: Way) {
    let threads = &[THREE_CALLS; 3];
    let race = Race { threads, ..QUIET };
    schedules::until_failure(move || race.run(way));
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_bell_that_is_answered_late_is_a_deadlock() {
    find(Way::AnswersItsBellLate);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_caller_that_is_registered_late_is_a_deadlock() {
    find(Way::RegistersLate);
}

#[test]
#[should_panic(expected = "deadlock")]
fn wakes_that_are_collected_late_are_a_deadlock() {
    find(Way::CollectsWakesLate);
}
