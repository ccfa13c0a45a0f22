//! The scenario format; an unknown key or verb is an error.

use std::collections::BTreeMap;

use bulkheads_core::{Config, Instant, Span};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    #[serde(rename = "scenario")]
    pub(crate) sentence: String,
    #[serde(rename = "contract")]
    pub(crate) _contract: Option<String>,
    pub(crate) bulkhead: Options,
    pub(crate) surfaces: Option<Vec<String>>,
    pub(crate) steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    max_concurrent: u32,
    max_queue: Option<u32>,
    timeout_ms: Option<Time>,
    call_timeout_ms: Option<Time>,
    abandon_after_ms: Option<Time>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
pub(crate) enum Time {
    Millis(f64),
    Unbounded(Infinity),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Infinity {
    Infinity,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verb {
    Acquire,
    Adjust,
    Call,
    Cancel,
    Close,
    Drain,
    Fail,
    Finish,
    Release,
    Resize,
    Split,
    Tick,
    TryAcquire,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the format's keys")]
pub(crate) struct Step {
    pub(crate) at: f64,
    #[serde(rename = "do")]
    pub(crate) verb: Verb,
    #[serde(rename = "as")]
    pub(crate) new: Option<String>,
    pub(crate) of: Option<String>,
    pub(crate) to: Option<u32>,
    pub(crate) weight: Option<u32>,
    pub(crate) permits: Option<u32>,
    pub(crate) timeout_ms: Option<Time>,
    pub(crate) call_timeout_ms: Option<f64>,
    pub(crate) deadline_ms: Option<f64>,
    #[serde(default)]
    pub(crate) aborted: bool,
    #[serde(default)]
    pub(crate) ignores_signal: bool,
    #[serde(default)]
    pub(crate) abort: bool,
    #[serde(default)]
    pub(crate) late: bool,
    #[serde(default)]
    pub(crate) same_turn: bool,
    pub(crate) expect: Option<String>,
    pub(crate) then: Option<Vec<String>>,
    pub(crate) stats: Option<BTreeMap<String, u64>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) next_timer: NextTimer,
    pub(crate) state: Option<String>,
    pub(crate) idle: Option<bool>,
}

/// What a step says of the next timer.
#[derive(Default)]
pub(crate) enum NextTimer {
    At(f64),
    None,
    #[default]
    Unchecked,
}

/// Distinguishes a key that is null from one that is absent.
fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<NextTimer, D::Error> {
    let millis = Option::<f64>::deserialize(value)?;
    Ok(millis.map_or(NextTimer::None, NextTimer::At))
}

impl Options {
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::new(self.max_concurrent).max_queue(self.max_queue.unwrap_or(0));
        if let Some(time) = self.timeout_ms {
            config = config.timeout(time.span());
        }
        if let Some(time) = self.call_timeout_ms {
            config = config.call_timeout(time.span());
        }
        if let Some(time) = self.abandon_after_ms {
            config = config.abandon_after(time.span());
        }
        config
    }
}

impl Time {
    pub(crate) fn span(self) -> Span {
        match self {
            Self::Millis(millis) => span(millis),
            Self::Unbounded(Infinity::Infinity) => Span::FOREVER,
        }
    }
}

pub(crate) fn span(millis: f64) -> Span {
    Span::from_nanos(nanos(millis))
}

pub(crate) fn instant(millis: f64) -> Instant {
    Instant::from_nanos(nanos(millis))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates"
)]
fn nanos(millis: f64) -> u64 {
    (millis * 1e6).round() as u64
}
