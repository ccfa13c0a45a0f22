//! Measures the rows of Rust beside their peers: `[--quick] [--rows 10,11] [--json FILE]`.
//!
//! A full run writes `bench/results/rust.json`; what is only quick, or only a part, is printed.

mod crowd;
mod harness;
mod permits;
mod queue;
mod results;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::harness::Effort;

#[derive(Default)]
struct Options {
    quick: bool,
    rows: Vec<String>,
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(complaint) => {
            eprintln!("error: {complaint}; known are --quick, --rows 10,11 and --json FILE");
            return ExitCode::FAILURE;
        }
    };
    let (permits, queue, points) = efforts(options.quick);
    let mut rows = Vec::new();
    if options.wants("10") {
        rows.extend(
            permits::races()
                .into_iter()
                .map(|race| shown(race.measure(permits))),
        );
    }
    let mut curves = Vec::new();
    if options.wants("11") {
        rows.extend(queue::races().map(|race| shown(race.measure(queue))));
        curves.extend(points.map(queue::curve));
    }
    let Some(target) = options.target() else {
        return ExitCode::SUCCESS;
    };
    match results::write(&target, &results::whole(&rows, &curves)) {
        Ok(()) => {
            println!("written to {}", target.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {}: {error}", target.display());
            ExitCode::FAILURE
        }
    }
}

/// For row 10, for row 11, and for a point of the curve, if it is drawn.
fn efforts(quick: bool) -> (Effort, Effort, Option<Effort>) {
    let effort = |rounds, calls| Effort { rounds, calls };
    if quick {
        (effort(7, 200_000), effort(3, 100_000), None)
    } else {
        (
            effort(51, 500_000),
            effort(15, 200_000),
            Some(effort(5, 100_000)),
        )
    }
}

fn shown(row: serde_json::Value) -> serde_json::Value {
    results::show(&row);
    row
}

impl Options {
    fn wants(&self, row: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|wanted| wanted == row)
    }

    fn target(self) -> Option<PathBuf> {
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("results/rust.json");
        let is_whole = !self.quick && self.rows.is_empty();
        self.json.or_else(|| is_whole.then_some(committed))
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--quick" => options.quick = true,
            "--rows" => options.rows = value()?.split(',').map(str::to_owned).collect(),
            "--json" => options.json = Some(value()?.into()),
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    Ok(options)
}
