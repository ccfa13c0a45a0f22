//! What must be the same after each input.

use bulkheads_core::{CompartmentId, Event, Id};

use super::{World, compartment};

impl World {
    pub(super) fn compare(&mut self) {
        assert_eq!(self.hull.check_invariants(), Ok(()));
        for (place, alone) in self.alone.iter().enumerate() {
            assert_eq!(alone.check_invariants(), Ok(()));
            let stats = self.hull.snapshot(compartment(place));
            assert_eq!(stats, alone.snapshot(), "the books of {place}");
        }
        for (id, (place, twin)) in &self.twins {
            assert_eq!(self.hull.permits(*id), self.alone[*place].permits(*twin));
        }
        for (mine, theirs) in &self.owners {
            let each = || self.alone.iter().zip(theirs);
            let timers = each().filter_map(|(alone, id)| alone.poll_timeout(*id));
            assert_eq!(self.hull.poll_timeout(*mine), timers.min());
            let kept = each().any(|(alone, id)| alone.keeps_alive(*id));
            assert_eq!(self.hull.keeps_alive(*mine), kept);
            for (place, (alone, id)) in each().enumerate() {
                let came = self.hull.peek_events(*mine);
                let came: Vec<_> = came
                    .filter_map(|event| self.translated(*event, place))
                    .collect();
                let want: Vec<_> = alone.peek_events(*id).copied().collect();
                assert_eq!(came, want, "the events of {place}");
            }
        }
        self.compare_wakes();
    }

    /// Who is to be woken for any of the bulkheads is for the hull.
    fn compare_wakes(&mut self) {
        let Self { hull, alone, .. } = self;
        let woken: Vec<_> = std::iter::from_fn(|| hull.poll_wake()).collect();
        let each: Vec<Vec<_>> = alone
            .iter_mut()
            .map(|alone| std::iter::from_fn(|| alone.poll_wake()).collect())
            .collect();
        for (mine, theirs) in &self.owners {
            let want = each
                .iter()
                .zip(theirs)
                .any(|(woken, id)| woken.contains(id));
            assert_eq!(woken.contains(mine), want, "whether {mine:?} is woken");
        }
    }

    /// An event of this compartment, as its bulkhead would say it.
    fn translated(&self, event: Event, place: usize) -> Option<Event> {
        let twin = |id: Id| {
            let (of, twin) = self.twins[&id];
            (of == place).then_some(twin)
        };
        let here = |compartment: CompartmentId| {
            (compartment.index() as usize == place).then_some(CompartmentId::FIRST)
        };
        Some(match event {
            Event::Abort { compartment } => Event::Abort {
                compartment: here(compartment)?,
            },
            Event::Capacity { compartment } => Event::Capacity {
                compartment: here(compartment)?,
            },
            Event::Idle {
                compartment,
                ticket,
            } => Event::Idle {
                compartment: here(compartment)?,
                ticket: self.tickets[&ticket].1,
            },
            Event::Granted { id } => Event::Granted { id: twin(id)? },
            Event::Cancelled { id } => Event::Cancelled { id: twin(id)? },
            Event::CallTimedOut { id, nanos } => Event::CallTimedOut {
                id: twin(id)?,
                nanos,
            },
            Event::Closed { id, nanos } => Event::Closed {
                id: twin(id)?,
                nanos,
            },
            Event::QueueTimedOut { id, nanos } => Event::QueueTimedOut {
                id: twin(id)?,
                nanos,
            },
            Event::TooHeavy { id, nanos } => Event::TooHeavy {
                id: twin(id)?,
                nanos,
            },
        })
    }
}
