//! How a host writes options and counts time.

use bulkheads_core::{Instant, Opt, Span};

/// How a host writes options, and the unit of its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact below 2^53 ns, 104 days")]
    pub fn units(self, nanos: u64) -> f64 {
        nanos as f64 / self.nanos_per_unit()
    }

    /// A length of time in the host's unit; infinite for none.
    #[must_use]
    pub fn span_units(self, span: Span) -> f64 {
        match span {
            Span::FOREVER => f64::INFINITY,
            bounded => self.units(bounded.as_nanos()),
        }
    }

    /// A point in time in the host's unit; infinite for never.
    #[must_use]
    pub fn instant_units(self, at: Instant) -> f64 {
        match at {
            Instant::NEVER => f64::INFINITY,
            at => self.units(at.as_nanos()),
        }
    }

    /// The host's clock. NaN is taken as the origin, that is, as standing still.
    #[must_use]
    pub fn instant(self, value: f64) -> Instant {
        Instant::from_nanos(self.nanos(value))
    }

    // Options 2.2
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
    pub(crate) fn nanos(self, value: f64) -> u64 {
        let whole = value as u64;
        let part = value - whole as f64;
        let per_unit = self.nanos_per_unit();
        whole
            .saturating_mul(per_unit as u64)
            .saturating_add((part * per_unit + 0.5) as u64)
    }

    /// An option as the host writes it.
    #[must_use]
    pub const fn name(self, option: Opt) -> &'static str {
        // Errors 14
        let camel = match (self, option) {
            (Self::SnakeSeconds, _) => return option.name(),
            (Self::CamelMillis, option) => option,
        };
        match camel {
            Opt::AbandonAfter => "abandonAfterMs",
            Opt::CallTimeout => "callTimeoutMs",
            Opt::Deadline => "deadline",
            Opt::MaxConcurrent | Opt::Resize => "maxConcurrent",
            Opt::MaxQueue => "maxQueue",
            Opt::Permits => "permits",
            Opt::Timeout => "timeoutMs",
            Opt::Weight => "weight",
        }
    }
}
