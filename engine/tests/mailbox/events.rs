//! Events are shown, and taken when the host says so.

use bulkheads_engine::Options;
use bulkheads_engine::mailbox::{SHOWN, STARTED_LEN, place};

use crate::common::{Host, NEVER, RUN, options, outcome_code, same};

/// More than are shown at a time.
const MANY: usize = SHOWN + 20;

/// With so many waiters, whose only holder then ends: all of them are granted. Answers their ids.
fn crowd(waiters: usize) -> (Host, Vec<f64>) {
    let permits = f64::from(u32::try_from(waiters).expect("a small number"));
    let mut host = Host::new(options(permits, permits));
    let held = host.ask("try_acquire", 0.0, &[permits]);
    let ids = (0..waiters).map(|_| -host.call()).collect();
    host.ask("finish", 0.0, &[held, outcome_code("completed")]);
    (host, ids)
}

fn ids_shown(host: &Host) -> Vec<f64> {
    let indices = (0..SHOWN).zip(1_u32..);
    let indices = indices.filter(|(_, count)| f64::from(*count) <= host.mail[place::COUNT]);
    indices.map(|(index, _)| host.shown(index)[1]).collect()
}

#[test]
fn events_beyond_those_shown_come_when_these_were_taken() {
    let (mut host, ids) = crowd(MANY);
    let mut seen = Vec::new();
    while host.mail[place::COUNT] > 0.0 {
        seen.extend(ids_shown(&host));
        host.mail[place::TAKEN] = host.mail[place::COUNT];
        host.ask("show", 0.0, &[]);
    }
    assert_eq!(seen, ids);
}

#[test]
fn what_was_not_taken_is_shown_again_with_what_came() {
    let (mut host, ids) = crowd(5);
    assert_eq!(ids_shown(&host), ids);
    host.mail[place::TAKEN] = 2.0;
    host.ask("cancel", 0.0, &[ids[4]]);
    assert_eq!(ids_shown(&host), ids[2..], "a cancel brings no event");
    same(host.mail[place::TAKEN], 0.0);
    host.ask("show", 0.0, &[]);
    assert_eq!(ids_shown(&host), ids[2..]);
}

/// A count that the host wrote itself must not keep the engine busy for minutes.
#[test]
fn no_more_events_are_taken_than_are_ever_shown() {
    let (mut host, ids) = crowd(MANY);
    (host.mail[place::TAKEN], host.mail[place::COUNT]) = (f64::INFINITY, 4e9);
    host.ask("show", 0.0, &[]);
    assert_eq!(ids_shown(&host), ids[SHOWN..]);
}

/// They came after the host had looked.
#[test]
fn no_more_events_are_taken_than_were_shown() {
    let mut host = Host::new(options(1.0, 5.0));
    let held = host.call();
    let waits = -host.call();
    host.mail[place::TAKEN] = 5.0;
    host.ask("finish", 0.0, &[held, 0.0]);
    assert_eq!(ids_shown(&host), [waits]);
}

/// A grant costs one exchange less: the start comes with the next input, whichever that is.
#[test]
fn granted_calls_start_with_the_next_input() {
    let (mut host, ids) = crowd(STARTED_LEN);
    host.mail[place::STARTED..][..ids.len()].copy_from_slice(&ids);
    host.mail[place::STARTS_COUNT] = host.mail[place::COUNT];
    // Before the input itself: a cancelled caller of a call that runs is answered early.
    let cancellation = host.ask("cancel", 0.0, &[ids[0]]);
    same(cancellation, 2.0);
    same(host.mail[place::STARTS_COUNT], 0.0);
    let stats = host.engine.core().snapshot();
    assert_eq!((stats.unclaimed, stats.overrun), (0, 1));
    for id in &ids[1..] {
        same(host.ask("cancel", 0.0, &[*id]), 2.0);
    }
}

#[test]
fn no_more_calls_start_than_have_a_place() {
    let options = Options {
        call_timeout: Some(5.0),
        ..options(1.0, 1.0)
    };
    let mut host = Host::new(options);
    let held = host.call();
    let waits = -host.ask("acquire", 0.0, &[1.0, NEVER, NEVER, RUN]);
    host.ask("finish", 0.0, &[held, 0.0]);
    host.mail[place::STARTED..].fill(0.0);
    *host.mail.last_mut().expect("a place") = waits;
    host.mail[place::STARTS_COUNT] = f64::INFINITY;
    host.ask("show", 0.0, &[]);
    same(host.mail[place::TIMER], 5.0);
    host.mail[place::STARTS_COUNT] = f64::NAN;
    host.ask("show", 0.0, &[]);
    assert_eq!(host.engine.core().check_invariants(), Ok(()));
}
