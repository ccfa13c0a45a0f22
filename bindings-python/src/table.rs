//! The calls that wait or hold permits, and who made them.
//!
//! A fork leaves it alone: the ids in it are stale then.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use bulkheads_core::{Id, OwnerId};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::event_loop::asyncio::{Step, Thread};

/// The place of a call in the table, its caller's from its admission to its end.
pub(crate) type Ticket = u32;

const NONE: Ticket = Ticket::MAX;

/// An empty table gives its memory back if there were more calls than these.
const LARGE: usize = 4096;

pub(crate) struct Call {
    pub(crate) id: Id,
    pub(crate) owner: OwnerId,
    pub(crate) weight: u32,
    pub(crate) holder: Holder,
    /// Whether the bulkhead runs its work, so that it is cancelled if it is closed with abort.
    pub(crate) is_run: bool,
    /// It goes on without its permit.
    pub(crate) is_released: bool,
    is_timed: bool,
    /// Until it goes on after it had to wait.
    pub(crate) wait: Option<Box<Wait>>,
    /// Once its work was, or is to be, cancelled by the bulkhead.
    pub(crate) early: Option<Box<Early>>,
    /// The frame of the async generator that has entered: it may be left in any task, and its own
    /// task may be elsewhere when its bound passes.
    pub(crate) stream: Option<Py<PyAny>>,
    /// If it was begun by a bare `async with` or `with`, which keeps no ticket: what the same
    /// holder had entered before, and the number of this entry; 0 if it was not.
    below: Ticket,
    entry: u64,
}

/// The wait of a call.
#[derive(Default)]
pub(crate) struct Wait {
    pub(crate) end: Option<WaitEnd>,
    /// The message with which its task was cancelled, which may be Python's None. It resumes with
    /// that whatever its end is.
    pub(crate) cancelled: Option<Py<PyAny>>,
    callback: Option<Callback>,
    is_entry: bool,
}

/// How a wait ended.
#[derive(Clone, Copy)]
pub(crate) enum WaitEnd {
    Granted,
    Removed(Removal),
}

/// Why a call left the queue without a permit.
#[derive(Clone, Copy)]
pub(crate) enum Removal {
    Closed,
    /// It waited for so many nanoseconds.
    TimedOut(u64),
    TooHeavy,
}

/// The work of a call is cancelled by the bulkhead.
pub(crate) struct Early {
    pub(crate) why: Why,
    /// How often its task was cancelled because of it.
    pub(crate) cancels: u32,
}

/// Why the work of a call is cancelled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// The bulkhead was closed with abort; the work answers.
    Aborted,
    /// It ran for so many nanoseconds; that is its answer.
    TimedOut(u64),
}

/// How a task wants to be woken.
pub(crate) struct Callback {
    pub(crate) function: Py<PyAny>,
    pub(crate) context: Option<Py<PyAny>>,
    pub(crate) argument: Py<PyAny>,
}

/// Who made a call.
pub(crate) struct Holder {
    /// None where a loop runs code without a task.
    pub(crate) task: Option<Py<PyAny>>,
    /// The address of the task, or of the loop if there is none, or an odd, thread-unique number.
    pub(crate) key: usize,
    /// How often the task had been cancelled by then.
    pub(crate) cancelling: i64,
}

#[derive(Default)]
pub(crate) struct Table {
    calls: Vec<Option<Call>>,
    free: Vec<Ticket>,
    /// Those that an event may be about.
    timed: HashMap<Id, Ticket, BuildHasherDefault<Spread>>,
    /// What each holder entered last.
    entered: HashMap<usize, Ticket, BuildHasherDefault<Spread>>,
    entries: u64,
}

impl Call {
    pub(crate) fn new(id: Id, owner: OwnerId, weight: u32, holder: Holder, is_run: bool) -> Self {
        Self {
            id,
            owner,
            weight,
            holder,
            is_run,
            is_released: false,
            is_timed: false,
            wait: None,
            early: None,
            stream: None,
            below: NONE,
            entry: 0,
        }
    }

    pub(crate) fn waiting(mut self, is_entry: bool) -> Self {
        let wait = Wait::default();
        self.wait = Some(Box::new(Wait { is_entry, ..wait }));
        self
    }
}

impl Wait {
    pub(crate) fn is_done(&self) -> bool {
        self.end.is_some() || self.cancelled.is_some()
    }
}

impl Callback {
    pub(crate) fn run(&self, py: Python<'_>) -> PyResult<()> {
        let Self {
            function,
            context,
            argument,
        } = self;
        match context {
            Some(context) => context.call_method1(py, "run", (function, argument))?,
            None => function.call1(py, (argument,))?,
        };
        Ok(())
    }
}

impl Holder {
    pub(crate) const NONE: Self = Self {
        task: None,
        key: 0,
        cancelling: 0,
    };

    /// This thread, outside of any loop.
    pub(crate) fn thread() -> Self {
        Self {
            key: Thread::current().key(),
            ..Self::NONE
        }
    }

    const fn is_thread(&self) -> bool {
        self.key % 2 == 1
    }

    /// A task that was not cancelled before.
    pub(crate) fn of(step: &Step<'_>) -> Self {
        Self {
            key: step.key(),
            cancelling: 0,
            task: step.task.as_ref().map(|task| task.clone().unbind()),
        }
    }
}

impl Table {
    /// A call that was admitted without a clock: no event will be about it.
    pub(crate) fn begin(&mut self, call: Call) -> Ticket {
        if let Some(ticket) = self.free.pop() {
            self.calls[ticket as usize] = Some(call);
            ticket
        } else {
            self.calls.push(Some(call));
            Ticket::try_from(self.calls.len() - 1).unwrap_or(NONE)
        }
    }

    /// Any other call.
    pub(crate) fn begin_timed(&mut self, mut call: Call) -> Ticket {
        call.is_timed = true;
        let id = call.id;
        let ticket = self.begin(call);
        self.timed.insert(id, ticket);
        ticket
    }

    /// It was begun by a bare `async with` or `with`: `last_entered` finds it.
    pub(crate) fn enter(&mut self, ticket: Ticket) {
        let Some(call) = self.calls.get_mut(ticket as usize).and_then(Option::as_mut) else {
            return;
        };
        self.entries += 1;
        call.entry = self.entries;
        call.below = self.entered.insert(call.holder.key, ticket).unwrap_or(NONE);
    }

    pub(crate) fn get(&self, ticket: Ticket) -> Option<&Call> {
        self.calls.get(ticket as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, ticket: Ticket) -> Option<&mut Call> {
        self.calls.get_mut(ticket as usize)?.as_mut()
    }

    pub(crate) fn find(&self, id: Id) -> Option<Ticket> {
        self.timed.get(&id).copied()
    }

    /// The runs of an owner that hold permits.
    pub(crate) fn runs(&self, owner: OwnerId) -> Vec<Ticket> {
        let is_meant = |call: &Call| call.owner == owner && call.is_run && call.wait.is_none();
        let calls = self.calls.iter().zip(0..);
        let runs = calls.filter(|(call, _)| call.as_ref().is_some_and(is_meant));
        runs.map(|(_, ticket)| ticket).collect()
    }

    pub(crate) fn wait(&self, ticket: Ticket) -> Option<&Wait> {
        self.get(ticket)?.wait.as_deref()
    }

    /// Answers the callback if the wait is over already.
    pub(crate) fn add_callback(&mut self, ticket: Ticket, callback: Callback) -> Option<Callback> {
        let wait = self.get_mut(ticket).and_then(|call| call.wait.as_mut());
        match wait {
            Some(wait) if !wait.is_done() => wait.callback.replace(callback),
            _ => Some(callback),
        }
    }

    /// A waiter has its end. True if it is to be woken: one whose task was cancelled is woken
    /// already.
    pub(crate) fn end_wait(&mut self, id: Id, end: WaitEnd) -> bool {
        let call = self.find(id).and_then(|ticket| self.get_mut(ticket));
        let Some(wait) = call.and_then(|call| call.wait.as_mut()) else {
            return false;
        };
        wait.end = Some(end);
        wait.cancelled.is_none()
    }

    /// How to wake the waiter of this id.
    pub(crate) fn take_callback(&mut self, id: Id) -> Option<Callback> {
        let ticket = self.find(id)?;
        self.get_mut(ticket)?.wait.as_mut()?.callback.take()
    }

    /// A waiter that was granted goes on. Answers what is to be dropped after the lock.
    pub(crate) fn resume(&mut self, ticket: Ticket) -> Option<Box<Wait>> {
        let wait = self.get_mut(ticket)?.wait.take()?;
        if wait.is_entry {
            self.enter(ticket);
        }
        Some(wait)
    }

    /// Frees the ticket. The caller drops the answer after the lock, because it holds Python
    /// objects.
    pub(crate) fn end(&mut self, ticket: Ticket) -> Option<Call> {
        let call = self.calls.get_mut(ticket as usize)?.take()?;
        self.free.push(ticket);
        if call.is_timed {
            self.timed.remove(&call.id);
        }
        if call.entry > 0 {
            self.leave(&call);
        }
        if self.calls.len() > LARGE && self.free.len() == self.calls.len() {
            // A crowd has gone.
            (self.calls, self.free, self.timed) = Default::default();
        }
        Some(call)
    }

    /// Whether this ticket is still that of an entry, the call of this id.
    pub(crate) fn is_entry(&self, ticket: Ticket, id: Id) -> bool {
        self.get(ticket)
            .is_some_and(|call| call.id == id && call.entry > 0)
    }

    /// What the holder of this key entered last.
    pub(crate) fn last_entered(&self, key: usize) -> Option<Ticket> {
        self.entered.get(&key).copied()
    }

    /// What any thread entered last.
    pub(crate) fn last_entered_by_threads(&self) -> Option<Ticket> {
        let entries = self.last_entries();
        let entries = entries.filter(|(_, call)| call.holder.is_thread());
        let last = entries.max_by_key(|(_, call)| call.entry);
        last.map(|(ticket, _)| ticket)
    }

    /// The last entry of each holder in loops, with its task, in the order in which they came; of
    /// one owner if one is given.
    pub(crate) fn entered_in_loops(
        &self,
        py: Python<'_>,
        owner: Option<OwnerId>,
    ) -> Vec<(Ticket, Option<Py<PyAny>>)> {
        let is_meant =
            |call: &Call| !call.holder.is_thread() && owner.is_none_or(|owner| call.owner == owner);
        let mut entries: Vec<_> = self
            .last_entries()
            .filter(|(_, call)| is_meant(call))
            .collect();
        entries.sort_by_key(|(_, call)| call.entry);
        let task = |call: &Call| call.holder.task.as_ref().map(|task| task.clone_ref(py));
        let entries = entries.into_iter();
        entries.map(|(ticket, call)| (ticket, task(call))).collect()
    }

    fn last_entries(&self) -> impl Iterator<Item = (Ticket, &Call)> {
        let tickets = self.entered.values();
        tickets.filter_map(|ticket| Some((*ticket, self.get(*ticket)?)))
    }

    fn leave(&mut self, call: &Call) {
        if call.below == NONE {
            self.entered.remove(&call.holder.key);
        } else {
            self.entered.insert(call.holder.key, call.below);
        }
    }

    /// What it holds of Python's.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        for call in self.calls.iter().flatten() {
            visit.call(&call.holder.task)?;
            visit.call(&call.stream)?;
            let Some(wait) = &call.wait else { continue };
            visit.call(&wait.cancelled)?;
            if let Some(callback) = &wait.callback {
                visit.call(&callback.function)?;
                visit.call(&callback.context)?;
                visit.call(&callback.argument)?;
            }
        }
        Ok(())
    }
}

/// For addresses, which differ in their middle bits, and for ids.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        self.write_u64(address as u64);
    }

    fn write_u64(&mut self, number: u64) {
        // Multiplied by the golden ratio of 2^64, all bits depend on the lower ones; the table
        // reads the upper and the lower end.
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(32);
    }
}
