//! Row 10: one permit taken and given back, with nobody else about.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads_core::{Bulkhead, Config, Id, Instant, Outcome, Request};

use crate::harness::{Contender, Race};

const LIMIT: u32 = 10;

/// How the rows 10 take their permits: as a host does it for a run that nobody can single out.
type Ordinary = Single;

pub(crate) fn races() -> Vec<Race> {
    let title = "a permit taken and given back, the core alone";
    vec![
        race::<Ordinary>("10", title, alone::<Ordinary>()),
        race::<Ordinary>("10-locked", "the same with a lock", locked::<Ordinary>()),
    ]
}

fn race<W: Way>(id: &'static str, title: &str, ours: Contender) -> Race {
    Race {
        id,
        title: title.into(),
        unit: "ns per permit",
        work: "one after another in one thread",
        options: format!("max_concurrent {LIMIT}"),
        note: W::NOTE,
        ours,
        peers: vec![tokio(), async_lock()],
        others: vec![],
    }
}

/// A way to take a permit and to give it back.
trait Way: 'static {
    /// What the caller holds meanwhile.
    type Permit;
    /// What is called, and what of it is not the same each time.
    const CALLS: &'static str;
    const NOTE: &'static str;

    fn admit(bulkhead: &mut Bulkhead) -> Self::Permit;
    fn finish(bulkhead: &mut Bulkhead, permit: Self::Permit);
}

/// A run with an id of its own, which can be cancelled, bounded and watched.
struct Single;

impl Way for Single {
    type Permit = Id;
    const CALLS: &'static str = "admit_now(request) + finish_now(id, outcome)";
    const NOTE: &'static str = "one call in sixteen is measured and goes by try_acquire and finish, with a time that the host has at hand";

    fn admit(bulkhead: &mut Bulkhead) -> Id {
        let request = black_box(Request::run(1));
        match bulkhead.admit_now(request) {
            Some(id) => id,
            None => admit_measured(bulkhead, request),
        }
    }

    fn finish(bulkhead: &mut Bulkhead, id: Id) {
        if !bulkhead.finish_now(id, Outcome::Completed) {
            assert!(bulkhead.finish(Instant::ZERO, id, Outcome::Completed));
        }
    }
}

#[cold]
fn admit_measured(bulkhead: &mut Bulkhead, request: Request) -> Id {
    let admission = bulkhead.try_acquire(Instant::ZERO, request);
    let permit = admission.expect("the weight is in range");
    permit.expect("a permit is free")
}

fn alone<W: Way>() -> Contender {
    let mut bulkhead = bulkhead();
    Contender::new("bulkheads", W::CALLS, move |calls| {
        for _ in 0..calls {
            let bulkhead = black_box(&mut bulkhead);
            let permit = W::admit(bulkhead);
            W::finish(bulkhead, black_box(permit));
        }
    })
}

/// As the bindings hold it: taken and given back are two visits.
fn locked<W: Way>() -> Contender {
    let shared = Arc::new(Mutex::new(bulkhead()));
    let calls = format!("{}, each behind Arc<Mutex<…>>", W::CALLS);
    Contender::new("bulkheads", &calls, move |calls| {
        for _ in 0..calls {
            let shared = black_box(&shared);
            let permit = W::admit(&mut shared.lock().unwrap_or_else(PoisonError::into_inner));
            let mut bulkhead = shared.lock().unwrap_or_else(PoisonError::into_inner);
            W::finish(&mut bulkhead, black_box(permit));
        }
    })
}

fn bulkhead() -> Bulkhead {
    Bulkhead::new(Config::new(LIMIT)).expect("the limit is in range")
}

fn tokio() -> Contender {
    let semaphore = tokio::sync::Semaphore::new(LIMIT as usize);
    Contender::new(
        "tokio::sync::Semaphore",
        "try_acquire() + drop",
        move |calls| {
            for _ in 0..calls {
                let permit = black_box(&semaphore).try_acquire();
                drop(black_box(permit).expect("a permit is free"));
            }
        },
    )
    .note("counts nothing, but may be shared between threads as it is")
}

fn async_lock() -> Contender {
    let semaphore = async_lock::Semaphore::new(LIMIT as usize);
    Contender::new(
        "async_lock::Semaphore",
        "try_acquire() + drop",
        move |calls| {
            for _ in 0..calls {
                let permit = black_box(&semaphore).try_acquire();
                drop(black_box(permit).expect("a permit is free"));
            }
        },
    )
    .note("counts nothing, but may be shared between threads as it is")
}
