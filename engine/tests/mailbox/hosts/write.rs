//! What a host does between two exchanges: runs with its credit, and numbers of any kind.

use bulkheads_core::Outcome;
use bulkheads_engine::RUN;
use bulkheads_engine::mailbox::{STARTED_LEN, place};

use super::Hosts;
use super::bytes::Bytes;
use super::convert::truth;
use super::twin::{Counted, Done};

/// What a host is shown, or says of what it did, and may write over: each by a bit of its own.
const WILD: [usize; 8] = [
    place::COUNT,
    place::STARTS_COUNT,
    place::STARTED,
    place::STARTED + STARTED_LEN - 1,
    place::FREE,
    place::STARTS,
    place::LEAST,
    place::FAILED,
];

impl Hosts {
    /// Before the input of this name, if it has one.
    pub(super) fn act(&mut self, host: usize, input: Option<&str>, bytes: &mut Bytes) -> Done {
        let mut done = Done::default();
        let (way, runs) = (bytes.next(), bytes.next());
        for run in 0..runs & 7 {
            let is_begin = runs >> (3 + run % 5) & 1 == 0;
            done.runs.extend(self.count_run(host, is_begin));
        }
        match way >> 6 {
            0 | 1 => self.write_ordinary(host, input, way),
            2 => self.write_any(host, way, bytes),
            _ => {
                self.write_any(host, way, bytes);
                let mask = bytes.next();
                let mail = &mut self.mails[host];
                for (bit, place) in WILD.into_iter().enumerate() {
                    if mask >> bit & 1 == 1 {
                        mail[place] = bytes.number(self.id);
                    }
                }
                done.is_garbage = mask >> 4 != 0;
            }
        }
        done
    }

    /// What an input is made for; a little time passes, and events are taken.
    fn write_ordinary(&mut self, host: usize, input: Option<&str>, way: u8) {
        let (mail, never) = (&mut self.mails[host], f64::INFINITY);
        let arguments = match input {
            Some("acquire" | "acquire_or_watch" | "try_acquire" | "watch_capacity") => {
                let siblings = f64::from(way >> 4 & 1);
                let weight = 1.0 + f64::from(way & 1);
                [weight, never, never, f64::from(RUN), never, siblings, never]
            }
            Some("acquire_untimed") => first_two(1.0, f64::from(RUN)),
            Some("finish_counted" | "finish_measured") => first_two(f64::from(way & 1), 3.0),
            Some("resize" | "drain") => first_two(f64::from(way & 7), 0.0),
            _ => first_two(self.id, f64::from(way & 1)),
        };
        mail[place::ARGUMENTS..][..7].copy_from_slice(&arguments);
        mail[place::NOW] += f64::from(way >> 1 & 3);
        if way & 8 == 0 {
            mail[place::TAKEN] = mail[place::COUNT];
        }
    }

    fn write_any(&mut self, host: usize, mask: u8, bytes: &mut Bytes) {
        let places = place::ARGUMENTS..place::ARGUMENTS + 6;
        for (bit, place) in places.chain([place::NOW, place::TAKEN]).enumerate() {
            if mask >> bit & 1 == 1 {
                self.mails[host][place] = bytes.number(self.id);
            }
        }
    }

    /// Begins or ends a run with the credit, if the host may: see [`bulkheads_core::Credit`].
    fn count_run(&mut self, host: usize, is_begin: bool) -> Option<Counted> {
        let (mail, counted) = (&mut self.mails[host], &mut self.counted[host]);
        let (free, starts) = (mail[place::FREE], mail[place::STARTS]);
        if is_begin && free > 0.0 && starts > 0.0 {
            mail[place::FREE] = free - 1.0;
            mail[place::STARTS] = starts - 1.0;
            mail[place::LEAST] = mail[place::LEAST].min(free - 1.0);
            // The one that takes the last start is measured: only an exchange may end it.
            *counted += u32::from(starts > 1.0);
            return Some(Counted::Begins);
        }
        if is_begin || free < 0.0 || *counted == 0 {
            return None;
        }
        let is_failure = starts % 3.0 == 0.0;
        mail[place::FREE] = free + 1.0;
        mail[place::FAILED] += truth(is_failure);
        *counted -= 1;
        Some(Counted::Ends(if is_failure {
            Outcome::Failed
        } else {
            Outcome::Completed
        }))
    }
}

fn first_two(first: f64, second: f64) -> [f64; 7] {
    [first, second, 0.0, 0.0, 0.0, 0.0, 0.0]
}
