//! One thread holds the only permit, another wants it: some thousand schedules of each.

use bulkheads_core::{Config, Span};
use bulkheads_shuttle::{Driver, Host, Way, schedules};
use shuttle::sync::Arc;
use shuttle::thread;

type Handover = fn(&Arc<Host>, Driver, Driver);

fn check(handover: Handover) {
    schedules::some(move || play(handover, Config::new(1).timeout(Span::FOREVER)));
}

fn play(handover: Handover, config: Config) {
    let host = Host::new(config, Way::AsShipped);
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
fn a_release_reaches_the_waiter() {
    check(|_, mut holder, other| {
        let thread = spawn(other, call_and_wait);
        holder.finish_one().expect("it lives");
        end(thread);
    });
}

#[test]
fn a_death_reaches_the_waiter() {
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

#[test]
fn a_release_meets_a_time_out() {
    let config = Config::new(1).timeout(Span::from_nanos(1));
    let handover: Handover = |host, mut holder, other| {
        let thread = spawn(other, call_and_wait);
        let clock = Arc::clone(host);
        let time = thread::spawn(move || clock.tick());
        holder.finish_one().expect("it lives");
        time.join().expect("no panic");
        end(thread);
    };
    schedules::some(move || play(handover, config));
}
