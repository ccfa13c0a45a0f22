//! The engine through one array of numbers, for hosts where an argument or an answer of a call
//! costs more than the core's work: the host writes an input and its arguments, calls once, and
//! reads the answer and all that it must know next.
//!
//! Events are shown, not taken: with its next input the host says how many of those that it has
//! seen it has taken, so none is lost if it looks at only some.
//!
//! The credit is the one part that the host changes between two calls: with it ordinary runs begin
//! and end without any call. Every input takes in first what the host did, and lays out anew.

use bulkheads_core::{Admission, Bulkhead, Credit, Instant, Opt, OwnerId, Request, Span, Untimed};

use crate::codes::{
    EventNumbers, cancellation_number, id_number, id_of, offer_number, outcome_of, reclaim_number,
    rejection_code, request,
};
use crate::engine::{Engine, ids_of};
use crate::notation::Notation;
use crate::options::{Fault, call_timeout, count, deadline, wait, weight};
use crate::stats::STATS_LEN;

/// The numbers that the engines of one thread share with their host, which uses them for one input
/// of one engine at a time.
pub type Mailbox = [f64; MAILBOX_LEN];

/// How many numbers: the places below, the events, the ids that start.
pub const MAILBOX_LEN: usize = place::STARTED + STARTED_LEN;

/// The version of this layout and of the inputs: a host that expects another one must refuse.
pub const VERSION: f64 = 3.0;

/// How many events are shown at a time.
pub const SHOWN: usize = 64;
/// Kind, id, time and compartment.
pub const EVENT_LEN: usize = 4;
/// How many granted calls can start with one input.
pub const STARTED_LEN: usize = 16;

/// Where what stands.
pub mod place {
    /// In: which input. Out: its answer, 0 or 1 for a truth, not a number for a fault.
    pub const CODE: usize = 0;
    /// In: the host's time.
    pub const NOW: usize = 1;
    /// In: the handle of the engine, of those that share this mailbox.
    pub const ENGINE: usize = 2;
    /// In: the compartment; 0, the only one of a bulkhead.
    pub const COMPARTMENT: usize = 3;
    /// In: the first of up to eight arguments.
    pub const ARGUMENTS: usize = 4;
    /// In: how many of the events shown were taken. Out: 0.
    pub const TAKEN: usize = 12;
    /// Out: how many events are shown.
    pub const COUNT: usize = 13;
    /// Out: when the owner's next timer is due; infinite for none.
    pub const TIMER: usize = 14;
    /// Out: whether a caller without an answer depends on that timer.
    pub const KEEPS_ALIVE: usize = 15;
    /// In and out: see [`bulkheads_core::Credit`].
    pub const FREE: usize = 16;
    /// As above.
    pub const STARTS: usize = 17;
    /// As above.
    pub const LEAST: usize = 18;
    /// As above.
    pub const FAILED: usize = 19;
    /// Out: figures for the texts of errors, which would else cost a second call.
    pub const LIMIT: usize = 20;
    /// As above.
    pub const ACTIVE: usize = 21;
    /// As above.
    pub const QUEUED: usize = 22;
    /// As above.
    pub const MAX_QUEUE: usize = 23;
    /// As above, of the last rejection: what the caller of a reentrant call held, and how long a
    /// call had waited for capacity.
    pub const DETAIL: usize = 24;
    /// Out, from the beginning: [`super::VERSION`].
    pub const VERSION: usize = 25;
    /// In: how many granted calls started since the last input of this engine. Out: 0. For calls
    /// without a run deadline: those of others must `start` at once, or their timer comes late.
    pub const STARTS_COUNT: usize = 26;
    /// Out: the events shown. The places before them are free for what comes.
    pub const EVENTS: usize = 32;
    /// In: the ids of the calls that started.
    pub const STARTED: usize = EVENTS + super::EVENT_LEN * super::SHOWN;
}

/// The codes of the inputs; another one does nothing.
mod input {
    pub(super) const ACQUIRE_UNTIMED: u32 = 1;
    pub(super) const FINISH_UNTIMED: u32 = 2;
    pub(super) const ACQUIRE: u32 = 3;
    pub(super) const TRY_ACQUIRE: u32 = 4;
    pub(super) const START: u32 = 5;
    pub(super) const FINISH: u32 = 6;
    pub(super) const RELEASE: u32 = 7;
    pub(super) const CANCEL: u32 = 8;
    pub(super) const RESIZE: u32 = 9;
    pub(super) const CLOSE: u32 = 10;
    pub(super) const DRAIN: u32 = 11;
    pub(super) const EVICT: u32 = 12;
    pub(super) const WATCH_IDLE: u32 = 13;
    pub(super) const WATCH_CAPACITY: u32 = 14;
    pub(super) const HANDLE_TIMEOUT: u32 = 15;
    pub(super) const SHOW: u32 = 16;
    pub(super) const PERMITS: u32 = 17;
    pub(super) const ACQUIRE_OR_WATCH: u32 = 18;
    pub(super) const RECLAIM: u32 = 19;
    pub(super) const ADMIT_COUNTED: u32 = 20;
    pub(super) const FINISH_COUNTED: u32 = 21;
    pub(super) const FINISH_MEASURED: u32 = 22;
    pub(super) const UNWATCH_CAPACITY: u32 = 23;
    pub(super) const RELEASE_PART: u32 = 24;
    pub(super) const SPLIT: u32 = 25;
    pub(super) const ADJUST: u32 = 26;
    pub(super) const RECLAIM_COUNTED: u32 = 27;
}

/// The inputs and their codes.
pub const INPUTS: [(&str, u32); 27] = [
    ("acquire_untimed", input::ACQUIRE_UNTIMED),
    ("finish_untimed", input::FINISH_UNTIMED),
    ("acquire", input::ACQUIRE),
    ("try_acquire", input::TRY_ACQUIRE),
    ("start", input::START),
    ("finish", input::FINISH),
    ("release", input::RELEASE),
    ("cancel", input::CANCEL),
    ("resize", input::RESIZE),
    ("close", input::CLOSE),
    ("drain", input::DRAIN),
    ("evict", input::EVICT),
    ("watch_idle", input::WATCH_IDLE),
    ("watch_capacity", input::WATCH_CAPACITY),
    ("handle_timeout", input::HANDLE_TIMEOUT),
    ("show", input::SHOW),
    ("permits", input::PERMITS),
    ("acquire_or_watch", input::ACQUIRE_OR_WATCH),
    ("reclaim", input::RECLAIM),
    ("admit_counted", input::ADMIT_COUNTED),
    ("finish_counted", input::FINISH_COUNTED),
    ("finish_measured", input::FINISH_MEASURED),
    ("unwatch_capacity", input::UNWATCH_CAPACITY),
    ("release_part", input::RELEASE_PART),
    ("split", input::SPLIT),
    ("adjust", input::ADJUST),
    ("reclaim_counted", input::RECLAIM_COUNTED),
];

/// The places and their numbers.
pub const PLACES: [(&str, usize); 22] = [
    ("code", place::CODE),
    ("now", place::NOW),
    ("engine", place::ENGINE),
    ("compartment", place::COMPARTMENT),
    ("arguments", place::ARGUMENTS),
    ("taken", place::TAKEN),
    ("count", place::COUNT),
    ("timer", place::TIMER),
    ("keeps_alive", place::KEEPS_ALIVE),
    ("free", place::FREE),
    ("starts", place::STARTS),
    ("least", place::LEAST),
    ("failed", place::FAILED),
    ("limit", place::LIMIT),
    ("active", place::ACTIVE),
    ("queued", place::QUEUED),
    ("max_queue", place::MAX_QUEUE),
    ("detail", place::DETAIL),
    ("version", place::VERSION),
    ("starts_count", place::STARTS_COUNT),
    ("events", place::EVENTS),
    ("started", place::STARTED),
];

/// The handle of the engine that the input is for.
#[must_use]
pub const fn handle(mail: &Mailbox) -> u32 {
    code(mail[place::ENGINE])
}

/// The answer to an input whose handle names no engine: nothing of another engine's stays.
pub const fn answer_nothing(mail: &mut Mailbox) {
    mail[place::CODE] = f64::NAN;
    mail[place::COUNT] = 0.0;
    mail[place::FREE] = -1.0;
    mail[place::STARTS] = 0.0;
}

/// A mailbox before the first input.
#[must_use]
pub const fn empty() -> Mailbox {
    let mut mail = [0.0; MAILBOX_LEN];
    mail[place::VERSION] = VERSION;
    // A host that looks before its first input must not take itself for entitled to anything.
    mail[place::FREE] = -1.0;
    mail[place::LEAST] = -1.0;
    mail
}

impl Engine {
    /// Does the input that lies in the mailbox. The table is in `docs/engine.md`; a code that is
    /// not in it does nothing.
    pub fn exchange(&mut self, owner: OwnerId, mail: &mut Mailbox) {
        self.exchange_holding(owner, mail, &[]);
    }

    /// As [`Engine::exchange`] for an arrival whose caller holds the permits of these ids.
    pub fn exchange_holding(&mut self, owner: OwnerId, mail: &mut Mailbox, held: &[f64]) {
        self.begin(owner, mail);
        let answer = self.input(owner, mail, held).unwrap_or_else(|fault| {
            self.fault = Some(fault);
            f64::NAN
        });
        mail[place::CODE] = answer;
        self.show(owner, mail);
    }

    /// See `Bulkhead::abort`; `ids` is no number and comes beside the mailbox.
    pub fn exchange_abort(&mut self, owner: OwnerId, mail: &mut Mailbox, ids: &[f64]) {
        self.begin(owner, mail);
        let now = self.notation.instant(mail[place::NOW]);
        self.core.abort(now, ids_of(ids));
        self.show(owner, mail);
    }

    /// The snapshot as numbers, in the order of [`crate::STATS`].
    pub fn exchange_stats(&mut self, owner: OwnerId, mail: &mut Mailbox) -> [f64; STATS_LEN] {
        self.begin(owner, mail);
        self.show(owner, mail);
        self.stats()
    }

    fn input(&mut self, owner: OwnerId, mail: &Mailbox, held: &[f64]) -> Result<f64, Fault> {
        let Self { core, notation, .. } = self;
        let notation = *notation;
        let now = notation.instant(mail[place::NOW]);
        let [first, second, ..] = arguments(mail);
        let id = id_of(first);
        Ok(match code(mail[place::CODE]) {
            input::ACQUIRE_UNTIMED => return Ok(self.acquire_untimed(owner, first, second)),
            input::FINISH_UNTIMED => truth(core.finish_untimed(id, outcome_of(code(second)))),
            input::ACQUIRE => {
                let (wish, ids) = (arrival(owner, mail, notation)?, ids_of(held));
                return self.acquire(now, wish.held(&ids));
            }
            input::TRY_ACQUIRE => {
                let wish = Request::permit(weight(first, notation)?).owner(owner);
                return self.try_acquire(now, wish);
            }
            input::START => {
                core.start(id);
                0.0
            }
            input::FINISH => truth(core.finish(now, id, outcome_of(code(second)))),
            input::RELEASE => truth(core.release(now, id)),
            input::CANCEL => cancellation_number(core.cancel(now, id)),
            input::RESIZE => {
                let limit = count(Opt::Resize, first, notation)?;
                self.faulty(|core| core.resize(now, limit))?;
                0.0
            }
            input::CLOSE => {
                core.close(now, first != 0.0);
                0.0
            }
            input::DRAIN => {
                core.drain_within(now, owner, wait(first, notation)?);
                0.0
            }
            input::EVICT => {
                core.evict(now, owner);
                0.0
            }
            input::WATCH_IDLE => ticket(core.watch_idle(now, owner)),
            input::WATCH_CAPACITY => {
                let (wish, ids) = (item(owner, mail, notation)?, ids_of(held));
                truth(self.faulty(|core| core.watch_capacity(now, wish.held(&ids)))?)
            }
            input::UNWATCH_CAPACITY => {
                core.unwatch_capacity(now, owner);
                0.0
            }
            input::HANDLE_TIMEOUT => {
                core.handle_timeout(now);
                0.0
            }
            input::PERMITS => f64::from(core.permits(id)),
            input::ACQUIRE_OR_WATCH => {
                let (wish, ids) = (item(owner, mail, notation)?, ids_of(held));
                let offer = self.faulty(|core| core.acquire_or_watch(now, wish.held(&ids)))?;
                if let bulkheads_core::Offer::Rejected(rejection) = offer {
                    self.note(rejection);
                }
                offer_number(offer)
            }
            input::RELEASE_PART => {
                let permits = count(Opt::Permits, second, notation)?;
                truth(self.faulty(|core| core.release_part(now, id, permits))?)
            }
            input::SPLIT => {
                let permits = count(Opt::Permits, second, notation)?;
                let part = self.faulty(|core| core.split(now, id, permits))?;
                part.map_or(0.0, id_number)
            }
            input::ADJUST => {
                let weight = weight(second, notation)?;
                truth(self.faulty(|core| core.adjust(now, id, weight))?)
            }
            input::RECLAIM => reclaim_number(core.reclaim(now, id)),
            input::RECLAIM_COUNTED => reclaim_number(core.reclaim_counted(now, owner)),
            input::ADMIT_COUNTED => truth(core.admit_counted(owner)),
            input::FINISH_COUNTED => {
                truth(core.finish_counted(now, owner, outcome_of(code(first))))
            }
            input::FINISH_MEASURED => {
                let ran = Span::from_nanos(notation.nanos(second));
                let outcome = outcome_of(code(first));
                truth(core.finish_measured(now, owner, outcome, ran))
            }
            // `show` only looks at what there is.
            _ => 0.0,
        })
    }

    fn acquire_untimed(&mut self, owner: OwnerId, weight: f64, flags: f64) -> f64 {
        let Ok(weight) = crate::options::weight(weight, self.notation) else {
            return 0.0;
        };
        match self
            .core
            .acquire_untimed(request(code(flags), weight, owner))
        {
            Untimed::Admitted(id) => id_number(id),
            Untimed::NeedsClock => 0.0,
            Untimed::Rejected(rejection) => rejection_code(self.note(rejection)),
        }
    }

    fn acquire(&mut self, now: Instant, request: Request<'_>) -> Result<f64, Fault> {
        Ok(match self.faulty(|core| core.acquire(now, request))? {
            Admission::Admitted(id) => id_number(id),
            Admission::Queued(id) => -id_number(id),
            Admission::Rejected(rejection) => rejection_code(self.note(rejection)),
        })
    }

    fn try_acquire(&mut self, now: Instant, request: Request<'_>) -> Result<f64, Fault> {
        let answer = self.faulty(|core| core.try_acquire(now, request))?;
        Ok(answer.map_or_else(rejection_code, id_number))
    }

    /// An input that may refuse an argument.
    fn faulty<R>(
        &mut self,
        act: impl FnOnce(&mut Bulkhead) -> Result<R, bulkheads_core::InvalidOption>,
    ) -> Result<R, Fault> {
        act(&mut self.core).map_err(|error| Fault::of(error, self.notation))
    }

    /// Takes in what the host has done since the last input.
    fn begin(&mut self, owner: OwnerId, mail: &mut Mailbox) {
        self.core.absorb(owner, self.credit, taken_of(mail));
        // An input reports its own fault only.
        self.fault = None;
        // Absorbed once: an input without a further report must not count it again.
        self.credit = Credit::NONE;
        let taken = code(mail[place::TAKEN]).min(code(mail[place::COUNT]));
        // Whatever the host wrote over the count: no more than are ever shown.
        for _ in (0..SHOWN).zip(0..taken) {
            self.core.poll_event(owner);
        }
        mail[place::TAKEN] = 0.0;
        let started = code(mail[place::STARTS_COUNT]) as usize;
        for id in mail[place::STARTED..].iter().take(started) {
            self.core.start(id_of(*id));
        }
        mail[place::STARTS_COUNT] = 0.0;
    }

    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    fn show(&mut self, owner: OwnerId, mail: &mut Mailbox) {
        if !self.is_shared {
            self.credit = self.core.credit(owner);
        }
        lay_out(self.credit, mail);
        let shown = mail[place::EVENTS..place::STARTED].chunks_exact_mut(EVENT_LEN);
        let mut count = 0_u32;
        for (place, event) in shown.zip(self.events(owner)) {
            let EventNumbers {
                kind,
                id,
                time,
                compartment,
            } = event;
            place.copy_from_slice(&[f64::from(kind), id, time, f64::from(compartment)]);
            count += 1;
        }
        mail[place::COUNT] = f64::from(count);
        let core = &self.core;
        let timer = core.poll_timeout(owner).unwrap_or(Instant::NEVER);
        mail[place::TIMER] = self.notation.instant_units(timer);
        mail[place::KEEPS_ALIVE] = truth(core.keeps_alive(owner));
        mail[place::LIMIT] = f64::from(core.limit());
        mail[place::ACTIVE] = core.active() as f64;
        mail[place::QUEUED] = f64::from(core.queued());
        mail[place::MAX_QUEUE] = f64::from(core.max_queue());
        mail[place::DETAIL] = self.detail;
    }
}

fn arguments(mail: &Mailbox) -> [f64; 8] {
    core::array::from_fn(|argument| mail[place::ARGUMENTS + argument])
}

/// What an arrival asks for: weight, time-out, deadline, flags, call time-out.
fn arrival<'a>(owner: OwnerId, mail: &Mailbox, notation: Notation) -> Result<Request<'a>, Fault> {
    let [permits, timeout, until, flags, bound, ..] = arguments(mail);
    let wish = request(code(flags), weight(permits, notation)?, owner);
    let wish = wish.timeout(wait(timeout, notation)?);
    let wish = wish.deadline(deadline(until, notation)?);
    Ok(wish.call_timeout(call_timeout(bound, notation)?))
}

/// The same for an item of a `map`, and: how many of its items run, and since when it waits.
fn item<'a>(owner: OwnerId, mail: &Mailbox, notation: Notation) -> Result<Request<'a>, Fault> {
    let [_, _, _, _, _, siblings, since, _] = arguments(mail);
    let wish = arrival(owner, mail, notation)?.siblings(code(siblings));
    Ok(wish.waits_since(notation.instant(since)))
}

fn lay_out(credit: Credit, mail: &mut Mailbox) {
    mail[place::FREE] = f64::from(credit.free);
    mail[place::STARTS] = f64::from(credit.starts);
    mail[place::LEAST] = f64::from(credit.least);
    mail[place::FAILED] = f64::from(credit.failed);
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn taken_of(mail: &Mailbox) -> Credit {
    Credit {
        free: mail[place::FREE] as i32,
        starts: code(mail[place::STARTS]),
        least: mail[place::LEAST] as i32,
        failed: code(mail[place::FAILED]),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and a number that is no code does nothing"
)]
const fn code(number: f64) -> u32 {
    number as u32
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[expect(clippy::cast_precision_loss, reason = "tickets stay below 2^53")]
fn ticket(ticket: Option<u64>) -> f64 {
    ticket.map_or(0.0, |ticket| ticket as f64)
}
