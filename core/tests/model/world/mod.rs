//! A core beside the naive model: the same inputs on both sides, and the comparison after each.
//!
//! The property test, the fuzz target and the replay of its corpus all play histories here.

mod books;
mod bytes;
mod contract;
mod input;
mod naive;
mod play;

use std::fmt::Debug;

use bulkheads_core::{Bulkhead, Config, Id, Instant, OwnerId, Span, State};

use books::Books;
pub(crate) use bytes::history;
pub(crate) use input::{Asked, End, Input};
use naive::Naive;
pub(crate) use naive::{NEVER, Settings};

/// How many owners there are at any time.
pub(crate) const OWNERS: usize = 3;

/// How many things are counted by [`World::counts`].
pub(crate) const COUNTS: usize = 16;

/// What differs, if anything does.
pub(crate) type Checked = Result<(), String>;

pub(crate) struct World {
    core: Bulkhead,
    naive: Naive,
    owners: Vec<OwnerId>,
    /// The owner that was evicted last.
    ghost: Option<OwnerId>,
    /// Every id ever given out.
    ids: Vec<Id>,
    time: u64,
    /// How many calls came, and how many went, without a clock, and how many without a slot.
    without_clock: [u64; 3],
}

/// Plays a history from its first input to the end of everybody.
pub(crate) fn play(settings: Settings, history: &[Input]) -> Result<World, String> {
    let mut world = World::new(settings);
    for (step, input) in history.iter().enumerate() {
        let played = world.play(input);
        played.map_err(|error| format!("step {step}, {input:?}: {error}"))?;
    }
    world.end_everything()?;
    Ok(world)
}

impl World {
    pub(crate) fn new(settings: Settings) -> Self {
        let span = Span::from_nanos;
        let config = Config::new(settings.limit)
            .max_queue(settings.max_queue)
            .timeout(span(settings.timeout))
            .call_timeout(span(settings.call_timeout))
            .abandon_after(span(settings.abandon_after));
        let mut core = Bulkhead::new(config).expect("the strategies make valid settings");
        let mut owners = vec![OwnerId::FIRST];
        owners.resize_with(OWNERS, || core.add_owner());
        Self {
            core,
            naive: Naive::new(settings, OWNERS),
            owners,
            ghost: None,
            ids: Vec::new(),
            time: settings.origin,
            without_clock: [0; 3],
        }
    }

    /// How often what can happen has happened.
    pub(crate) fn counts(&self) -> [u64; COUNTS] {
        let ([came, went, counted], books) = (self.without_clock, self.naive.books);
        [
            came,
            went,
            counted,
            books.completed,
            books.failed,
            books.call_timeouts,
            books.unclaimed,
            books.abandoned_runs,
            books.leaked,
            books.double_releases,
            books.full,
            books.queue_timeout,
            books.cancelled,
            books.closed,
            books.too_heavy,
            books.reentrant,
        ]
    }

    /// The id that was given out so many before the last; a stale one if there is none yet.
    fn id(&self, pick: usize) -> Id {
        let newest = self.ids.len().checked_sub(1 + pick % self.ids.len().max(1));
        newest.map_or(Id::from_raw(0), |place| self.ids[place])
    }

    /// The latest ids, so many of them.
    fn held(&self, ids: usize) -> Vec<Id> {
        self.ids.iter().rev().take(ids).copied().collect()
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.time)
    }

    /// Ends whatever is left: nothing is ever lost.
    fn end_everything(&mut self) -> Checked {
        self.play(&Input::Close(true))?;
        for pick in 0..self.ids.len() {
            self.play(&Input::Finish(pick, End::Completed))?;
        }
        for owner in 0..OWNERS {
            while self.naive.counted(owner).is_some() {
                self.play(&Input::FinishCounted(owner, End::Completed))?;
            }
        }
        let left = (self.core.active(), self.core.queued());
        agree("what is left", left, (0, 0))?;
        agree(
            "idle",
            self.core.watch_idle(self.now(), self.owners[0]),
            None,
        )
    }

    fn compare(&self) -> Checked {
        agree("invariants", self.core.check_invariants(), Ok(()))?;
        for (owner, id) in self.owners.iter().enumerate() {
            let came: Vec<_> = self.core.peek_events(*id).copied().collect();
            let want: Vec<_> = self.naive.owners[owner].events.iter().copied().collect();
            agree("events", came, want)?;
            let timer = self.core.poll_timeout(*id);
            let timer = timer.map_or(NEVER, Instant::as_nanos);
            agree("the next timer", timer, self.naive.next_timer(owner))?;
            let kept = self.core.keeps_alive(*id);
            agree(
                "whether it keeps alive",
                kept,
                self.naive.keeps_alive(owner),
            )?;
        }
        for pick in 0..8 {
            let id = self.id(pick);
            agree("permits", self.core.permits(id), self.naive.permits(id))?;
        }
        self.compare_ghost()?;
        self.compare_figures()
    }

    /// Nothing happens to an owner that was evicted.
    fn compare_ghost(&self) -> Checked {
        let Some(ghost) = self.ghost else {
            return Ok(());
        };
        let nothing = (
            self.core.peek_events(ghost).count(),
            self.core.poll_timeout(ghost),
            self.core.keeps_alive(ghost),
        );
        agree("an evicted owner", nothing, (0, None, false))
    }

    fn compare_figures(&self) -> Checked {
        let (stats, naive) = (self.core.snapshot(), &self.naive);
        let limit = naive.settings.limit;
        let used = naive.used();
        let has_drained = naive.state == State::Draining && naive.is_idle();
        let shown = if has_drained {
            State::Closed
        } else {
            naive.state
        };
        agree("state", stats.state, shown)?;
        agree("limit", (stats.limit, self.core.limit()), (limit, limit))?;
        agree("active", (stats.active, self.core.active()), (used, used))?;
        let available = u64::from(limit).saturating_sub(used);
        agree("available", stats.available, available)?;
        agree("running", stats.running, naive.holders.len() as u64)?;
        let queued = (stats.queued as usize, self.core.queued() as usize);
        let waiting = naive.waiters.len();
        agree("queued", queued, (waiting, waiting))?;
        let overrun = naive.holders.iter();
        let overrun = overrun.filter(|one| one.phase == naive::Phase::Overrun);
        agree("overrun", stats.overrun, overrun.count() as u64)?;
        let max_queue = naive.settings.max_queue;
        agree(
            "max_queue",
            (self.core.max_queue(), stats.max_queue),
            (max_queue, max_queue),
        )?;
        agree("books", Books::of(&stats, naive.books.ran), naive.books)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "values stand where they are compared"
)]
fn agree<T: PartialEq + Debug>(what: &str, came: T, want: T) -> Checked {
    if came == want {
        return Ok(());
    }
    Err(format!(
        "{what}: the core says {came:?}, the contract {want:?}"
    ))
}
