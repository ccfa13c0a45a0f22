//! The engine interface through one array of numbers, for hosts where an argument or an answer of a call costs more than the
//! core's work: the host writes an input and its arguments, calls once, and reads the answer and all that it must know next.
//!
//! Events are shown, not taken: the host says with its next input how many of those it has seen it has taken, so that none is
//! lost if it looks at only some.

use crate::engine::{Engine, EventNumbers};
use crate::ids::OwnerId;
use crate::options::InvalidOption;

/// The numbers that one handle shares with its host.
pub type Mailbox = [f64; MAILBOX_LEN];

/// How many numbers: the places below, then the events.
pub const MAILBOX_LEN: usize = EVENTS + 3 * SHOWN;

/// How many events are shown at a time.
const SHOWN: usize = 16;

/// In: which input. Out: its answer, 0 or 1 for a truth, not a number for a fault.
const CODE: usize = 0;
/// In: the first of up to five arguments. The time stands before them.
const FIRST: usize = 2;
/// In: how many of the events shown were taken. Out: 0.
const TAKEN: usize = 7;
/// Out: how many events are shown.
const COUNT: usize = 8;
/// Out: as [`Engine::next_timer`].
const TIMER: usize = 9;
/// Out: as [`Engine::keeps_alive`].
const KEEPS_ALIVE: usize = 10;
/// Out, after input 17: limit, active, queued, `max_queue`.
const FIGURES: usize = 11;
/// Out: whether inputs 1 and 2 can serve anybody, as of the last input but these.
const CALM: usize = 15;
/// Out: kind, id and time of each event shown.
const EVENTS: usize = 16;

impl Engine {
    /// Does the input that lies in the mailbox. The table is in `docs/engine.md`; a code that is
    /// not in it does nothing.
    pub fn exchange(&mut self, owner: OwnerId, mail: &mut Mailbox) {
        let input = code(mail[CODE]);
        // The two without a clock change nothing that is shown.
        match (input, mail[FIRST], mail[FIRST + 1]) {
            (1, weight, flags) => mail[CODE] = self.admit_now(owner, code(weight), code(flags)),
            (2, id, outcome) => mail[CODE] = truth(self.finish_now(id, code(outcome))),
            _ => self.exchange_timed(owner, input, mail),
        }
    }

    /// Apart from the two above, which are a good deal faster alone.
    #[inline(never)]
    fn exchange_timed(&mut self, owner: OwnerId, input: u32, mail: &mut Mailbox) {
        self.drop_taken(owner, mail);
        let answer = self.input(owner, input, mail).unwrap_or_else(|fault| {
            self.fault = Some(fault);
            f64::NAN
        });
        if input == 17 {
            self.show_figures(mail);
        }
        mail[CODE] = answer;
        self.show(owner, mail);
    }

    fn input(&mut self, owner: OwnerId, input: u32, mail: &Mailbox) -> Result<f64, InvalidOption> {
        let [_, now, first, second, third, fourth, fifth, ..] = *mail;
        match input {
            3 => return self.acquire(owner, now, first, second, third, code(fourth), fifth),
            4 => return self.try_acquire(owner, now, first),
            5 => self.start(first),
            6 => return Ok(truth(self.finish(now, first, code(second)))),
            7 => return Ok(truth(self.release(now, first))),
            8 => return Ok(f64::from(self.cancel(now, first))),
            9 => self.resize(now, first)?,
            10 => self.close(now, first != 0.0),
            11 => self.drain(now),
            12 => self.evict(owner, now),
            13 => return Ok(truth(self.watch_idle(owner, now))),
            14 => return self.watch_room(owner, now, first, second).map(truth),
            15 => self.handle_timeout(now),
            18 => return Ok(f64::from(self.permits(first))),
            // 16 only asks what there is to tell, 17 also for the figures.
            _ => {}
        }
        Ok(0.0)
    }

    /// See [`Engine::abort`]; `ids` is no number and comes beside the mailbox.
    pub fn exchange_abort(&mut self, owner: OwnerId, mail: &mut Mailbox, now: f64, ids: &[f64]) {
        self.drop_taken(owner, mail);
        self.abort(now, ids);
        self.show(owner, mail);
    }

    /// Why the last input answered no number.
    pub fn take_fault(&mut self) -> Option<InvalidOption> {
        self.fault.take()
    }

    fn drop_taken(&mut self, owner: OwnerId, mail: &mut Mailbox) {
        let taken = code(mail[TAKEN]).min(code(mail[COUNT]));
        // Whatever the host wrote over the count: no more than are ever shown.
        for _ in (0..SHOWN).zip(0..taken) {
            self.next_event(owner);
        }
        mail[TAKEN] = 0.0;
    }

    fn show(&self, owner: OwnerId, mail: &mut Mailbox) {
        let shown = mail[EVENTS..].chunks_exact_mut(3);
        let mut count = 0_u32;
        for (place, event) in shown.zip(self.events(owner)) {
            let EventNumbers { kind, id, time } = event;
            place.copy_from_slice(&[f64::from(kind), id, time]);
            count += 1;
        }
        mail[COUNT] = f64::from(count);
        mail[TIMER] = self.next_timer(owner);
        mail[KEEPS_ALIVE] = truth(self.keeps_alive(owner));
        mail[CALM] = truth(self.core().is_calm());
    }

    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    fn show_figures(&self, mail: &mut Mailbox) {
        let core = self.core();
        mail[FIGURES] = f64::from(core.limit());
        mail[FIGURES + 1] = core.active() as f64;
        mail[FIGURES + 2] = f64::from(core.queued());
        mail[FIGURES + 3] = f64::from(core.max_queue());
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and what is no code does nothing"
)]
const fn code(number: f64) -> u32 {
    number as u32
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}
