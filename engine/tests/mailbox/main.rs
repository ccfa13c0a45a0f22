//! The array of numbers that a host shares with its engine, whatever the host writes into it.

mod hosts;

use bulkheads_core::{Notation, OwnerId};
use bulkheads_engine::mailbox::{MAILBOX_LEN, Mailbox};
use bulkheads_engine::{Engine, Options, RUN};
use proptest::prelude::*;

const ME: OwnerId = OwnerId::FIRST;
/// Inputs and places of the table in `docs/engine.md`.
const TRY_ACQUIRE: f64 = 4.0;
const FINISH: f64 = 6.0;
const SHOW: f64 = 16.0;
const FIGURES: f64 = 17.0;
const TAKEN: usize = 7;
const COUNT: usize = 8;
const EVENTS: usize = 16;

fn engine(max_concurrent: f64, max_queue: f64) -> Engine {
    let options = Options {
        max_concurrent,
        max_queue: Some(max_queue),
        ..Options::default()
    };
    Engine::new(Notation::CamelMillis, options).expect("valid options")
}

/// Who waits for one permit.
fn waits(engine: &mut Engine) -> f64 {
    let queued = engine.acquire(ME, 0.0, 1.0, f64::INFINITY, f64::INFINITY, RUN, 0.0);
    -queued.expect("valid arguments")
}

/// Writes an input and its arguments, the time first, and answers the answer.
fn exchange(engine: &mut Engine, mail: &mut Mailbox, input: f64, arguments: &[f64]) -> f64 {
    mail[0] = input;
    mail[1..=arguments.len()].copy_from_slice(arguments);
    engine.exchange(ME, mail);
    mail[0]
}

/// What the fuzzer found worth keeping; see `core/fuzz`.
#[test]
fn every_exchange_of_the_corpus_is_answered_as_the_table_says() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/mailbox");
    let mut played = 0;
    for file in std::fs::read_dir(corpus).expect("the corpus") {
        let path = file.expect("a file of the corpus").path();
        hosts::play(&std::fs::read(path).expect("its bytes"));
        played += 1;
    }
    assert!(played > 100, "the corpus has {played} files");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_host_writes_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        hosts::play(&bytes);
    }
}

#[test]
fn events_beyond_those_shown_come_when_these_were_taken() {
    let (mut engine, mut mail) = (engine(20.0, 40.0), [0.0; MAILBOX_LEN]);
    let held = exchange(&mut engine, &mut mail, TRY_ACQUIRE, &[0.0, 20.0]);
    let ids: Vec<_> = (0..20).map(|_| waits(&mut engine)).collect();
    exchange(&mut engine, &mut mail, FINISH, &[0.0, held, 0.0]);
    let mut seen = Vec::new();
    while mail[COUNT] > 0.0 {
        let shown = mail[EVENTS..].chunks_exact(3).zip(0..16);
        let shown = shown.filter(|(_, place)| f64::from(*place) < mail[COUNT]);
        seen.extend(shown.map(|(event, _)| event[1]));
        mail[TAKEN] = mail[COUNT];
        exchange(&mut engine, &mut mail, SHOW, &[]);
    }
    assert_eq!(seen, ids);
}

/// A count that the host wrote itself must not keep the engine busy for minutes.
#[test]
fn no_more_events_are_taken_than_are_ever_shown() {
    let (mut engine, mut mail) = (engine(20.0, 40.0), [0.0; MAILBOX_LEN]);
    let held = exchange(&mut engine, &mut mail, TRY_ACQUIRE, &[0.0, 20.0]);
    let ids: Vec<_> = (0..20).map(|_| waits(&mut engine)).collect();
    exchange(&mut engine, &mut mail, FINISH, &[0.0, held, 0.0]);
    (mail[TAKEN], mail[COUNT]) = (f64::INFINITY, 4e9);
    exchange(&mut engine, &mut mail, SHOW, &[]);
    let left: Vec<_> = engine.events(ME).map(|event| event.id).collect();
    assert_eq!(left, ids[16..]);
}

/// They came after the host had looked.
#[test]
fn no_more_events_are_taken_than_were_shown() {
    let (mut engine, mut mail) = (engine(20.0, 40.0), [0.0; MAILBOX_LEN]);
    let held = exchange(&mut engine, &mut mail, TRY_ACQUIRE, &[0.0, 20.0]);
    let waits = waits(&mut engine);
    engine.finish(0.0, held, 0);
    mail[TAKEN] = 5.0;
    exchange(&mut engine, &mut mail, SHOW, &[]);
    assert_eq!((mail[COUNT], mail[EVENTS + 1]), (1.0, waits));
}

#[test]
fn a_fault_is_kept_until_it_is_taken() {
    let (mut engine, mut mail) = (engine(1.0, 1.0), [0.0; MAILBOX_LEN]);
    assert!(exchange(&mut engine, &mut mail, TRY_ACQUIRE, &[0.0, 0.5]).is_nan());
    exchange(&mut engine, &mut mail, SHOW, &[]);
    let fault = engine.take_fault().expect("a fault").to_string();
    assert_eq!(
        fault,
        "weight must be an integer from 1 to 2147483647, got 0.5"
    );
    assert_eq!(engine.take_fault(), None);
}

#[test]
fn the_figures_are_those_of_the_core() {
    let (mut engine, mut mail) = (engine(3.0, 7.0), [0.0; MAILBOX_LEN]);
    exchange(&mut engine, &mut mail, TRY_ACQUIRE, &[0.0, 2.0]);
    engine
        .acquire(ME, 0.0, 2.0, f64::INFINITY, f64::INFINITY, RUN, 0.0)
        .expect("valid");
    exchange(&mut engine, &mut mail, FIGURES, &[]);
    assert_eq!(mail[11..15], [3.0, 2.0, 1.0, 7.0]);
}
