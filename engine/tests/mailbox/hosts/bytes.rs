//! What a host writes, out of any bytes: zeros after their end.

pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    pub(super) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// Mostly one that is in range; `far` is what an option without a bound is.
    pub(super) fn option(&mut self, far: f64) -> Option<f64> {
        match self.next() % 8 {
            0..=2 => None,
            3..=5 => Some(f64::from(1 + self.next() % 16)),
            6 => Some(far),
            _ => Some(self.number(0.0)),
        }
    }

    /// One of those that code trips over, or any at all.
    pub(super) fn number(&mut self, id: f64) -> f64 {
        match self.next() {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => f64::MAX,
            4 => f64::MIN_POSITIVE,
            5 => -0.0,
            6 => 0.5,
            7 => -1.0,
            8 => 2_147_483_647.0,
            9 => 4_294_967_296.0,
            10 => 9_007_199_254_740_992.0,
            11 => 18_446_744_073_709.0,
            12..=40 => id,
            41 => -id,
            42 => id + 1.0,
            43 => id + 4_294_967_296.0,
            44 => {
                let bytes = [0; 8].map(|_: u8| self.next());
                f64::from_le_bytes(bytes)
            }
            byte => f64::from(byte - 45),
        }
    }
}
