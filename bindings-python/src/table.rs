//! Who runs with which permit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use bulkheads_core::OwnerId;
use bulkheads_engine::EventNumbers;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::calls::Kind;
use crate::engine::whole;
use crate::host::{self, Step, Thread};
use crate::wakes::Callback;

/// The place of a run in the table, its holder's from `begin` to `end`.
pub(crate) type Ticket = u32;

const NONE: Ticket = Ticket::MAX;

/// An empty table gives its memory back if there were more runs than these.
const LARGE: usize = 4096;

/// Ties a permit to the task that holds it, so that its early answer can cancel the work there.
pub(crate) struct Run {
    /// The core's.
    pub(crate) id: f64,
    pub(crate) owner: OwnerId,
    pub(crate) weight: f64,
    pub(crate) holder: Holder,
    pub(crate) phase: Phase,
    /// If it was begun by a bare `async with`, which keeps no ticket: what the same holder had entered before, and the number of
    /// this entry; 0 if it was not.
    below: Ticket,
    entry: u64,
    /// One whose slot in the core this one got before its own end came here.
    older: Ticket,
    /// Until it goes on after it had to wait.
    wait: Option<Box<Wait>>,
}

/// The wait of a call.
#[derive(Default)]
pub(crate) struct Wait {
    /// Its end.
    pub(crate) told: Option<EventNumbers>,
    /// The message with which its task was cancelled, which may be Python's None. It resumes with that whatever it is told.
    pub(crate) cancelled: Option<Py<PyAny>>,
    callback: Option<Callback>,
    enters: bool,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Phase {
    /// Its early answer is fixed: a `Run` of Python has its task, and sees to its end.
    pub(crate) is_answered: bool,
    /// It goes on without its permit.
    pub(crate) is_released: bool,
}

/// Who came with a call.
pub(crate) struct Holder {
    /// None where a loop runs code without a task, and once the run is answered.
    pub(crate) task: Option<Py<PyAny>>,
    /// The address of the task, or of the loop if there is none; an odd number of a thread's own.
    pub(crate) key: usize,
    /// How often the task had been cancelled by then.
    pub(crate) cancelling: i64,
}

#[derive(Default)]
pub(crate) struct Table {
    runs: Vec<Option<Run>>,
    free: Vec<Ticket>,
    /// The latest by the slot of its id.
    tickets: Vec<Ticket>,
    /// What each task entered last.
    entered: HashMap<usize, Ticket, BuildHasherDefault<Addresses>>,
    entries: u64,
}

impl Run {
    pub(crate) fn new(id: f64, owner: OwnerId, weight: f64, holder: Holder) -> Self {
        Self {
            id,
            owner,
            weight,
            holder,
            phase: Phase::default(),
            below: NONE,
            entry: 0,
            older: NONE,
            wait: None,
        }
    }

    /// It has to wait.
    pub(crate) fn waiting(mut self, kind: Kind) -> Self {
        let enters = matches!(kind, Kind::Entry);
        let wait = Wait::default();
        self.wait = Some(Box::new(Wait { enters, ..wait }));
        self
    }
}

impl Wait {
    pub(crate) fn is_done(&self) -> bool {
        self.told.is_some() || self.cancelled.is_some()
    }
}

impl Holder {
    pub(crate) const NOBODY: Self = Self {
        task: None,
        key: 0,
        cancelling: 0,
    };

    /// This thread, outside of any loop.
    pub(crate) fn thread() -> Self {
        Self {
            key: Thread::current().key(),
            ..Self::NOBODY
        }
    }

    const fn is_thread(&self) -> bool {
        self.key % 2 == 1
    }

    pub(crate) fn of(step: &Step<'_>) -> PyResult<Self> {
        let task = step.task.as_ref();
        Ok(Self {
            key: step.key(),
            cancelling: task.map_or(Ok(0), host::cancelling)?,
            task: task.map(|task| task.clone().unbind()),
        })
    }
}

impl Table {
    pub(crate) fn begin(&mut self, mut run: Run) -> Ticket {
        let slot = slot(run.id);
        if self.tickets.len() <= slot {
            self.tickets.resize(slot + 1, NONE);
        }
        run.older = self.tickets[slot];
        let ticket = if let Some(ticket) = self.free.pop() {
            self.runs[ticket as usize] = Some(run);
            ticket
        } else {
            self.runs.push(Some(run));
            Ticket::try_from(self.runs.len() - 1).unwrap_or(NONE)
        };
        self.tickets[slot] = ticket;
        ticket
    }

    /// It was begun by a bare `async with`: `last_entered` finds it.
    pub(crate) fn enter(&mut self, ticket: Ticket) {
        let Some(run) = self.runs.get_mut(ticket as usize).and_then(Option::as_mut) else {
            return;
        };
        self.entries += 1;
        run.entry = self.entries;
        run.below = self.entered.insert(run.holder.key, ticket).unwrap_or(NONE);
    }

    pub(crate) fn get(&self, ticket: Ticket) -> Option<&Run> {
        self.runs.get(ticket as usize)?.as_ref()
    }

    fn find(&mut self, id: f64) -> Option<&mut Run> {
        let mut ticket = *self.tickets.get(slot(id))?;
        loop {
            let run = self.get(ticket)?;
            if whole(run.id) == whole(id) {
                return self.get_mut(ticket);
            }
            ticket = run.older;
        }
    }

    fn get_mut(&mut self, ticket: Ticket) -> Option<&mut Run> {
        self.runs.get_mut(ticket as usize)?.as_mut()
    }

    /// What the holder of this key entered last.
    pub(crate) fn last_entered(&self, key: usize) -> Option<Ticket> {
        self.entered.get(&key).copied()
    }

    /// What any thread entered last.
    pub(crate) fn last_entered_by_threads(&self) -> Option<Ticket> {
        let entries = self.entered.values().filter_map(|ticket| {
            let run = self.get(*ticket).filter(|run| run.holder.is_thread())?;
            Some((run.entry, *ticket))
        });
        entries.max().map(|(_, ticket)| ticket)
    }

    /// The last entry of each holder of an owner, with its task, in the order in which they came.
    pub(crate) fn all_entered(
        &self,
        py: Python<'_>,
        owner: OwnerId,
    ) -> Vec<(Ticket, Option<Py<PyAny>>)> {
        let runs = self.entered.values().filter_map(|ticket| {
            let run = self.get(*ticket).filter(|run| run.owner == owner)?;
            Some((*ticket, run))
        });
        let mut runs: Vec<_> = runs.collect();
        runs.sort_by_key(|(_, run)| run.entry);
        let runs = runs.into_iter();
        runs.map(|(ticket, run)| {
            (
                ticket,
                run.holder.task.as_ref().map(|task| task.clone_ref(py)),
            )
        })
        .collect()
    }

    /// Whoever has the ticket gives it back. What it holds is dropped after the lock.
    pub(crate) fn end(&mut self, ticket: Ticket) -> Option<Run> {
        let run = self.runs.get_mut(ticket as usize)?.take()?;
        self.free.push(ticket);
        self.forget_slot(ticket, &run);
        if run.entry > 0 {
            self.leave(&run);
        }
        if self.runs.len() > LARGE && self.free.len() == self.runs.len() {
            // A crowd has gone.
            (self.runs, self.free, self.tickets) = Default::default();
        }
        Some(run)
    }

    pub(crate) fn wait(&self, ticket: Ticket) -> Option<&Wait> {
        self.get(ticket)?.wait.as_deref()
    }

    fn wait_mut(&mut self, ticket: Ticket) -> Option<&mut Wait> {
        self.get_mut(ticket)?.wait.as_deref_mut()
    }

    /// Answers the callback if it is done already.
    pub(crate) fn add_callback(&mut self, ticket: Ticket, callback: Callback) -> Option<Callback> {
        match self.wait_mut(ticket) {
            Some(wait) if !wait.is_done() => wait.callback.replace(callback),
            _ => Some(callback),
        }
    }

    /// The task of a waiter is cancelled, and is to be woken with that.
    pub(crate) fn cancel(&mut self, ticket: Ticket, message: Py<PyAny>) -> Option<(f64, OwnerId)> {
        let run = self.get_mut(ticket)?;
        let (id, owner) = (run.id, run.owner);
        run.wait.as_mut()?.cancelled = Some(message);
        Some((id, owner))
    }

    /// A waiter has its end. True if it is to be woken.
    pub(crate) fn tell(&mut self, event: EventNumbers) -> bool {
        let Some(wait) = self.find(event.id).and_then(|run| run.wait.as_mut()) else {
            return false;
        };
        wait.told = Some(event);
        wait.cancelled.is_none()
    }

    /// How to wake the waiter of this id.
    pub(crate) fn take_callback(&mut self, id: f64) -> Option<Callback> {
        self.find(id)?.wait.as_mut()?.callback.take()
    }

    /// A waiter that was granted goes on. Answers what is to be dropped after the lock.
    pub(crate) fn resume(&mut self, ticket: Ticket) -> Option<Box<Wait>> {
        let wait = self.get_mut(ticket)?.wait.take()?;
        if wait.enters {
            self.enter(ticket);
        }
        Some(wait)
    }

    fn leave(&mut self, run: &Run) {
        if run.below == NONE {
            self.entered.remove(&run.holder.key);
        } else {
            self.entered.insert(run.holder.key, run.below);
        }
    }

    fn forget_slot(&mut self, ticket: Ticket, run: &Run) {
        let slot = slot(run.id);
        let mut latest = self.tickets[slot];
        if latest == ticket {
            self.tickets[slot] = run.older;
            return;
        }
        while let Some(younger) = self.get_mut(latest) {
            if younger.older == ticket {
                younger.older = run.older;
                return;
            }
            latest = younger.older;
        }
    }

    /// The permit of a run is given back before its end: its id, and whether it is answered.
    pub(crate) fn release(&mut self, ticket: Ticket) -> Option<(f64, bool)> {
        let run = self.get_mut(ticket)?;
        run.phase.is_released = true;
        Some((run.id, run.phase.is_answered))
    }

    /// A run that was begun for nobody has its holder now. If it is answered already, its id and the task.
    pub(crate) fn hand_over(
        &mut self,
        ticket: Ticket,
        holder: Holder,
    ) -> Option<(f64, Option<Py<PyAny>>)> {
        let run = self.get_mut(ticket)?;
        run.holder = holder;
        run.phase
            .is_answered
            .then(|| (run.id, run.holder.task.take()))
    }

    /// The run of this id is answered early: its task, and how often that had been cancelled.
    pub(crate) fn answer(&mut self, id: f64) -> Option<(Option<Py<PyAny>>, i64)> {
        let run = self.find(id)?;
        run.phase.is_answered = true;
        Some((run.holder.task.take(), run.holder.cancelling))
    }

    /// What it holds of Python's.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        for run in self.runs.iter().flatten() {
            visit.call(&run.holder.task)?;
            let Some(wait) = &run.wait else { continue };
            visit.call(&wait.cancelled)?;
            if let Some(callback) = &wait.callback {
                visit.call(&callback.function)?;
                visit.call(&callback.context)?;
                visit.call(&callback.waiting)?;
            }
        }
        Ok(())
    }

    /// All of it, to be dropped after the lock.
    pub(crate) fn forget(&mut self) -> Vec<Option<Run>> {
        self.entered.clear();
        self.free.clear();
        self.tickets.clear();
        std::mem::take(&mut self.runs)
    }
}

/// Addresses differ in their middle bits.
#[derive(Default)]
struct Addresses(u64);

impl Hasher for Addresses {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        // Multiplied by the golden ratio of 2^64, all bits depend on the lower ones; the table reads the upper and the lower end.
        self.0 = (self.0 ^ address as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(32);
    }
}

/// The lower half of an id.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ids are whole, positive and below 2^53"
)]
const fn slot(id: f64) -> usize {
    id as u64 as u32 as usize
}
