//! Ranges of options and arguments, over the numbers that hosts pass.

use bulkheads_core::{Bulkhead, Config, Notation, OwnerId, STATS, Span};
use bulkheads_engine::{Engine, Options, RUN};

const NEVER: f64 = f64::INFINITY;
const ME: OwnerId = OwnerId::FIRST;

fn refused(notation: Notation, options: Options) -> String {
    Engine::new(notation, options)
        .expect_err("out of range")
        .to_string()
}

fn engine(max_queue: f64) -> Engine {
    let options = Options {
        max_concurrent: 1.0,
        max_queue: Some(max_queue),
        ..Options::default()
    };
    Engine::new(Notation::CamelMillis, options).expect("valid options")
}

#[test]
fn counts_are_whole_and_within_31_bits() {
    for bad in [
        0.0,
        -1.0,
        0.5,
        2_147_483_648.0,
        f64::NAN,
        NEVER,
        -NEVER,
        1e30,
    ] {
        let options = Options {
            max_concurrent: bad,
            ..Options::default()
        };
        let error = refused(Notation::CamelMillis, options);
        assert!(error.starts_with("maxConcurrent must be an integer from 1 to 2147483647, got "));
    }
    for good in [1.0, 2_147_483_647.0] {
        let options = Options {
            max_concurrent: good,
            max_queue: Some(good),
            ..Options::default()
        };
        assert!(Engine::new(Notation::CamelMillis, options).is_ok());
    }
}

#[test]
fn an_error_names_option_value_and_rule_as_the_host_writes_them() {
    let base = Options {
        max_concurrent: 1.0,
        ..Options::default()
    };
    let queue = Options {
        max_queue: Some(-1.0),
        ..base
    };
    let message = "max_queue must be an integer from 0 to 2147483647, got -1";
    assert_eq!(refused(Notation::SnakeSeconds, queue), message);
    let timeout = Options {
        timeout: Some(0.0),
        ..base
    };
    let message = "timeoutMs must be more than 0, or infinite, got 0";
    assert_eq!(refused(Notation::CamelMillis, timeout), message);
    let call = Options {
        call_timeout: Some(f64::NAN),
        ..base
    };
    let message = "call_timeout must be more than 0, or infinite, got nan";
    assert_eq!(refused(Notation::SnakeSeconds, call), message);
    let abandon = Options {
        abandon_after: Some(-NEVER),
        ..base
    };
    let message = "abandonAfterMs must be more than 0, or infinite, got -Infinity";
    assert_eq!(refused(Notation::CamelMillis, abandon), message);
}

#[test]
fn a_bad_argument_loses_nothing() {
    let mut engine = engine(1.0);
    let before = engine.core().snapshot();
    for weight in [0.0, -0.0, 1.5, f64::NAN, NEVER] {
        assert!(
            engine
                .acquire(ME, 0.0, weight, NEVER, NEVER, RUN, 0.0)
                .is_err()
        );
        assert!(engine.try_acquire(ME, 0.0, weight).is_err());
    }
    assert!(
        engine
            .acquire(ME, 0.0, 1.0, f64::NAN, NEVER, RUN, 0.0)
            .is_err()
    );
    assert!(engine.acquire(ME, 0.0, 1.0, -1.0, NEVER, RUN, 0.0).is_err());
    assert!(
        engine
            .acquire(ME, 0.0, 1.0, NEVER, f64::NAN, RUN, 0.0)
            .is_err()
    );
    assert!(engine.resize(0.0, -1.0).is_err());
    assert_eq!(engine.core().snapshot(), before);
}

#[test]
fn the_waits_default_is_a_second_or_the_call_timeout_if_that_is_less() {
    for (call_timeout, end) in [(None, 1000.0), (Some(300.0), 300.0), (Some(NEVER), 1000.0)] {
        let max_queue = Some(1.0);
        let options = Options {
            max_concurrent: 1.0,
            max_queue,
            call_timeout,
            ..Options::default()
        };
        let mut engine = Engine::new(Notation::CamelMillis, options).expect("valid options");
        let permit = engine.try_acquire(ME, 0.0, 1.0).expect("a valid weight");
        assert!(permit > 15.0);
        assert!(
            engine
                .acquire(ME, 0.0, 1.0, NEVER, NEVER, RUN, 0.0)
                .expect("valid")
                < 0.0
        );
        assert!((engine.next_timer(ME) - end).abs() < 1e-9);
    }
}

#[test]
fn a_time_too_far_off_means_never() {
    let mut engine = engine(5.0);
    engine.try_acquire(ME, 0.0, 1.0).expect("a valid weight");
    for timeout in [1e300, f64::MAX] {
        let options = Options {
            max_concurrent: 1.0,
            max_queue: Some(1.0),
            timeout: Some(timeout),
            ..Options::default()
        };
        let mut engine = Engine::new(Notation::SnakeSeconds, options).expect("valid options");
        engine.try_acquire(ME, 5.0, 1.0).expect("a valid weight");
        assert!(
            engine
                .acquire(ME, 5.0, 1.0, NEVER, 1e300, RUN, 0.0)
                .expect("valid")
                < 0.0
        );
        assert!(engine.next_timer(ME).is_infinite());
    }
}

#[test]
fn the_smallest_wait_is_still_a_wait() {
    let mut engine = engine(1.0);
    engine.try_acquire(ME, 0.0, 1.0).expect("a valid weight");
    assert!(
        engine
            .acquire(ME, 0.0, 1.0, 5e-324, NEVER, RUN, 0.0)
            .expect("valid")
            < 0.0
    );
}

#[test]
fn rust_callers_get_the_same_ranges() {
    for config in [
        Config::new(0),
        Config::new(u32::MAX),
        Config::new(1).max_queue(u32::MAX),
        Config::new(1).timeout(Span::ZERO),
        Config::new(1).call_timeout(Span::ZERO),
        Config::new(1).abandon_after(Span::ZERO),
    ] {
        assert!(Bulkhead::new(config).is_err());
    }
}

#[test]
fn the_largest_weights_do_not_wrap() {
    let most = f64::from(bulkheads_core::MAX_COUNT);
    let options = Options {
        max_concurrent: most,
        max_queue: Some(most),
        ..Options::default()
    };
    let mut engine = Engine::new(Notation::CamelMillis, options).expect("valid options");
    let first = engine
        .acquire(ME, 0.0, most, NEVER, NEVER, RUN, 0.0)
        .expect("valid");
    for weight in [most, 3.0] {
        assert!(
            engine
                .acquire(ME, 0.0, weight, NEVER, NEVER, RUN, 0.0)
                .expect("valid")
                < 0.0
        );
    }
    engine.resize(0.0, 1.0).expect("valid");
    engine.resize(0.0, most).expect("valid");
    assert_eq!(engine.core().queued(), 0, "both were heavier than one");
    assert!(engine.finish(0.0, first, 0));
    assert_eq!(
        (engine.core().active(), engine.core().check_invariants()),
        (0, Ok(()))
    );
}

#[test]
fn stats_have_a_name_each() {
    assert_eq!(engine(0.0).stats().len(), STATS.len());
}

#[test]
fn a_number_that_is_no_id_changes_nothing() {
    let mut engine = engine(1.0);
    let id = engine.try_acquire(ME, 0.0, 1.0).expect("a valid weight");
    let before = engine.core().snapshot();
    for number in [
        0.0,
        -1.0,
        0.5,
        f64::NAN,
        NEVER,
        id + 1.0,
        id + 4_294_967_296.0,
        -id,
    ] {
        engine.start(number);
        assert!(!engine.finish(0.0, number, 0));
        assert_eq!(engine.cancel(0.0, number), 0);
        engine.abort(0.0, &[number]);
    }
    assert_eq!(engine.core().snapshot(), before);
    assert!(engine.finish(0.0, id, 0) && !engine.finish(0.0, id, 0));
}
