//! Row 10: one permit taken and given back, with nobody else about.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads_core::{Bulkhead, Config, Id, Instant, Outcome, OwnerId, Request, Untimed};

use crate::harness::{Contender, Race};

const LIMIT: u32 = 10;
const NOTE: &str = "one call in thirty-two is measured and goes by try_acquire and finish, with a time that the host has at hand";

pub(crate) fn races() -> Vec<Race> {
    let title = "a permit taken and given back, the core alone";
    vec![
        race::<Counted>("10", title, alone::<Counted>()),
        race::<Counted>("10-locked", "the same with a lock", locked::<Counted>()),
        race::<Single>(
            "10-id",
            "the same for a run that has an id",
            alone::<Single>(),
        ),
    ]
}

fn race<W: Way>(id: &'static str, title: &str, ours: Contender) -> Race {
    Race {
        id,
        title: title.into(),
        unit: "ns per permit",
        work: "one after another in one thread",
        options: format!("max_concurrent {LIMIT}"),
        note: NOTE,
        ours,
        peers: vec![tokio(), async_lock()],
        others: vec![],
    }
}

/// A way to take a permit and to give it back.
trait Way: 'static {
    /// What the caller holds meanwhile.
    type Permit;
    /// What is called.
    const CALLS: &'static str;

    fn admit(bulkhead: &mut Bulkhead, owner: OwnerId) -> Self::Permit;
    fn finish(bulkhead: &mut Bulkhead, owner: OwnerId, permit: Self::Permit);
}

/// As a host does it for a run that nobody can single out: without a slot and an id, unless it is
/// one that is measured.
struct Counted;

impl Way for Counted {
    type Permit = Option<Id>;
    const CALLS: &'static str = "admit_counted(owner) + finish_counted_untimed(owner, outcome)";

    fn admit(bulkhead: &mut Bulkhead, owner: OwnerId) -> Option<Id> {
        let is_counted = bulkhead.admit_counted(owner);
        (!is_counted).then(|| admit_measured(bulkhead, Request::run(1)))
    }

    fn finish(bulkhead: &mut Bulkhead, owner: OwnerId, permit: Option<Id>) {
        assert!(match permit {
            None => bulkhead.finish_counted_untimed(owner, Outcome::Completed),
            Some(id) => bulkhead.finish(Instant::ZERO, id, Outcome::Completed),
        });
    }
}

/// A run with an id of its own, which can be cancelled and bounded.
struct Single;

impl Way for Single {
    type Permit = Id;
    const CALLS: &'static str = "acquire_untimed(request) + finish_untimed(id, outcome)";

    fn admit(bulkhead: &mut Bulkhead, _: OwnerId) -> Id {
        let request = black_box(Request::run(1));
        match bulkhead.acquire_untimed(request) {
            Untimed::Admitted(id) => id,
            Untimed::NeedsClock => admit_measured(bulkhead, request),
            Untimed::Rejected(rejection) => panic!("a permit is free: {rejection:?}"),
        }
    }

    fn finish(bulkhead: &mut Bulkhead, _: OwnerId, id: Id) {
        if !bulkhead.finish_untimed(id, Outcome::Completed) {
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
        let owner = black_box(OwnerId::FIRST);
        for _ in 0..calls {
            let bulkhead = black_box(&mut bulkhead);
            let permit = W::admit(bulkhead, owner);
            W::finish(bulkhead, owner, black_box(permit));
        }
    })
}

/// As the bindings hold it: taken and given back are two visits.
fn locked<W: Way>() -> Contender {
    let shared = Arc::new(Mutex::new(bulkhead()));
    let calls = format!("{}, each behind Arc<Mutex<…>>", W::CALLS);
    Contender::new("bulkheads", &calls, move |calls| {
        let owner = black_box(OwnerId::FIRST);
        for _ in 0..calls {
            let shared = black_box(&shared);
            let permit = W::admit(
                &mut shared.lock().unwrap_or_else(PoisonError::into_inner),
                owner,
            );
            let mut bulkhead = shared.lock().unwrap_or_else(PoisonError::into_inner);
            W::finish(&mut bulkhead, owner, black_box(permit));
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
