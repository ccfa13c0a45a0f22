//! One input on both sides.

use bulkheads::{
    Admission, Id, Instant, MAX_COUNT, Outcome, OwnerId, Rejection, Request, Span, State,
};

use super::contract::Want;
use super::naive::{NEVER, Waiter};
use super::{Asked, Checked, Input, World, agree};

impl World {
    pub(crate) fn play(&mut self, input: &Input) -> Checked {
        let now = self.now();
        match *input {
            Input::Acquire(asked) => self.acquire(asked)?,
            Input::TryAcquire { owner, weight } => self.try_acquire(owner, weight)?,
            Input::Start(pick) => self.start(self.id(pick)),
            Input::Finish(pick, outcome) => {
                let id = self.id(pick);
                let came = self.core.finish(now, id, outcome);
                agree("finish", came, self.finish(id, outcome))?;
            }
            Input::FinishNow(pick, outcome) => self.finish_now(self.id(pick), outcome)?,
            Input::Release(pick) => {
                let id = self.id(pick);
                let came = self.core.release(now, id);
                let want = self.finish(id, Outcome::Completed);
                self.naive.books.double_releases += u64::from(!want);
                agree("release", came, want)?;
            }
            Input::Cancel(pick) => {
                let id = self.id(pick);
                let came = self.core.cancel(now, id);
                agree("cancel", came, self.cancel(id))?;
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
                self.naive.state = self.naive.state.max(State::Draining);
                self.naive.settle();
            }
            Input::Evict(owner) => {
                self.core.evict(now, self.owners[owner]);
                self.evict(owner);
                let heir = self.core.add_owner();
                self.ghost = Some(std::mem::replace(&mut self.owners[owner], heir));
            }
            Input::Haunt => self.haunt()?,
            Input::WatchIdle(owner) => {
                let came = self.core.watch_idle(now, self.owners[owner]);
                agree("watch_idle", came, self.watch_idle(owner))?;
            }
            Input::WatchRoom {
                owner,
                weight,
                holding,
            } => {
                let request = Request::run(weight).owner(self.owners[owner]);
                let came = self.core.watch_room(now, request.holding(holding));
                let want = self.watch_room(owner, weight, holding);
                agree("watch_room", came, Ok(want))?;
            }
            Input::Take { owner, events } => self.take(owner, events)?,
            Input::Wake => self.wake()?,
            Input::Invalid => self.invalid()?,
            Input::Pass(nanos) => {
                self.time = self.time.saturating_add(nanos).min(NEVER - 1);
                self.core.handle_timeout(self.now());
                self.naive.advance(self.time);
            }
            Input::Back(nanos) => {
                self.time = self.time.saturating_sub(nanos);
                self.core.handle_timeout(self.now());
                self.naive.advance(self.time);
            }
        }
        self.compare()
    }

    fn acquire(&mut self, asked: Asked) -> Checked {
        let deadline = match asked.deadline {
            NEVER => NEVER,
            nanos => self.time.saturating_add(nanos).saturating_sub(3),
        };
        let kind = if asked.run {
            Request::run
        } else {
            Request::permit
        };
        let request = kind(asked.weight)
            .owner(self.owners[asked.owner])
            .timeout(Span::from_nanos(asked.timeout))
            .deadline(Instant::from_nanos(deadline))
            .aborted(asked.aborted)
            .holding(asked.holding);
        let at_once = asked.now.then(|| self.core.admit_now(request)).flatten();
        self.without_clock[0] += u64::from(at_once.is_some());
        let came = at_once.map_or_else(
            || {
                self.core
                    .acquire(self.now(), request)
                    .expect("a valid weight")
            },
            Admission::Admitted,
        );
        let want = self.want(&asked, deadline);
        self.arrived(came, want, |id, since, longest| Waiter {
            id,
            owner: asked.owner,
            weight: asked.weight,
            run: asked.run,
            since,
            end: since
                .saturating_add(asked.timeout.min(longest))
                .min(deadline),
            bound: deadline,
        })
    }

    fn try_acquire(&mut self, owner: usize, weight: u32) -> Checked {
        // What it holds does not matter: it never waits.
        let request = Request::permit(weight).owner(self.owners[owner]);
        let request = request.holding(u64::MAX);
        let came = self.core.try_acquire(self.now(), request);
        let came = came.expect("a valid weight");
        let asked = Asked {
            owner,
            weight,
            run: false,
            timeout: NEVER,
            deadline: NEVER,
            aborted: false,
            holding: 0,
            now: false,
        };
        let want = match self.want(&asked, NEVER) {
            Want::Queued => Want::Rejected(self.full(true)),
            want => want,
        };
        let came = came.map_or_else(Admission::Rejected, Admission::Admitted);
        self.arrived(came, want, |id, since, _| Waiter {
            id,
            owner,
            weight,
            run: false,
            since,
            end: NEVER,
            bound: NEVER,
        })
    }

    fn finish_now(&mut self, id: Id, outcome: Outcome) -> Checked {
        let at_once = self.core.finish_now(id, outcome);
        self.without_clock[1] += u64::from(at_once);
        let came = at_once || self.core.finish(self.now(), id, outcome);
        agree("finish_now", came, self.finish(id, outcome))
    }

    /// Whoever was evicted changes nothing but what an arrival counts.
    fn haunt(&mut self) -> Checked {
        let (Some(ghost), now) = (self.ghost, self.now()) else {
            return Ok(());
        };
        let request = Request::run(1).owner(ghost);
        agree("a ghost's admit_now", self.core.admit_now(request), None)?;
        let came = self.core.acquire(now, request).expect("a valid weight");
        let closed = Admission::Rejected(Rejection::Closed);
        agree("a ghost's acquire", came, closed)?;
        self.naive.advance(self.time);
        self.naive.books.closed += 1;
        let idle = self.core.watch_idle(now, ghost);
        agree("a ghost's watch_idle", idle, self.naive.is_idle())?;
        let room = self.core.watch_room(now, request);
        agree("a ghost's room", room, Ok(self.naive.has_room(1)))?;
        self.core.evict(now, ghost);
        agree("a ghost's event", self.core.poll_event(ghost), None)
    }

    fn take(&mut self, owner: usize, events: usize) -> Checked {
        for _ in 0..events {
            let came = self.core.poll_event(self.owners[owner]);
            agree("event", came, self.naive.owners[owner].events.pop_front())?;
        }
        Ok(())
    }

    /// Every owner with news is named, once; others may be, if they live.
    fn wake(&mut self) -> Checked {
        let named: Vec<OwnerId> = std::iter::from_fn(|| self.core.poll_wake()).collect();
        for (owner, id) in self.owners.iter().enumerate() {
            let to_wake = std::mem::take(&mut self.naive.owners[owner].to_wake);
            let times = named.iter().filter(|one| *one == id).count();
            if times > 1 || (to_wake && times == 0) {
                return Err(format!(
                    "owner {owner} is to be woken, and named {times} times"
                ));
            }
        }
        let lives = |id: &OwnerId| self.owners.contains(id);
        agree("whoever is named lives", named.iter().all(lives), true)
    }

    /// Nothing is changed and nothing counted, and nothing that is due is done.
    fn invalid(&mut self) -> Checked {
        let (now, owner) = (self.now(), self.owners[0]);
        for weight in [0, MAX_COUNT + 1, u32::MAX] {
            let request = Request::run(weight).owner(owner);
            agree("admit_now", self.core.admit_now(request), None)?;
            let refused = [
                self.core.acquire(now, request).is_err(),
                self.core.try_acquire(now, request).is_err(),
                self.core.watch_room(now, request).is_err(),
                weight == 0 || self.core.resize(now, weight).is_err(),
            ];
            agree("whether it was refused", refused, [true; 4])?;
        }
        Ok(())
    }
}
