//! One input on both sides, and the comparison after it.

use bulkheads::{Admission, Bulkhead, Id, Instant, Outcome, OwnerId, Request, Span, State};
use proptest::prelude::*;

use crate::contract::{Arrival, Want};
use crate::naive::{Books, NEVER, Naive};

#[derive(Clone, Debug)]
pub(crate) enum Input {
    Acquire {
        owner: usize,
        weight: u32,
        run: bool,
        timeout: u64,
        deadline: u64,
        aborted: bool,
        /// Asks `admit_now` first.
        now: bool,
    },
    TryAcquire {
        owner: usize,
        weight: u32,
    },
    Start(usize),
    Finish(usize, Outcome),
    /// Asks `finish_now` first.
    FinishNow(usize, Outcome),
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
            now: false,
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

pub(crate) type Checked = Result<(), TestCaseError>;

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
                now: ask_now,
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
                let at_once = ask_now.then(|| self.core.admit_now(request)).flatten();
                let came = at_once.map_or_else(
                    || self.core.acquire(now, request).expect("a valid weight"),
                    Admission::Admitted,
                );
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
            Input::FinishNow(pick, outcome) => {
                let id = self.id(pick);
                let came = self.core.finish_now(id, outcome) || self.core.finish(now, id, outcome);
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

    pub(crate) fn id(&self, pick: usize) -> Id {
        let newest = self.ids.len().checked_sub(1 + pick % self.ids.len().max(1));
        newest.map_or(Id::from_raw(0), |place| self.ids[place])
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
            // A sample says nothing of one run.
            ran: if stats.ran_sampled_every == 1 {
                stats.ran.count
            } else {
                self.naive.books.ran
            },
        }
    }
}
