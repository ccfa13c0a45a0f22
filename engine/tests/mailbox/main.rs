//! The array of numbers that a host shares with its engine, whatever the host writes into it.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../core/tests/corpus/mod.rs"]
mod corpus;
mod credit;
mod events;
mod hosts;
mod inputs;
mod random;

use bulkheads_engine::mailbox::{self, EVENT_LEN, MAILBOX_LEN, PLACES, SHOWN, VERSION, place};

use common::{Host, options, same};
use random::{Random, Shown};

/// What the fuzzer found worth keeping; see `core/fuzz`.
#[test]
fn every_exchange_of_the_corpus_is_answered_as_the_table_says() {
    let inputs = corpus::inputs(include_str!("../../../core/fuzz/corpus/mailbox.hex"));
    assert!(inputs.len() > 100, "the corpus has {}", inputs.len());
    for (_, input) in inputs {
        let _shown = Shown(&input);
        hosts::play(&input);
    }
}

/// Other bytes at every run: those that fail are printed as the corpus has them.
#[test]
fn whatever_a_host_writes_is_answered() {
    let (mut random, mut runs) = (Random::new(), 0);
    for _ in 0..4_000 {
        let length = random.next() % 300;
        let bytes: Vec<_> = (0..length).map(|_| random.byte()).collect();
        let _shown = Shown(&bytes);
        runs += hosts::play(&bytes);
    }
    assert!(runs > 500, "the credit was used {runs} times");
}

/// A host that expects another layout must be able to see it before its first input.
#[test]
fn the_version_is_there_from_the_beginning_and_stays() {
    same(mailbox::empty()[place::VERSION], VERSION);
    let mut host = Host::new(options(1.0, 0.0));
    host.call();
    same(host.mail[place::VERSION], VERSION);
    same(VERSION, 3.0);
}

/// No two of them overlap, and none lies outside.
#[test]
fn every_place_is_a_place_of_its_own() {
    let length = |name| match name {
        "arguments" => 8,
        "events" => SHOWN * EVENT_LEN,
        "started" => mailbox::STARTED_LEN,
        _ => 1,
    };
    let mut owners = [None; MAILBOX_LEN];
    for (name, first) in PLACES {
        for owner in &mut owners[first..first + length(name)] {
            assert_eq!(owner.replace(name), None, "{name} and another");
        }
    }
}

#[test]
fn the_figures_are_those_of_the_core() {
    let mut host = Host::new(options(3.0, 7.0));
    host.ask("try_acquire", 0.0, &[2.0]);
    host.ask(
        "acquire",
        0.0,
        &[2.0, common::NEVER, common::NEVER, common::RUN],
    );
    let figures = [place::LIMIT, place::ACTIVE, place::QUEUED, place::MAX_QUEUE];
    let figures = figures.map(|place| host.mail[place].to_bits());
    assert_eq!(figures, [3.0_f64, 2.0, 1.0, 7.0].map(f64::to_bits));
}

#[test]
fn a_fault_is_of_the_latest_input_and_taken_once() {
    let mut host = Host::new(options(1.0, 1.0));
    assert!(host.ask("try_acquire", 0.0, &[0.5]).is_nan());
    let text = "weight must be an integer from 1 to 2147483647, got 0.5";
    assert_eq!(host.fault(), text);
    assert_eq!(host.engine.take_fault(), None);
    assert!(host.ask("try_acquire", 0.0, &[0.5]).is_nan());
    host.ask("show", 0.0, &[]);
    assert_eq!(host.engine.take_fault(), None);
}

/// For hosts that keep several engines behind one mailbox.
#[test]
fn the_handle_is_what_the_host_wrote_or_names_nothing() {
    let mut mail = mailbox::empty();
    for (written, handle) in [
        (3.0, 3),
        (0.0, 0),
        (-1.0, 0),
        (f64::NAN, 0),
        (1e30, u32::MAX),
    ] {
        mail[place::ENGINE] = written;
        assert_eq!(mailbox::handle(&mail), handle);
    }
}
