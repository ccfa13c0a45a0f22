//! What a host does with its credit is in the books after its next input, whichever that is.

use bulkheads_engine::mailbox::{INPUTS, place};
use bulkheads_engine::{OUTCOMES, Options, STATS, STATS_LEN};

use crate::common::{Host, NEVER, RUN, options, same};

/// With its first run, which is always measured, behind it.
fn host(options: Options) -> Host {
    let mut host = Host::new(options);
    let first = host.call();
    host.ask("finish", 0.0, &[first, 0.0]);
    host
}

fn figure(stats: &[f64; STATS_LEN], name: &str) -> f64 {
    let place = STATS.iter().position(|known| *known == name);
    stats[place.expect("a figure of the table")]
}

/// Three runs begin, two end, one of them by failure; two at a time at most.
fn use_credit(host: &mut Host) {
    assert!(host.begin() && host.begin());
    assert!(host.end("failed") && host.begin() && host.end("completed"));
}

/// Since the first run: admitted, completed, failed, active, and the peak.
fn check_books(host: &Host, what: &str) {
    let core = host.engine.core();
    assert_eq!(core.check_invariants(), Ok(()), "{what}");
    let stats = core.snapshot();
    let since = (stats.admitted - 1, stats.completed - 1, stats.failed);
    assert_eq!(since, (3, 1, 1), "{what}");
    assert_eq!((stats.active, stats.peak_active), (1, 2), "{what}");
}

/// The arguments say nothing that an input could do: a weight that is too heavy, and no id.
#[test]
fn every_input_takes_in_what_the_host_did() {
    for (name, _) in INPUTS {
        let mut host = host(options(5.0, 0.0));
        use_credit(&mut host);
        let others = [
            "evict",
            "finish_counted",
            "finish_measured",
            "reclaim_counted",
            "admit_counted",
        ];
        if !others.contains(&name) {
            host.ask(name, 0.0, &[9.0, NEVER, NEVER, RUN]);
            check_books(&host, name);
        }
    }
    let mut host = host(options(5.0, 0.0));
    use_credit(&mut host);
    host.engine.exchange_abort(host.owner, &mut host.mail, &[]);
    check_books(&host, "abort");
}

/// In the very answer: a snapshot that came before would lie.
#[test]
fn a_snapshot_shows_what_the_host_did() {
    let mut host = host(options(5.0, 0.0));
    use_credit(&mut host);
    let stats = host.engine.exchange_stats(host.owner, &mut host.mail);
    check_books(&host, "stats");
    for (name, want) in [("active", 1.0), ("failed", 1.0), ("peak_active", 2.0)] {
        same(figure(&stats, name), want);
    }
}

/// These change the very figures.
#[test]
fn the_inputs_of_counted_runs_come_after_what_the_host_did() {
    let mut host = host(options(2.0, 0.0));
    use_credit(&mut host);
    same(host.ask("admit_counted", 0.0, &[]), 1.0);
    same(host.ask("admit_counted", 0.0, &[]), 0.0);
    same(host.mail[place::ACTIVE], 2.0);
    for answer in [1.0, 1.0, 0.0] {
        same(host.ask("finish_counted", 0.0, &[0.0]), answer);
    }
    assert!(host.begin());
    host.ask("evict", 0.0, &[]);
    let stats = host.engine.core().snapshot();
    assert_eq!((stats.abandoned_runs, stats.active), (1, 0));
}

/// Otherwise it would be in the books twice.
#[test]
fn what_the_host_did_is_taken_in_once() {
    let mut host = host(options(5.0, 0.0));
    use_credit(&mut host);
    for _ in 0..3 {
        host.ask("show", 0.0, &[]);
        check_books(&host, "show");
    }
}

#[test]
fn a_permit_that_the_host_took_is_taken() {
    let mut host = host(options(2.0, 0.0));
    assert!(host.begin() && host.begin() && !host.begin());
    assert!(host.call() < 15.0, "full");
    same(host.mail[place::ACTIVE], 2.0);
    assert!(host.end("completed"));
    assert!(host.call() > 15.0, "one is free");
    assert!(!host.begin());
}

/// There each begin and each end may concern another call.
#[test]
fn where_a_call_waits_there_is_no_credit_until_none_does() {
    let mut host = host(Options {
        timeout: Some(NEVER),
        ..options(1.0, 1.0)
    });
    assert!(host.begin());
    let waits = -host.call();
    same(host.mail[place::FREE], -1.0);
    assert!(!host.begin() && !host.end("completed"));
    same(host.ask("finish_counted", 0.0, &[0.0]), 1.0);
    assert_eq!(host.event(), Some(("granted", waits, 0.0)));
    host.ask("finish", 0.0, &[waits, 0.0]);
    same(host.mail[place::FREE], 1.0);
    same(host.mail[place::LEAST], 1.0);
    same(host.mail[place::FAILED], 0.0);
}

/// One in 32 runs is measured: the host reads its clock for it, and reports the time.
#[test]
fn the_run_that_takes_the_last_start_is_reported_with_its_time() {
    let mut host = Host::new(options(1.0, 0.0));
    host.ask("show", 0.0, &[]);
    let mut measured = 0.0;
    for run in 0..1000 {
        let outcome = if run % 2 == 0 { 0.0 } else { 1.0 };
        assert!(host.begin());
        if host.mail[place::STARTS] > 0.0 {
            assert!(host.end(OUTCOMES[run % 2]));
        } else {
            measured += 1.0;
            same(host.ask("finish_measured", 0.0, &[outcome, 2.0]), 1.0);
        }
    }
    let stats = host.engine.exchange_stats(host.owner, &mut host.mail);
    same(figure(&stats, "ran_count"), measured);
    same(figure(&stats, "ran_sum"), 2.0 * measured);
    same(figure(&stats, "ran_max"), 2.0);
    same(figure(&stats, "completed"), 500.0);
    same(figure(&stats, "failed"), 500.0);
    assert!((15.0..60.0).contains(&measured), "{measured}");
}

#[test]
fn a_time_that_is_none_is_recorded_as_the_nearest_that_is() {
    for (ran, recorded) in [(f64::NAN, 0.0), (-1.0, 0.0), (0.25, 0.25)] {
        let mut host = Host::new(options(1.0, 0.0));
        host.ask("show", 0.0, &[]);
        assert!(host.begin());
        same(host.ask("finish_measured", 0.0, &[0.0, ran]), 1.0);
        let stats = host.engine.exchange_stats(host.owner, &mut host.mail);
        same(figure(&stats, "ran_sum"), recorded);
        same(figure(&stats, "ran_count"), 1.0);
    }
}

#[test]
fn garbage_in_the_places_of_the_credit_breaks_no_invariant() {
    let numbers = [
        f64::NAN,
        NEVER,
        -NEVER,
        f64::MIN,
        f64::MAX,
        -1.0,
        -0.0,
        0.5,
        2.0,
        3.0,
        40.0,
        2_147_483_648.0,
    ];
    let mut host = host(options(3.0, 0.0));
    let places = [place::FREE, place::STARTS, place::LEAST, place::FAILED];
    for first in numbers {
        for second in numbers {
            for (one, other) in [(0, 1), (0, 2), (1, 3), (0, 3), (1, 2)] {
                host.mail[places[one]] = first;
                host.mail[places[other]] = second;
                host.ask("show", 0.0, &[]);
                let checked = host.engine.core().check_invariants();
                assert_eq!(checked, Ok(()), "{first} {second} in {one} {other}");
            }
        }
    }
    while host.ask("finish_counted", 0.0, &[0.0]) > 0.0 {}
    let stats = host.engine.core().snapshot();
    assert_eq!((stats.active, stats.running), (0, 0));
    assert_eq!(stats.admitted, stats.completed + stats.failed);
}
