//! Every input of the table does something, and it is what its name says.

use std::collections::BTreeSet;

use bulkheads_core::{Snapshot, State};
use bulkheads_engine::mailbox::{INPUTS, place};

use crate::common::{Host, NEVER, RUN, options};

/// Three permits: one of a run, one of a manual permit, one of a counted run.
struct Scene {
    host: Host,
    run: f64,
    permit: f64,
    /// Waits with a deadline, if there is one.
    waiter: f64,
    before: Snapshot,
}

const DEADLINE: f64 = 50.0;

/// The counted run and another one are over; no call waits.
fn quiet() -> Scene {
    let mut host = Host::new(options(3.0, 5.0));
    let first = host.call();
    host.ask("finish", 0.0, &[first, 0.0]);
    let run = host.ask("acquire_untimed", 0.0, &[1.0, RUN]);
    let permit = host.ask("try_acquire", 0.0, &[1.0]);
    assert!(run > 15.0 && permit > 15.0, "neither is measured");
    let before = host.engine.core().snapshot();
    Scene {
        host,
        run,
        permit,
        waiter: 0.0,
        before,
    }
}

/// A map waits for capacity.
fn watching() -> Scene {
    let mut scene = quiet();
    scene
        .host
        .ask("watch_capacity", 0.0, &[2.0, NEVER, NEVER, RUN]);
    assert!(scene.sees(place::FREE, -1.0));
    scene
}

/// The manual permit holds two.
fn heavy() -> Scene {
    let mut scene = quiet();
    scene.host.ask("adjust", 0.0, &[scene.permit, 2.0]);
    scene.before = scene.host.engine.core().snapshot();
    scene
}

fn with_a_counted_run() -> Scene {
    let mut scene = quiet();
    assert!(scene.host.begin());
    scene.host.ask("show", 0.0, &[]);
    scene.before = scene.host.engine.core().snapshot();
    scene
}

/// All three permits are taken, and a call waits for two of them.
fn busy() -> Scene {
    let mut scene = with_a_counted_run();
    let waits = scene.host.ask("acquire", 0.0, &[2.0, NEVER, DEADLINE, RUN]);
    assert!(waits < -15.0);
    scene.waiter = -waits;
    scene.before = scene.host.engine.core().snapshot();
    scene
}

/// The waiter has its permits, and has yet to start.
fn granted() -> Scene {
    let mut scene = busy();
    for id in [scene.run, scene.permit] {
        scene.host.ask("finish", 0.0, &[id, 0.0]);
    }
    assert_eq!(scene.host.event(), Some(("granted", scene.waiter, 0.0)));
    scene.before = scene.host.engine.core().snapshot();
    scene
}

impl Scene {
    fn stats(&self) -> Snapshot {
        self.host.engine.core().snapshot()
    }

    fn sees(&self, place: usize, number: f64) -> bool {
        self.host.mail[place].to_bits() == number.to_bits()
    }
}

/// An input, where it is done, its arguments, and whether it did what it should; the last number is
/// its answer.
type Row = (
    &'static str,
    fn() -> Scene,
    fn(&Scene) -> [f64; 4],
    fn(&Scene, f64) -> bool,
);

const ROWS: [Row; INPUTS.len()] = [
    (
        "acquire_untimed",
        quiet,
        |_| [1.0, RUN, 0.0, 0.0],
        |scene, id| id > 15.0 && scene.stats().active == 3,
    ),
    (
        "finish_untimed",
        quiet,
        |scene| [scene.run, 1.0, 0.0, 0.0],
        |scene, is_done| is_done > 0.0 && scene.stats().failed == 1,
    ),
    (
        "acquire",
        busy,
        |_| [1.0, 30.0, NEVER, RUN],
        |scene, id| id < -15.0 && scene.stats().queued == 2 && scene.sees(place::TIMER, 37.0),
    ),
    (
        "try_acquire",
        quiet,
        |_| [1.0, 0.0, 0.0, 0.0],
        |scene, id| id > 15.0 && scene.stats().active == 3,
    ),
    (
        "start",
        granted,
        |scene| [scene.waiter, 0.0, 0.0, 0.0],
        |scene, _| scene.sees(place::TIMER, DEADLINE),
    ),
    (
        "finish",
        busy,
        |scene| [scene.run, 1.0, 0.0, 0.0],
        |scene, is_done| is_done > 0.0 && scene.stats().failed == 1,
    ),
    (
        "release",
        busy,
        |scene| [scene.permit, 0.0, 0.0, 0.0],
        |scene, is_done| {
            let completed = scene.stats().completed;
            is_done > 0.0 && completed == scene.before.completed + 1
        },
    ),
    (
        "cancel",
        busy,
        |scene| [scene.waiter, 0.0, 0.0, 0.0],
        |scene, _| scene.stats().rejected.cancelled == 1,
    ),
    (
        "resize",
        busy,
        |_| [9.0, 0.0, 0.0, 0.0],
        |scene, _| scene.sees(place::LIMIT, 9.0) && scene.sees(place::COUNT, 1.0),
    ),
    (
        "close",
        quiet,
        |_| [1.0, 0.0, 0.0, 0.0],
        |scene, _| scene.stats().state == State::Closed && scene.sees(place::COUNT, 1.0),
    ),
    (
        "drain",
        busy,
        |_| [20.0, 0.0, 0.0, 0.0],
        |scene, _| {
            let stats = scene.stats();
            stats.state == State::Draining && stats.queued == 1 && scene.sees(place::TIMER, 27.0)
        },
    ),
    (
        "evict",
        busy,
        |_| [0.0; 4],
        |scene, _| scene.stats().abandoned_runs == 3 && scene.stats().active == 0,
    ),
    (
        "watch_idle",
        quiet,
        |_| [0.0; 4],
        |scene, ticket| ticket > 0.0 && scene.sees(place::FREE, -1.0),
    ),
    (
        "watch_capacity",
        quiet,
        |_| [2.0, NEVER, NEVER, RUN],
        |scene, has_capacity| has_capacity < 1.0 && scene.sees(place::FREE, -1.0),
    ),
    (
        "handle_timeout",
        busy,
        |_| [0.0; 4],
        |scene, _| scene.stats().queued == 1 && scene.stats() == scene.before,
    ),
    (
        "show",
        granted,
        |_| [0.0; 4],
        |scene, _| scene.stats() == scene.before && scene.sees(place::COUNT, 0.0),
    ),
    (
        "permits",
        quiet,
        |scene| [scene.permit, 0.0, 0.0, 0.0],
        |scene, permits| permits > 0.0 && scene.stats() == scene.before,
    ),
    (
        "acquire_or_watch",
        quiet,
        |_| [1.0, 0.0, NEVER, RUN],
        |scene, id| id > 15.0 && scene.stats().active == 3,
    ),
    (
        "unwatch_capacity",
        watching,
        |_| [0.0; 4],
        |scene, _| scene.sees(place::TIMER, NEVER) && !scene.sees(place::FREE, -1.0),
    ),
    (
        "release_part",
        heavy,
        |scene| [scene.permit, 1.0, 0.0, 0.0],
        |scene, is_done| is_done > 0.0 && scene.stats().active == 2,
    ),
    (
        "split",
        heavy,
        |scene| [scene.permit, 1.0, 0.0, 0.0],
        |scene, id| id > 15.0 && scene.stats().running == 3 && scene.stats().active == 3,
    ),
    (
        "adjust",
        heavy,
        |scene| [scene.permit, 1.0, 0.0, 0.0],
        |scene, is_done| is_done > 0.0 && scene.stats().active == 2,
    ),
    (
        "reclaim",
        quiet,
        |scene| [scene.permit, 0.0, 0.0, 0.0],
        |scene, is_first| is_first > 0.0 && scene.stats().leaked == 1,
    ),
    (
        "reclaim_counted",
        with_a_counted_run,
        |_| [0.0; 4],
        |scene, is_first| is_first > 0.0 && scene.stats().leaked == 1,
    ),
    (
        "admit_counted",
        quiet,
        |_| [0.0; 4],
        |scene, is_done| is_done > 0.0 && scene.stats().active == 3,
    ),
    (
        "finish_counted",
        busy,
        |_| [1.0, 0.0, 0.0, 0.0],
        |scene, is_done| is_done > 0.0 && scene.stats().failed == 1,
    ),
    (
        "finish_measured",
        busy,
        |_| [1.0, 3.5, 0.0, 0.0],
        |scene, is_done| {
            let stats = scene.stats();
            let ran = stats.ran.sum - scene.before.ran.sum;
            is_done > 0.0 && stats.failed == 1 && ran == 3_500_000
        },
    ),
];

#[test]
fn every_input_of_the_table_does_what_its_name_says() {
    for (name, prepare, arguments, is_right) in ROWS {
        let mut scene = prepare();
        let arguments = arguments(&scene);
        let answer = scene.host.ask(name, 7.0, &arguments);
        assert!(is_right(&scene, answer), "{name} answered {answer}");
        assert_eq!(scene.host.engine.take_fault(), None, "{name}");
        assert_eq!(
            scene.host.engine.core().check_invariants(),
            Ok(()),
            "{name}"
        );
    }
    let names: BTreeSet<_> = ROWS.iter().map(|(name, ..)| name).collect();
    let known: BTreeSet<_> = INPUTS.iter().map(|(name, _)| name).collect();
    assert_eq!(names, known);
}

#[test]
fn what_is_due_is_done_at_the_time_of_the_input() {
    for now in [DEADLINE - 1.0, DEADLINE] {
        let mut scene = busy();
        scene.host.ask("handle_timeout", now, &[]);
        let is_due = now >= DEADLINE;
        let timed_out = scene.stats().rejected.queue_timeout;
        assert_eq!(timed_out, u64::from(is_due));
        assert!(scene.sees(place::COUNT, if is_due { 1.0 } else { 0.0 }));
    }
}

#[test]
fn each_input_has_a_code_of_its_own_and_the_rest_do_nothing() {
    let codes: BTreeSet<_> = INPUTS.iter().map(|(_, code)| *code).collect();
    assert_eq!(codes.len(), INPUTS.len());
    let unknown = (0..100).filter(|code| !codes.contains(code));
    let unknown = unknown.map(f64::from);
    for code in unknown.chain([-1.0, f64::NAN, f64::INFINITY]) {
        let mut scene = busy();
        scene.host.mail[place::CODE] = code;
        scene.host.mail[place::NOW] = 2.0 * DEADLINE;
        let owner = scene.host.owner;
        scene.host.engine.exchange(owner, &mut scene.host.mail);
        assert!(scene.sees(place::CODE, 0.0), "{code}");
        assert_eq!(scene.stats(), scene.before, "{code}");
    }
}
