//! Any bytes are a history of inputs; the core must do what the naive model of its tests does.
#![no_main]

#[expect(dead_code, reason = "what only the property test asks of it")]
#[path = "../../tests/model/world/mod.rs"]
mod world;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (settings, history) = world::history(bytes);
    if let Err(error) = world::play(settings, &history) {
        panic!("{settings:?}, {history:?}: {error}");
    }
});
