//! Row 10: one permit taken and given back, with nobody else about.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads_core::{Bulkhead, Config, Id, Instant, Outcome, Request};

use crate::harness::{Contender, Race};

const LIMIT: u32 = 10;
const OURS: &str = "admit_now(request) + finish_now(id, outcome)";
const NOTE: &str = "one call in sixteen is measured and goes by try_acquire and finish, with a time that the host has at hand";

pub(crate) fn races() -> Vec<Race> {
    let mut bulkhead = bulkhead();
    let alone = Contender::new("bulkheads", OURS, move |calls| {
        for _ in 0..calls {
            pair(black_box(&mut bulkhead));
        }
    });
    let title = "a permit taken and given back, the core alone";
    vec![
        race("10", title, alone, 0.5),
        race(
            "10-locked",
            "the same with the engine's lock",
            locked(),
            1.5,
        ),
    ]
}

fn race(id: &'static str, title: &str, ours: Contender, target: f64) -> Race {
    Race {
        id,
        title: title.into(),
        unit: "ns per permit",
        work: "one after another in one thread",
        options: format!("max_concurrent {LIMIT}"),
        note: NOTE,
        target: Some(target),
        ours,
        peers: vec![tokio(), async_lock()],
        others: vec![],
    }
}

fn bulkhead() -> Bulkhead {
    Bulkhead::new(Config::new(LIMIT)).expect("the limit is in range")
}

fn pair(bulkhead: &mut Bulkhead) {
    let id = admit(bulkhead);
    finish(bulkhead, black_box(id));
}

/// As a driver does it: the call whose run is measured, one in sixteen, goes the way with a clock.
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

#[cold]
fn admit_measured(bulkhead: &mut Bulkhead, request: Request) -> Id {
    let admission = bulkhead.try_acquire(Instant::ZERO, request);
    let permit = admission.expect("the weight is in range");
    permit.expect("a permit is free")
}

/// As the bindings hold it: taken and given back are two visits.
fn locked() -> Contender {
    let shared = Arc::new(Mutex::new(bulkhead()));
    Contender::new(
        "bulkheads",
        "the same, each behind Arc<Mutex<…>>",
        move |calls| {
            for _ in 0..calls {
                let shared = black_box(&shared);
                let id = admit(&mut shared.lock().unwrap_or_else(PoisonError::into_inner));
                let mut bulkhead = shared.lock().unwrap_or_else(PoisonError::into_inner);
                bulkhead.finish(Instant::ZERO, black_box(id), Outcome::Completed);
            }
        },
    )
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
