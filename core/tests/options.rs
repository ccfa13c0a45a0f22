//! Ranges of options and arguments, and the errors that name option, value and rule.

use bulkheads_core::{
    Admission, Bulkhead, Config, Hull, Instant, InvalidOption, MAX_COUNT, Opt, OwnerId, Request,
    Rule, Span,
};

const NOW: Instant = Instant::ZERO;

fn refused(config: Config) -> InvalidOption {
    let refusal = Bulkhead::new(config).expect_err("out of range");
    let in_hull = Hull::new().open(config);
    assert_eq!(in_hull, Err(refusal), "as every compartment");
    refusal
}

#[test]
fn rust_callers_get_the_same_ranges() {
    let refusals = [
        (Config::new(0), Opt::MaxConcurrent, 0),
        (Config::new(MAX_COUNT + 1), Opt::MaxConcurrent, 1 << 31),
        (
            Config::new(1).max_queue(MAX_COUNT + 1),
            Opt::MaxQueue,
            1 << 31,
        ),
        (Config::new(1).timeout(Span::ZERO), Opt::Timeout, 0),
        (
            // Else the default of `timeout`, which is no longer than this, would be named.
            Config::new(1)
                .timeout(Span::FOREVER)
                .call_timeout(Span::ZERO),
            Opt::CallTimeout,
            0,
        ),
        (
            Config::new(1).abandon_after(Span::ZERO),
            Opt::AbandonAfter,
            0,
        ),
    ];
    for (config, option, value) in refusals {
        let rule = option.rule();
        let refusal = InvalidOption {
            option,
            value,
            rule,
        };
        assert_eq!(refused(config), refusal);
    }
    let largest = Config::new(MAX_COUNT).max_queue(MAX_COUNT);
    assert!(Bulkhead::new(largest.timeout(Span::FOREVER)).is_ok());
}

#[test]
fn an_error_says_what_it_must_be() {
    let texts = [
        (
            Config::new(0),
            "max_concurrent must be an integer from 1 to 2147483647, got 0",
        ),
        (
            Config::new(1).max_queue(u32::MAX),
            "max_queue must be an integer from 0 to 2147483647, got 4294967295",
        ),
        (
            Config::new(1).timeout(Span::ZERO),
            "timeout must be more than 0, or infinite, got 0",
        ),
    ];
    for (config, text) in texts {
        assert_eq!(refused(config).to_string(), text);
    }
}

#[test]
fn a_bad_argument_changes_nothing() {
    let mut core = Bulkhead::new(Config::new(1).max_queue(1)).expect("valid options");
    let before = core.snapshot();
    for weight in [0, MAX_COUNT + 1] {
        let request = Request::run(weight);
        let refusal = core.acquire(NOW, request).expect_err("out of range");
        assert_eq!(
            (refusal.option, refusal.rule),
            (Opt::Weight, Rule::PositiveCount)
        );
        assert_eq!(core.try_acquire(NOW, request), Err(refusal));
        assert_eq!(core.watch_capacity(NOW, request), Err(refusal));
        assert_eq!(core.acquire_or_watch(NOW, request), Err(refusal));
    }
    let refusal = core.resize(NOW, MAX_COUNT + 1).expect_err("out of range");
    assert_eq!((refusal.option, refusal.rule), (Opt::Resize, Rule::Count));
    assert_eq!(
        (core.snapshot(), core.poll_timeout(OwnerId::FIRST)),
        (before, None)
    );
}

#[test]
fn the_default_of_the_wait_is_a_second_or_the_call_timeout_if_that_is_less() {
    let millis = Span::from_millis;
    let config = Config::new(1).max_queue(1);
    for (config, bound) in [
        (config, millis(1000)),
        (config.call_timeout(millis(300)), millis(300)),
        (config.call_timeout(Span::FOREVER), millis(1000)),
        (
            config.call_timeout(millis(300)).timeout(millis(2000)),
            millis(2000),
        ),
    ] {
        assert_eq!(config.wait_bound(), bound);
        let mut core = Bulkhead::new(config).expect("valid options");
        let permit = core.try_acquire(NOW, Request::permit(1));
        assert!(permit.expect("a valid weight").is_ok());
        let waits = core.acquire(NOW, Request::run(1));
        assert!(matches!(waits, Ok(Admission::Queued(_))));
        let end = Some(NOW.after(bound));
        assert_eq!(core.poll_timeout(OwnerId::FIRST), end);
    }
}

#[test]
fn the_largest_weights_do_not_wrap() {
    let config = Config::new(MAX_COUNT).max_queue(MAX_COUNT);
    let mut core = Bulkhead::new(config).expect("valid options");
    let Ok(Admission::Admitted(first)) = core.acquire(NOW, Request::run(MAX_COUNT)) else {
        panic!("it fits");
    };
    for weight in [MAX_COUNT, 3] {
        let waits = core.acquire(NOW, Request::run(weight));
        assert!(matches!(waits, Ok(Admission::Queued(_))));
    }
    core.resize(NOW, 1).expect("a valid limit");
    core.resize(NOW, MAX_COUNT).expect("a valid limit");
    assert_eq!(core.queued(), 0, "both were heavier than one");
    assert!(core.release(NOW, first));
    assert_eq!((core.active(), core.check_invariants()), (0, Ok(())));
}
