//! What a step costs does not grow with the number of waiters, or hardly: a thousand times as many
//! must not cost ten times as much.

use std::time::Instant as Clock;

use bulkheads_core::{
    Admission, Bulkhead, Cancellation, Config, Id, Instant, Outcome, Request, Span,
};

const FEW: usize = 200;
const MANY: usize = 200_000;
const STEPS: usize = FEW / 2;

const LATER: Instant = Instant::from_nanos(1);

fn acquire(core: &mut Bulkhead, now: Instant, request: Request<'_>) -> Id {
    match core.acquire(now, request).expect("a valid weight") {
        Admission::Admitted(id) | Admission::Queued(id) => id,
        rejected @ Admission::Rejected(_) => panic!("{rejected:?}"),
    }
}

/// A bulkhead whose one permit is taken, the permit, and those who wait for it.
fn full(waiters: usize) -> (Bulkhead, Id, Vec<Id>) {
    let places = u32::try_from(waiters + 1).expect("few enough");
    let config = Config::new(1).max_queue(places).timeout(Span::FOREVER);
    let mut core = Bulkhead::new(config).expect("valid options");
    let held = acquire(&mut core, Instant::ZERO, Request::permit(1));
    let waiting = Request::run(1).timeout(Span::from_millis(1000));
    let ids = (0..waiters).map(|_| acquire(&mut core, Instant::ZERO, waiting));
    let ids = ids.collect();
    (core, held, ids)
}

type Steps = fn(&mut Bulkhead, Id, &[Id]);

/// Seconds; the least of several runs, since what disturbs a measurement only ever adds.
fn least(times: usize, waiters: usize, steps: Steps) -> f64 {
    let runs = (0..times).map(|_| {
        let (mut core, held, waiting) = full(waiters);
        let started = Clock::now();
        steps(&mut core, held, &waiting);
        started.elapsed().as_secs_f64()
    });
    runs.fold(f64::INFINITY, f64::min)
}

fn check(steps: Steps) {
    let (many, few) = (least(3, MANY, steps), least(9, FEW, steps));
    assert!(
        many < 10.0 * few + 1e-3,
        "{many} s among many, {few} among few"
    );
}

#[test]
fn cancelling_from_the_middle_costs_hardly_more_among_many() {
    check(|core, _, waiting| {
        for waiter in waiting[waiting.len() / 2..].iter().take(STEPS) {
            assert_eq!(core.cancel(LATER, *waiter), Cancellation::Withdrawn);
        }
    });
}

#[test]
fn arriving_and_leaving_costs_hardly_more_among_many() {
    check(|core, _, _| {
        for _ in 0..STEPS {
            let request = Request::run(1).timeout(Span::from_millis(5));
            let id = acquire(core, LATER, request);
            assert_eq!(core.cancel(LATER, id), Cancellation::Withdrawn);
        }
    });
}

#[test]
fn a_grant_costs_hardly_more_among_many() {
    check(|core, mut held, waiting| {
        for waiter in waiting.iter().take(STEPS) {
            assert!(core.finish(LATER, held, Outcome::Completed));
            held = *waiter;
        }
    });
}

#[test]
fn a_time_out_costs_hardly_more_among_many() {
    check(|core, _, waiting| {
        for waiter in waiting.iter().take(STEPS) {
            core.cancel(LATER, *waiter);
            acquire(core, LATER, Request::run(1).timeout(Span::from_nanos(1)));
            core.handle_timeout(Instant::from_nanos(2));
        }
    });
}

#[test]
fn many_that_time_out_together_cost_hardly_more_each() {
    let each = |times, waiters: usize| {
        let all: Steps = |core, _, _| {
            core.handle_timeout(Instant::from_nanos(1_000_000_000));
            assert_eq!(core.queued(), 0);
        };
        least(times, waiters, all) / f64::from(u32::try_from(waiters).expect("few enough"))
    };
    assert!(each(3, MANY) < 10.0 * each(9, FEW) + 1e-6);
}
