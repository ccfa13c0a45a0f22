//! Which runs are measured. Reading a clock twice costs more than the rest of a short call.

/// Chooses the first run and then, at random, one in `every` on average. Whether a run is chosen
/// depends neither on how long it takes nor on a rhythm of the calls.
#[derive(Debug)]
pub(crate) struct Sampling {
    every: u32,
    /// How many runs go by before the next that is measured.
    left: u32,
    random: u32,
}

impl Sampling {
    /// `every` 1 measures all.
    pub(crate) const fn new(every: u32) -> Self {
        Self {
            every,
            left: 0,
            random: 0x9E37_79B9,
        }
    }

    pub(crate) const fn every(&self) -> u32 {
        self.every
    }

    /// How many runs may begin before one is to be measured.
    pub(crate) const fn left(&self) -> u32 {
        self.left
    }

    /// Counts runs that are not measured: no more than are left.
    pub(crate) const fn skip(&mut self, runs: u32) {
        self.left -= runs;
    }

    /// Counts one run; answers whether to measure it.
    pub(crate) fn next(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.left = self.gap();
        true
    }

    // Stats 2.3
    /// Uniform in `0..=2 · (every - 1)`, so that its mean is `every - 1`.
    fn gap(&mut self) -> u32 {
        // Marsaglia's xorshift with the shifts 13, 17, 5, of period 2^32 - 1: a fixed gap would
        // measure the same calls of a periodic load again and again.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random % (2 * self.every - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_so_many_is_measured_on_average_the_first_among_them() {
        let mut sampling = Sampling::new(16);
        assert!(sampling.next());
        let measured = (0..160_000).filter(|_| sampling.next()).count();
        assert!((9_800..=10_200).contains(&measured), "{measured}");
    }

    #[test]
    fn no_rhythm_of_the_calls_is_preferred() {
        let mut sampling = Sampling::new(16);
        let mut by_turn = [0_u32; 4];
        for call in 0..640_000 {
            by_turn[call % 4] += u32::from(sampling.next());
        }
        assert!(
            by_turn.iter().all(|count| (9_600..=10_400).contains(count)),
            "{by_turn:?}"
        );
    }

    #[test]
    fn every_run_is_measured_if_asked_for() {
        let mut sampling = Sampling::new(1);
        assert!((0..100).all(|_| sampling.next()));
    }
}
