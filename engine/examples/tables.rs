//! Prints the tables that JavaScript reads, `js/src/engines/tables.ts`:
//! `cargo run -q -p bulkheads-engine --example tables`. `engine/tests/tables.rs` compares the file
//! with this.

use std::fmt::Display;

use bulkheads_engine::mailbox::{
    EVENT_LEN, INPUTS, MAILBOX_LEN, PLACES, SHOWN, STARTED_LEN, VERSION,
};
use bulkheads_engine::{
    ABORTED, ARGUMENTS, EVENTS, Notation, OPTIONS, OUTCOMES, REJECTIONS, RULES, RUN, STATS,
};

const HEAD: &str = "// Generated from the engine's own lists by engine/examples/tables.rs; a test compares the two.";

fn main() {
    println!("{}", module());
}

/// The module, without the end of its last line.
pub(crate) fn module() -> String {
    let name = |option: &_| Notation::CamelMillis.name(*option).into();
    let parts = [
        HEAD.into(),
        constant(
            "VERSION",
            VERSION,
            "Of the mailbox: an engine with another one is refused.",
        ),
        constant(
            "MAILBOX_LENGTH",
            MAILBOX_LEN,
            "How many numbers a mailbox has.",
        ),
        constant(
            "EVENT_LENGTH",
            EVENT_LEN,
            "How many of them an event takes.",
        ),
        constant(
            "EVENTS_SHOWN",
            SHOWN,
            "How many events are shown at a time.",
        ),
        constant(
            "STARTED_LENGTH",
            STARTED_LEN,
            "How many calls can start with one input.",
        ),
        table("Place", PLACES, "Where what stands in the mailbox."),
        table("Input", INPUTS, "The codes of the inputs."),
        table("Event", numbered(EVENTS), "The kinds of events."),
        table(
            "Rejection",
            numbered(REJECTIONS),
            "What an arrival answers that is rejected.",
        ),
        table("Outcome", numbered(OUTCOMES), "How a call ended."),
        table(
            "Flag",
            [("run", RUN), ("aborted", ABORTED)],
            "Flags of an arrival, to be added.",
        ),
        table(
            "Stat",
            numbered(STATS),
            "Where the figures of a snapshot stand.",
        ),
        list(
            "OPTIONS",
            OPTIONS.iter().map(name),
            "The options that the engine takes, in their order.",
        ),
        list(
            "ARGUMENTS",
            ARGUMENTS.iter().map(name),
            "What has a range, in the order in which a fault counts it.",
        ),
        list(
            "RULES",
            RULES.iter().map(|rule| rule.text().into()),
            "What it must be, in the order in which a fault counts it.",
        ),
    ];
    parts.join("\n\n")
}

fn constant(name: &str, value: impl Display, doc: &str) -> String {
    format!("/** {doc} */\nexport const {name} = {value};")
}

fn table<V: Display>(
    name: &str,
    rows: impl IntoIterator<Item = (&'static str, V)>,
    doc: &str,
) -> String {
    let row = |text: String, (key, value)| text + "  " + &camel(key) + &format!(" = {value},\n");
    let rows = rows.into_iter().fold(String::new(), row);
    format!("/** {doc} */\nexport const enum {name} {{\n{rows}}}")
}

fn list(name: &str, rows: impl IntoIterator<Item = String>, doc: &str) -> String {
    let row = |text: String, row: String| text + "  '" + &row + "',\n";
    let rows = rows.into_iter().fold(String::new(), row);
    format!("/** {doc} */\nexport const {name} = [\n{rows}] as const;")
}

fn numbered<const N: usize>(
    names: [&'static str; N],
) -> impl Iterator<Item = (&'static str, usize)> {
    names.into_iter().zip(0..)
}

/// `peak_active` as JavaScript writes it.
fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let (head, tail) = word.split_at(1);
        text + &head.to_uppercase() + tail
    })
}
