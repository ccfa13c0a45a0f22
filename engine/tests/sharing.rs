//! What a binding needs to share one engine among threads: whether two bulkheads would be the same,
//! and that no thread begins a run by itself.

mod common;

use bulkheads_core::{Bulkhead, Credit, OwnerId};
use bulkheads_engine::mailbox::{self, place};
use bulkheads_engine::{Engine, Notation, Options};

use common::{Host, NEVER, RUN, code_of, options, same};

fn bits(settings: [f64; 5]) -> [u64; 5] {
    settings.map(f64::to_bits)
}

fn settings(options: Options) -> [u64; 5] {
    bits(Host::new(options).engine.settings())
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
    let all = [3.0, 4.0, NEVER, 5.0, 0.25];
    let mut resized = Host::new(Options::from_settings(all));
    resized.ask("resize", 0.0, &[9.0]);
    assert_eq!(bits(resized.engine.settings()), bits(all));
}

#[test]
fn settings_make_the_same_bulkhead_again() {
    for options in [
        [1.0, 0.0, 1e-9, 1e300, NEVER],
        [7.0, 2.0, 0.1 + 0.2, 1e9 / 3.0, 123_456.789],
    ] {
        let made = Host::new(Options::from_settings(options)).engine.settings();
        assert_eq!(settings(Options::from_settings(made)), bits(made));
    }
}

/// Before an engine is made, and of the options alone.
#[test]
fn settings_of_options_are_those_of_their_engine() {
    let options = options(3.0, 4.0);
    let config = options
        .config(Notation::CamelMillis)
        .expect("valid options");
    let before = Options::settings(&config, Notation::CamelMillis);
    assert_eq!(bits(before), settings(options));
}

/// None could see what the others do.
#[test]
fn a_shared_engine_gives_no_credit() {
    let mut host = Host::new(options(3.0, 0.0));
    host.engine = host.engine.shared();
    for _ in 0..2 {
        let id = host.call();
        host.ask("finish", 0.0, &[id, 0.0]);
        same(host.mail[place::FREE], -1.0);
        assert!(!host.begin() && !host.end("completed"));
    }
    assert_ne!(host.engine.core().credit(OwnerId::FIRST), Credit::NONE);
}

/// Each owner has a mailbox of its own, and is shown its own events.
#[test]
fn each_owner_of_a_shared_engine_sees_its_own_events() {
    let made = Engine::new(Notation::CamelMillis, options(1.0, 5.0));
    let mut engine = made.expect("valid options").shared();
    let core: &mut Bulkhead = engine.as_mut();
    let owners = [OwnerId::FIRST, core.add_owner()];
    assert_ne!(owners[0], owners[1]);
    let mut mails = [mailbox::empty(), mailbox::empty()];
    let mut exchange = |host: usize, input, arguments: [f64; 5]| {
        let mail = &mut mails[host];
        mail[place::CODE] = code_of(input);
        mail[place::ARGUMENTS..][..5].copy_from_slice(&arguments);
        engine.exchange(owners[host], mail);
        (
            mail[place::CODE],
            mail[place::COUNT],
            mail[place::EVENTS + 1],
        )
    };
    let call = [1.0, NEVER, NEVER, RUN, NEVER];
    let (held, ..) = exchange(0, "acquire", call);
    let (waits, ..) = exchange(1, "acquire", call);
    let (_, count, _) = exchange(0, "finish", [held, 0.0, 0.0, 0.0, 0.0]);
    same(count, 0.0);
    let (_, count, id) = exchange(1, "show", [0.0; 5]);
    same(count, 1.0);
    same(id, -waits);
}
