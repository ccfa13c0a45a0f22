//! Log-bucketed histograms of fixed memory.
//!
//! A value below 16 ns has a bucket of its own; above, each power of two is cut into 16 equal
//! buckets, and a bucket answers with its middle. The middle of a bucket `[a, a · 17/16)` is at
//! most 1/32 of `a` away from any value in it, so a quantile is off by at most 3.2 %.
//!
//! A quantile follows the nearest-rank rule: the smallest value such that at least
//! `⌈q · count⌉` values are not above it.

use alloc::boxed::Box;
use alloc::vec;

const SUB_BITS: u32 = 4;
const SUB: u64 = 1 << SUB_BITS;
const BUCKETS: usize = (64 - SUB_BITS as usize + 1) << SUB_BITS;

/// Counts durations; see the module's text for the error of its quantiles.
#[derive(Clone, Debug)]
pub struct Histogram {
    buckets: Box<[u64]>,
    count: u64,
    sum: u64,
    max: u64,
}

/// A histogram's figures, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Summary {
    /// How many values.
    pub count: u64,
    /// Their sum; exact, stays at `u64::MAX` once it would pass it.
    pub sum: u64,
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The largest value; exact.
    pub max: u64,
}

impl Histogram {
    /// An empty histogram; allocates once, here.
    #[must_use]
    pub fn new() -> Self {
        Self {
            buckets: vec![0; BUCKETS].into_boxed_slice(),
            count: 0,
            sum: 0,
            max: 0,
        }
    }

    /// Adds one value.
    pub fn record(&mut self, nanos: u64) {
        self.buckets[bucket_of(nanos)] += 1;
        self.count += 1;
        self.sum = self.sum.saturating_add(nanos);
        self.max = self.max.max(nanos);
    }

    /// Its figures now.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let [p50, p90, p99] = self.quantiles([50, 90, 99]);
        Summary {
            count: self.count,
            sum: self.sum,
            p50,
            p90,
            p99,
            max: self.max,
        }
    }

    /// `percents` must ascend.
    fn quantiles<const N: usize>(&self, percents: [u64; N]) -> [u64; N] {
        let mut answers = [0; N];
        let mut seen = 0;
        let mut index = 0;
        for (answer, percent) in answers.iter_mut().zip(percents) {
            let rank = rank_of(self.count, percent);
            while seen < rank && index < BUCKETS {
                seen += self.buckets[index];
                index += 1;
            }
            if rank > 0 {
                *answer = middle_of(index - 1).min(self.max);
            }
        }
        answers
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// `count` hundredths are far from the end of a `u64`: 2^57 values take years.
const fn rank_of(count: u64, percent: u64) -> u64 {
    (count * percent).div_ceil(100)
}

#[expect(clippy::cast_possible_truncation, reason = "below BUCKETS")]
fn bucket_of(nanos: u64) -> usize {
    if nanos < SUB {
        return nanos as usize;
    }
    let shift = nanos.ilog2() - SUB_BITS;
    let octave = u64::from(shift) + 1;
    ((octave << SUB_BITS) + (nanos >> shift) - SUB) as usize
}

fn middle_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < SUB {
        return bucket;
    }
    let shift = (bucket >> SUB_BITS) - 1;
    let low = (SUB + (bucket & (SUB - 1))) << shift;
    low + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_off_by_less_than_four_percent() {
        for value in (0..63).flat_map(|bits| [1_u64 << bits, (1 << bits) + (1 << bits) / 3]) {
            let mut histogram = Histogram::new();
            histogram.record(value);
            histogram.record(u64::MAX);
            let p50 = histogram.summary().p50;
            assert!(
                p50.abs_diff(value) * 25 <= value,
                "{value} answered as {p50}"
            );
        }
    }

    #[test]
    fn quantiles_follow_the_nearest_rank() {
        let mut histogram = Histogram::new();
        (1..=10).for_each(|value| histogram.record(value));
        let summary = histogram.summary();
        assert_eq!((summary.p50, summary.p90, summary.p99), (5, 9, 10));
        assert_eq!((summary.count, summary.sum, summary.max), (10, 55, 10));
    }

    #[test]
    fn the_largest_value_has_a_bucket() {
        let mut histogram = Histogram::new();
        histogram.record(u64::MAX);
        histogram.record(u64::MAX);
        assert_eq!(histogram.summary().sum, u64::MAX);
        assert!(histogram.summary().p99 >= u64::MAX / 100 * 96);
    }

    #[test]
    fn an_empty_histogram_is_all_zero() {
        assert_eq!(Histogram::new().summary(), Summary::default());
    }
}
