//! Ranges of options and arguments, and the error that names option, value and rule.

use crate::time::Span;

/// The largest count and the largest weight: 2^31 − 1.
pub const MAX_COUNT: u32 = i32::MAX as u32;

/// An option or argument with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opt {
    /// `abandon_after`
    AbandonAfter,
    /// `call_timeout`
    CallTimeout,
    /// `deadline`
    Deadline,
    /// `max_concurrent`
    MaxConcurrent,
    /// `max_queue`
    MaxQueue,
    /// The permits of a part: of `release` and `split`.
    Permits,
    /// The argument of `resize`.
    Resize,
    /// `timeout`
    Timeout,
    /// `weight`
    Weight,
}

impl Opt {
    /// The option as Rust writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AbandonAfter => "abandon_after",
            Self::CallTimeout => "call_timeout",
            Self::Deadline => "deadline",
            Self::MaxConcurrent | Self::Resize => "max_concurrent",
            Self::MaxQueue => "max_queue",
            Self::Permits => "permits",
            Self::Timeout => "timeout",
            Self::Weight => "weight",
        }
    }

    /// What its value must be; for a call's own time-out see [`Rule::NotNegative`].
    #[must_use]
    pub const fn rule(self) -> Rule {
        match self {
            // Options 1.1
            Self::MaxConcurrent | Self::Weight => Rule::PositiveCount,
            // Options 1.1, Options 1.2: `resize` takes 0 too.
            Self::MaxQueue | Self::Resize => Rule::Count,
            // Options 1.5, Options 1.6
            Self::AbandonAfter | Self::CallTimeout | Self::Timeout => Rule::Positive,
            Self::Deadline => Rule::Number,
            Self::Permits => Rule::Part,
        }
    }
}

/// An option or argument out of its range. Nothing was changed and nothing was counted.
// Options 5.1
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} must be {}, got {value}", option.name(), rule.text())]
pub struct InvalidOption {
    /// Which option.
    pub option: Opt,
    /// What it was: a count, or nanoseconds.
    pub value: u64,
    /// What it must be.
    pub rule: Rule,
}

/// What an option must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An integer from 0 to [`MAX_COUNT`].
    Count,
    /// Zero, more than zero, or infinite.
    NotNegative,
    /// Any number but NaN.
    Number,
    /// An integer from 1 to the permits that the call holds.
    Part,
    /// More than zero, or infinite.
    Positive,
    /// An integer from 1 to [`MAX_COUNT`].
    PositiveCount,
    /// An integer from 1 to less than the permits that the call holds.
    ProperPart,
}

impl Rule {
    /// In words, as they stand after "must be".
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Count => "an integer from 0 to 2147483647",
            Self::NotNegative => "0 or more, or infinite",
            Self::Number => "a number",
            Self::Part => "an integer from 1 to the permits held",
            Self::Positive => "more than 0, or infinite",
            Self::PositiveCount => "an integer from 1 to 2147483647",
            Self::ProperPart => "an integer from 1 to less than the permits held",
        }
    }
}

// Options 2.1
pub(crate) fn check_count(option: Opt, value: u32) -> Result<(), InvalidOption> {
    let rule = option.rule();
    let least = u32::from(rule == Rule::PositiveCount);
    if (least..=MAX_COUNT).contains(&value) {
        return Ok(());
    }
    Err(InvalidOption {
        option,
        value: value.into(),
        rule,
    })
}

// Options 3.4
pub(crate) fn check_span(option: Opt, span: Span) -> Result<(), InvalidOption> {
    if span > Span::ZERO {
        return Ok(());
    }
    Err(InvalidOption {
        option,
        value: 0,
        rule: option.rule(),
    })
}
