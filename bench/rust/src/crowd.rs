//! A bulkhead whose queue is kept at one length while calls come and go.

use std::hint::black_box;

use bulkheads_core::{
    Admission, Bulkhead, Cancellation, Config, Event, Id, Instant, MAX_COUNT, Outcome, OwnerId,
    Request, Span,
};

/// Nanoseconds between two calls.
const STEP: u64 = 100;

pub(crate) struct Crowd {
    bulkhead: Bulkhead,
    now: u64,
    holder: Id,
    /// The waiters, to pick one at random.
    waiters: Vec<Id>,
    longest: u64,
}

/// How long calls are willing to wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Longer than anything measured here.
    Endless,
    /// All the same, so that one waiter times out at each step.
    Same,
    /// Anything up to twice as long.
    Mixed,
}

impl Crowd {
    pub(crate) fn new(length: u32, patience: Patience) -> Self {
        let longest = u64::from(length) * STEP;
        let timeout = match patience {
            Patience::Endless => Span::from_nanos(u64::MAX / 2),
            Patience::Same => Span::from_nanos(longest),
            Patience::Mixed => Span::from_nanos(2 * longest),
        };
        let config = Config::new(1).max_queue(MAX_COUNT).timeout(timeout);
        let mut bulkhead = Bulkhead::new(config).expect("the options are in range");
        let request = Request::run(1);
        let Ok(Ok(holder)) = bulkhead.try_acquire(Instant::ZERO, request) else {
            unreachable!("nobody else is here");
        };
        let mut crowd = Self {
            bulkhead,
            now: 0,
            holder,
            waiters: Vec::new(),
            longest,
        };
        for _ in 0..length {
            crowd.now += STEP;
            let waiter = if patience == Patience::Mixed {
                crowd.join_for_some_time()
            } else {
                crowd.join()
            };
            crowd.waiters.push(waiter);
        }
        crowd
    }

    /// A call comes, the running one ends, the first waiter goes on.
    pub(crate) fn pass_on(&mut self) {
        self.now += STEP;
        self.join();
        let ended = std::mem::replace(&mut self.holder, Id::from_raw(0));
        self.bulkhead
            .finish(self.instant(), black_box(ended), Outcome::Completed);
        while let Some(event) = self.bulkhead.poll_event(OwnerId::FIRST) {
            let Event::Granted { id } = event else {
                unreachable!("{event:?}")
            };
            self.bulkhead.start(id);
            self.holder = id;
        }
    }

    /// A call comes and goes.
    pub(crate) fn come_and_go(&mut self) {
        self.now += STEP;
        let waiter = self.join();
        self.leave(waiter);
    }

    /// A waiter gives up, somewhere in the queue, and another call comes.
    pub(crate) fn replace_any(&mut self) {
        self.now += STEP;
        let place = fastrand::usize(..self.waiters.len());
        self.leave(self.waiters[place]);
        self.waiters[place] = self.join();
    }

    /// Somebody's time is up, and another call comes.
    pub(crate) fn time_out(&mut self) {
        self.now += STEP;
        self.bulkhead.handle_timeout(self.instant());
        let event = self.bulkhead.poll_event(OwnerId::FIRST);
        assert!(
            matches!(event, Some(Event::QueueTimedOut { .. })),
            "{event:?}"
        );
        while self.bulkhead.poll_event(OwnerId::FIRST).is_some() {}
        self.join();
    }

    /// As [`Self::time_out`], with waits of all lengths: at the time when the next one is up.
    pub(crate) fn time_out_mixed(&mut self) {
        let due = self
            .bulkhead
            .poll_timeout(OwnerId::FIRST)
            .expect("somebody waits");
        self.now = self.now.max(due.as_nanos());
        self.bulkhead.handle_timeout(self.instant());
        while let Some(event) = self.bulkhead.poll_event(OwnerId::FIRST) {
            black_box(event);
            self.join_for_some_time();
        }
    }

    fn join(&mut self) -> Id {
        self.queue(Request::run(1))
    }

    fn join_for_some_time(&mut self) -> Id {
        let timeout = Span::from_nanos(fastrand::u64(1..2 * self.longest));
        self.queue(Request::run(1).timeout(timeout))
    }

    fn queue(&mut self, request: Request) -> Id {
        match self.bulkhead.acquire(self.instant(), black_box(request)) {
            Ok(Admission::Queued(id)) => id,
            other => unreachable!("{other:?}"),
        }
    }

    fn leave(&mut self, waiter: Id) {
        let cancellation = self.bulkhead.cancel(self.instant(), black_box(waiter));
        assert_eq!(cancellation, Cancellation::Withdrawn);
    }

    fn instant(&self) -> Instant {
        Instant::from_nanos(self.now)
    }
}
