//! What the threads share: the core behind its lock, the drivers' bells, and the clock.

use std::sync::Mutex as Plain;
use std::sync::atomic::{AtomicU64, Ordering};

use bulkheads_engine::{Engine, Options, owner_number};
use bulkheads_core::{Notation, OwnerId};
use shuttle::sync::{Arc, Mutex, MutexGuard};

use crate::bell::Bell;
use crate::driver::Driver;

/// When a driver asks whom to wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waking {
    /// Under the lock of its input, as the Node addon does.
    WithTheInput,
    /// After it has taken its own events, each under a lock of its own, as the Python package does.
    AfterItsEvents,
    /// Likewise, but it takes itself for awake whatever has come since. This loses wake-ups.
    AfterItsEventsNeverItself,
}

/// One bulkhead, and all who use it. The scheduler may switch threads wherever one takes the lock of the core or a bell; of
/// the rest it knows nothing, so that it does not waste its time there.
pub struct Host {
    core: Mutex<Engine>,
    /// By the bits of the owners' numbers.
    bells: Plain<Vec<(u64, Arc<Bell>)>>,
    clock: AtomicU64,
    /// Permits of work that runs, as the work sees it.
    busy: AtomicU64,
    /// How many calls the core has seen.
    calls: AtomicU64,
    pub(crate) limit: u64,
    pub(crate) waking: Waking,
}

impl Host {
    /// A bulkhead whose time-outs, if any, are in ticks of [`Host::tick`].
    #[must_use]
    pub fn new(limit: u32, waking: Waking, options: Options) -> Arc<Self> {
        let options = Options {
            max_concurrent: f64::from(limit),
            max_queue: Some(100.0),
            timeout: options.timeout.or(Some(f64::INFINITY)),
            ..options
        };
        let core = Engine::new(Notation::CamelMillis, options).expect("valid options");
        Arc::new(Self {
            core: Mutex::new(core),
            bells: Plain::default(),
            clock: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            limit: u64::from(limit),
            waking,
        })
    }

    /// A further driver, for one thread.
    #[must_use]
    pub fn attach(self: &Arc<Self>) -> Driver {
        let owner = self.lock().attach();
        let bell = Arc::new(Bell::new());
        let mut bells = self.bells.lock().expect("no panic");
        bells.push((owner_number(owner).to_bits(), Arc::clone(&bell)));
        drop(bells);
        Driver::new(Arc::clone(self), owner, bell)
    }

    /// Time passes; timers that are due fire.
    pub fn tick(&self) {
        self.clock.fetch_add(1, Ordering::SeqCst);
        let now = self.now();
        let bells = self.bells.lock().expect("no panic").clone();
        for (_, bell) in bells {
            bell.tick(now);
        }
    }

    /// The driver of this owner has died, wherever it was: somebody else ends it, and wakes whoever gets what it held.
    pub fn bury(&self, owner: OwnerId, held: u64) {
        self.busy.fetch_sub(held, Ordering::SeqCst);
        self.lock().evict(owner, self.now());
        self.wake_others(owner);
    }

    /// Turns everybody away who waits, and answers those who run.
    pub fn close(&self, abort: bool) {
        let nobody = OwnerId::FIRST;
        self.lock().close(self.now(), abort);
        self.wake_others(nobody);
    }

    /// When everybody has gone: nothing is held, nobody waits, and every call is accounted for.
    pub fn check_end(&self) {
        let core = self.lock();
        let stats = core.core().snapshot();
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

    #[expect(clippy::cast_precision_loss, reason = "a few ticks")]
    pub(crate) fn now(&self) -> f64 {
        self.clock.load(Ordering::SeqCst) as f64
    }

    /// The core; nothing else is done while it is locked.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Engine> {
        self.core.lock().expect("no panic")
    }

    /// Under a lock of its own, after the input.
    pub(crate) fn wake_others(&self, owner: OwnerId) {
        let named = match self.waking {
            Waking::AfterItsEventsNeverItself => next_wakes(&mut self.lock(), owner),
            Waking::AfterItsEvents | Waking::WithTheInput => self.lock().take_wakes(owner),
        };
        self.ring(&named);
    }

    pub(crate) fn ring(&self, named: &[f64]) {
        for owner in named {
            let bells = self.bells.lock().expect("no panic");
            let bell = bells.iter().find(|(whose, _)| *whose == owner.to_bits());
            let bell = bell.map(|(_, bell)| Arc::clone(bell));
            drop(bells);
            if let Some(bell) = bell {
                bell.ring();
            }
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

/// Everybody who is to be woken, but this owner.
pub(crate) fn next_wakes(core: &mut Engine, owner: OwnerId) -> Vec<f64> {
    let others = std::iter::from_fn(|| core.next_wake(owner));
    others.map(owner_number).collect()
}
