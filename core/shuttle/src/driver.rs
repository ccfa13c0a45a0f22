//! One thread's driver: the bindings' path of every input, and the callers behind it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bulkheads_core::OwnerId;
use bulkheads_engine::{Engine, EventNumbers, RUN};
use shuttle::rand::{Rng, thread_rng};
use shuttle::sync::Arc;

use crate::bell::Bell;
use crate::host::{Host, Waking, next_wakes};

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

/// Belongs to one thread. Ids are kept as bits, which can be told apart.
pub struct Driver {
    host: Arc<Host>,
    owner: OwnerId,
    bell: Arc<Bell>,
    calls: BTreeMap<u64, Call>,
    weights: BTreeMap<u64, u32>,
    /// Those of which nothing is expected any more.
    over: BTreeSet<u64>,
    events: VecDeque<EventNumbers>,
    /// How many calls were made and have no end yet.
    unanswered: u64,
    steps_left: u32,
}

/// The code of a call that would wait for itself.
const REENTRANT: u64 = 9.0_f64.to_bits();

/// The thread is no more.
#[derive(Debug)]
pub struct Gone;

impl Driver {
    pub(crate) fn new(host: Arc<Host>, owner: OwnerId, bell: Arc<Bell>) -> Self {
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

    /// A thread's life: it makes calls of these weights, ends and cancels some, and sleeps when there is nothing to do. At
    /// last its owner is evicted.
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
        let forever = f64::INFINITY;
        let host = Arc::clone(&self.host);
        let around = if is_nested { self.work() } else { Vec::new() };
        let holds: u32 = around.iter().map(|id| self.weights[id]).sum();
        let answer = self.input(|core, owner, now| {
            host.count_call();
            let weight = f64::from(weight);
            let permits = around.iter().map(|id| core.permits(f64::from_bits(*id)));
            let holding: u32 = permits.sum();
            assert_eq!(holding, holds, "nothing takes a permit away from work");
            let holding = f64::from(holding);
            core.acquire(owner, now, weight, forever, forever, RUN, holding)
        })?;
        let answer = answer.expect("valid arguments");
        let waits_for_itself = holds > 0 && u64::from(holds + weight) > self.host.limit;
        assert!(answer > 0.0 || !waits_for_itself, "it would wait forever");
        assert!(answer.to_bits() != REENTRANT || waits_for_itself);
        let is_id = answer.abs() >= 4_294_967_296.0;
        if is_id {
            let id = answer.abs().to_bits();
            self.unanswered += 1;
            self.weights.insert(id, weight);
            self.calls.insert(id, Call::Waits);
            if answer > 0.0 {
                self.run(id);
            }
        }
        self.settle()
    }

    /// Its work begins.
    fn run(&mut self, id: u64) {
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
        let number = f64::from_bits(id);
        let finished = self.input(|core, _, now| core.finish(now, number, 0))?;
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
        let number = f64::from_bits(id);
        match self.input(|core, _, now| core.cancel(now, number))? {
            // Its end is on its way.
            0 => {}
            1 => {
                assert_eq!(self.forget(id), Some(Call::Waits), "it had not begun");
                self.unanswered -= 1;
            }
            _ => self.answer_early(id),
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
        self.bell.wait();
        self.input(|core, _, now| core.handle_timeout(now))?;
        self.settle()
    }

    /// The first half of a driver's step.
    fn input<R>(&mut self, act: impl FnOnce(&mut Engine, OwnerId, f64) -> R) -> Result<R, Gone> {
        self.survive()?;
        let now = self.host.now();
        let mut core = self.host.lock();
        let answer = act(&mut core, self.owner, now);
        if self.host.waking == Waking::WithTheInput {
            self.events.extend(take_events(&mut core, self.owner));
            let named = next_wakes(&mut core, self.owner);
            let timer = core.next_timer(self.owner);
            drop(core);
            self.host.ring(&named);
            self.bell.arm(timer, self.host.now());
        }
        Ok(answer)
    }

    /// The second half: events, others, timer; only then callers.
    fn settle(&mut self) -> Result<(), Gone> {
        if self.host.waking != Waking::WithTheInput {
            self.survive()?;
            let events = take_events(&mut self.host.lock(), self.owner);
            self.events.extend(events);
            self.survive()?;
            self.host.wake_others(self.owner);
            let timer = self.host.lock().next_timer(self.owner);
            self.bell.arm(timer, self.host.now());
        }
        while let Some(event) = self.events.pop_front() {
            self.deliver(event)?;
        }
        Ok(())
    }

    fn deliver(&mut self, event: EventNumbers) -> Result<(), Gone> {
        let id = event.id.to_bits();
        let Some(call) = self.calls.get(&id).copied() else {
            assert!(
                self.over.contains(&id),
                "an event of a call that was never made"
            );
            return Ok(());
        };
        match event.kind {
            1 => {
                assert_eq!(call, Call::Waits, "granted once");
                self.input(|core, _, _| core.start(event.id))?;
                self.run(id);
            }
            2..=5 => {
                assert_eq!(call, Call::Waits, "it never ran");
                self.forget(id);
                self.unanswered -= 1;
            }
            _ => self.answer_early(id),
        }
        Ok(())
    }

    fn answer_early(&mut self, id: u64) {
        let call = self.calls.insert(id, Call::Answered);
        assert_eq!(call, Some(Call::Runs), "answered once");
        self.unanswered -= 1;
    }

    fn forget(&mut self, id: u64) -> Option<Call> {
        self.over.insert(id);
        self.calls.remove(&id)
    }

    /// The calls whose work holds permits.
    fn work(&self) -> Vec<u64> {
        let working = self.calls.iter().filter(|(_, call)| **call != Call::Waits);
        working.map(|(id, _)| *id).collect()
    }

    fn any(&self, wanted: impl Fn(Call) -> bool) -> Option<u64> {
        let ids = self.calls.iter().filter(|(_, call)| wanted(**call));
        let ids: Vec<u64> = ids.map(|(id, _)| *id).collect();
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

fn take_events(core: &mut Engine, owner: OwnerId) -> Vec<EventNumbers> {
    let events = std::iter::from_fn(|| Some(core.next_event(owner)));
    events.take_while(|event| event.kind != 0).collect()
}
