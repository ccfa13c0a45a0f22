//! What errors say: lower case, the knob and its value, and what it must be.

use bulkheads_core::{FullReason, InvalidOption, Notation, Opt, OwnerId, Rejection, Rule};
use bulkheads_engine::{Engine, Options, RUN};

const ME: OwnerId = OwnerId::FIRST;
const NEVER: f64 = f64::INFINITY;

fn engine(notation: Notation) -> Engine {
    let options = Options {
        max_concurrent: 1.0,
        ..Options::default()
    };
    Engine::new(notation, options).expect("valid options")
}

fn refused(notation: Notation, options: Options) -> InvalidOption {
    Engine::new(notation, options).expect_err("out of range")
}

#[test]
fn every_rejection_says_which_bound_it_was() {
    let texts = [
        (Rejection::Cancelled, "cancelled before it was admitted"),
        (Rejection::Closed, "bulkhead closed"),
        (
            FullReason::NoQueue.into(),
            "no permit free and no queue configured",
        ),
        (
            FullReason::NotWilling.into(),
            "no permit free and the call is not willing to wait",
        ),
        (FullReason::Paused.into(), "paused"),
        (FullReason::QueueFull.into(), "queue full"),
        (
            Rejection::QueueTimeout,
            "deadline passed before a permit was free",
        ),
        (Rejection::TooHeavy, "weight above the limit"),
    ];
    for (rejection, text) in texts {
        assert_eq!(rejection.to_string(), text);
    }
}

#[test]
fn every_option_has_a_name_in_each_language() {
    let names = [
        (Opt::AbandonAfter, "abandonAfterMs", "abandon_after"),
        (Opt::CallTimeout, "callTimeoutMs", "call_timeout"),
        (Opt::Deadline, "deadline", "deadline"),
        (Opt::MaxConcurrent, "maxConcurrent", "max_concurrent"),
        (Opt::MaxQueue, "maxQueue", "max_queue"),
        (Opt::Resize, "maxConcurrent", "max_concurrent"),
        (Opt::Timeout, "timeoutMs", "timeout"),
        (Opt::Weight, "weight", "weight"),
    ];
    for (option, camel, snake) in names {
        assert_eq!(option.name(Notation::CamelMillis), camel);
        assert_eq!(option.name(Notation::SnakeSeconds), snake);
    }
}

#[test]
fn every_option_says_what_it_must_be() {
    let base = Options {
        max_concurrent: 1.0,
        ..Options::default()
    };
    let bad = Some(-1.0);
    let refusals = [
        (
            Options {
                max_concurrent: 0.0,
                ..base
            },
            Opt::MaxConcurrent,
            Rule::PositiveCount,
        ),
        (
            Options {
                max_queue: bad,
                ..base
            },
            Opt::MaxQueue,
            Rule::Count,
        ),
        (
            Options {
                timeout: bad,
                ..base
            },
            Opt::Timeout,
            Rule::Positive,
        ),
        (
            Options {
                call_timeout: bad,
                ..base
            },
            Opt::CallTimeout,
            Rule::Positive,
        ),
        (
            Options {
                abandon_after: bad,
                ..base
            },
            Opt::AbandonAfter,
            Rule::Positive,
        ),
    ];
    for (options, option, rule) in refusals {
        let refusal = refused(Notation::CamelMillis, options);
        assert_eq!((refusal.option, refusal.rule), (option, rule));
    }
}

#[test]
fn every_argument_says_what_it_must_be() {
    let mut engine = engine(Notation::CamelMillis);
    let mut ask = |weight, timeout, deadline| {
        let refusal = engine.acquire(ME, 0.0, weight, timeout, deadline, RUN, 0.0);
        refusal.expect_err("out of range").to_string()
    };
    let weight = "weight must be an integer from 1 to 2147483647, got 0";
    assert_eq!(ask(0.0, NEVER, NEVER), weight);
    let timeout = "timeoutMs must be 0 or more, or infinite, got -0.5";
    assert_eq!(ask(1.0, -0.5, NEVER), timeout);
    let deadline = "deadline must be a number, got NaN";
    assert_eq!(ask(1.0, NEVER, f64::NAN), deadline);
    let limit = engine.resize(0.0, 2_147_483_648.0);
    let text = "maxConcurrent must be an integer from 0 to 2147483647, got 2147483648";
    assert_eq!(limit.expect_err("out of range").to_string(), text);
    let room = engine
        .watch_room(ME, 0.0, 1.5, 0.0)
        .expect_err("out of range");
    assert!(room.to_string().ends_with("got 1.5"));
}

/// Hosts that print numbers themselves get the text without.
#[test]
fn the_text_before_the_value_is_the_text_without_it() {
    for value in [-1.0, 0.0, f64::NAN] {
        let options = Options {
            max_concurrent: value,
            ..Options::default()
        };
        let refusal = refused(Notation::CamelMillis, options);
        let text = refusal.to_string();
        let (before, shown) = text.split_at(refusal.text_before_value().len());
        assert_eq!(
            (before, shown),
            (&*refusal.text_before_value(), &*value.to_string())
        );
    }
}

#[test]
fn a_value_is_shown_as_its_language_prints_it() {
    let shown = |notation, value| {
        let options = Options {
            max_concurrent: 1.0,
            max_queue: Some(value),
            ..Options::default()
        };
        let text = refused(notation, options).to_string();
        text.rsplit(' ').next().expect("a last word").to_owned()
    };
    let values = [
        (NEVER, "Infinity", "inf"),
        (-NEVER, "-Infinity", "-inf"),
        (f64::NAN, "NaN", "nan"),
        (-1e21, "-1e+21", "-1e+21"),
        (0.25, "0.25", "0.25"),
    ];
    for (value, camel, snake) in values {
        assert_eq!(shown(Notation::CamelMillis, value), camel);
        assert_eq!(shown(Notation::SnakeSeconds, value), snake);
    }
}
