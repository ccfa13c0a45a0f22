//! Quantiles against sorted values: the nearest rank, within the error that the type promises.

use bulkheads_core::Histogram;
use proptest::prelude::*;

/// From nothing to centuries, each length as likely.
fn nanos() -> impl Strategy<Value = u64> {
    (0..64_u32, any::<u64>()).prop_map(|(shift, bits)| bits >> shift)
}

/// The smallest value that at least so many percent of all are not above.
fn nearest_rank(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted[rank - 1]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_quantile_is_within_a_32nd_of_the_nearest_rank(
        mut values in prop::collection::vec(nanos(), 1..200),
    ) {
        let mut histogram = Histogram::default();
        for value in &values {
            histogram.record(*value);
        }
        values.sort_unstable();
        let summary = histogram.summary();
        for (percent, came) in [(50, summary.p50), (90, summary.p90), (99, summary.p99)] {
            let want = nearest_rank(&values, percent);
            let close = came.abs_diff(want) <= want / 32;
            prop_assert!(close && came <= summary.max, "{came} is not {want}");
        }
        let sum = values.iter().fold(0_u64, |sum, value| sum.saturating_add(*value));
        prop_assert_eq!((summary.count, summary.sum), (values.len() as u64, sum));
        prop_assert_eq!(Some(&summary.max), values.last());
    }
}
