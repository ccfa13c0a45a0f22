//! Contenders of one race, measured in turns, so that whatever slows the machine down slows all of
//! them down.

use std::sync::LazyLock;

use cpu_time::ThreadTime;
use serde_json::{Value, json};

/// The most that the ratio of a row may be, by its id. The file has the targets of every language.
static TARGETS: LazyLock<Value> = LazyLock::new(|| {
    let targets: Value =
        serde_json::from_str(include_str!("../../targets.json")).expect("it is JSON");
    targets["rust"].clone()
});

/// Who runs, by name, and what it calls. `run` does the work so many times, in a loop of its own.
pub(crate) struct Contender {
    name: String,
    calls: String,
    note: String,
    run: Box<dyn FnMut(u64)>,
}

impl Contender {
    pub(crate) fn new(name: &str, calls: &str, run: impl FnMut(u64) + 'static) -> Self {
        Self {
            name: name.into(),
            calls: calls.into(),
            note: String::new(),
            run: Box::new(run),
        }
    }

    pub(crate) fn note(mut self, note: &str) -> Self {
        self.note = note.into();
        self
    }

    /// One call's share of the processor's time: nothing here waits for anything, and what other
    /// programs do meanwhile is left out.
    fn nanos_per_call(&mut self, calls: u64) -> f64 {
        let start = ThreadTime::now();
        (self.run)(calls);
        start.elapsed().as_secs_f64() * 1e9 / as_float(calls)
    }
}

/// How much is measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    pub(crate) calls: u64,
}

/// One row of the table.
pub(crate) struct Race {
    pub(crate) id: &'static str,
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) work: &'static str,
    pub(crate) options: String,
    pub(crate) note: &'static str,
    pub(crate) ours: Contender,
    /// Those that the ratio, and so the target, speaks of.
    pub(crate) peers: Vec<Contender>,
    /// Those that only stand beside.
    pub(crate) others: Vec<Contender>,
}

impl Race {
    /// The row as it stands in the results.
    pub(crate) fn measure(mut self, effort: Effort) -> Value {
        let times = self.times(effort);
        let ours = figure(&self.ours, &times[0]);
        let peers: Vec<Value> = (self.peers.iter().chain(&self.others))
            .zip(&times[1..])
            .map(|(contender, times)| figure(contender, times))
            .collect();
        let best = (peers[..self.peers.len()].iter()).min_by(|a, b| {
            let (a, b) = (median_of(a), median_of(b));
            a.total_cmp(&b)
        });
        let ratio = best.map(|best| rounded(median_of(&ours) / median_of(best), 1000.0));
        let target = TARGETS[self.id].as_f64();
        let met = ratio.zip(target).map(|(ratio, target)| ratio <= target);
        json!({
            "id": self.id, "title": self.title, "engine": "rust", "unit": self.unit,
            "measure": "whole time",
            "work": self.work, "options": self.options, "rounds": effort.rounds, "calls": effort.calls,
            "bare": null, "ours": ours, "peers": peers,
            "best_peer": best.map(|best| best["name"].clone()),
            "ratio": ratio, "target": target, "met": met, "note": self.note, "missing": [],
        })
    }

    fn times(&mut self, effort: Effort) -> Vec<Vec<f64>> {
        let mut contenders: Vec<&mut Contender> = std::iter::once(&mut self.ours)
            .chain(&mut self.peers)
            .chain(&mut self.others)
            .collect();
        for contender in &mut contenders {
            contender.nanos_per_call(effort.calls / 2 + 1);
        }
        let mut times = vec![Vec::new(); contenders.len()];
        let mut order: Vec<usize> = (0..contenders.len()).collect();
        for _ in 0..effort.rounds {
            fastrand::shuffle(&mut order);
            for &place in &order {
                times[place].push(contenders[place].nanos_per_call(effort.calls));
            }
        }
        times
    }
}

fn figure(contender: &Contender, times: &[f64]) -> Value {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut figure = json!({
        "name": contender.name,
        "calls": contender.calls,
        "median": rounded(median(&sorted), 100.0),
        "min": rounded(sorted[0], 100.0),
        "max": rounded(sorted[sorted.len() - 1], 100.0),
    });
    if !contender.note.is_empty() {
        figure["note"] = contender.note.as_str().into();
    }
    figure
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

/// The median of a row's contender.
pub(crate) fn median_of(figure: &Value) -> f64 {
    figure["median"].as_f64().unwrap_or(f64::NAN)
}

fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn as_float(calls: u64) -> f64 {
    calls as f64
}
