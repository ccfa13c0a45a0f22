//! What a host is shown is what the methods say, and both cores are the same.

use bulkheads_core::{Credit, Event, OwnerId};
use bulkheads_engine::Notation;
use bulkheads_engine::mailbox::{EVENT_LEN, Mailbox, SHOWN, VERSION, place};

use super::Hosts;
use super::convert::{exact, truth};

impl Hosts {
    /// What is shown is what the methods say.
    pub(super) fn check_shown(&self, owner: OwnerId, mail: &Mailbox) {
        let (core, notation) = (&self.twin.core, self.twin.notation);
        let events: Vec<_> = core.peek_events(owner).take(SHOWN).collect();
        let figures = [
            (place::TAKEN, 0.0),
            (place::STARTS_COUNT, 0.0),
            (place::COUNT, exact(events.len() as u64)),
            (place::KEEPS_ALIVE, truth(core.keeps_alive(owner))),
            (place::LIMIT, f64::from(core.limit())),
            (place::ACTIVE, exact(core.active())),
            (place::QUEUED, f64::from(core.queued())),
            (place::MAX_QUEUE, f64::from(core.max_queue())),
            (place::DETAIL, self.twin.detail),
            (place::VERSION, VERSION),
        ];
        for (place, figure) in figures {
            assert_eq!(mail[place], figure, "place {place}");
        }
        let Credit {
            free,
            starts,
            least,
            failed,
        } = self.twin.credit;
        let credit = [free.into(), starts.into(), least.into(), failed.into()];
        assert_eq!(mail[place::FREE..=place::FAILED], credit);
        let timer = core.poll_timeout(owner);
        let timer = timer.map_or(f64::INFINITY, |at| notation.instant_units(at));
        assert_eq!(mail[place::TIMER], timer);
        let shown = mail[place::EVENTS..].chunks_exact(EVENT_LEN);
        for (shown, event) in shown.zip(events) {
            assert_eq!(shown, numbers_of(*event, notation));
        }
    }

    pub(super) fn check_cores(&self) {
        let (core, twin) = (self.engine.core(), &self.twin.core);
        assert_eq!(core.check_invariants(), Ok(()));
        assert_eq!(core.snapshot(), twin.snapshot());
        for owner in &self.owners {
            let (one, other) = (core.peek_events(*owner), twin.peek_events(*owner));
            assert!(one.eq(other), "an event was lost, or came from nowhere");
        }
    }
}

/// An event as the table of events has it.
fn numbers_of(event: Event, notation: Notation) -> [f64; EVENT_LEN] {
    let (name, id, nanos) = match event {
        Event::Granted { id } => ("granted", id.as_raw(), 0),
        Event::QueueTimedOut { id, nanos } => ("queue_timeout", id.as_raw(), nanos),
        Event::Closed { id, nanos } => ("closed", id.as_raw(), nanos),
        Event::TooHeavy { id, nanos } => ("too_heavy", id.as_raw(), nanos),
        Event::Cancelled { id } => ("cancelled", id.as_raw(), 0),
        Event::CallTimedOut { id, nanos } => ("call_timeout", id.as_raw(), nanos),
        Event::Abort { .. } => ("abort", 0, 0),
        Event::Idle { ticket, .. } => ("idle", ticket, 0),
        Event::Capacity { .. } => ("capacity", 0, 0),
    };
    let kinds = bulkheads_engine::EVENTS.iter();
    let kind = kinds.take_while(|known| **known != name).count() as u64;
    // The only compartment of a bulkhead is number 0.
    [exact(kind), exact(id), notation.units(nanos), 0.0]
}
