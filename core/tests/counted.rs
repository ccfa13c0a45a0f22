//! Counted runs: ordinary runs without a slot, and the credit with which a host begins them itself.

use bulkheads_core::{
    Admission, Bulkhead, CompartmentId, Config, Credit, Event, Instant, Outcome, OwnerId, Request,
    Snapshot, Span,
};

const NOW: Instant = Instant::ZERO;
const ME: OwnerId = OwnerId::FIRST;

/// With its first run, which is always measured, behind it.
fn bulkhead(config: Config) -> Bulkhead {
    let mut core = Bulkhead::new(config).expect("valid options");
    let first = core.try_acquire(NOW, Request::permit(1));
    let first = first.expect("a valid weight").expect("a free permit");
    core.finish(NOW, first, Outcome::Completed);
    core
}

/// Admitted, completed, failed and active, since that first run.
fn figures(core: &Bulkhead) -> [u64; 4] {
    assert_eq!(core.check_invariants(), Ok(()));
    let Snapshot {
        admitted,
        completed,
        failed,
        active,
        ..
    } = core.snapshot();
    [admitted - 1, completed - 1, failed, active]
}

#[test]
fn counted_runs_are_in_the_books_like_any_other() {
    let mut core = bulkhead(Config::new(3));
    assert!((0..3).all(|_| core.admit_counted(ME)));
    assert!(!core.admit_counted(ME), "no permit is free");
    assert_eq!(figures(&core), [3, 0, 0, 3]);
    assert_eq!(core.snapshot().running, 3);
    assert!(core.finish_counted(NOW, ME, Outcome::Completed));
    assert!(core.finish_counted_untimed(ME, Outcome::Failed));
    assert_eq!(figures(&core), [3, 1, 1, 1]);
    assert_eq!(
        (core.snapshot().peak_active, core.snapshot().running),
        (3, 1)
    );
    let slot = core.try_acquire(NOW, Request::run(2));
    assert!(
        slot.expect("a valid weight").is_ok(),
        "they share the permits"
    );
    assert_eq!(figures(&core), [4, 1, 1, 3]);
}

#[test]
fn a_run_that_did_not_begin_cannot_end() {
    let mut core = bulkhead(Config::new(2));
    let other = core.add_owner();
    assert!(core.admit_counted(ME));
    let ended = [other, ME, ME].map(|owner| core.finish_counted(NOW, owner, Outcome::Completed));
    assert_eq!(ended, [false, true, false]);
    assert!(!core.finish_counted_untimed(ME, Outcome::Completed));
    assert_eq!(figures(&core), [1, 1, 0, 0]);
}

/// The first and then one in 32 at random: those need a slot, and a clock.
#[test]
fn a_run_that_is_to_be_measured_is_not_counted() {
    let mut core = Bulkhead::new(Config::new(1)).expect("valid options");
    assert!(!core.admit_counted(ME), "the first is measured");
    let (mut counted, mut measured) = (0, 0);
    for _ in 0..3200 {
        if core.admit_counted(ME) {
            counted += 1;
            assert!(core.finish_counted_untimed(ME, Outcome::Completed));
        } else {
            measured += 1;
            let id = core.try_acquire(NOW, Request::run(1));
            let id = id.expect("a valid weight").expect("a free permit");
            core.finish(NOW, id, Outcome::Completed);
        }
    }
    assert!((60..140).contains(&measured), "{measured}");
    assert_eq!(core.snapshot().ran.count, measured);
    assert_eq!(core.snapshot().completed, counted + measured);
}

#[test]
fn no_run_is_counted_when_it_may_concern_others() {
    type Change = fn(&mut Bulkhead);
    let changes: [(&str, Change); 6] = [
        ("closed", |core| core.close(NOW, false)),
        ("draining", |core| core.drain(NOW)),
        ("paused", |core| core.resize(NOW, 0).expect("a valid limit")),
        ("a waiter", |core| {
            let heavy = core.acquire(NOW, Request::run(3));
            assert!(heavy.is_ok() && core.queued() == 1);
        }),
        ("a deadline", |core| {
            let request = Request::run(1).deadline(Instant::from_nanos(9));
            assert!(core.acquire(NOW, request).is_ok());
        }),
        ("a watcher", |core| {
            assert!(core.watch_idle(NOW, ME).is_some());
        }),
    ];
    for (what, change) in changes {
        let config = Config::new(3).max_queue(1).timeout(Span::FOREVER);
        let mut core = bulkhead(config);
        assert!(core.admit_counted(ME) && core.credit(ME) != Credit::NONE);
        change(&mut core);
        assert!(!core.admit_counted(ME), "{what}");
        assert_eq!(core.credit(ME), Credit::NONE, "{what}");
        assert!(core.finish_counted(NOW, ME, Outcome::Completed), "{what}");
        assert_eq!(core.check_invariants(), Ok(()), "{what}");
    }
    let mut bounded = bulkhead(Config::new(3).call_timeout(Span::from_millis(5)));
    assert!(!bounded.admit_counted(ME));
    assert_eq!(bounded.credit(ME), Credit::NONE);
}

#[test]
fn the_end_of_a_counted_run_grants_and_notifies() {
    let mut core = bulkhead(Config::new(1).max_queue(1).timeout(Span::FOREVER));
    assert!(core.admit_counted(ME));
    let ticket = core.watch_idle(NOW, ME).expect("a permit is held");
    let queued = core.acquire(NOW, Request::run(1)).expect("a valid weight");
    let Admission::Queued(id) = queued else {
        panic!("{queued:?}");
    };
    let is_untimed = core.finish_counted_untimed(ME, Outcome::Completed);
    assert!(!is_untimed && core.active() == 1, "it concerns a waiter");
    assert!(core.finish_counted(NOW, ME, Outcome::Completed));
    assert_eq!(core.poll_event(ME), Some(Event::Granted { id }));
    core.finish(NOW, id, Outcome::Completed);
    let compartment = CompartmentId::FIRST;
    let idle = Event::Idle {
        compartment,
        ticket,
    };
    assert_eq!(core.poll_event(ME), Some(idle));
}

/// The calls of the others get slots meanwhile.
#[test]
fn the_counted_runs_of_a_compartment_are_one_owners_at_a_time() {
    let mut core = bulkhead(Config::new(3));
    let other = core.add_owner();
    assert!(core.admit_counted(ME) && !core.admit_counted(other));
    assert!(!core.finish_counted(NOW, other, Outcome::Completed));
    assert!(core.finish_counted(NOW, ME, Outcome::Completed));
    assert!(core.admit_counted(other) && !core.admit_counted(ME));
    assert_eq!(figures(&core), [2, 1, 0, 1]);
}

#[test]
fn an_eviction_gives_counted_runs_back_as_abandoned() {
    let mut core = bulkhead(Config::new(2).max_queue(1).timeout(Span::FOREVER));
    let other = core.add_owner();
    assert!(core.admit_counted(other) && core.admit_counted(other));
    let queued = core.acquire(NOW, Request::run(2)).expect("a valid weight");
    let Admission::Queued(id) = queued else {
        panic!("{queued:?}");
    };
    core.evict(NOW, other);
    assert_eq!(core.poll_event(ME), Some(Event::Granted { id }));
    assert_eq!(core.snapshot().abandoned_runs, 2);
    assert_eq!(figures(&core), [3, 0, 0, 2]);
    for owner in [other, ME] {
        assert!(!core.finish_counted(NOW, owner, Outcome::Completed));
    }
    core.finish(NOW, id, Outcome::Completed);
    assert!(!core.admit_counted(other), "its requests are rejected now");
    let heir = core.add_owner();
    assert!(core.admit_counted(heir), "in the place of the evicted one");
    assert_eq!(core.check_invariants(), Ok(()));
}

/// As a host with shared memory does it: see [`Credit`].
fn begin(credit: &mut Credit) -> bool {
    let may_begin = credit.free > 0 && credit.starts > 0;
    if may_begin {
        credit.free -= 1;
        credit.starts -= 1;
        credit.least = credit.least.min(credit.free);
    }
    may_begin
}

fn end(credit: &mut Credit, outcome: Outcome) {
    assert!(credit.free >= 0, "else only the core knows");
    credit.free += 1;
    credit.failed += u32::from(outcome == Outcome::Failed);
}

#[test]
fn what_a_host_did_with_its_credit_is_taken_in_to_the_run() {
    let mut core = bulkhead(Config::new(3));
    let given = core.credit(ME);
    let mut credit = given;
    assert_eq!((given.free, given.least, given.failed), (3, 3, 0));
    assert!(begin(&mut credit) && begin(&mut credit));
    end(&mut credit, Outcome::Failed);
    assert!(begin(&mut credit));
    core.absorb(ME, given, credit);
    assert_eq!(figures(&core), [3, 0, 1, 2]);
    assert_eq!(core.snapshot().peak_active, 2);
    let given = core.credit(ME);
    assert_eq!(given.free, 1);
    let mut credit = given;
    end(&mut credit, Outcome::Completed);
    end(&mut credit, Outcome::Completed);
    core.absorb(ME, given, credit);
    assert_eq!(figures(&core), [3, 2, 1, 0]);
}

/// With the time that the host has read.
#[test]
fn the_run_that_takes_the_last_start_of_a_credit_is_measured() {
    let mut core = Bulkhead::new(Config::new(1)).expect("valid options");
    let (mut begun, mut measured, mut sum) = (0, 0, 0);
    for ran in 1..=50 {
        let given = core.credit(ME);
        let mut credit = given;
        assert!(credit.starts > 0, "a run may always begin");
        while begin(&mut credit) && credit.starts > 0 {
            end(&mut credit, Outcome::Completed);
        }
        assert!(!begin(&mut credit));
        begun += u64::from(given.starts);
        core.absorb(ME, given, credit);
        assert_eq!((core.active(), core.snapshot().ran.count), (1, measured));
        let outcome = [Outcome::Completed, Outcome::Failed][ran % 2];
        let span = Span::from_nanos(ran as u64);
        assert!(core.finish_measured(NOW, ME, outcome, span));
        (measured, sum) = (measured + 1, sum + span.as_nanos());
    }
    let stats = core.snapshot();
    assert_eq!(
        (stats.ran.count, stats.ran.sum, stats.ran.max),
        (50, sum, 50)
    );
    assert_eq!((stats.admitted, stats.peak_active), (begun, 1));
    assert_eq!((stats.completed, stats.failed), (begun - 25, 25));
}

/// The first, and then one in 32 on average, whichever way the runs begin.
#[test]
fn a_credit_measures_no_more_and_no_fewer_runs_than_a_clock_for_each() {
    let mut by_credit = Bulkhead::new(Config::new(1)).expect("valid options");
    let mut by_slot = Bulkhead::new(Config::new(1)).expect("valid options");
    let mut runs = 0;
    while runs < 3000 {
        let given = by_credit.credit(ME);
        let mut credit = given;
        while begin(&mut credit) && credit.starts > 0 {
            end(&mut credit, Outcome::Completed);
        }
        by_credit.absorb(ME, given, credit);
        assert!(by_credit.finish_measured(NOW, ME, Outcome::Completed, Span::ZERO));
        for _ in 0..given.starts {
            let id = by_slot.try_acquire(NOW, Request::run(1));
            let id = id.expect("a valid weight").expect("a free permit");
            by_slot.finish(NOW, id, Outcome::Completed);
        }
        assert_eq!(by_credit.snapshot(), by_slot.snapshot());
        runs += given.starts;
    }
}

#[test]
fn the_end_of_a_measured_run_grants_like_any_other() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(1)).expect("valid options");
    let given = core.credit(ME);
    let mut credit = given;
    assert!(begin(&mut credit) && credit.starts == 0);
    core.absorb(ME, given, credit);
    let queued = core.acquire(NOW, Request::run(1)).expect("a valid weight");
    let Admission::Queued(id) = queued else {
        panic!("{queued:?}");
    };
    let span = Span::from_nanos(3);
    assert!(core.finish_measured(NOW, ME, Outcome::Completed, span));
    assert_eq!(core.poll_event(ME), Some(Event::Granted { id }));
    core.start(id);
    core.finish(NOW, id, Outcome::Completed);
    let sum = core.snapshot().ran.sum;
    let is_late = core.finish_measured(NOW, ME, Outcome::Completed, span);
    assert!(!is_late && core.snapshot().ran.sum == sum, "it has none");
    assert_eq!(core.check_invariants(), Ok(()));
}

/// A permit that comes back must not be taken again: it is one too many.
#[test]
fn above_a_lowered_limit_there_is_no_credit() {
    let mut core = bulkhead(Config::new(3));
    assert!((0..3).all(|_| core.admit_counted(ME)));
    core.resize(NOW, 1).expect("a valid limit");
    for active in [3, 2] {
        assert_eq!((core.active(), core.credit(ME)), (active, Credit::NONE));
        assert!(core.finish_counted(NOW, ME, Outcome::Completed));
    }
    let credit = core.credit(ME);
    assert_eq!((core.active(), credit.free), (1, 0));
    assert!(!core.admit_counted(ME));
}

/// A host may write anything into memory that it shares.
#[test]
fn no_number_that_a_host_leaves_breaks_an_invariant() {
    let signed = [i32::MIN, -1, 0, 1, 2, 3, 4, i32::MAX];
    let unsigned = [0, 1, 2, 30, u32::MAX];
    let mut core = bulkhead(Config::new(3));
    for free in signed {
        for least in signed {
            for (starts, failed) in unsigned
                .into_iter()
                .flat_map(|one| unsigned.map(|two| (one, two)))
            {
                let left = Credit {
                    free,
                    starts,
                    least,
                    failed,
                };
                core.absorb(ME, core.credit(ME), left);
                assert_eq!(core.check_invariants(), Ok(()), "{left:?}");
            }
        }
    }
    while core.finish_counted(NOW, ME, Outcome::Completed) {}
    let stats = core.snapshot();
    assert_eq!((stats.active, stats.running), (0, 0));
    assert_eq!(stats.admitted, stats.completed + stats.failed);
}

#[test]
fn without_a_credit_nothing_is_taken_in() {
    let mut core = bulkhead(Config::new(3));
    let evicted = core.add_owner();
    core.evict(NOW, evicted);
    let before = core.snapshot();
    let given = core.credit(ME);
    let left = Credit {
        free: 1,
        starts: 0,
        least: 0,
        failed: 1,
    };
    core.absorb(ME, Credit::NONE, left);
    assert_eq!(core.credit(evicted), Credit::NONE);
    core.absorb(evicted, given, left);
    assert_eq!(core.snapshot(), before);
}

#[test]
fn no_number_that_a_host_leaves_takes_more_permits_than_there_are() {
    for free in [i32::MIN, -1, 0] {
        let mut core = bulkhead(Config::new(3));
        let given = core.credit(ME);
        let left = Credit {
            free,
            starts: 0,
            least: i32::MIN,
            ..given
        };
        core.absorb(ME, given, left);
        let stats = core.snapshot();
        assert_eq!((stats.active, stats.peak_active), (3, 3), "{free}");
    }
}
