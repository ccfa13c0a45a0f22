//! One input on both sides.

use bulkheads_core::{
    Admission, Id, Instant, MAX_COUNT, Outcome, OwnerId, Rejection, Request, Span, State, Untimed,
};

use super::contract::Want;
use super::naive::{COUNTED, NEVER, Phase, Waiter};
use super::{Asked, Checked, End, Input, World, agree};

impl World {
    pub(crate) fn play(&mut self, input: &Input) -> Checked {
        let now = self.now();
        match *input {
            Input::Acquire(asked) => self.acquire(asked)?,
            Input::TryAcquire { owner, weight } => self.try_acquire(owner, weight)?,
            Input::Start(pick) => self.start(self.id(pick)),
            Input::Finish(pick, end) => self.end(self.id(pick), end, false)?,
            Input::FinishUntimed(pick, end) => self.end(self.id(pick), end, true)?,
            Input::AdmitCounted(owner) => self.admit_counted(owner),
            Input::FinishCounted(owner, end) => self.end_counted(owner, end)?,
            Input::Offer(asked) => self.offer(asked)?,
            Input::Release(pick) => {
                let id = self.id(pick);
                let came = self.core.release(now, id);
                agree("release", came, self.released(id))?;
            }
            Input::ReleasePart(pick, permits) => {
                let id = self.id(pick);
                let came = self.core.release_part(now, id, permits).ok();
                agree("release_part", came, self.release_part(id, permits))?;
            }
            Input::Split(pick, permits) => self.take_part(self.id(pick), permits)?,
            Input::Adjust(pick, weight) => {
                let id = self.id(pick);
                let came = self.core.adjust(now, id, weight).expect("a valid weight");
                agree("adjust", came, self.adjust(id, weight))?;
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
            Input::DrainWithin(owner, timeout) => {
                let span = Span::from_nanos(timeout);
                self.core.drain_within(now, self.owners[owner], span);
                self.drain_within(owner, timeout);
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
            Input::WatchCapacity(asked) => {
                let (held, deadline) = (self.held(asked.held), self.deadline(asked));
                let request = self.request(asked, deadline).held(&held);
                let came = self.core.watch_capacity(now, request);
                let want = self.watch_capacity(&asked, deadline, &held);
                agree("watch_capacity", came, Ok(want))?;
            }
            Input::UnwatchCapacity(owner) => {
                self.core.unwatch_capacity(now, self.owners[owner]);
                self.unwatch_capacity(owner);
                self.naive.settle();
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
        let (held, deadline) = (self.held(asked.held), self.deadline(asked));
        let request = self.request(asked, deadline).held(&held);
        let untimed = if asked.untimed {
            self.core.acquire_untimed(request)
        } else {
            Untimed::NeedsClock
        };
        self.without_clock[0] += u64::from(untimed != Untimed::NeedsClock);
        let came = match untimed {
            Untimed::Admitted(id) => Admission::Admitted(id),
            Untimed::Rejected(rejection) => Admission::Rejected(rejection),
            Untimed::NeedsClock => {
                let came = self.core.acquire(self.now(), request);
                came.expect("a valid weight")
            }
        };
        self.on_the_naive_side(untimed != Untimed::NeedsClock, |world| {
            let want = world.want(&asked, deadline, &held);
            world.arrived(came, want, waiter(asked, deadline))
        })
    }

    /// Without a clock the core stays at the time that it knows: so does the naive side.
    fn on_the_naive_side<R>(&mut self, is_untimed: bool, act: impl FnOnce(&mut Self) -> R) -> R {
        let time = self.time;
        if is_untimed {
            self.time = self.naive.now;
        }
        let answer = act(self);
        self.time = time;
        answer
    }

    fn offer(&mut self, asked: Asked) -> Checked {
        let (held, deadline) = (self.held(asked.held), self.deadline(asked));
        let request = self.request(asked, deadline).held(&held);
        let came = self.core.acquire_or_watch(self.now(), request);
        let want = self.want(&asked, deadline, &held);
        let came = came.expect("a valid weight");
        self.offered(came, want, &asked, deadline)
    }

    fn deadline(&self, asked: Asked) -> u64 {
        match asked.deadline {
            NEVER => NEVER,
            nanos => self.time.saturating_add(nanos).saturating_sub(3),
        }
    }

    fn request(&self, asked: Asked, deadline: u64) -> Request<'static> {
        let kind = if asked.run {
            Request::run
        } else {
            Request::permit
        };
        kind(asked.weight)
            .owner(self.owners[asked.owner])
            .timeout(Span::from_nanos(asked.timeout))
            .deadline(Instant::from_nanos(deadline))
            .aborted(asked.aborted)
            .call_timeout(Span::from_nanos(asked.call_timeout))
            .siblings(asked.siblings)
            .waits_since(Instant::from_nanos(self.time.saturating_sub(asked.waited)))
    }

    fn try_acquire(&mut self, owner: usize, weight: u32) -> Checked {
        // What its caller holds does not matter: it never waits.
        let held = self.held(usize::MAX);
        let request = Request::permit(weight).owner(self.owners[owner]);
        let came = self.core.try_acquire(self.now(), request.held(&held));
        let came = came.expect("a valid weight");
        let asked = Asked {
            owner,
            weight,
            run: false,
            timeout: NEVER,
            deadline: NEVER,
            aborted: false,
            held: 0,
            untimed: false,
            call_timeout: NEVER,
            siblings: 0,
            waited: 0,
        };
        let want = match self.want(&asked, NEVER, &[]) {
            Want::Queued => Want::Rejected(self.full(true)),
            want => want,
        };
        let came = came.map_or_else(Admission::Rejected, Admission::Admitted);
        self.arrived(came, want, waiter(asked, NEVER))
    }

    fn end(&mut self, id: Id, end: End, untimed: bool) -> Checked {
        let Some(outcome) = end.outcome() else {
            let came = self.core.reclaim(self.now(), id);
            return agree("reclaim", came, self.reclaim(id));
        };
        let without_clock = untimed && self.core.finish_untimed(id, outcome);
        self.without_clock[1] += u64::from(without_clock);
        let came = without_clock || self.core.finish(self.now(), id, outcome);
        let want = self.on_the_naive_side(without_clock, |world| world.finish(id, outcome));
        agree("finish", came, want)
    }

    /// A part of a permit is a call of its own, with the bound of the first.
    fn take_part(&mut self, id: Id, permits: u32) -> Checked {
        let came = self.core.split(self.now(), id, permits).map_err(|_| ());
        match (came, self.split(id, permits)) {
            (Ok(Some(part)), Ok(Some(one))) => {
                self.ids.push(part);
                let waiter = Waiter {
                    id: part,
                    owner: one.owner,
                    weight: permits,
                    run: one.run,
                    since: self.naive.now,
                    end: NEVER,
                    bound: one.bound,
                    call_timeout: one.call_timeout,
                };
                self.naive.admit(&waiter, Phase::Running);
                let part = self.naive.holders.last_mut().expect("the part");
                part.timer = one.timer;
                Ok(())
            }
            (came, want) => agree(
                "split",
                came.map(|part| part.is_some()),
                want.map(|one| one.is_some()),
            ),
        }
    }

    /// Only the core knows when it wants one to be measured: the naive side follows.
    fn admit_counted(&mut self, owner: usize) {
        if !self.core.admit_counted(self.owners[owner]) {
            return;
        }
        self.without_clock[2] += 1;
        let counted = Waiter {
            id: COUNTED,
            owner,
            weight: 1,
            run: true,
            since: self.naive.now,
            end: NEVER,
            bound: NEVER,
            call_timeout: NEVER,
        };
        self.naive.admit(&counted, Phase::Running);
    }

    fn end_counted(&mut self, owner: usize, end: End) -> Checked {
        let outcome = end.outcome().unwrap_or(Outcome::Failed);
        let id = self.owners[owner];
        let without_clock = self.core.finish_counted_untimed(id, outcome);
        let came = without_clock || self.core.finish_counted(self.now(), id, outcome);
        let want =
            self.on_the_naive_side(without_clock, |world| world.finish_counted(owner, outcome));
        agree("finish_counted", came, want)
    }

    /// An owner that was evicted changes nothing but what an arrival counts.
    fn haunt(&mut self) -> Checked {
        let (Some(ghost), now) = (self.ghost, self.now()) else {
            return Ok(());
        };
        let request = Request::run(1).owner(ghost);
        let counted = self.core.admit_counted(ghost);
        agree("a ghost's admit_counted", counted, false)?;
        let untimed = self.core.acquire_untimed(request);
        if untimed != Untimed::NeedsClock {
            let closed = Untimed::Rejected(Rejection::Closed);
            agree("a ghost's acquire_untimed", untimed, closed)?;
            self.naive.books.closed += 1;
        }
        let came = self.core.acquire(now, request).expect("a valid weight");
        let closed = Admission::Rejected(Rejection::Closed);
        agree("a ghost's acquire", came, closed)?;
        self.naive.advance(self.time);
        self.naive.books.closed += 1;
        let idle = self.core.watch_idle(now, ghost);
        agree("a ghost's watch_idle", idle.is_none(), self.naive.is_idle())?;
        self.naive.tickets += u64::from(idle.is_some());
        let capacity = self.core.watch_capacity(now, request);
        agree("a ghost's capacity", capacity, Ok(true))?;
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
            let untimed = self.core.acquire_untimed(request);
            agree("acquire_untimed", untimed, Untimed::NeedsClock)?;
            let refused = [
                self.core.acquire(now, request).is_err(),
                self.core.try_acquire(now, request).is_err(),
                self.core.watch_capacity(now, request).is_err(),
                self.core.acquire_or_watch(now, request).is_err(),
                weight == 0 || self.core.resize(now, weight).is_err(),
            ];
            agree("whether it was refused", refused, [true; 5])?;
        }
        Ok(())
    }
}

/// The call of a request, from its id, the time, and the longest wait there is.
pub(super) fn waiter(asked: Asked, deadline: u64) -> impl FnOnce(Id, u64, u64) -> Waiter {
    move |id, since, longest| Waiter {
        id,
        owner: asked.owner,
        weight: asked.weight,
        run: asked.run,
        since,
        end: since
            .saturating_add(asked.timeout.min(longest))
            .min(deadline),
        bound: deadline,
        call_timeout: asked.call_timeout,
    }
}
