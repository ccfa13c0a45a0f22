//! The numbers that stand for answers and events; the tables are in `docs/engine.md`.

use bulkheads_core::{Notation, OwnerId};
use bulkheads_engine::{ABORTED, Engine, EventNumbers, Options, RUN};

const ME: OwnerId = OwnerId::FIRST;
const NEVER: f64 = f64::INFINITY;

fn options(max_concurrent: f64, max_queue: f64) -> Options {
    Options {
        max_concurrent,
        max_queue: Some(max_queue),
        ..Options::default()
    }
}

fn engine(options: Options) -> Engine {
    Engine::new(Notation::CamelMillis, options).expect("valid options")
}

/// An ordinary call, at 0.
fn call(engine: &mut Engine) -> f64 {
    ask(engine, 1.0, NEVER, NEVER, RUN)
}

fn ask(engine: &mut Engine, weight: f64, timeout: f64, deadline: f64, flags: u32) -> f64 {
    let answer = engine.acquire(ME, 0.0, weight, timeout, deadline, flags, 0.0);
    answer.expect("valid arguments")
}

#[track_caller]
fn same(came: f64, want: f64) {
    assert_eq!(came.to_bits(), want.to_bits(), "{came} is not {want}");
}

fn next(engine: &mut Engine) -> (u32, f64) {
    let EventNumbers { kind, id, .. } = engine.next_event(ME);
    (kind, id)
}

#[test]
fn every_rejection_has_a_code() {
    let mut queued = engine(options(1.0, 1.0));
    let held = call(&mut queued);
    same(ask(&mut queued, 1.0, 0.0, NEVER, RUN), 3.0);
    assert!(held > 15.0 && call(&mut queued) < -15.0);
    same(call(&mut queued), 1.0);
    same(ask(&mut queued, 1.0, NEVER, 0.0, RUN), 5.0);
    same(ask(&mut queued, 2.0, NEVER, NEVER, RUN), 7.0);
    same(ask(&mut queued, 1.0, NEVER, NEVER, RUN | ABORTED), 8.0);
    let mut bare = engine(options(1.0, 0.0));
    bare.resize(0.0, 0.0).expect("a valid limit");
    same(call(&mut bare), 4.0);
    bare.resize(0.0, 1.0).expect("a valid limit");
    bare.try_acquire(ME, 0.0, 1.0).expect("a valid weight");
    same(call(&mut bare), 2.0);
    same(bare.try_acquire(ME, 0.0, 1.0).expect("a valid weight"), 2.0);
    let nested = bare.acquire(ME, 0.0, 1.0, NEVER, NEVER, RUN, 1.0);
    same(nested.expect("valid arguments"), 9.0);
    bare.close(0.0, false);
    same(call(&mut bare), 6.0);
}

#[test]
fn every_end_of_a_waiter_has_a_kind() {
    let mut engine = engine(options(2.0, 9.0));
    let held = ask(&mut engine, 2.0, NEVER, NEVER, 0);
    let first = -call(&mut engine);
    let late = -ask(&mut engine, 1.0, 5.0, NEVER, RUN);
    let heavy = -ask(&mut engine, 2.0, NEVER, NEVER, RUN);
    let gone = -call(&mut engine);
    let last = -call(&mut engine);
    engine.handle_timeout(5.0);
    let EventNumbers { kind, id, time } = engine.next_event(ME);
    assert_eq!(kind, 2);
    same(id, late);
    same(time, 5.0);
    engine.resize(5.0, 1.0).expect("a valid limit");
    assert_eq!(next(&mut engine), (4, heavy));
    engine.abort(5.0, &[gone]);
    assert_eq!(next(&mut engine), (5, gone));
    assert!(engine.release(5.0, held));
    assert_eq!(next(&mut engine), (1, first));
    engine.close(5.0, false);
    assert_eq!(next(&mut engine), (3, last));
    assert_eq!(next(&mut engine), (0, 0.0));
}

#[test]
fn every_early_answer_and_every_watch_has_a_kind() {
    let call_timeout = Some(5.0);
    let mut engine = engine(Options {
        call_timeout,
        ..options(1.0, 1.0)
    });
    let first = call(&mut engine);
    assert!(
        !engine
            .watch_room(ME, 0.0, 1.0, 0.0)
            .expect("a valid weight")
    );
    engine.handle_timeout(6.0);
    let EventNumbers { kind, id, time } = engine.next_event(ME);
    assert_eq!(
        (kind, id.to_bits(), time.to_bits()),
        (6, first.to_bits(), 6_f64.to_bits())
    );
    assert!(engine.finish(6.0, first, 0));
    assert_eq!(next(&mut engine), (9, 0.0));
    let second = call(&mut engine);
    assert!(!engine.watch_idle(ME, 6.0));
    engine.close(6.0, true);
    assert_eq!(next(&mut engine), (7, second));
    assert!(engine.finish(6.0, second, 1));
    assert_eq!(next(&mut engine), (8, 0.0));
}

#[test]
fn every_cancellation_has_a_code() {
    let mut engine = engine(options(1.0, 1.0));
    let (runs, waits) = (call(&mut engine), -call(&mut engine));
    assert_eq!(engine.cancel(0.0, waits), 1);
    assert_eq!(engine.cancel(0.0, waits), 0);
    assert_eq!(engine.cancel(0.0, runs), 2);
    assert_eq!(engine.cancel(0.0, runs), 0);
}

#[test]
fn every_outcome_has_a_code() {
    let mut engine = engine(options(1.0, 0.0));
    for outcome in [0, 1, 2, 3] {
        let id = call(&mut engine);
        assert!(engine.finish(0.0, id, outcome));
    }
    let stats = engine.core().snapshot();
    assert_eq!((stats.completed, stats.failed, stats.leaked), (1, 2, 1));
}

#[test]
fn bad_options_make_an_engine_with_a_fault_to_take() {
    let mut bad = Engine::new_or_fault(Notation::SnakeSeconds, options(0.5, 1.0));
    let fault = bad.take_fault().expect("a fault").to_string();
    assert_eq!(
        fault,
        "max_concurrent must be an integer from 1 to 2147483647, got 0.5"
    );
    assert_eq!((bad.take_fault(), bad.core().limit()), (None, 1));
    let mut good = Engine::new_or_fault(Notation::SnakeSeconds, options(3.0, 1.0));
    assert_eq!((good.take_fault(), good.core().limit()), (None, 3));
}
