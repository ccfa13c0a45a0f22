//! Hosts that write anything into their mailboxes, and what must hold all the same.
//!
//! The fuzz target, the replay of its corpus and the tests beside this file all go through here.
#![expect(
    clippy::float_cmp,
    reason = "what is told must be what is so, bit by bit"
)]

use bulkheads::engine::{Engine, EventNumbers, Options};
use bulkheads::mailbox::{MAILBOX_LEN, Mailbox};
use bulkheads::{Notation, OwnerId};

/// The places of `docs/engine.md`.
const CODE: usize = 0;
const NOW: usize = 1;
const TAKEN: usize = 6;
const COUNT: usize = 7;
const TIMER: usize = 8;
const KEEPS_ALIVE: usize = 9;
const CALM: usize = 14;
const EVENTS: usize = 15;
const SHOWN: usize = (MAILBOX_LEN - EVENTS) / 3;

/// Beyond the inputs of the table: `abort`, which has a list.
const ABORT: u8 = 18;

struct Hosts {
    engine: Engine,
    owners: Vec<OwnerId>,
    mails: Vec<Mailbox>,
    /// The last answer that may have been an id.
    id: f64,
}

/// Exchanges what these bytes say; panics if anything is wrong.
pub(crate) fn play(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let Some(mut hosts) = Hosts::new(&mut bytes) else {
        return;
    };
    while !bytes.0.is_empty() {
        hosts.exchange(&mut bytes);
    }
}

impl Hosts {
    /// None if the options are out of their range.
    fn new(bytes: &mut Bytes) -> Option<Self> {
        let notation = if bytes.next() & 1 == 0 {
            Notation::CamelMillis
        } else {
            Notation::SnakeSeconds
        };
        let mut option = || match bytes.next() % 4 {
            0 => None,
            1 => Some(f64::from(bytes.next())),
            2 => Some(bytes.number(0.0)),
            _ => Some(f64::INFINITY),
        };
        let options = Options {
            max_queue: option(),
            timeout: option(),
            call_timeout: option(),
            abandon_after: option(),
            max_concurrent: option().unwrap_or(2.0),
        };
        let mut engine = Engine::new(notation, options).ok()?;
        let owners = vec![OwnerId::FIRST, engine.attach()];
        Some(Self {
            engine,
            owners,
            mails: vec![[0.0; MAILBOX_LEN]; 2],
            id: 0.0,
        })
    }

    fn exchange(&mut self, bytes: &mut Bytes) {
        let first = bytes.next();
        let host = usize::from(first >> 7);
        let input = (first & 0x7F) % (ABORT + 2);
        let mut mail = self.mails[host];
        let arguments = bytes.next();
        for place in 0..6 {
            if arguments >> place & 1 == 1 {
                mail[NOW + place] = bytes.number(self.id);
            }
        }
        // A host may even write over what was told it.
        if arguments >> 6 == 3 {
            mail[COUNT] = bytes.number(self.id);
        }
        if input == ABORT {
            let ids = [bytes.number(self.id), self.id];
            let (owner, now) = (self.owners[host], mail[NOW]);
            self.engine.exchange_abort(owner, &mut mail, now, &ids);
        } else {
            mail[CODE] = f64::from(input);
            self.engine.exchange(self.owners[host], &mut mail);
            self.check_answer(input, &mail);
        }
        if input > 2 {
            self.check_shown(host, &mail);
        }
        assert_eq!(self.engine.core().check_invariants(), Ok(()));
        self.mails[host] = mail;
        self.replace_evicted(host, input);
    }

    fn check_answer(&mut self, input: u8, mail: &Mailbox) {
        let answer = mail[CODE];
        let fault = self.engine.take_fault();
        assert_eq!(fault.is_some(), answer.is_nan(), "a fault is no number");
        if let Some(fault) = fault {
            assert!(!fault.to_string().is_empty());
            return;
        }
        if matches!(input, 1 | 3 | 4) && answer.abs() > 8.0 {
            self.id = answer.abs();
        }
        let truths = matches!(input, 2 | 6 | 7 | 13 | 14);
        assert!(
            !truths || answer == 0.0 || answer == 1.0,
            "{input}: {answer}"
        );
        let ids = answer == 0.0 || answer.abs() >= 4_294_967_296.0;
        assert!(input != 1 || ids, "{answer} is no id");
        let known = (1.0..=8.0).contains(&answer) || ids && answer != 0.0;
        assert!(!matches!(input, 3 | 4) || known, "{answer} is no admission");
    }

    /// What is shown is what the methods say.
    fn check_shown(&self, host: usize, mail: &Mailbox) {
        let (engine, owner) = (&self.engine, self.owners[host]);
        let events: Vec<_> = engine.events(owner).take(SHOWN).collect();
        let count = u8::try_from(events.len()).expect("no more than are shown");
        assert_eq!((mail[TAKEN], mail[COUNT]), (0.0, f64::from(count)));
        for (place, event) in mail[EVENTS..].chunks_exact(3).zip(events) {
            let EventNumbers { kind, id, time } = event;
            assert_eq!(place, [f64::from(kind), id, time]);
        }
        let truth = |is| f64::from(u8::from(is));
        assert_eq!(mail[TIMER], engine.next_timer(owner));
        assert_eq!(mail[KEEPS_ALIVE], truth(engine.keeps_alive(owner)));
        assert!(mail[CALM] == 0.0 || engine.core().queued() == 0);
    }

    /// Another handle takes the place of one whose owner is gone.
    fn replace_evicted(&mut self, host: usize, input: u8) {
        if input == 12 {
            self.owners[host] = self.engine.attach();
            self.mails[host] = [0.0; MAILBOX_LEN];
        }
    }
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

    /// One of those that code trips over, or any at all.
    fn number(&mut self, id: f64) -> f64 {
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
