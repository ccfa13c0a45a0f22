//! What a binding needs to share one core among drivers: whom to wake, and whether two bulkheads would be the same.

use bulkheads_core::{Notation, OwnerId};
use bulkheads_engine::{Engine, Options, RUN};

const NEVER: f64 = f64::INFINITY;

fn bits(settings: [f64; 5]) -> [u64; 5] {
    settings.map(f64::to_bits)
}

fn settings(options: Options) -> [u64; 5] {
    bits(engine(options).settings())
}

fn options_of(settings: [f64; 5]) -> Options {
    let [
        max_concurrent,
        max_queue,
        timeout,
        call_timeout,
        abandon_after,
    ] = settings;
    Options {
        max_concurrent,
        max_queue: Some(max_queue),
        timeout: Some(timeout),
        call_timeout: Some(call_timeout),
        abandon_after: Some(abandon_after),
    }
}

fn engine(options: Options) -> Engine {
    Engine::new(Notation::CamelMillis, options).expect("valid options")
}

#[test]
fn the_others_that_were_told_something_are_named_once_and_oneself_never() {
    let mut engine = engine(Options {
        max_concurrent: 1.0,
        max_queue: Some(4.0),
        ..Options::default()
    });
    let (one, two, three) = (OwnerId::FIRST, engine.attach(), engine.attach());
    for owner in [one, two, one, three, two] {
        let call = engine.acquire(owner, 0.0, 1.0, NEVER, NEVER, RUN, 0.0);
        call.expect("a valid call");
    }
    engine.close(1.0, false);
    let mut woken: Vec<_> = std::iter::from_fn(|| engine.next_wake(one)).collect();
    woken.sort_by_key(|owner| owner.as_raw());
    assert_eq!(woken, [two, three]);
    assert_eq!(engine.next_wake(one), None);
    assert_eq!(engine.next_wake(two), None);
}

#[test]
fn settings_are_the_options_in_effect() {
    let least = Options {
        max_concurrent: 3.0,
        ..Options::default()
    };
    assert_eq!(settings(least), bits([3.0, 0.0, 1000.0, NEVER, NEVER]));
    let short = Options {
        call_timeout: Some(20.5),
        ..least
    };
    assert_eq!(settings(short), bits([3.0, 0.0, 20.5, 20.5, NEVER]));
    let all = Options {
        max_concurrent: 3.0,
        max_queue: Some(4.0),
        timeout: Some(NEVER),
        call_timeout: Some(5.0),
        abandon_after: Some(0.25),
    };
    let mut resized = engine(all);
    resized.resize(0.0, 9.0).expect("a valid limit");
    assert_eq!(bits(resized.settings()), bits([3.0, 4.0, NEVER, 5.0, 0.25]));
}

#[test]
fn settings_make_the_same_bulkhead_again() {
    for options in [
        [1.0, 0.0, 1e-9, 1e300, NEVER],
        [7.0, 2.0, 0.1 + 0.2, 1e9 / 3.0, 123_456.789],
    ] {
        let made = engine(options_of(options)).settings();
        assert_eq!(settings(options_of(made)), bits(made));
    }
}
