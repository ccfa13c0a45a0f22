//! The numbers that stand for answers and events; the tables are in `docs/engine.md`.

mod common;

use std::collections::BTreeSet;

use bulkheads_engine::mailbox::place;
use bulkheads_engine::{EVENTS, Engine, Notation, OUTCOMES, Options, REJECTIONS};

use common::{ABORTED, Host, NEVER, RUN, name_of, options, outcome_code, rejection_code, same};

/// The names of a table but for the first, which stands for none.
fn names(table: &[&'static str]) -> BTreeSet<&'static str> {
    assert_eq!(table[0], "none");
    table[1..].iter().copied().collect()
}

#[test]
fn every_rejection_has_a_code() {
    let mut came = BTreeSet::new();
    let mut rejected = |host: &mut Host, arguments: [f64; 4], held: &[f64], name| {
        let code = host.ask_holding("acquire", 0.0, &arguments, held);
        same(code, rejection_code(name));
        came.insert(name_of(&REJECTIONS, code));
    };
    let call = [1.0, NEVER, NEVER, RUN];
    let mut queued = Host::new(options(1.0, 1.0));
    let held = queued.call();
    rejected(&mut queued, [1.0, 0.0, NEVER, RUN], &[], "not_willing");
    assert!(held > 15.0 && queued.call() < -15.0);
    rejected(&mut queued, call, &[], "queue_full");
    rejected(&mut queued, call, &[held], "reentrant");
    same(queued.mail[place::DETAIL], 1.0);
    rejected(&mut queued, [1.0, NEVER, 0.0, RUN], &[], "queue_timeout");
    rejected(&mut queued, [2.0, NEVER, NEVER, RUN], &[], "too_heavy");
    let aborted = [1.0, NEVER, NEVER, RUN + ABORTED];
    rejected(&mut queued, aborted, &[], "cancelled");
    let late = [1.0, 3.0, NEVER, RUN, NEVER, 0.0, 0.0];
    same(queued.ask("acquire_or_watch", 0.0, &late), 0.0);
    let no_room = queued.ask("acquire_or_watch", 4.0, &late);
    same(no_room, rejection_code("no_room"));
    same(queued.mail[place::DETAIL], 4.0);
    let mut bare = Host::new(options(1.0, 0.0));
    bare.ask("resize", 0.0, &[0.0]);
    rejected(&mut bare, call, &[], "paused");
    bare.ask("resize", 0.0, &[1.0]);
    bare.call();
    rejected(&mut bare, call, &[], "no_queue");
    bare.ask("close", 0.0, &[0.0]);
    rejected(&mut bare, call, &[], "closed");
    came.insert("no_room");
    assert_eq!(came, names(&REJECTIONS));
}

/// Each way in answers the same code for the same bound.
#[test]
fn every_way_in_rejects_with_the_same_codes() {
    let mut host = Host::new(options(1.0, 0.0));
    host.call();
    let full = rejection_code("no_queue");
    same(host.ask("try_acquire", 0.0, &[1.0]), full);
    same(host.ask("acquire_untimed", 0.0, &[1.0, RUN]), full);
    let too_heavy = rejection_code("too_heavy");
    same(host.ask("try_acquire", 0.0, &[2.0]), too_heavy);
    same(host.ask("acquire_untimed", 0.0, &[2.0, RUN]), too_heavy);
    let offer = host.ask("acquire_or_watch", 0.0, &[2.0, 0.0, NEVER, RUN]);
    same(offer, too_heavy);
    let aborted = host.ask("acquire_untimed", 0.0, &[1.0, RUN + ABORTED]);
    same(aborted, rejection_code("cancelled"));
    let offer = host.ask("acquire_or_watch", 0.0, &[1.0, 0.0, 0.0, RUN]);
    same(offer, rejection_code("queue_timeout"));
}

#[test]
fn every_event_has_a_kind() {
    let mut came = BTreeSet::new();
    let mut expect = |host: &mut Host, event: (&'static str, f64, f64)| {
        assert_eq!(host.event(), Some(event));
        came.insert(event.0);
    };
    let mut host = Host::new(options(2.0, 9.0));
    let held = host.ask("acquire", 0.0, &[2.0, NEVER, NEVER, 0.0]);
    let first = -host.call();
    let late = -host.ask("acquire", 0.0, &[1.0, 5.0, NEVER, RUN]);
    let heavy = -host.ask("acquire", 0.0, &[2.0, NEVER, NEVER, RUN]);
    let gone = -host.call();
    let last = -host.call();
    host.ask("handle_timeout", 5.0, &[]);
    expect(&mut host, ("queue_timeout", late, 5.0));
    host.ask("resize", 6.0, &[1.0]);
    expect(&mut host, ("too_heavy", heavy, 6.0));
    host.engine
        .exchange_abort(host.owner, &mut host.mail, &[gone]);
    expect(&mut host, ("cancelled", gone, 0.0));
    host.ask("release", 6.0, &[held]);
    expect(&mut host, ("granted", first, 0.0));
    host.ask("close", 7.0, &[0.0]);
    expect(&mut host, ("closed", last, 7.0));

    let mut host = Host::new(Options {
        call_timeout: Some(5.0),
        ..options(1.0, 1.0)
    });
    let first = host.call();
    same(host.ask("watch_capacity", 0.0, &[1.0]), 0.0);
    host.ask("handle_timeout", 6.0, &[]);
    expect(&mut host, ("call_timeout", first, 6.0));
    host.ask("finish", 6.0, &[first, 0.0]);
    expect(&mut host, ("capacity", 0.0, 0.0));
    let second = host.ask("acquire", 6.0, &[1.0, NEVER, NEVER, RUN]);
    let ticket = host.ask("watch_idle", 6.0, &[]);
    assert!(ticket > 0.0);
    host.ask("close", 6.0, &[1.0]);
    expect(&mut host, ("abort", 0.0, 0.0));
    host.ask("finish", 6.0, &[second, 1.0]);
    expect(&mut host, ("idle", ticket, 0.0));
    assert_eq!((host.event(), came), (None, names(&EVENTS)));
}

#[test]
fn every_cancellation_has_a_code() {
    let mut host = Host::new(options(1.0, 1.0));
    let (runs, waits) = (host.call(), -host.call());
    let codes = [waits, waits, runs, runs].map(|id| host.ask("cancel", 0.0, &[id]));
    let (settled, withdrawn, answered_early) = (0.0, 1.0, 2.0);
    for (came, want) in codes
        .into_iter()
        .zip([withdrawn, settled, answered_early, settled])
    {
        same(came, want);
    }
}

#[test]
fn every_outcome_has_a_code() {
    let mut host = Host::new(options(1.0, 0.0));
    for outcome in OUTCOMES.map(outcome_code) {
        let id = host.call();
        same(host.ask("finish", 0.0, &[id, outcome]), 1.0);
        same(host.ask("finish", 0.0, &[id, outcome]), 0.0);
    }
    let stats = host.engine.core().snapshot();
    assert_eq!((stats.completed, stats.failed), (1, 1));
}

#[test]
fn every_reclaim_has_a_code() {
    let mut host = Host::new(options(2.0, 0.0));
    let ids = [(); 2].map(|()| host.ask("try_acquire", 0.0, &[1.0]));
    let reclaims = [ids[0], ids[0], ids[1]].map(|id| host.ask("reclaim", 0.0, &[id]));
    let (stale, first, again) = (0.0, 1.0, 2.0);
    for (came, want) in reclaims.into_iter().zip([first, stale, again]) {
        same(came, want);
    }
}

#[test]
fn every_offer_has_a_code() {
    let mut host = Host::new(options(1.0, 5.0));
    let offer = [1.0, NEVER, NEVER, RUN];
    assert!(host.ask("acquire_or_watch", 0.0, &offer) > 15.0);
    same(host.ask("acquire_or_watch", 0.0, &offer), 0.0);
    host.ask("drain", 0.0, &[NEVER]);
    let closed = host.ask("acquire_or_watch", 0.0, &offer);
    same(closed, rejection_code("closed"));
}

#[test]
fn a_ticket_is_a_number_and_idleness_is_none() {
    let mut host = Host::new(options(1.0, 0.0));
    same(host.ask("watch_idle", 0.0, &[]), 0.0);
    host.call();
    let tickets = [(); 2].map(|()| host.ask("watch_idle", 0.0, &[]));
    assert!(0.0 < tickets[0] && tickets[0] < tickets[1]);
}

#[test]
fn bad_options_make_no_engine() {
    let made = Engine::new(Notation::SnakeSeconds, options(0.5, 1.0));
    let fault = made.err().map(|fault| fault.to_string());
    let text = "max_concurrent must be an integer from 1 to 2147483647, got 0.5";
    assert_eq!(fault.as_deref(), Some(text));
}
