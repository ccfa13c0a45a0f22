//! Runs scenario files against the core, in virtual time: `conformance FOLDER|FILE…`.

mod format;
mod timeline;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use format::Scenario;

#[derive(Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

fn main() -> ExitCode {
    let mut counts = Counts::default();
    let files = std::env::args()
        .skip(1)
        .flat_map(|path| files_of(Path::new(&path)));
    for file in files {
        run_file(&file, &mut counts);
    }
    if counts.passed + counts.failed + counts.skipped == 0 {
        println!("no scenario found");
        counts.failed = 1;
    }
    let Counts {
        passed,
        failed,
        skipped,
    } = counts;
    let skips = if skipped > 0 {
        format!(", {skipped} skipped")
    } else {
        String::new()
    };
    println!("{passed} passed, {failed} failed{skips}");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A folder's own `*.json` in order of name, or the file itself.
fn files_of(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = path.read_dir() else {
        return vec![path.to_owned()];
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let mut files: Vec<_> = paths.filter(is_json).collect();
    files.sort();
    files
}

fn run_file(file: &Path, counts: &mut Counts) {
    let read = std::fs::read_to_string(file).map_err(|error| error.to_string());
    let parsed = read.and_then(|text| {
        serde_json::from_str::<Vec<Scenario>>(&text).map_err(|error| error.to_string())
    });
    match parsed {
        Ok(scenarios) => scenarios
            .iter()
            .for_each(|scenario| run(file, scenario, counts)),
        Err(error) => {
            println!("{}: {error}", file.display());
            counts.failed += 1;
        }
    }
}

fn run(file: &Path, scenario: &Scenario, counts: &mut Counts) {
    let name = &scenario.sentence;
    if scenario
        .surfaces
        .as_ref()
        .is_some_and(|list| !list.iter().any(|one| one == "core"))
    {
        println!("skipped: {}: {name}: not for the core", file.display());
        counts.skipped += 1;
        return;
    }
    match timeline::play(scenario) {
        Ok(()) => counts.passed += 1,
        Err((step, error)) => {
            println!("{}: {name}: step {step}: {error}", file.display());
            counts.failed += 1;
        }
    }
}
