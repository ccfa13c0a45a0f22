//! A history out of any bytes, for the fuzzer: each byte string is one, and small changes of it are
//! small changes of that.

use super::naive::NEVER;
use super::{Asked, End, Input, OWNERS, Settings};

/// The settings and inputs that these bytes say; the history ends where they do.
pub(crate) fn history(bytes: &[u8]) -> (Settings, Vec<Input>) {
    let mut bytes = Bytes(bytes);
    let settings = bytes.settings();
    let inputs = std::iter::from_fn(|| (!bytes.0.is_empty()).then(|| bytes.input()));
    (settings, inputs.collect())
}

/// Zeros after its end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    fn below(&mut self, end: u8) -> u8 {
        self.next() % end
    }

    /// One to eleven nanoseconds, or never.
    fn span(&mut self) -> u64 {
        match self.below(12) {
            0 => NEVER,
            nanos => u64::from(nanos),
        }
    }

    fn settings(&mut self) -> Settings {
        Settings {
            limit: 1 + u32::from(self.below(5)),
            max_queue: [0, 1, 2, 3, 5, 60][usize::from(self.below(6))],
            timeout: self.span(),
            call_timeout: self.span(),
            abandon_after: self.span(),
            origin: if self.below(4) == 3 { NEVER - 40 } else { 0 },
        }
    }

    fn owner(&mut self) -> usize {
        usize::from(self.next()) % OWNERS
    }

    fn weight(&mut self) -> u32 {
        1 + u32::from(self.below(4))
    }

    /// None, a few, or more than there can be.
    fn held(&mut self) -> usize {
        match self.below(8) {
            7 => usize::MAX,
            ids => usize::from(ids),
        }
    }

    fn pick(&mut self) -> usize {
        usize::from(self.below(64))
    }

    fn ending(&mut self) -> End {
        match self.below(3) {
            0 => End::Completed,
            1 => End::Failed,
            _ => End::Leaked,
        }
    }

    fn asked(&mut self) -> Asked {
        let flags = self.next();
        Asked {
            owner: self.owner(),
            weight: self.weight(),
            run: flags & 1 == 0,
            timeout: if flags & 2 == 0 {
                NEVER
            } else {
                u64::from(self.below(8))
            },
            deadline: if flags & 4 == 0 {
                NEVER
            } else {
                u64::from(self.below(100))
            },
            aborted: flags & 0xF0 == 0xF0,
            held: if flags & 0x30 == 0x20 { self.held() } else { 0 },
            untimed: flags & 8 == 0,
            call_timeout: if flags & 0xC0 == 0x40 {
                self.span()
            } else {
                NEVER
            },
            siblings: u32::from(if flags & 0xC0 == 0x80 {
                self.below(5)
            } else {
                0
            }),
            waited: u64::from(if flags & 0xE0 == 0xA0 {
                self.below(8)
            } else {
                0
            }),
        }
    }

    fn input(&mut self) -> Input {
        match self.below(24) {
            0..=4 => Input::Acquire(self.asked()),
            5 => Input::TryAcquire {
                owner: self.owner(),
                weight: self.weight(),
            },
            6 | 7 => Input::Start(self.pick()),
            8 => Input::Finish(self.pick(), self.ending()),
            9 => Input::FinishUntimed(self.pick(), self.ending()),
            10 => match self.below(4) {
                3 => Input::ReleasePart(self.pick(), self.weight() - 1),
                2 => Input::Split(self.pick(), self.weight() - 1),
                1 => Input::Adjust(self.pick(), self.weight()),
                _ => Input::Release(self.pick()),
            },
            11 => Input::Cancel(self.pick()),
            12 => {
                let count = self.below(5);
                Input::Abort((0..count).map(|_| self.pick()).collect())
            }
            13 => Input::Resize(u32::from(self.below(7))),
            14 => Input::Close(self.below(2) == 1),
            15 => match self.below(3) {
                0 => Input::Drain,
                _ => Input::DrainWithin(self.owner(), self.span()),
            },
            16 => Input::Evict(self.owner()),
            17 => Input::Haunt,
            18 => Input::WatchIdle(self.owner()),
            19 => match self.below(6) {
                5 => Input::UnwatchCapacity(self.owner()),
                _ => Input::WatchCapacity(self.asked()),
            },
            20 => Input::Take {
                owner: self.owner(),
                events: self.pick(),
            },
            21 => Input::Wake,
            22 => match self.below(8) {
                7 => Input::Invalid,
                6 => Input::Offer(self.asked()),
                5 => Input::AdmitCounted(self.owner()),
                4 => Input::FinishCounted(self.owner(), self.ending()),
                nanos => Input::Back(u64::from(nanos)),
            },
            _ => Input::Pass(u64::from(self.below(6))),
        }
    }
}
