//! Hosts that write anything into their mailboxes, beside an engine whose methods are called as the table says.
//!
//! The fuzz target, the replay of its corpus and the tests beside this file all go through here.
#![expect(
    clippy::float_cmp,
    reason = "what is told must be what is so, bit by bit"
)]

use bulkheads_core::{InvalidOption, Notation, OwnerId};
use bulkheads_engine::mailbox::{MAILBOX_LEN, Mailbox};
use bulkheads_engine::{Engine, EventNumbers, Options};

/// The places of `docs/engine.md`.
const CODE: usize = 0;
const NOW: usize = 1;
const TAKEN: usize = 7;
const COUNT: usize = 8;
const TIMER: usize = 9;
const KEEPS_ALIVE: usize = 10;
const CALM: usize = 15;
const EVENTS: usize = 16;
const SHOWN: usize = (MAILBOX_LEN - EVENTS) / 3;

const EVICT: u8 = 12;
/// Beyond the inputs of the table: `abort`, which has a list.
const ABORT: u8 = 19;

struct Hosts {
    engine: Engine,
    /// The same without a mailbox.
    twin: Engine,
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
        let mut twin = Engine::new(notation, options).ok()?;
        let owners = vec![OwnerId::FIRST, engine.attach()];
        twin.attach();
        Some(Self {
            engine,
            twin,
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
        for place in 0..7 {
            if arguments >> place & 1 == 1 {
                mail[NOW + place] = bytes.number(self.id);
            }
        }
        // A host may even write over what was told it.
        if arguments >> 6 == 3 {
            mail[COUNT] = bytes.number(self.id);
        }
        let owner = self.owners[host];
        let shows = !matches!(input, 1 | 2);
        if shows {
            self.take_from_twin(owner, &mail);
        }
        if input == ABORT {
            let (now, ids) = (mail[NOW], [bytes.number(self.id), self.id]);
            self.engine.exchange_abort(owner, &mut mail, now, &ids);
            self.twin.abort(now, &ids);
        } else {
            mail[CODE] = f64::from(input);
            let want = call(&mut self.twin, owner, &mail);
            self.engine.exchange(owner, &mut mail);
            self.check_answer(input, mail[CODE], want);
        }
        if shows {
            self.check_shown(owner, &mail);
        }
        self.mails[host] = mail;
        self.check_twin();
        if input == EVICT {
            self.replace(host);
        }
    }

    /// What the host says that it took of what it was shown.
    fn take_from_twin(&mut self, owner: OwnerId, mail: &Mailbox) {
        let taken = number(mail[TAKEN]).min(number(mail[COUNT]));
        for _ in 0..taken.min(16) {
            self.twin.next_event(owner);
        }
    }

    fn check_answer(&mut self, input: u8, came: f64, want: Result<f64, InvalidOption>) {
        let fault = self.engine.take_fault();
        match want {
            Ok(want) => assert_eq!((came.to_bits(), fault), (want.to_bits(), None)),
            Err(want) => {
                let (text, want) = (fault.map(|fault| fault.to_string()), want.to_string());
                assert_eq!((came.is_nan(), text), (true, Some(want)));
            }
        }
        let is_id = came.abs() >= 4_294_967_296.0;
        if matches!(input, 1 | 3 | 4) && is_id {
            self.id = came.abs();
        }
    }

    /// What is shown is what the methods say.
    fn check_shown(&self, owner: OwnerId, mail: &Mailbox) {
        let twin = &self.twin;
        let events: Vec<_> = twin.events(owner).take(SHOWN).collect();
        let count = u8::try_from(events.len()).expect("no more than are shown");
        assert_eq!((mail[TAKEN], mail[COUNT]), (0.0, f64::from(count)));
        for (place, event) in mail[EVENTS..].chunks_exact(3).zip(events) {
            let EventNumbers { kind, id, time } = event;
            assert_eq!(place, [f64::from(kind), id, time]);
        }
        assert_eq!(mail[TIMER], twin.next_timer(owner));
        assert_eq!(mail[KEEPS_ALIVE], truth(twin.keeps_alive(owner)));
        assert!(mail[CALM] == 0.0 || twin.core().queued() == 0);
    }

    fn check_twin(&self) {
        assert_eq!(self.engine.core().check_invariants(), Ok(()));
        assert_eq!(self.engine.stats(), self.twin.stats());
        for owner in &self.owners {
            let (one, other) = (self.engine.events(*owner), self.twin.events(*owner));
            assert!(one.eq(other), "an event was lost, or came from nowhere");
        }
    }

    /// Another handle takes the place of one whose owner is gone.
    fn replace(&mut self, host: usize) {
        self.owners[host] = self.engine.attach();
        assert_eq!(self.owners[host], self.twin.attach());
        self.mails[host] = [0.0; MAILBOX_LEN];
    }
}

/// The table of `docs/engine.md`, as a host without a mailbox would call it.
fn call(engine: &mut Engine, owner: OwnerId, mail: &Mailbox) -> Result<f64, InvalidOption> {
    let [code, now, first, second, third, fourth, fifth, ..] = *mail;
    match number(code) {
        1 => return Ok(engine.admit_now(owner, number(first), number(second))),
        2 => return Ok(truth(engine.finish_now(first, number(second)))),
        3 => return engine.acquire(owner, now, first, second, third, number(fourth), fifth),
        4 => return engine.try_acquire(owner, now, first),
        5 => engine.start(first),
        6 => return Ok(truth(engine.finish(now, first, number(second)))),
        7 => return Ok(truth(engine.release(now, first))),
        8 => return Ok(f64::from(engine.cancel(now, first))),
        9 => engine.resize(now, first)?,
        10 => engine.close(now, first != 0.0),
        11 => engine.drain(now),
        12 => engine.evict(owner, now),
        13 => return Ok(truth(engine.watch_idle(owner, now))),
        14 => return engine.watch_room(owner, now, first, second).map(truth),
        15 => engine.handle_timeout(now),
        18 => return Ok(f64::from(engine.permits(first))),
        _ => {}
    }
    Ok(0.0)
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as the mailbox reads its codes"
)]
fn number(written: f64) -> u32 {
    written as u32
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
