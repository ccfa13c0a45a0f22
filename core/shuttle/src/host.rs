//! What the threads share: the core behind the lock that ships, the drivers' bells, and the clock.

use std::sync::Mutex as Plain;
use std::sync::atomic::{AtomicU64, Ordering};

use bulkheads_core::{Bulkhead, Config, Instant, OwnerId};
use bulkheads_driver::{Bell, Shared};
use shuttle::sync::Arc;

use crate::driver::Driver;
use crate::sleeper::Sleeper;

/// How the drivers go about it: as the bindings do, or with one fault that the models must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As the bindings do.
    AsShipped,
    /// Answers its bell after it has looked at its events: what comes in between rings a bell that
    /// is rung already.
    AnswersItsBellLate,
    /// Looks at its events before it has registered the caller of its input: what another thread
    /// did to that call in between is dropped.
    RegistersLate,
    /// Collects whom to wake under a lock of its own, after it has looked at its events: an event
    /// of its own that came in between is named there, and dropped, since it takes itself for
    /// awake.
    CollectsWakesLate,
}

/// One bulkhead, and all who use it. The scheduler may switch threads wherever one takes the lock
/// of the core, rings a bell or sleeps; of the rest it knows nothing, and wastes no time there.
pub struct Host {
    pub(crate) core: Shared<Bulkhead, Sleeper>,
    /// Of all drivers, for the clock.
    bells: Plain<Vec<Arc<Bell<Sleeper>>>>,
    clock: AtomicU64,
    /// Permits of work that runs, as the work sees it.
    busy: AtomicU64,
    /// How many calls the core has seen.
    calls: AtomicU64,
    pub(crate) limit: u64,
    pub(crate) way: Way,
}

impl Host {
    /// A bulkhead whose time-outs, if any, are in ticks of [`Host::tick`].
    ///
    /// # Panics
    /// If the options are not valid.
    #[must_use]
    pub fn new(config: Config, way: Way) -> Arc<Self> {
        let core = Bulkhead::new(config.max_queue(100)).expect("valid options");
        let limit = u64::from(core.limit());
        Arc::new(Self {
            core: Shared::new(core),
            bells: Plain::default(),
            clock: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            limit,
            way,
        })
    }

    /// A further driver, for one thread.
    ///
    /// # Panics
    /// Never.
    #[must_use]
    pub fn attach(self: &Arc<Self>) -> Driver {
        let owner = self.core.look(Bulkhead::add_owner);
        let bell = Bell::new(Sleeper::new());
        self.core.listen(owner, Arc::clone(&bell));
        self.bells.lock().expect("no panic").push(Arc::clone(&bell));
        Driver::new(Arc::clone(self), owner, bell)
    }

    /// Time passes; timers that are due fire.
    ///
    /// # Panics
    /// Never.
    pub fn tick(&self) {
        self.clock.fetch_add(1, Ordering::SeqCst);
        let now = self.now();
        let bells = self.bells.lock().expect("no panic").clone();
        for bell in bells {
            bell.waker().tick(now);
        }
    }

    /// The driver of this owner has died, wherever it was: another thread ends it, and wakes those
    /// who get what it held.
    pub fn bury(&self, owner: OwnerId, held: u64) {
        self.busy.fetch_sub(held, Ordering::SeqCst);
        self.input(owner, |core, now| core.evict(now, owner));
        self.wake_late(owner);
        self.core.unlisten(owner);
    }

    /// Rejects all waiters.
    pub fn close(&self, abort: bool) {
        self.input(OwnerId::FIRST, |core, now| core.close(now, abort));
        self.wake_late(OwnerId::FIRST);
    }

    /// When all threads have gone: nothing is held, no call waits, and every call is accounted for.
    ///
    /// # Panics
    /// If it is not so.
    pub fn check_end(&self) {
        let stats = self.core.look(|core| core.snapshot());
        assert_eq!((stats.active, stats.queued, stats.overrun), (0, 0, 0));
        let ended = stats.completed + stats.failed + stats.unclaimed + stats.abandoned_runs;
        assert_eq!(stats.admitted, ended, "{stats:?}");
        let rejected = stats.rejected;
        let turned_away =
            rejected.cancelled + rejected.closed + rejected.queue_timeout + rejected.reentrant;
        let calls = self.calls.load(Ordering::SeqCst);
        assert_eq!(calls, stats.admitted + turned_away, "{stats:?}");
        assert_eq!(self.busy.load(Ordering::SeqCst), 0);
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::from_nanos(self.clock.load(Ordering::SeqCst))
    }

    /// One input, and the wakes that it brings.
    pub(crate) fn input<R>(
        &self,
        owner: OwnerId,
        act: impl FnOnce(&mut Bulkhead, Instant) -> R,
    ) -> R {
        let now = self.now();
        if self.way == Way::CollectsWakesLate {
            return self.core.look(|core| act(core, now));
        }
        let (answer, wakes) = self.core.step(owner, |core| act(core, now));
        wakes.ring(Sleeper::wake);
        answer
    }

    /// Wakes those whom earlier inputs have notified, if that was not done with them.
    pub(crate) fn wake_late(&self, owner: OwnerId) {
        if self.way == Way::CollectsWakesLate {
            let ((), wakes) = self.core.step(owner, |_| ());
            wakes.ring(Sleeper::wake);
        }
    }

    pub(crate) fn count_call(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
    }

    /// Work begins: it sees how much of it there is.
    pub(crate) fn enter(&self, weight: u64) {
        let busy = weight + self.busy.fetch_add(weight, Ordering::SeqCst);
        assert!(
            busy <= self.limit,
            "{busy} permits of {} in use",
            self.limit
        );
    }

    /// Its work is over.
    pub(crate) fn exit(&self, weight: u64) {
        self.busy.fetch_sub(weight, Ordering::SeqCst);
    }
}
