//! One thread holds the only permit, another wants it. Every schedule there is where an input is one step; where it is four,
//! there are millions, of which some are tried.

use bulkheads_engine::Options;
use bulkheads_shuttle::{Driver, Host, Waking, schedules};
use shuttle::sync::Arc;
use shuttle::thread;

type Handover = fn(&Arc<Host>, Driver, Driver);

fn check(handover: Handover) {
    let options = Options::default();
    schedules::every(move || play(handover, Waking::WithTheInput, options));
    schedules::some(move || play(handover, Waking::AfterItsEvents, options));
}

fn play(handover: Handover, way: Waking, options: Options) {
    let host = Host::new(1, way, options);
    let (mut holder, other) = (host.attach(), host.attach());
    holder.call(1).expect("it lives");
    handover(&host, holder, other);
    host.check_end();
}

/// What the other thread does; answers its driver.
fn spawn(mut other: Driver, act: fn(&mut Driver)) -> thread::JoinHandle<Driver> {
    thread::spawn(move || {
        act(&mut other);
        other
    })
}

/// Joins a thread and ends what its driver still has.
fn end(thread: thread::JoinHandle<Driver>) {
    let mut driver = thread.join().expect("no panic");
    driver.wait().expect("it lives");
    driver.finish_one().expect("it lives");
}

fn call_and_wait(driver: &mut Driver) {
    driver.call(1).expect("it lives");
    driver.wait().expect("it lives");
}

fn call_and_give_up(driver: &mut Driver) {
    driver.call(1).expect("it lives");
    driver.cancel_one().expect("it lives");
}

#[test]
fn a_release_reaches_whoever_waits() {
    check(|_, mut holder, other| {
        let thread = spawn(other, call_and_wait);
        holder.finish_one().expect("it lives");
        end(thread);
    });
}

#[test]
fn a_death_reaches_whoever_waits() {
    check(|_, holder, other| {
        let thread = spawn(other, call_and_wait);
        holder.die();
        end(thread);
    });
}

#[test]
fn a_release_meets_a_caller_who_gives_up() {
    check(|_, mut holder, other| {
        let thread = spawn(other, call_and_give_up);
        holder.finish_one().expect("it lives");
        end(thread);
    });
}

#[test]
fn a_release_meets_a_close() {
    check(|host, mut holder, other| {
        let thread = spawn(other, call_and_wait);
        host.close(true);
        holder.finish_one().expect("it lives");
        end(thread);
    });
}

/// With a third thread, the clock, there are millions in any case.
#[test]
fn a_release_meets_a_time_out() {
    let options = Options {
        timeout: Some(1.0),
        ..Options::default()
    };
    let handover: Handover = |host, mut holder, other| {
        let thread = spawn(other, call_and_wait);
        let clock = Arc::clone(host);
        let time = thread::spawn(move || clock.tick());
        holder.finish_one().expect("it lives");
        time.join().expect("no panic");
        end(thread);
    };
    for way in [Waking::WithTheInput, Waking::AfterItsEvents] {
        schedules::some(move || play(handover, way, options));
    }
}
