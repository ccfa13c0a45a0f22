//! Numbers that come round: a place that is used millions of times gives out its first number
//! again.

use bulkheads_core::{Bulkhead, Config, Id, Instant, Outcome, OwnerId, Request, Untimed};

const NOW: Instant = Instant::ZERO;
/// The last before they start again at 1.
const LAST: u64 = (1 << 21) - 1;

fn bulkhead() -> Bulkhead {
    Bulkhead::new(Config::new(1)).expect("valid options")
}

/// The id of a call that came and went.
fn passer_by(core: &mut Bulkhead) -> Id {
    let id = match core.acquire_untimed(Request::run(1)) {
        Untimed::Admitted(id) => id,
        Untimed::NeedsClock | Untimed::Rejected(_) => {
            let id = core.try_acquire(NOW, Request::run(1));
            id.expect("a valid weight").expect("a free permit")
        }
    };
    assert!(core.finish(NOW, id, Outcome::Completed));
    assert!(!core.finish(NOW, id, Outcome::Completed), "stale at once");
    id
}

#[test]
fn an_id_comes_back_after_two_million_calls_and_not_before() {
    let mut core = bulkhead();
    let first = passer_by(&mut core);
    for _ in 1..LAST {
        assert_ne!(passer_by(&mut core), first);
    }
    assert_eq!(passer_by(&mut core), first);
    assert!(core.snapshot().completed == LAST + 1 && first.as_raw() == 1 << 32);
}

#[test]
fn an_owner_comes_back_after_two_million_others_and_not_before() {
    let mut core = bulkhead();
    core.evict(NOW, OwnerId::FIRST);
    for _ in 1..LAST {
        let owner = core.add_owner();
        assert_ne!(owner, OwnerId::FIRST);
        core.evict(NOW, owner);
    }
    assert_eq!(core.add_owner(), OwnerId::FIRST);
}

#[test]
fn every_id_is_an_exact_number_of_javascript_and_no_code() {
    let mut core = Bulkhead::new(Config::new(3)).expect("valid options");
    for _ in 0..1000 {
        let ids = [(); 3].map(|()| core.try_acquire(NOW, Request::permit(1)));
        for id in ids.map(|id| id.expect("a valid weight").expect("a free permit")) {
            assert!((1 << 32..1 << 53).contains(&id.as_raw()));
            assert!(core.release(NOW, id));
        }
    }
}
