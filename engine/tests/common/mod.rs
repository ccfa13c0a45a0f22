//! A host with one engine: it writes an input by its name, and reads what it is shown.
#![allow(dead_code, reason = "each of the tests uses a part of it")]

use bulkheads_core::OwnerId;
use bulkheads_engine::mailbox::{self, EVENT_LEN, INPUTS, Mailbox, place};
use bulkheads_engine::{EVENTS, Engine, Notation, OUTCOMES, Options, REJECTIONS};

/// No deadline, and no bound of a wait.
pub(crate) const NEVER: f64 = f64::INFINITY;

/// The arguments that are left out.
const DEFAULTS: [f64; 7] = [0.0, NEVER, NEVER, 0.0, NEVER, 0.0, NEVER];

pub(crate) struct Host {
    pub(crate) engine: Engine,
    pub(crate) mail: Mailbox,
    pub(crate) owner: OwnerId,
}

pub(crate) fn options(max_concurrent: f64, max_queue: f64) -> Options {
    Options {
        max_concurrent,
        max_queue: Some(max_queue),
        ..Options::default()
    }
}

impl Host {
    /// Counts in milliseconds.
    pub(crate) fn new(options: Options) -> Self {
        Self::of(Notation::CamelMillis, options)
    }

    pub(crate) fn of(notation: Notation, options: Options) -> Self {
        Self {
            engine: Engine::new(notation, options).expect("valid options"),
            mail: mailbox::empty(),
            owner: OwnerId::FIRST,
        }
    }

    /// Does an input and answers its answer. Arguments that are left out are those of a call
    /// without a call time-out and of a map of which nothing runs.
    pub(crate) fn ask(&mut self, input: &str, now: f64, arguments: &[f64]) -> f64 {
        self.ask_holding(input, now, arguments, &[])
    }

    /// As [`Host::ask`] for a caller that holds the permits of these ids.
    pub(crate) fn ask_holding(
        &mut self,
        input: &str,
        now: f64,
        arguments: &[f64],
        held: &[f64],
    ) -> f64 {
        let mail = &mut self.mail;
        mail[place::CODE] = code_of(input);
        mail[place::NOW] = now;
        mail[place::ARGUMENTS..][..DEFAULTS.len()].copy_from_slice(&DEFAULTS);
        mail[place::ARGUMENTS..][..arguments.len()].copy_from_slice(arguments);
        self.engine.exchange_holding(self.owner, mail, held);
        mail[place::CODE]
    }

    /// An arrival at 0 of work that the bulkhead runs, of weight 1.
    pub(crate) fn call(&mut self) -> f64 {
        self.ask("acquire", 0.0, &[1.0, NEVER, NEVER, RUN])
    }

    /// Takes the first event, if there is one: its kind, its id and its time.
    pub(crate) fn event(&mut self) -> Option<(&'static str, f64, f64)> {
        self.ask("show", 0.0, &[]);
        if self.mail[place::COUNT] == 0.0 {
            return None;
        }
        self.mail[place::TAKEN] = 1.0;
        let [kind, id, time, _] = self.shown(0);
        Some((name_of(&EVENTS, kind), id, time))
    }

    /// The kind, id, time and compartment of an event that is shown.
    pub(crate) fn shown(&self, index: usize) -> [f64; EVENT_LEN] {
        let place = place::EVENTS + index * EVENT_LEN;
        std::array::from_fn(|number| self.mail[place + number])
    }

    /// The text of the fault that an answer which is no number stands for.
    #[track_caller]
    pub(crate) fn fault(&mut self) -> String {
        self.engine.take_fault().expect("a fault").to_string()
    }

    /// Begins a counted run with the credit, as a host does: see [`bulkheads_core::Credit`]. One
    /// that takes the last of `starts` is to be ended by `finish_measured`.
    pub(crate) fn begin(&mut self) -> bool {
        let mail = &mut self.mail;
        let may_begin = mail[place::FREE] > 0.0 && mail[place::STARTS] > 0.0;
        if may_begin {
            mail[place::FREE] -= 1.0;
            mail[place::STARTS] -= 1.0;
            mail[place::LEAST] = mail[place::LEAST].min(mail[place::FREE]);
        }
        may_begin
    }

    /// Ends a counted run with the credit; false if only the engine knows what the end allows.
    pub(crate) fn end(&mut self, outcome: &str) -> bool {
        let mail = &mut self.mail;
        let may_end = mail[place::FREE] >= 0.0;
        if may_end {
            mail[place::FREE] += 1.0;
            mail[place::FAILED] += outcome_code(outcome);
        }
        may_end
    }
}

/// The flag of an arrival of work that the bulkhead runs.
pub(crate) const RUN: f64 = bulkheads_engine::RUN as f64;
/// The flag of an arrival whose signal is already aborted.
pub(crate) const ABORTED: f64 = bulkheads_engine::ABORTED as f64;

#[track_caller]
pub(crate) fn code_of(input: &str) -> f64 {
    let found = INPUTS.iter().find(|(name, _)| *name == input);
    f64::from(found.expect("an input of the table").1)
}

#[track_caller]
pub(crate) fn rejection_code(name: &str) -> f64 {
    number_of(&REJECTIONS, name)
}

#[track_caller]
pub(crate) fn outcome_code(name: &str) -> f64 {
    number_of(&OUTCOMES, name)
}

#[track_caller]
fn number_of(table: &[&str], name: &str) -> f64 {
    let place = table.iter().position(|known| *known == name);
    u32::try_from(place.expect("a name of the table")).map_or(f64::NAN, f64::from)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small number"
)]
pub(crate) fn name_of(table: &[&'static str], number: f64) -> &'static str {
    table[number as usize]
}

/// Compares bit by bit: a number that only looks alike would be a wrong id.
#[track_caller]
pub(crate) fn same(came: f64, want: f64) {
    assert_eq!(came.to_bits(), want.to_bits(), "{came} is not {want}");
}
