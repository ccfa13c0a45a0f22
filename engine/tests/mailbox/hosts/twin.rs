//! The core beside an engine: the same inputs through its typed methods.

use bulkheads_core::{
    Admission, Bulkhead, Cancellation, Credit, Id, Instant, Offer, Opt, Outcome, OwnerId, Reclaim,
    Rejection, Request, Span, Untimed,
};
use bulkheads_engine::mailbox::{INPUTS, Mailbox, SHOWN, STARTED_LEN, place};
use bulkheads_engine::{Notation, Options, deadline, wait, weight};

use super::convert::{
    credit_of, exact, id_of, limit_of, number, option, outcome, raw, rejection_code, request, truth,
};

pub(super) struct Twin {
    pub(super) core: Bulkhead,
    pub(super) notation: Notation,
    /// What the host may do by itself since the last input.
    pub(super) credit: Credit,
    /// Its hosts have no credit.
    is_shared: bool,
    pub(super) detail: f64,
}

/// What an engine is to answer: a number, or a fault of this option.
pub(super) type Want = Result<f64, Opt>;

/// An input and what it comes with.
struct Call {
    owner: OwnerId,
    now: Instant,
    arguments: [f64; 7],
    held: Vec<Id>,
}

/// What a host does with its credit.
#[derive(Debug)]
pub(super) enum Counted {
    Begins,
    Ends(Outcome),
}

/// What a host did between two inputs, apart from writing numbers.
#[derive(Default)]
pub(super) struct Done {
    pub(super) runs: Vec<Counted>,
    /// It wrote over the credit: what it did is what the numbers say.
    pub(super) is_garbage: bool,
}

impl Twin {
    pub(super) fn new(notation: Notation, options: Options, is_shared: bool) -> Option<Self> {
        let config = options.config(notation).ok()?;
        Some(Self {
            core: Bulkhead::new(config).ok()?,
            notation,
            credit: Credit::NONE,
            is_shared,
            detail: 0.0,
        })
    }

    /// Takes in what a host did since its last input.
    pub(super) fn take_in(&mut self, owner: OwnerId, done: &Done, mail: &Mailbox) {
        if done.is_garbage {
            let left = credit_of(mail);
            self.core.absorb(owner, self.credit, left);
        } else {
            self.do_runs(owner, &done.runs);
        }
        let taken = number(mail[place::TAKEN]).min(number(mail[place::COUNT]));
        for _ in 0..taken.min(u32::try_from(SHOWN).expect("a small number")) {
            self.core.poll_event(owner);
        }
        let started = number(mail[place::STARTS_COUNT]) as usize;
        for id in &mail[place::STARTED..][..started.min(STARTED_LEN)] {
            self.core.start(id_of(*id));
        }
    }

    /// A credit is no more than the right to do this.
    fn do_runs(&mut self, owner: OwnerId, runs: &[Counted]) {
        for run in runs {
            let is_done = match *run {
                Counted::Begins => self.core.admit_counted(owner) || self.begin_measured(owner),
                Counted::Ends(outcome) => self.core.finish_counted_untimed(owner, outcome),
            };
            assert!(is_done, "{run:?} was allowed");
        }
    }

    /// A run that is measured begins with a credit or with a slot: here with all that is left of a
    /// credit.
    fn begin_measured(&mut self, owner: OwnerId) -> bool {
        let given = self.core.credit(owner);
        let left = Credit {
            free: given.free - 1,
            starts: 0,
            least: given.free - 1,
            failed: 0,
        };
        let may_begin = given.free > 0 && given.starts == 1;
        if may_begin {
            self.core.absorb(owner, given, left);
        }
        may_begin
    }

    /// Lays out the credit anew.
    pub(super) fn settle(&mut self, owner: OwnerId) {
        self.credit = if self.is_shared {
            Credit::NONE
        } else {
            self.core.credit(owner)
        };
    }

    /// The method that an input stands for.
    pub(super) fn call(&mut self, owner: OwnerId, mail: &Mailbox, held: &[f64]) -> Want {
        let input = number(mail[place::CODE]);
        let Some((name, _)) = INPUTS.iter().find(|(_, known)| *known == input) else {
            return Ok(0.0);
        };
        let call = Call {
            owner,
            now: self.notation.instant(mail[place::NOW]),
            arguments: std::array::from_fn(|argument| mail[place::ARGUMENTS + argument]),
            held: held.iter().map(|id| id_of(*id)).collect(),
        };
        match *name {
            "acquire_untimed" => Ok(self.acquire_untimed(&call)),
            "acquire" => self.acquire(&call),
            "acquire_or_watch" => self.acquire_or_watch(&call),
            "try_acquire" => self.try_acquire(&call),
            "watch_capacity" => self.watch_capacity(&call),
            "show" => Ok(0.0),
            "start" | "resize" | "close" | "drain" | "evict" | "handle_timeout"
            | "unwatch_capacity" => {
                self.command(name, &call)?;
                Ok(0.0)
            }
            "release_part" | "split" | "adjust" => self.part(name, &call),
            _ => Ok(self.other(name, &call)),
        }
    }

    fn acquire_untimed(&mut self, call: &Call) -> f64 {
        let [value, flags, ..] = call.arguments;
        let Ok(weight) = weight(value, self.notation) else {
            return 0.0;
        };
        let request = request(number(flags), weight).owner(call.owner);
        match self.core.acquire_untimed(request) {
            Untimed::Admitted(id) => raw(id),
            Untimed::NeedsClock => 0.0,
            Untimed::Rejected(rejection) => self.rejected(rejection),
        }
    }

    fn acquire(&mut self, call: &Call) -> Want {
        let request = self.arrival(call)?;
        let answer = self.core.acquire(call.now, request.held(&call.held));
        Ok(match answer.expect("a valid weight") {
            Admission::Admitted(id) => raw(id),
            Admission::Queued(id) => -raw(id),
            Admission::Rejected(rejection) => self.rejected(rejection),
        })
    }

    fn acquire_or_watch(&mut self, call: &Call) -> Want {
        let request = self.item(call)?.held(&call.held);
        let offer = self.core.acquire_or_watch(call.now, request);
        Ok(match offer.expect("a valid weight") {
            Offer::Admitted(id) => raw(id),
            Offer::Rejected(rejection) => self.rejected(rejection),
            Offer::Watching => 0.0,
        })
    }

    fn try_acquire(&mut self, call: &Call) -> Want {
        let request = self.wish(call.owner, call.arguments[0], 0.0)?;
        let answer = self.core.try_acquire(call.now, request);
        let answer = answer.expect("a valid weight");
        Ok(answer.map_or_else(rejection_code, raw))
    }

    fn watch_capacity(&mut self, call: &Call) -> Want {
        let request = self.item(call)?.held(&call.held);
        let has_capacity = self.core.watch_capacity(call.now, request);
        Ok(truth(has_capacity.expect("a valid weight")))
    }

    /// What answers nothing.
    fn command(&mut self, name: &str, call: &Call) -> Result<(), Opt> {
        let ([first, ..], now, core) = (call.arguments, call.now, &mut self.core);
        match name {
            "start" => core.start(id_of(first)),
            "resize" => {
                let limit = limit_of(first).ok_or(Opt::Resize)?;
                core.resize(now, limit).expect("a valid limit");
            }
            "close" => core.close(now, first != 0.0),
            "drain" => {
                let timeout = wait(first, self.notation).map_err(option)?;
                core.drain_within(now, call.owner, timeout);
            }
            "unwatch_capacity" => core.unwatch_capacity(now, call.owner),
            "evict" => core.evict(now, call.owner),
            "handle_timeout" => core.handle_timeout(now),
            unknown => panic!("{unknown} has no method here"),
        }
        Ok(())
    }

    /// What a manual permit can do in part.
    fn part(&mut self, name: &str, call: &Call) -> Want {
        let ([first, second, ..], now, core) = (call.arguments, call.now, &mut self.core);
        let id = id_of(first);
        if name == "adjust" {
            let weight = weight(second, self.notation).map_err(option)?;
            return Ok(truth(core.adjust(now, id, weight).expect("a valid weight")));
        }
        let permits = limit_of(second).ok_or(Opt::Permits)?;
        if name == "release_part" {
            let released = core.release_part(now, id, permits);
            return released.map(truth).map_err(|error| error.option);
        }
        let part = core.split(now, id, permits).map_err(|error| error.option)?;
        Ok(part.map_or(0.0, raw))
    }

    /// What cannot be refused.
    fn other(&mut self, name: &str, call: &Call) -> f64 {
        let ([first, second, ..], now, core) = (call.arguments, call.now, &mut self.core);
        let id = id_of(first);
        match name {
            "finish_untimed" => truth(core.finish_untimed(id, outcome(second))),
            "finish" => truth(core.finish(now, id, outcome(second))),
            "release" => truth(core.release(now, id)),
            "cancel" => match core.cancel(now, id) {
                Cancellation::Settled => 0.0,
                Cancellation::Withdrawn => 1.0,
                Cancellation::AnsweredEarly => 2.0,
            },
            "reclaim" => reclaimed(core.reclaim(now, id)),
            "watch_idle" => core.watch_idle(now, call.owner).map_or(0.0, exact),
            "permits" => f64::from(core.permits(id)),
            "admit_counted" => truth(core.admit_counted(call.owner)),
            "reclaim_counted" => reclaimed(core.reclaim_counted(now, call.owner)),
            "finish_counted" => truth(core.finish_counted(now, call.owner, outcome(first))),
            "finish_measured" => {
                let ran = self.notation.instant(second).nanos_since(Instant::ZERO);
                let ran = Span::from_nanos(ran);
                truth(core.finish_measured(now, call.owner, outcome(first), ran))
            }
            unknown => panic!("{unknown} has no method here"),
        }
    }

    /// The callers behind one signal give up.
    pub(super) fn abort(&mut self, mail: &Mailbox, ids: &[f64]) {
        let now = self.notation.instant(mail[place::NOW]);
        self.core.abort(now, ids.iter().map(|id| id_of(*id)));
    }

    fn arrival(&self, call: &Call) -> Result<Request<'static>, Opt> {
        let [value, timeout, by, flags, bound, ..] = call.arguments;
        let request = self.wish(call.owner, value, flags)?;
        let request = request.timeout(wait(timeout, self.notation).map_err(option)?);
        let request = request.deadline(deadline(by, self.notation).map_err(option)?);
        // The rule of the option of the same name: more than nothing.
        if bound > 0.0 {
            let bound = self.notation.instant(bound).nanos_since(Instant::ZERO);
            Ok(request.call_timeout(Span::from_nanos(bound.max(1))))
        } else {
            Err(Opt::CallTimeout)
        }
    }

    fn item(&self, call: &Call) -> Result<Request<'static>, Opt> {
        let [.., siblings, since] = call.arguments;
        let request = self.arrival(call)?.siblings(number(siblings));
        Ok(request.waits_since(self.notation.instant(since)))
    }

    fn wish(&self, owner: OwnerId, value: f64, flags: f64) -> Result<Request<'static>, Opt> {
        let weight = weight(value, self.notation).map_err(option)?;
        Ok(request(number(flags), weight).owner(owner))
    }

    fn rejected(&mut self, rejection: Rejection) -> f64 {
        match rejection {
            Rejection::Reentrant { holding } => self.detail = exact(holding),
            Rejection::NoRoom { nanos } => self.detail = self.notation.units(nanos),
            _ => {}
        }
        rejection_code(rejection)
    }
}

const fn reclaimed(reclaim: Reclaim) -> f64 {
    match reclaim {
        Reclaim::Stale => 0.0,
        Reclaim::First => 1.0,
        Reclaim::Again => 2.0,
    }
}
