//! What JavaScript reads is what the engine's own lists say.

#[expect(dead_code, reason = "its `main` is the example's")]
#[path = "../examples/tables.rs"]
mod example;

#[test]
fn the_tables_of_javascript_are_those_of_the_engine() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../js/src/engines/tables.ts");
    let written = std::fs::read_to_string(file).expect("the tables of JavaScript");
    assert!(
        written == example::module() + "\n",
        "write it anew: cargo run -q -p bulkheads-engine --example tables > js/src/engines/tables.ts"
    );
}
