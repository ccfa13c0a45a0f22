//! The results as a file, and as lines to read.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::median_of;

pub(crate) fn whole(rows: &[Value], curves: &[Value]) -> Value {
    json!({
        "surface": "rust",
        "date": output("date", &["-I"]),
        "machine": { "kind": machine(), "runtime": output("rustc", &["--version"]) },
        "peers": { "tokio": locked("tokio"), "async-lock": locked("async-lock") },
        "rows": rows,
        "curves": curves,
    })
}

pub(crate) fn write(path: &Path, whole: &Value) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, format!("{whole:#}\n"))
}

pub(crate) fn show(row: &Value) {
    println!(
        "{}  {} ({})",
        text(&row["id"]),
        text(&row["title"]),
        text(&row["unit"])
    );
    let peers = row["peers"].as_array().map_or(&[][..], Vec::as_slice);
    for contender in std::iter::once(&row["ours"]).chain(peers) {
        println!(
            "    {:44}{:10.1}   {} – {}   {}",
            text(&contender["name"]),
            median_of(contender),
            contender["min"],
            contender["max"],
            text(&contender["calls"]),
        );
    }
    let target = match (&row["target"], row["met"].as_bool()) {
        (target, Some(true)) => format!("target {target}: met"),
        (target, Some(false)) => format!("target {target}: missed"),
        (_, None) => "no target".into(),
    };
    println!(
        "    ratio {} of {}, {target}",
        row["ratio"],
        text(&row["best_peer"])
    );
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// The processor by its model, its cores, and the system.
fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = quoted(&cpus, "model name").unwrap_or(std::env::consts::ARCH);
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let system = quoted(&release, "PRETTY_NAME").unwrap_or(std::env::consts::OS);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores, {system}")
}

/// What stands behind `name` in a file of lines such as `name: value` or `name="value"`.
fn quoted<'a>(lines: &'a str, name: &str) -> Option<&'a str> {
    let line = lines.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once([':', '='])?;
    Some(value.trim().trim_matches('"'))
}

/// The version of a peer that this program was built with.
fn locked(name: &str) -> Option<&'static str> {
    let lock = include_str!("../../../tools/Cargo.lock");
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    rest.split('"').next()
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    String::from_utf8(output.stdout)
        .ok()
        .map(|text| text.trim().to_owned())
}
