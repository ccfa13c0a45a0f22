//! One input on both sides, and the comparison after it.

use bulkheads::{
    Admission, Bulkhead, Cancellation, Event, FullReason, Id, Instant, Outcome, OwnerId, Rejection,
    Request, Span, State,
};
use proptest::prelude::*;

use crate::naive::{Books, Holder, NEVER, Naive, Phase, Waiter};

#[derive(Clone, Debug)]
pub(crate) enum Input {
    Acquire {
        owner: usize,
        weight: u32,
        run: bool,
        timeout: u64,
        deadline: u64,
        aborted: bool,
    },
    TryAcquire {
        owner: usize,
        weight: u32,
    },
    Start(usize),
    Finish(usize, Outcome),
    Release(usize),
    Cancel(usize),
    Abort(Vec<usize>),
    Resize(u32),
    Close(bool),
    Drain,
    Evict(usize),
    Pass(u64),
    Back(u64),
}

impl Input {
    pub(crate) const fn acquire(weight: u32) -> Self {
        let (timeout, deadline) = (NEVER, NEVER);
        Self::Acquire {
            owner: 0,
            weight,
            run: true,
            timeout,
            deadline,
            aborted: false,
        }
    }
}

pub(crate) struct World {
    pub(crate) core: Bulkhead,
    pub(crate) naive: Naive,
    pub(crate) owners: Vec<OwnerId>,
    /// Every id ever given out.
    pub(crate) ids: Vec<Id>,
    pub(crate) time: u64,
}

type Checked = Result<(), TestCaseError>;

impl World {
    pub(crate) fn play(&mut self, input: &Input) -> Checked {
        let now = Instant::from_nanos(self.time);
        match *input {
            Input::Acquire {
                owner,
                weight,
                run,
                timeout,
                deadline,
                aborted,
            } => {
                let deadline = self.time.saturating_add(deadline).saturating_sub(3);
                let request = if run {
                    Request::run(weight)
                } else {
                    Request::permit(weight)
                }
                .owner(self.owners[owner])
                .timeout(Span::from_nanos(timeout))
                .deadline(Instant::from_nanos(deadline))
                .aborted(aborted);
                let came = self.core.acquire(now, request).expect("a valid weight");
                let want = self.want(weight, deadline, timeout, aborted);
                self.arrived(
                    came,
                    want,
                    Arrival {
                        owner,
                        weight,
                        run,
                        timeout,
                        deadline,
                    },
                )?;
            }
            Input::TryAcquire { owner, weight } => self.try_acquire(now, owner, weight)?,
            Input::Start(pick) => self.start(pick),
            Input::Finish(pick, outcome) => {
                let id = self.id(pick);
                let came = self.core.finish(now, id, outcome);
                prop_assert_eq!(came, self.finish(id, outcome));
            }
            Input::Release(pick) => {
                let id = self.id(pick);
                let came = self.core.release(now, id);
                let want = self.finish(id, Outcome::Completed);
                self.naive.books.double_releases += u64::from(!want);
                prop_assert_eq!(came, want);
            }
            Input::Cancel(pick) => {
                let id = self.id(pick);
                let came = self.core.cancel(now, id);
                self.naive.advance(self.time);
                prop_assert_eq!(came, self.withdraw(id).0);
                self.naive.grant();
            }
            Input::Abort(ref picks) => {
                let ids: Vec<_> = picks.iter().map(|pick| self.id(*pick)).collect();
                self.core.abort(now, ids.iter().copied());
                self.abort(&ids);
            }
            Input::Resize(limit) => {
                self.core.resize(now, limit).expect("a valid limit");
                self.resize(limit);
            }
            Input::Close(abort) => {
                self.core.close(now, abort);
                self.close(abort);
            }
            Input::Drain => {
                self.core.drain(now);
                self.naive.advance(self.time);
                if self.naive.state == State::Open {
                    self.naive.state = State::Draining;
                }
            }
            Input::Evict(owner) => self.evict(owner),
            Input::Pass(nanos) => {
                self.time += nanos;
                self.core.handle_timeout(Instant::from_nanos(self.time));
                self.naive.advance(self.time);
            }
            Input::Back(nanos) => {
                let earlier = self.time.saturating_sub(nanos);
                self.core.handle_timeout(Instant::from_nanos(earlier));
                self.naive.advance(earlier);
            }
        }
        self.compare()
    }

    fn try_acquire(&mut self, now: Instant, owner: usize, weight: u32) -> Checked {
        let request = Request::permit(weight).owner(self.owners[owner]);
        let came = self.core.try_acquire(now, request).expect("a valid weight");
        let want = match self.want(weight, NEVER, NEVER, false) {
            Want::Queued => Want::Rejected(self.naive_full(true)),
            want => want,
        };
        let came = came.map_or_else(Admission::Rejected, Admission::Admitted);
        let (timeout, deadline) = (NEVER, NEVER);
        self.arrived(
            came,
            want,
            Arrival {
                owner,
                weight,
                run: false,
                timeout,
                deadline,
            },
        )
    }

    /// Ends whatever is left: nothing is ever lost.
    pub(crate) fn drain_everything(&mut self) -> Checked {
        self.play(&Input::Close(true))?;
        for pick in 0..self.ids.len() {
            self.play(&Input::Finish(pick, Outcome::Completed))?;
        }
        prop_assert_eq!((self.core.active(), self.core.queued()), (0, 0));
        prop_assert!(self.core.watch_idle(Instant::ZERO, self.owners[0]));
        Ok(())
    }

    fn id(&self, pick: usize) -> Id {
        let newest = self.ids.len().checked_sub(1 + pick % self.ids.len().max(1));
        newest.map_or(Id::from_raw(0), |place| self.ids[place])
    }

    /// What the contract says of an arrival, check by check in its order.
    fn want(&mut self, weight: u32, deadline: u64, timeout: u64, aborted: bool) -> Want {
        self.naive.advance(self.time);
        let naive = &self.naive;
        let limit = naive.settings.limit;
        if aborted {
            Want::Rejected(Rejection::Cancelled)
        } else if naive.state != State::Open {
            Want::Rejected(Rejection::Closed)
        } else if deadline <= naive.now {
            Want::Rejected(Rejection::QueueTimeout)
        } else if limit > 0 && weight > limit {
            Want::Rejected(Rejection::TooHeavy)
        } else if naive.waiters.is_empty() && naive.used() + u64::from(weight) <= u64::from(limit) {
            Want::Admitted
        } else if naive.waiters.len() < naive.settings.max_queue as usize && timeout > 0 {
            Want::Queued
        } else {
            Want::Rejected(self.naive_full(timeout == 0))
        }
    }

    fn naive_full(&self, unwilling: bool) -> Rejection {
        let settings = self.naive.settings;
        let queue_full = self.naive.waiters.len() >= settings.max_queue as usize;
        Rejection::Full(match (settings.limit, settings.max_queue, queue_full) {
            (0, _, _) => FullReason::Paused,
            (_, 0, _) => FullReason::NoQueue,
            (_, _, true) => FullReason::QueueFull,
            (_, _, false) => {
                assert!(unwilling, "room in the queue and willing to wait");
                FullReason::NotWilling
            }
        })
    }

    fn arrived(&mut self, came: Admission, want: Want, arrival: Arrival) -> Checked {
        let naive = &mut self.naive;
        let Arrival {
            owner,
            weight,
            run,
            timeout,
            deadline,
        } = arrival;
        let since = naive.now;
        match (came, want) {
            (Admission::Admitted(id), Want::Admitted) => {
                self.ids.push(id);
                naive.books.admitted += 1;
                let (phase, timer) = (Phase::Running, NEVER);
                let bound = deadline;
                let mut one = Holder {
                    id,
                    owner,
                    weight,
                    run,
                    since,
                    bound,
                    phase,
                    timer,
                };
                one.timer = naive.run_timer(&one);
                naive.holders.push(one);
            }
            (Admission::Queued(id), Want::Queued) => {
                self.ids.push(id);
                let timeout = timeout.min(naive.settings.timeout);
                let end = since.saturating_add(timeout).min(deadline);
                let bound = deadline;
                naive.waiters.push(Waiter {
                    id,
                    owner,
                    weight,
                    run,
                    since,
                    end,
                    bound,
                });
            }
            (Admission::Rejected(came), Want::Rejected(want)) => {
                prop_assert_eq!(came, want);
                *match came {
                    Rejection::Cancelled => &mut naive.books.cancelled,
                    Rejection::Closed => &mut naive.books.closed,
                    Rejection::Full(_) => &mut naive.books.full,
                    Rejection::QueueTimeout => &mut naive.books.queue_timeout,
                    _ => &mut naive.books.too_heavy,
                } += 1;
            }
            (came, want) => prop_assert!(false, "wanted {:?}, came {:?}", want, came),
        }
        Ok(())
    }

    fn start(&mut self, pick: usize) {
        let id = self.id(pick);
        self.core.start(id);
        let naive = &mut self.naive;
        let granted = |one: &&mut Holder| one.id == id && one.phase == Phase::Granted;
        let Some(one) = naive.holders.iter_mut().find(granted) else {
            return;
        };
        one.phase = Phase::Running;
        let one = one.clone();
        let timer = naive.run_timer(&one);
        for holder in naive.holders.iter_mut().filter(|holder| holder.id == id) {
            holder.timer = timer;
        }
        if naive.aborting && one.run {
            let event = Event::CallClosed {
                id,
                nanos: naive.now - one.since,
            };
            naive.events.push((one.owner, event));
            naive.answer(id, naive.now);
        }
    }

    fn finish(&mut self, id: Id, outcome: Outcome) -> bool {
        let naive = &mut self.naive;
        // A result in hand is never thrown away: its bound acts no longer.
        for one in naive.holders.iter_mut().filter(|one| one.id == id) {
            if one.phase == Phase::Running {
                one.timer = NEVER;
            }
        }
        naive.advance(self.time);
        let Some(one) = naive.take(id) else {
            return false;
        };
        *match outcome {
            Outcome::Leaked => &mut naive.books.leaked,
            Outcome::Completed if one.phase != Phase::Overrun => &mut naive.books.completed,
            _ => &mut naive.books.failed,
        } += 1;
        naive.books.ran += 1;
        naive.grant();
        true
    }

    fn withdraw(&mut self, id: Id) -> (Cancellation, Option<(usize, u64)>) {
        let naive = &mut self.naive;
        if let Some(place) = naive.waiters.iter().position(|one| one.id == id) {
            let one = naive.waiters.remove(place);
            naive.books.cancelled += 1;
            naive.books.waited += 1;
            return (
                Cancellation::Withdrawn,
                Some((one.owner, naive.now - one.since)),
            );
        }
        let Some(one) = naive.holders.iter().find(|one| one.id == id).cloned() else {
            return (Cancellation::Settled, None);
        };
        let whose = Some((one.owner, naive.now - one.since));
        match one.phase {
            Phase::Granted => {
                naive.take(id);
                naive.books.unclaimed += 1;
                (Cancellation::Withdrawn, whose)
            }
            Phase::Running if one.run => {
                naive.answer(id, naive.now);
                (Cancellation::AnsweredEarly, whose)
            }
            _ => (Cancellation::Settled, None),
        }
    }

    fn abort(&mut self, ids: &[Id]) {
        self.naive.advance(self.time);
        for id in ids {
            if let Some((owner, nanos)) = self.withdraw(*id).1 {
                self.naive
                    .events
                    .push((owner, Event::Cancelled { id: *id, nanos }));
            }
        }
        self.naive.grant();
    }

    fn resize(&mut self, limit: u32) {
        self.naive.advance(self.time);
        self.naive.settings.limit = limit;
        if limit > 0 {
            let heavy = self.take_waiters(|one| one.weight > limit);
            for one in heavy {
                self.naive.books.too_heavy += 1;
                let event = Event::TooHeavy {
                    id: one.id,
                    nanos: self.naive.now - one.since,
                };
                self.naive.events.push((one.owner, event));
            }
        }
        self.naive.grant();
    }

    fn close(&mut self, abort: bool) {
        self.naive.advance(self.time);
        self.naive.state = State::Closed;
        self.naive.aborting |= abort;
        for one in self.take_waiters(|_| true) {
            self.naive.books.closed += 1;
            let event = Event::Closed {
                id: one.id,
                nanos: self.naive.now - one.since,
            };
            self.naive.events.push((one.owner, event));
        }
        let naive = &mut self.naive;
        for one in naive.holders.clone() {
            if abort && one.run && one.phase == Phase::Running {
                let event = Event::CallClosed {
                    id: one.id,
                    nanos: naive.now - one.since,
                };
                naive.events.push((one.owner, event));
                naive.answer(one.id, naive.now);
            }
        }
    }

    /// The owner dies, and a new one takes its place among the inputs.
    fn evict(&mut self, owner: usize) {
        self.core
            .evict(Instant::from_nanos(self.time), self.owners[owner]);
        self.naive.advance(self.time);
        let waiters = self.take_waiters(|one| one.owner == owner).len() as u64;
        self.naive.books.cancelled += waiters;
        let held = self
            .naive
            .holders
            .iter()
            .filter(|one| one.owner == owner)
            .count() as u64;
        self.naive.holders.retain(|one| one.owner != owner);
        self.naive.books.abandoned_runs += held;
        self.naive.books.ran += held;
        self.naive.events.retain(|(whose, _)| *whose != owner);
        self.naive.grant();
        self.owners[owner] = self.core.add_owner();
    }

    fn take_waiters(&mut self, wanted: impl Fn(&Waiter) -> bool) -> Vec<Waiter> {
        let waiters = std::mem::take(&mut self.naive.waiters);
        let (taken, kept) = waiters.into_iter().partition(|one| wanted(one));
        self.naive.waiters = kept;
        let taken: Vec<_> = taken;
        self.naive.books.waited += taken.len() as u64;
        taken
    }

    fn compare(&mut self) -> Checked {
        prop_assert_eq!(self.core.check_invariants(), Ok(()));
        let want = std::mem::take(&mut self.naive.events);
        for (owner, id) in self.owners.iter().enumerate() {
            let came: Vec<_> = std::iter::from_fn(|| self.core.poll_event(*id)).collect();
            let want = want.iter().filter(|(whose, _)| *whose == owner);
            prop_assert_eq!(came, want.map(|(_, event)| *event).collect::<Vec<_>>());
            let timer = self.core.poll_timeout(*id).map_or(NEVER, Instant::as_nanos);
            prop_assert_eq!(timer, self.naive.next_timer(owner));
        }
        prop_assert_eq!(self.core.active(), self.naive.used());
        prop_assert_eq!(self.core.queued() as usize, self.naive.waiters.len());
        prop_assert_eq!(&self.books(), &self.naive.books);
        Ok(())
    }

    fn books(&self) -> Books {
        let stats = self.core.snapshot();
        Books {
            admitted: stats.admitted,
            completed: stats.completed,
            failed: stats.failed,
            call_timeouts: stats.call_timeouts,
            unclaimed: stats.unclaimed,
            abandoned_runs: stats.abandoned_runs,
            leaked: stats.leaked,
            double_releases: stats.double_releases,
            full: stats.rejected.full,
            queue_timeout: stats.rejected.queue_timeout,
            cancelled: stats.rejected.cancelled,
            closed: stats.rejected.closed,
            too_heavy: stats.rejected.too_heavy,
            waited: stats.waited.count,
            ran: stats.ran.count,
        }
    }
}

#[derive(Debug)]
enum Want {
    Admitted,
    Queued,
    Rejected(Rejection),
}

#[derive(Clone, Copy)]
struct Arrival {
    owner: usize,
    weight: u32,
    run: bool,
    timeout: u64,
    deadline: u64,
}
