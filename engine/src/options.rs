//! Options and arguments as a host's numbers, and the error that names option, value and rule.

use alloc::format;
use alloc::string::String;
use core::fmt;

use bulkheads_core::{Config, Instant, InvalidOption, MAX_COUNT, Opt, Rule, Span};

use crate::notation::Notation;

/// The options of a bulkhead as the host gives them; `None` is the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `maxConcurrent`
    pub max_concurrent: f64,
    /// `maxQueue`
    pub max_queue: Option<f64>,
    /// `timeoutMs`
    pub timeout: Option<f64>,
    /// `callTimeoutMs`
    pub call_timeout: Option<f64>,
    /// `abandonAfterMs`
    pub abandon_after: Option<f64>,
}

/// The options in the order in which they are numbers: arguments of a constructor, and settings.
pub const OPTIONS: [Opt; 5] = [
    Opt::MaxConcurrent,
    Opt::MaxQueue,
    Opt::Timeout,
    Opt::CallTimeout,
    Opt::AbandonAfter,
];

impl Options {
    /// The same options from what [`Options::settings`] answers.
    #[must_use]
    pub const fn from_settings(settings: [f64; OPTIONS.len()]) -> Self {
        let [
            max_concurrent,
            max_queue,
            timeout,
            call_timeout,
            abandon_after,
        ] = settings;
        Self {
            max_concurrent,
            max_queue: Some(max_queue),
            timeout: Some(timeout),
            call_timeout: Some(call_timeout),
            abandon_after: Some(abandon_after),
        }
    }

    /// Options as they are in effect, in the order of [`OPTIONS`]; infinite for none.
    #[must_use]
    pub fn settings(config: &Config, notation: Notation) -> [f64; OPTIONS.len()] {
        [
            config.concurrent().into(),
            config.queue().into(),
            notation.span_units(config.wait_bound()),
            notation.span_units(config.run_bound()),
            notation.span_units(config.abandon_bound()),
        ]
    }

    /// What a bulkhead is made with.
    ///
    /// # Errors
    /// An option out of its range.
    pub fn config(&self, notation: Notation) -> Result<Config, Fault> {
        let mut config = Config::new(count(Opt::MaxConcurrent, self.max_concurrent, notation)?);
        if let Some(calls) = self.max_queue {
            config = config.max_queue(count(Opt::MaxQueue, calls, notation)?);
        }
        if let Some(time) = self.timeout {
            config = config.timeout(span(Opt::Timeout, time, notation)?);
        }
        if let Some(time) = self.call_timeout {
            config = config.call_timeout(span(Opt::CallTimeout, time, notation)?);
        }
        if let Some(time) = self.abandon_after {
            config = config.abandon_after(span(Opt::AbandonAfter, time, notation)?);
        }
        Ok(config)
    }
}

/// An option or argument out of its range, as the host wrote it.
// Options 5.1
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{}{}", self.text_before_value(), Shown(*value, *notation))]
pub struct Fault {
    /// Which option.
    pub option: Opt,
    /// What it was, in the host's unit.
    pub value: f64,
    /// What it must be.
    pub rule: Rule,
    notation: Notation,
}

/// The options and arguments that have a range, in the order in which [`Fault::code`] counts them.
pub const ARGUMENTS: [Opt; 9] = [
    Opt::MaxConcurrent,
    Opt::MaxQueue,
    Opt::Timeout,
    Opt::CallTimeout,
    Opt::AbandonAfter,
    Opt::Weight,
    Opt::Deadline,
    Opt::Resize,
    Opt::Permits,
];

/// The rules, in the order in which [`Fault::code`] counts them.
pub const RULES: [Rule; 7] = [
    Rule::Count,
    Rule::NotNegative,
    Rule::Number,
    Rule::Positive,
    Rule::PositiveCount,
    Rule::Part,
    Rule::ProperPart,
];

impl Fault {
    /// Which option broke which rule, for hosts that make the text themselves: the code for that is
    /// a third of a small module, and only the host's own error is one of its caller's realm.
    /// `1 + option + 9 · rule`, by the places in [`ARGUMENTS`] and [`RULES`]; 0 is no fault.
    #[must_use]
    pub fn code(&self) -> u32 {
        let option = ARGUMENTS.iter().position(|one| *one == self.option);
        let rule = RULES.iter().position(|one| *one == self.rule);
        let code = 1 + option.unwrap_or(0) + ARGUMENTS.len() * rule.unwrap_or(0);
        u32::try_from(code).unwrap_or(0)
    }

    /// The message up to the value, for hosts that show what their caller wrote.
    #[must_use]
    pub fn text_before_value(&self) -> String {
        let name = self.notation.name(self.option);
        [name, " must be ", self.rule.text(), ", got "].concat()
    }

    const fn new(option: Opt, value: f64, notation: Notation) -> Self {
        Self {
            option,
            value,
            rule: option.rule(),
            notation,
        }
    }

    /// What the core refused, as this host writes it. Counts only: every time has been checked
    /// before it came to the core.
    #[expect(clippy::cast_precision_loss, reason = "a count of 32 bits")]
    pub(crate) const fn of(error: InvalidOption, notation: Notation) -> Self {
        Self {
            option: error.option,
            value: error.value as f64,
            rule: error.rule,
            notation,
        }
    }
}

// Options 2.1, Options 5.3
/// A count from the host's number.
pub(crate) fn count(option: Opt, value: f64, notation: Notation) -> Result<u32, Fault> {
    let least = f64::from(u8::from(option.rule() == Rule::PositiveCount));
    if value >= least && value <= f64::from(MAX_COUNT) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in range"
        )]
        let whole = value as u32;
        #[expect(clippy::float_cmp, reason = "asks for a fraction, exactly")]
        if f64::from(whole) == value {
            return Ok(whole);
        }
    }
    Err(Fault::new(option, value, notation))
}

// Options 3.4
/// A positive length of time from the host's number; at least one nanosecond.
fn span(option: Opt, value: f64, notation: Notation) -> Result<Span, Fault> {
    if value > 0.0 {
        return Ok(Span::from_nanos(notation.nanos(value).max(1)));
    }
    Err(Fault::new(option, value, notation))
}

/// A call's own time-out; zero says that the call is not willing to wait.
///
/// # Errors
/// A negative number, or none.
// Options 3.2
pub fn wait(value: f64, notation: Notation) -> Result<Span, Fault> {
    match value {
        0.0 => Ok(Span::ZERO),
        f64::INFINITY => Ok(Span::FOREVER),
        _ => span(Opt::Timeout, value, notation).map_err(|fault| Fault {
            rule: Rule::NotNegative,
            ..fault
        }),
    }
}

/// A call's own bound on its run.
///
/// # Errors
/// No positive number.
// Options 3.4
pub fn call_timeout(value: f64, notation: Notation) -> Result<Span, Fault> {
    span(Opt::CallTimeout, value, notation)
}

/// A deadline from the host's number; one before the origin is the origin, so it has passed.
///
/// # Errors
/// Not a number.
// Options 6.4
pub fn deadline(value: f64, notation: Notation) -> Result<Instant, Fault> {
    if value.is_nan() {
        return Err(Fault::new(Opt::Deadline, value, notation));
    }
    Ok(notation.instant(value))
}

/// A weight from the host's number.
///
/// # Errors
/// A number out of range.
pub fn weight(value: f64, notation: Notation) -> Result<u32, Fault> {
    count(Opt::Weight, value, notation)
}

/// A number as the host's language prints it.
struct Shown(f64, Notation);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value, notation) = *self;
        match notation {
            Notation::CamelMillis if value.is_infinite() => {
                f.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
            }
            Notation::SnakeSeconds if value.is_nan() => f.write_str("nan"),
            _ if value.abs() >= 1e21 => f.write_str(&format!("{value:e}").replace('e', "e+")),
            _ => write!(f, "{value}"),
        }
    }
}
