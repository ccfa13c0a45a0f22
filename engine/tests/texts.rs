//! What errors say: lower case, the knob and its value, and what it must be.

mod common;

use bulkheads_core::{Opt, Rule};
use bulkheads_engine::{ARGUMENTS, Engine, Fault, Notation, OPTIONS, Options, RULES};

use common::{Host, NEVER, RUN, options};

fn refused(notation: Notation, options: Options) -> Fault {
    Engine::new(notation, options).expect_err("out of range")
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
        assert_eq!(Notation::CamelMillis.name(option), camel);
        assert_eq!(Notation::SnakeSeconds.name(option), snake);
        assert_eq!(option.name(), snake, "Rust writes it as Python does");
    }
}

/// Below zero no option may be.
#[test]
fn every_option_says_what_it_must_be() {
    let rules = [
        Rule::PositiveCount,
        Rule::Count,
        Rule::Positive,
        Rule::Positive,
        Rule::Positive,
    ];
    for (place, (option, rule)) in OPTIONS.into_iter().zip(rules).enumerate() {
        let mut settings = [1.0; OPTIONS.len()];
        settings[place] = -1.0;
        let refusal = refused(Notation::CamelMillis, Options::from_settings(settings));
        assert_eq!((refusal.option, refusal.rule), (option, rule));
        assert_eq!(refusal.rule, option.rule());
    }
}

#[test]
fn every_argument_says_what_it_must_be() {
    let mut host = Host::new(options(1.0, 0.0));
    let mut ask = |input, arguments: &[f64]| {
        assert!(host.ask(input, 0.0, arguments).is_nan());
        host.fault()
    };
    let weight = "weight must be an integer from 1 to 2147483647, got 0";
    assert_eq!(ask("acquire", &[0.0, NEVER, NEVER, RUN]), weight);
    let timeout = "timeoutMs must be 0 or more, or infinite, got -0.5";
    assert_eq!(ask("acquire", &[1.0, -0.5, NEVER, RUN]), timeout);
    let deadline = "deadline must be a number, got NaN";
    assert_eq!(ask("acquire", &[1.0, NEVER, f64::NAN, RUN]), deadline);
    let limit = "maxConcurrent must be an integer from 0 to 2147483647, got 2147483648";
    assert_eq!(ask("resize", &[2_147_483_648.0]), limit);
    assert!(ask("watch_capacity", &[1.5]).ends_with("got 1.5"));
    let bound = "callTimeoutMs must be more than 0, or infinite, got 0";
    assert_eq!(ask("acquire", &[1.0, NEVER, NEVER, RUN, 0.0]), bound);
    assert_eq!(
        ask("drain", &[-1.0]),
        "timeoutMs must be 0 or more, or infinite, got -1"
    );
}

/// Hosts that make the text themselves get a code, by the lists that their tables are made of.
#[test]
fn every_fault_has_a_code_of_its_own() {
    let mut codes = Vec::new();
    for (max_concurrent, max_queue) in [(0.0, 0.0), (1.0, -1.0), (1.0, 0.5)] {
        let fault = refused(Notation::CamelMillis, options(max_concurrent, max_queue));
        let place = usize::try_from(fault.code() - 1).expect("few enough");
        assert_eq!(ARGUMENTS[place % ARGUMENTS.len()], fault.option);
        assert_eq!(RULES[place / ARGUMENTS.len()], fault.rule);
        codes.push(fault.code());
    }
    assert_ne!(codes[0], codes[1]);
    assert_eq!(codes[1], codes[2], "the value is beside it");
}

#[test]
fn a_value_is_shown_as_its_language_prints_it() {
    let shown = |notation, value| {
        let text = refused(notation, options(1.0, value)).to_string();
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
