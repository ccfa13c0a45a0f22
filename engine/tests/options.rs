//! Ranges of options and arguments, over the numbers that hosts pass.

mod common;

use bulkheads_core::{MAX_COUNT, Opt};
use bulkheads_engine::mailbox::place;
use bulkheads_engine::{Engine, Notation, OPTIONS, Options};

use common::{Host, NEVER, RUN, options, same};

fn refused(notation: Notation, options: Options) -> String {
    let refused = Engine::new(notation, options);
    refused.expect_err("out of range").to_string()
}

/// With a call that holds its only permit.
fn full(options: Options) -> Host {
    let mut host = Host::new(options);
    assert!(host.call() > 15.0);
    host
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
        let error = refused(Notation::CamelMillis, options(bad, 0.0));
        assert!(error.starts_with("maxConcurrent must be an integer from 1 to 2147483647, got "));
    }
    for good in [1.0, 2_147_483_647.0] {
        let made = Engine::new(Notation::CamelMillis, options(good, good));
        assert!(made.is_ok());
    }
}

#[test]
fn an_error_names_option_value_and_rule_as_the_host_writes_them() {
    let base = options(1.0, 0.0);
    let message = "max_queue must be an integer from 0 to 2147483647, got -1";
    assert_eq!(refused(Notation::SnakeSeconds, options(1.0, -1.0)), message);
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
    let mut host = Host::new(options(1.0, 1.0));
    let before = host.engine.core().snapshot();
    let mut refused = |input, arguments: &[f64]| {
        assert!(host.ask(input, 0.0, arguments).is_nan(), "{input}");
        let fault = host.engine.take_fault().expect("a fault");
        assert_eq!(host.engine.core().snapshot(), before);
        fault.option
    };
    for weight in [0.0, -0.0, 1.5, f64::NAN, NEVER, 2_147_483_648.0] {
        for input in [
            "acquire",
            "try_acquire",
            "watch_capacity",
            "acquire_or_watch",
        ] {
            let option = refused(input, &[weight, NEVER, NEVER, RUN]);
            assert_eq!(option, Opt::Weight, "{input}");
        }
    }
    for timeout in [f64::NAN, -1.0, -NEVER] {
        let option = refused("acquire", &[1.0, timeout, NEVER, RUN]);
        assert_eq!(option, Opt::Timeout);
    }
    for input in ["acquire", "acquire_or_watch"] {
        let option = refused(input, &[1.0, NEVER, f64::NAN, RUN]);
        assert_eq!(option, Opt::Deadline, "{input}");
    }
    for limit in [-1.0, 0.5, f64::NAN, 2_147_483_648.0] {
        assert_eq!(refused("resize", &[limit]), Opt::Resize);
    }
}

/// The way in without a clock leaves the fault to the one with a clock.
#[test]
fn a_bad_weight_needs_the_clock() {
    let mut host = Host::new(options(1.0, 1.0));
    for weight in [0.0, 1.5, f64::NAN] {
        same(host.ask("acquire_untimed", 0.0, &[weight, RUN]), 0.0);
        assert_eq!(host.engine.take_fault(), None);
    }
    assert_eq!(host.engine.core().snapshot().admitted, 0);
}

#[test]
fn the_waits_default_is_a_second_or_the_call_timeout_if_that_is_less() {
    for (call_timeout, end) in [(None, 1000.0), (Some(300.0), 300.0), (Some(NEVER), 1000.0)] {
        let options = Options {
            call_timeout,
            ..options(1.0, 1.0)
        };
        let mut host = Host::new(options);
        assert!(host.ask("try_acquire", 0.0, &[1.0]) > 15.0);
        assert!(host.call() < 0.0);
        same(host.mail[place::TIMER], end);
        same(host.mail[place::KEEPS_ALIVE], 1.0);
    }
}

#[test]
fn a_time_too_far_off_means_never() {
    for timeout in [1e300, f64::MAX] {
        let options = Options {
            timeout: Some(timeout),
            ..options(1.0, 1.0)
        };
        let mut host = Host::of(Notation::SnakeSeconds, options);
        assert!(host.ask("try_acquire", 5.0, &[1.0]) > 15.0);
        let waits = host.ask("acquire", 5.0, &[1.0, NEVER, 1e300, RUN]);
        assert!(waits < 0.0 && host.mail[place::TIMER].is_infinite());
    }
}

#[test]
fn the_smallest_wait_is_still_a_wait() {
    let mut host = full(options(1.0, 1.0));
    assert!(host.ask("acquire", 0.0, &[1.0, 5e-324, NEVER, RUN]) < 0.0);
}

#[test]
fn the_largest_weights_do_not_wrap() {
    let most = f64::from(MAX_COUNT);
    let mut host = Host::new(options(most, most));
    let first = host.ask("acquire", 0.0, &[most, NEVER, NEVER, RUN]);
    same(host.mail[place::ACTIVE], most);
    for weight in [most, 3.0] {
        assert!(host.ask("acquire", 0.0, &[weight, NEVER, NEVER, RUN]) < 0.0);
    }
    host.ask("resize", 0.0, &[1.0]);
    host.ask("resize", 0.0, &[most]);
    same(host.mail[place::QUEUED], 0.0);
    same(host.ask("finish", 0.0, &[first, 0.0]), 1.0);
    let core = host.engine.core();
    assert_eq!((core.active(), core.check_invariants()), (0, Ok(())));
}

#[test]
fn a_number_that_is_no_id_changes_nothing() {
    let mut host = Host::new(options(1.0, 1.0));
    let id = host.ask("try_acquire", 0.0, &[1.0]);
    let before = host.engine.core().snapshot();
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
        for input in [
            "start",
            "finish",
            "finish_untimed",
            "cancel",
            "reclaim",
            "permits",
        ] {
            same(host.ask(input, 0.0, &[number, 0.0]), 0.0);
        }
        host.engine
            .exchange_abort(host.owner, &mut host.mail, &[number]);
    }
    assert_eq!(host.engine.core().snapshot(), before);
    same(host.ask("finish", 0.0, &[id, 0.0]), 1.0);
    same(host.ask("finish", 0.0, &[id, 0.0]), 0.0);
}

/// Of fields and of numbers in their order: a constructor that mixed two up would fail here.
#[test]
fn every_option_is_the_number_in_its_place() {
    let numbers = [3.0, 4.0, 50.0, 60.0, 70.0];
    let options = Options {
        max_concurrent: 3.0,
        max_queue: Some(4.0),
        timeout: Some(50.0),
        call_timeout: Some(60.0),
        abandon_after: Some(70.0),
    };
    let order = [
        Opt::MaxConcurrent,
        Opt::MaxQueue,
        Opt::Timeout,
        Opt::CallTimeout,
        Opt::AbandonAfter,
    ];
    assert_eq!(OPTIONS, order);
    for options in [options, Options::from_settings(numbers)] {
        let settings = Host::new(options).engine.settings();
        assert_eq!(settings.map(f64::to_bits), numbers.map(f64::to_bits));
    }
}
