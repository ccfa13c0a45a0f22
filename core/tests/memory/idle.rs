//! An idle compartment is small: there may be one for each key of a service.

use bulkheads_core::{Admission, Bulkhead, CompartmentId, Config, Hull, Instant, Outcome, Request};

use crate::counting::live_bytes;

const NOW: Instant = Instant::ZERO;

/// The most that an idle compartment may cost.
const COMPARTMENT: usize = 300;
/// The most that a bulkhead by itself may cost: its compartment, its only owner, and its lists.
const BULKHEAD: usize = 700;
/// The most that a waiter may cost in the core: its slot, in a slab that doubles, and a place among
/// the timers.
const WAITER: usize = 200;
/// Less than one histogram takes, and more than anything else of a call.
const HISTOGRAM: usize = 7_000;

/// How many bytes `act` leaves allocated, with its answer.
fn left_by<R>(act: impl FnOnce() -> R) -> (usize, R) {
    let before = live_bytes();
    let answer = act();
    // A thread may have freed more than it allocated: what it was given when it began.
    (live_bytes().wrapping_sub(before), answer)
}

#[test]
fn an_idle_compartment_costs_at_most_300_bytes() {
    let config = Config::new(8).max_queue(64);
    // A list that doubles would be at its largest for one more than a power of two.
    for count in [1000, 1025] {
        let (bytes, hull) = left_by(|| {
            let mut hull = Hull::new();
            for _ in 0..count {
                hull.open(config).expect("valid options");
            }
            hull
        });
        let each = bytes / count;
        assert!(
            each <= COMPARTMENT,
            "{each} bytes for each of {count} compartments"
        );
        assert_eq!(hull.check_invariants(), Ok(()));
    }
}

#[test]
fn an_idle_bulkhead_costs_at_most_700_bytes() {
    let (bytes, _bulkhead) = left_by(|| Bulkhead::new(Config::new(8)).expect("valid options"));
    let bytes = bytes + size_of::<Bulkhead>();
    assert!(bytes <= BULKHEAD, "{bytes} bytes");
}

#[test]
fn a_waiter_costs_at_most_200_bytes() {
    // One more than a power of two: the slab has room for as many again.
    const WAITERS: u32 = 1025;
    let config = Config::new(1).max_queue(WAITERS);
    let mut bulkhead = Bulkhead::new(config).expect("valid options");
    let (bytes, ()) = left_by(|| {
        for count in 0..=WAITERS {
            // Each deadline lies before the last: they stand in the heap, which costs the most.
            let deadline = Instant::from_nanos(u64::from(2 * WAITERS - count));
            let came = bulkhead.acquire(NOW, Request::run(1).deadline(deadline));
            assert!(!matches!(came, Ok(Admission::Rejected(_))));
        }
    });
    let each = bytes / WAITERS as usize;
    assert!(each <= WAITER, "{each} bytes for each of {WAITERS} waiters");
}

fn run(hull: &mut Hull, compartment: CompartmentId) {
    let admission = hull.at(NOW).acquire(compartment, Request::run(1));
    let Ok(Admission::Admitted(id)) = admission else {
        panic!("{admission:?}");
    };
    hull.at_result(NOW, id).finish(id, Outcome::Completed);
}

#[test]
fn a_histogram_is_made_when_its_first_value_comes() {
    let mut hull = Hull::new();
    let compartment = hull
        .open(Config::new(1).max_queue(1))
        .expect("valid options");
    let used = hull.open(Config::new(1)).expect("valid options");
    // The slab and the rest are there: only the compartment itself is new.
    run(&mut hull, used);
    let (rejected, ()) = left_by(|| {
        let too_heavy = hull.at(NOW).acquire(compartment, Request::run(2));
        assert!(matches!(too_heavy, Ok(Admission::Rejected(_))));
        assert_eq!(hull.snapshot(compartment).ran.count, 0);
    });
    assert!(
        rejected < HISTOGRAM,
        "a rejection is not measured: {rejected}"
    );
    let (ran, ()) = left_by(|| run(&mut hull, compartment));
    assert!(ran >= HISTOGRAM, "the first run is measured: {ran}");
    let (again, ()) = left_by(|| (0..100).for_each(|_| run(&mut hull, compartment)));
    assert!(again < HISTOGRAM, "there is one for all runs: {again}");
    assert_eq!(hull.snapshot(compartment).waited.count, 0);
    let (waited, ()) = left_by(|| {
        let admissions = [(); 2].map(|()| hull.at(NOW).acquire(compartment, Request::run(1)));
        let [Ok(Admission::Admitted(held)), Ok(Admission::Queued(waits))] = admissions else {
            panic!("{admissions:?}");
        };
        for id in [held, waits] {
            hull.at_result(NOW, id).finish(id, Outcome::Completed);
        }
    });
    assert!(waited >= HISTOGRAM, "the first wait is measured: {waited}");
}
