//! One thread's driver: the bindings' path of every input, and the callers behind it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bulkheads_core::{
    Admission, Bulkhead, Cancellation, Event, Id, Instant, Outcome, OwnerId, Rejection, Request,
};
use bulkheads_driver::Bell;
use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::Arc;

use crate::host::{Host, Way};
use crate::sleeper::Sleeper;

/// A call that has no end yet, or whose work goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Waits,
    Runs,
    /// The caller has its answer; the work holds its permits.
    Answered,
}

/// How the thread of a driver ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// When all its calls have ended.
    Leaves,
    /// In the midst of something.
    Dies,
}

/// Belongs to one thread.
pub struct Driver {
    host: Arc<Host>,
    owner: OwnerId,
    bell: Arc<Bell<Sleeper>>,
    calls: BTreeMap<Id, Call>,
    weights: BTreeMap<Id, u32>,
    /// Those of which nothing is expected any more.
    over: BTreeSet<Id>,
    events: VecDeque<Event>,
    /// How many calls were made and have no end yet.
    unanswered: u64,
    steps_left: u32,
}

/// The thread is no more.
#[derive(Debug)]
pub struct Gone;

impl Driver {
    pub(crate) fn new(host: Arc<Host>, owner: OwnerId, bell: Arc<Bell<Sleeper>>) -> Self {
        Self {
            host,
            owner,
            bell,
            calls: BTreeMap::new(),
            weights: BTreeMap::new(),
            over: BTreeSet::new(),
            events: VecDeque::new(),
            unanswered: 0,
            steps_left: u32::MAX,
        }
    }

    /// A thread's life: it makes calls of these weights, ends and cancels some, and sleeps when
    /// there is nothing to do. At last its owner is evicted.
    pub fn live(mut self, weights: &[u32], fate: Fate) {
        if fate == Fate::Dies {
            self.steps_left = thread_rng().gen_range(0..12);
        }
        if self.try_live(weights).is_ok() {
            assert_eq!(self.unanswered, 0, "every call gets exactly one end");
        }
        self.die();
    }

    /// It stops wherever it is, and somebody else ends its owner.
    pub fn die(self) {
        let held = self.work();
        let held = held.iter().map(|id| u64::from(self.weights[id])).sum();
        self.host.bury(self.owner, held);
    }

    fn try_live(&mut self, weights: &[u32]) -> Result<(), Gone> {
        for weight in weights {
            self.ask(*weight, thread_rng().gen_range(0..3) == 0)?;
            match thread_rng().gen_range(0..4) {
                0 => self.finish_one()?,
                1 => self.cancel_one()?,
                _ => {}
            }
        }
        while !self.calls.is_empty() {
            match (!self.work().is_empty(), thread_rng().gen_range(0..8)) {
                (_, 0) => self.cancel_one()?,
                (true, _) => self.finish_one()?,
                (false, _) => self.sleep()?,
            }
        }
        Ok(())
    }

    /// One call arrives.
    ///
    /// # Errors
    /// Its thread is to die here; likewise below.
    pub fn call(&mut self, weight: u32) -> Result<(), Gone> {
        self.ask(weight, false)
    }

    /// A call arrives, perhaps from inside of all the work that this thread runs.
    fn ask(&mut self, weight: u32, is_nested: bool) -> Result<(), Gone> {
        let host = Arc::clone(&self.host);
        let owner = self.owner;
        let around = if is_nested { self.work() } else { Vec::new() };
        let holds: u32 = around.iter().map(|id| self.weights[id]).sum();
        let answer = self.input(|core, now| {
            host.count_call();
            let holding: u32 = around.iter().map(|id| core.permits(*id)).sum();
            assert_eq!(holding, holds, "nothing takes a permit away from work");
            core.acquire(now, Request::run(weight).owner(owner).held(&around))
        })?;
        if self.host.way == Way::RegistersLate {
            self.collect()?;
        }
        let waits_for_itself = holds > 0 && u64::from(holds + weight) > self.host.limit;
        match answer.expect("a valid weight") {
            Admission::Admitted(id) => {
                self.register(id, weight);
                self.run(id);
            }
            Admission::Queued(id) => {
                assert!(!waits_for_itself, "it would wait forever");
                self.register(id, weight);
            }
            Admission::Rejected(rejection) => {
                let is_reentrant = matches!(rejection, Rejection::Reentrant { .. });
                assert!(!is_reentrant || waits_for_itself);
            }
        }
        self.settle()
    }

    fn register(&mut self, id: Id, weight: u32) {
        self.unanswered += 1;
        self.weights.insert(id, weight);
        self.calls.insert(id, Call::Waits);
    }

    /// Its work begins.
    fn run(&mut self, id: Id) {
        self.host.enter(u64::from(self.weights[&id]));
        self.calls.insert(id, Call::Runs);
    }

    /// The work of one of its calls ends, if any runs.
    ///
    /// # Errors
    /// See above.
    pub fn finish_one(&mut self) -> Result<(), Gone> {
        let Some(id) = self.any(|call| call != Call::Waits) else {
            return Ok(());
        };
        self.host.exit(u64::from(self.weights[&id]));
        if self.forget(id) == Some(Call::Runs) {
            self.unanswered -= 1;
        }
        let finished = self.input(|core, now| core.finish(now, id, Outcome::Completed))?;
        assert!(finished, "nothing takes a permit away from work");
        self.settle()
    }

    /// The caller of one of its calls gives up, if any has no answer yet.
    ///
    /// # Errors
    /// See above.
    pub fn cancel_one(&mut self) -> Result<(), Gone> {
        let Some(id) = self.any(|call| call != Call::Answered) else {
            return Ok(());
        };
        match self.input(|core, now| core.cancel(now, id))? {
            // Its end is on its way.
            Cancellation::Settled => {}
            Cancellation::Withdrawn => {
                assert_eq!(self.forget(id), Some(Call::Waits), "it had not begun");
                self.unanswered -= 1;
            }
            Cancellation::AnsweredEarly => self.answer_early(id),
        }
        self.settle()
    }

    /// Sleeps until none of its calls waits.
    ///
    /// # Errors
    /// See above.
    pub fn wait(&mut self) -> Result<(), Gone> {
        while self.any(|call| call == Call::Waits).is_some() {
            self.sleep()?;
        }
        Ok(())
    }

    fn sleep(&mut self) -> Result<(), Gone> {
        self.bell.waker().sleep();
        if self.host.way == Way::AnswersItsBellLate {
            self.input(Bulkhead::handle_timeout)?;
            self.collect()?;
            self.bell.answer();
            return self.settle_without_a_look();
        }
        self.bell.answer();
        self.input(Bulkhead::handle_timeout)?;
        self.settle()
    }

    /// The first half of a driver's step: the input, and the wakes of others.
    fn input<R>(&mut self, act: impl FnOnce(&mut Bulkhead, Instant) -> R) -> Result<R, Gone> {
        self.survive()?;
        Ok(self.host.input(self.owner, act))
    }

    /// The second half: events, timer; only then callers.
    fn settle(&mut self) -> Result<(), Gone> {
        self.collect()?;
        self.host.wake_late(self.owner);
        self.settle_without_a_look()
    }

    /// One at a time, as a host does that is shown a few at a time.
    fn collect(&mut self) -> Result<(), Gone> {
        self.survive()?;
        let next = || self.host.core.look(|core| core.poll_event(self.owner));
        self.events.extend(std::iter::from_fn(next));
        if self.host.way == Way::RegistersLate {
            // As a table does that knows no caller for an id.
            self.events
                .retain(|event| id_of(event).is_none_or(|id| self.calls.contains_key(&id)));
        }
        Ok(())
    }

    fn settle_without_a_look(&mut self) -> Result<(), Gone> {
        let timer = self.host.core.look(|core| core.poll_timeout(self.owner));
        let timer = timer.unwrap_or(Instant::NEVER);
        self.bell.waker().arm(timer, self.host.now());
        while let Some(event) = self.events.pop_front() {
            self.deliver(event)?;
        }
        Ok(())
    }

    fn deliver(&mut self, event: Event) -> Result<(), Gone> {
        // The notice of an abort: the work answers by itself, when it ends.
        let Some(id) = id_of(&event) else {
            return Ok(());
        };
        let Some(call) = self.calls.get(&id).copied() else {
            assert!(
                self.over.contains(&id),
                "an event of a call that was never made"
            );
            return Ok(());
        };
        match event {
            Event::Granted { .. } => {
                assert_eq!(call, Call::Waits, "granted once");
                self.input(|core, _| core.start(id))?;
                self.run(id);
            }
            Event::CallTimedOut { .. } => self.answer_early(id),
            _ => {
                assert_eq!(call, Call::Waits, "it never ran");
                self.forget(id);
                self.unanswered -= 1;
            }
        }
        Ok(())
    }

    fn answer_early(&mut self, id: Id) {
        let call = self.calls.insert(id, Call::Answered);
        assert_eq!(call, Some(Call::Runs), "answered once");
        self.unanswered -= 1;
    }

    fn forget(&mut self, id: Id) -> Option<Call> {
        self.over.insert(id);
        self.calls.remove(&id)
    }

    /// The calls whose work holds permits.
    fn work(&self) -> Vec<Id> {
        let working = self.calls.iter().filter(|(_, call)| **call != Call::Waits);
        working.map(|(id, _)| *id).collect()
    }

    fn any(&self, wanted: impl Fn(Call) -> bool) -> Option<Id> {
        let ids = self.calls.iter().filter(|(_, call)| wanted(**call));
        let ids: Vec<Id> = ids.map(|(id, _)| *id).collect();
        match ids[..] {
            [] => None,
            [id] => Some(id),
            _ => Some(ids[thread_rng().gen_range(0..ids.len())]),
        }
    }

    fn survive(&mut self) -> Result<(), Gone> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(Gone)?;
        Ok(())
    }
}

/// Whose event it is; none of a notice.
const fn id_of(event: &Event) -> Option<Id> {
    match *event {
        Event::CallTimedOut { id, .. }
        | Event::Cancelled { id }
        | Event::Closed { id, .. }
        | Event::Granted { id }
        | Event::QueueTimedOut { id, .. }
        | Event::TooHeavy { id, .. } => Some(id),
        Event::Abort { .. } | Event::Capacity { .. } | Event::Idle { .. } => None,
    }
}
