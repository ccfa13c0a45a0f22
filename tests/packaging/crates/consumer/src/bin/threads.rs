//! One permit and two threads: who waits is woken when its turn comes.

use std::sync::{mpsc, Arc};
use std::thread;

use bulkheads_core::{Admission, Bulkhead, Config, Event, Instant, Outcome, OwnerId, Request};
use bulkheads_driver::{Bell, Shared};

const NOW: Instant = Instant::ZERO;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut shipping = Bulkhead::new(Config::new(1).max_queue(1))?;
    let (mine, theirs) = (OwnerId::FIRST, shipping.add_owner());
    let shared = Arc::new(Shared::new(shipping));

    let (held, _) = shared.step(mine, |core| core.acquire(NOW, Request::run(1)));
    let Admission::Admitted(held) = held? else {
        return Err("the first call waits".into());
    };

    let (waker, woken) = mpsc::channel();
    let bell = Bell::new(waker);
    shared.listen(theirs, Arc::clone(&bell));
    let request = Request::run(1).owner(theirs);
    let (waiting, _) = shared.step(theirs, |core| core.acquire(NOW, request));
    assert!(matches!(waiting?, Admission::Queued(_)));

    let core = Arc::clone(&shared);
    let other = thread::spawn(move || {
        woken.recv().expect("it is woken");
        bell.answer();
        let (event, _) = core.step(theirs, |core| core.poll_event(theirs));
        let Some(Event::Granted { id }) = event else {
            panic!("woken for {event:?}")
        };
        println!("the other thread's turn");
        let (_, _) = core.step(theirs, |core| {
            core.start(id);
            core.finish(NOW, id, Outcome::Completed)
        });
    });

    let (_, wakes) = shared.step(mine, |core| core.finish(NOW, held, Outcome::Completed));
    wakes.ring(|waker| waker.send(()).expect("the other thread listens"));
    other.join().expect("no panic");
    let completed = shared.look(|core| core.snapshot().completed);
    println!("{completed} completed");
    Ok(())
}
