//! Ranges of options and arguments, and the error that names option, value and rule.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::time::{Instant, Span};

/// The largest count and the largest weight: 2^31 − 1.
pub const MAX_COUNT: u32 = i32::MAX as u32;

/// How a host writes options, and the unit of its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notation {
    /// `callTimeoutMs`, in milliseconds.
    CamelMillis,
    /// `call_timeout`, in seconds.
    SnakeSeconds,
}

impl Notation {
    const fn nanos_per_unit(self) -> f64 {
        match self {
            Self::CamelMillis => 1e6,
            Self::SnakeSeconds => 1e9,
        }
    }

    /// Nanoseconds in the host's unit.
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 ns, 104 days")]
    pub(crate) fn units(self, nanos: u64) -> f64 {
        nanos as f64 / self.nanos_per_unit()
    }

    /// Nearest nanosecond; below zero is zero, too far off is never.
    ///
    /// Whole units and the rest apart: their product alone would round a second time, and a timer
    /// that comes back as a float would fall a nanosecond short after some weeks.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "`as` saturates"
    )]
    fn nanos(self, value: f64) -> u64 {
        let whole = value as u64;
        let part = value - whole as f64;
        let per_unit = self.nanos_per_unit();
        whole
            .saturating_mul(per_unit as u64)
            .saturating_add((part * per_unit + 0.5) as u64)
    }
}

/// An option or argument with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opt {
    /// `abandonAfterMs`
    AbandonAfter,
    /// `callTimeoutMs`
    CallTimeout,
    /// `deadline`
    Deadline,
    /// `maxConcurrent`
    MaxConcurrent,
    /// `maxQueue`
    MaxQueue,
    /// The argument of `resize`.
    Resize,
    /// `timeoutMs`
    Timeout,
    /// `weight`
    Weight,
}

impl Opt {
    /// The option as the host writes it.
    #[must_use]
    pub const fn name(self, notation: Notation) -> &'static str {
        let (camel, snake) = match self {
            Self::AbandonAfter => ("abandonAfterMs", "abandon_after"),
            Self::CallTimeout => ("callTimeoutMs", "call_timeout"),
            Self::Deadline => ("deadline", "deadline"),
            Self::MaxConcurrent | Self::Resize => ("maxConcurrent", "max_concurrent"),
            Self::MaxQueue => ("maxQueue", "max_queue"),
            Self::Timeout => ("timeoutMs", "timeout"),
            Self::Weight => ("weight", "weight"),
        };
        match notation {
            Notation::CamelMillis => camel,
            Notation::SnakeSeconds => snake,
        }
    }

    const fn counts_from(self) -> (u32, Rule) {
        match self {
            Self::MaxConcurrent | Self::Weight => (1, Rule::PositiveCount),
            _ => (0, Rule::Count),
        }
    }
}

/// An option or argument out of its range. Nothing was changed and nothing was counted.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{}{}", self.text_before_value(), Shown(*value, *notation))]
pub struct InvalidOption {
    /// Which option.
    pub option: Opt,
    /// What it was, in the host's unit.
    pub value: f64,
    /// What it must be.
    pub rule: Rule,
    notation: Notation,
}

impl InvalidOption {
    /// The message up to the value, for hosts that print numbers themselves: the code for that is a
    /// third of a small module.
    #[must_use]
    pub fn text_before_value(&self) -> String {
        let name = self.option.name(self.notation);
        [name, " must be ", self.rule.text(), ", got "].concat()
    }
}

/// What an option must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// An integer from 0 to [`MAX_COUNT`].
    Count,
    /// Zero, more than zero, or infinite.
    NotNegative,
    /// Any number but NaN.
    Number,
    /// More than zero, or infinite.
    Positive,
    /// An integer from 1 to [`MAX_COUNT`].
    PositiveCount,
}

impl Rule {
    /// In words, as they stand after "must be".
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Count => "an integer from 0 to 2147483647",
            Self::NotNegative => "0 or more, or infinite",
            Self::Number => "a number",
            Self::Positive => "more than 0, or infinite",
            Self::PositiveCount => "an integer from 1 to 2147483647",
        }
    }
}

/// A count from the host's number.
pub(crate) fn count(option: Opt, value: f64, notation: Notation) -> Result<u32, InvalidOption> {
    let (least, rule) = option.counts_from();
    if value >= f64::from(least) && value <= f64::from(MAX_COUNT) {
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
    Err(InvalidOption {
        option,
        value,
        rule,
        notation,
    })
}

/// A count from Rust's own integer.
pub(crate) fn check_count(option: Opt, value: u32) -> Result<u32, InvalidOption> {
    count(option, f64::from(value), Notation::SnakeSeconds)
}

/// A positive length of time from the host's number; at least one nanosecond.
pub(crate) fn span(option: Opt, value: f64, notation: Notation) -> Result<Span, InvalidOption> {
    if value > 0.0 {
        return Ok(Span::from_nanos(notation.nanos(value).max(1)));
    }
    Err(InvalidOption {
        option,
        value,
        rule: Rule::Positive,
        notation,
    })
}

/// A positive length of time that is one already.
pub(crate) fn check_span(option: Opt, span: Span) -> Result<(), InvalidOption> {
    if span > Span::ZERO {
        return Ok(());
    }
    let notation = Notation::SnakeSeconds;
    Err(InvalidOption {
        option,
        value: 0.0,
        rule: Rule::Positive,
        notation,
    })
}

/// A call's own time-out: as [`span`], but zero says that the call is not willing to wait.
pub(crate) fn wait(value: f64, notation: Notation) -> Result<Span, InvalidOption> {
    if value == 0.0 {
        return Ok(Span::ZERO);
    }
    span(Opt::Timeout, value, notation).map_err(|error| InvalidOption {
        rule: Rule::NotNegative,
        ..error
    })
}

/// A deadline from the host's number; one before the origin is the origin, so it has passed.
pub(crate) fn deadline(value: f64, notation: Notation) -> Result<Instant, InvalidOption> {
    if value.is_nan() {
        return Err(InvalidOption {
            option: Opt::Deadline,
            value,
            rule: Rule::Number,
            notation,
        });
    }
    Ok(instant(value, notation))
}

/// The host's clock. NaN is taken as the origin, that is, as standing still.
pub(crate) fn instant(value: f64, notation: Notation) -> Instant {
    Instant::from_nanos(notation.nanos(value))
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
