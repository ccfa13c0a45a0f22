//! Hosts that write anything into their mailboxes, beside a core whose methods are called as the
//! table of inputs says.
//!
//! The fuzz target, the replay of its corpus and the tests beside this file all go through here.
#![expect(
    clippy::float_cmp,
    reason = "what is shown must be what is so, bit by bit"
)]

mod bytes;
mod check;
mod convert;
mod twin;
mod write;

use bulkheads_core::OwnerId;
use bulkheads_engine::mailbox::{self, INPUTS, Mailbox, place};
use bulkheads_engine::{Engine, Notation, Options, numbers};

use bytes::Bytes;
use convert::number;
use twin::{Done, Twin, Want};

/// Beyond the inputs of the table: `exchange_abort`, `exchange_stats`, and codes that are no input.
const FURTHER: usize = 3;

pub(crate) struct Hosts {
    engine: Engine,
    /// The same without a mailbox.
    twin: Twin,
    owners: Vec<OwnerId>,
    mails: Vec<Mailbox>,
    /// The last answer that may have been an id.
    id: f64,
    /// Of each host: runs that it has begun by the rules and may end, no more than there are.
    counted: Vec<u32>,
}

/// What one exchange is.
enum Exchange {
    Input(u32),
    Abort([f64; 2]),
    Stats,
}

/// Exchanges what these bytes say; panics if anything is wrong. Answers how many runs began or
/// ended with the credit.
pub(crate) fn play(bytes: &[u8]) -> usize {
    let (mut bytes, mut runs) = (Bytes(bytes), 0);
    let Some(mut hosts) = Hosts::out_of(&mut bytes) else {
        return runs;
    };
    while !bytes.0.is_empty() {
        runs += hosts.play_one(&mut bytes);
    }
    runs
}

impl Hosts {
    /// None if the options are out of their range.
    fn out_of(bytes: &mut Bytes) -> Option<Self> {
        let first = bytes.next();
        let notation = if first & 1 == 0 {
            Notation::CamelMillis
        } else {
            Notation::SnakeSeconds
        };
        let options = Options {
            max_queue: bytes.option(0.0),
            timeout: bytes.option(f64::INFINITY),
            call_timeout: bytes.option(f64::INFINITY),
            abandon_after: bytes.option(f64::INFINITY),
            max_concurrent: bytes.option(5.0).unwrap_or(2.0),
        };
        Self::new(notation, options, first & 2 != 0)
    }

    /// One host with a credit, or two that share the engine and have none.
    pub(crate) fn new(notation: Notation, options: Options, is_shared: bool) -> Option<Self> {
        let mut engine = Engine::new(notation, options).ok()?;
        let mut twin = Twin::new(notation, options, is_shared)?;
        let mut owners = vec![OwnerId::FIRST];
        if is_shared {
            engine = engine.shared();
            owners.push(engine.as_mut().add_owner());
            twin.core.add_owner();
        }
        Some(Self {
            engine,
            twin,
            mails: vec![mailbox::empty(); owners.len()],
            owners,
            id: 0.0,
            counted: vec![0; 2],
        })
    }

    fn play_one(&mut self, bytes: &mut Bytes) -> usize {
        let first = usize::from(bytes.next());
        let host = (first >> 7) % self.owners.len();
        let input = (first & 0x7F) % (INPUTS.len() + FURTHER);
        let done = self.act(host, INPUTS.get(input).map(|(name, _)| *name), bytes);
        let held = if bytes.next() & 1 == 0 {
            vec![]
        } else {
            vec![self.id, bytes.number(self.id)]
        };
        let exchange = match input.checked_sub(INPUTS.len()) {
            None => Exchange::Input(INPUTS[input].1),
            Some(0) => Exchange::Abort([bytes.number(self.id), self.id]),
            Some(1) => Exchange::Stats,
            Some(_) => Exchange::Input(number(bytes.number(self.id))),
        };
        self.exchange(host, &exchange, &held, &done);
        done.runs.len()
    }

    fn exchange(&mut self, host: usize, exchange: &Exchange, held: &[f64], done: &Done) {
        let (owner, mut mail) = (self.owners[host], self.mails[host]);
        self.twin.take_in(owner, done, &mail);
        if done.is_garbage {
            self.counted[host] = 0;
        }
        match *exchange {
            Exchange::Input(code) => {
                mail[place::CODE] = f64::from(code);
                let want = self.twin.call(owner, &mail, held);
                self.engine.exchange_holding(owner, &mut mail, held);
                self.check_answer(code, mail[place::CODE], want);
                self.count(host, code, mail[place::CODE]);
            }
            Exchange::Abort(ids) => {
                self.twin.abort(&mail, &ids);
                self.engine.exchange_abort(owner, &mut mail, &ids);
            }
            Exchange::Stats => {
                let want = numbers(&self.twin.core.snapshot(), self.twin.notation);
                let came = self.engine.exchange_stats(owner, &mut mail);
                assert_eq!(came.map(f64::to_bits), want.map(f64::to_bits));
            }
        }
        self.twin.settle(owner);
        self.check_shown(owner, &mail);
        self.mails[host] = mail;
        self.check_cores();
        if matches!(exchange, Exchange::Input(code) if name_of(*code) == Some("evict")) {
            self.replace(host);
        }
    }

    fn check_answer(&mut self, code: u32, came: f64, want: Want) {
        let fault = self.engine.take_fault();
        match want {
            Ok(want) => assert_eq!((came.to_bits(), fault), (want.to_bits(), None)),
            Err(option) => {
                let option = Some(option);
                let came = (came.is_nan(), fault.map(|fault| fault.option));
                assert_eq!(came, (true, option));
            }
        }
        let name = name_of(code);
        if came.abs() >= 4_294_967_296.0 && name != Some("watch_idle") {
            self.id = came.abs();
        }
    }

    /// Books the counted runs that an input began or ended.
    fn count(&mut self, host: usize, code: u32, answer: f64) {
        let counted = &mut self.counted[host];
        match name_of(code) {
            Some("admit_counted") if answer == 1.0 => *counted += 1,
            Some("finish_counted" | "finish_measured" | "reclaim_counted") if answer >= 1.0 => {
                *counted = counted.saturating_sub(1);
            }
            _ => {}
        }
    }

    /// Another host takes the place of one whose owner is gone.
    fn replace(&mut self, host: usize) {
        let owner = self.engine.as_mut().add_owner();
        assert_eq!(owner, self.twin.core.add_owner());
        self.owners[host] = owner;
        self.counted[host] = 0;
        let credit = place::FREE..=place::FAILED;
        let before = std::mem::replace(&mut self.mails[host], mailbox::empty());
        self.mails[host][credit.clone()].copy_from_slice(&before[credit]);
    }
}

fn name_of(code: u32) -> Option<&'static str> {
    let (name, _) = INPUTS.iter().find(|(_, known)| *known == code)?;
    Some(name)
}
