//! Row 11: what one call costs beside a thousand waiters, and beside a million.

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use crate::crowd::{Crowd, Patience};
use crate::harness::{Contender, Effort, Race, median_of};

const FEW: u32 = 1_000;
const MANY: u32 = 1_000_000;
const LENGTHS: [u32; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/// One kind of coming and going.
struct Move {
    id: &'static str,
    title: &'static str,
    calls: &'static str,
    note: &'static str,
    patience: Patience,
    step: fn(&mut Crowd),
}

const MOVES: [Move; 5] = [
    Move {
        id: "11-release",
        title: "acquire + release",
        calls: "acquire; finish grants the first waiter; poll_event; start",
        note: "",
        patience: Patience::Endless,
        step: Crowd::pass_on,
    },
    Move {
        id: "11-cancel",
        title: "enqueue + cancel",
        calls: "acquire; cancel",
        note: "",
        patience: Patience::Endless,
        step: Crowd::come_and_go,
    },
    Move {
        id: "11-timeout",
        title: "enqueue + time-out",
        calls: "handle_timeout; poll_event; acquire",
        note: "all calls wait equally long, as the bulkhead's own time-out makes them",
        patience: Patience::Same,
        step: Crowd::time_out,
    },
    Move {
        id: "11-anywhere",
        title: "enqueue + cancel of a waiter chosen at random",
        calls: "cancel; acquire",
        note: "each waiter that is looked up lies elsewhere in memory: with a million of them no cache holds them all",
        patience: Patience::Endless,
        step: Crowd::replace_any,
    },
    Move {
        id: "11-mixed",
        title: "enqueue + time-out, waits of all lengths",
        calls: "poll_timeout; handle_timeout; poll_event; acquire",
        note: "each waiter that times out lies elsewhere in memory: with a million of them no cache holds them all",
        patience: Patience::Mixed,
        step: Crowd::time_out_mixed,
    },
];

pub(crate) fn races() -> impl Iterator<Item = Race> {
    MOVES.iter().map(|kind| Race {
        id: kind.id,
        title: format!("{}, 1,000,000 waiters against 1,000", kind.title),
        unit: "ns per call",
        work: "the queue keeps its length: one call comes, one goes",
        options: "max_concurrent 1".into(),
        note: kind.note,
        ours: contender(kind, MANY, "bulkheads"),
        peers: vec![contender(kind, FEW, "bulkheads, 1,000 waiters")],
        others: if kind.id == "11-cancel" {
            vec![tokio(FEW), tokio(MANY), async_lock(FEW), async_lock(MANY)]
        } else {
            vec![]
        },
    })
}

/// Cost against queue length.
pub(crate) fn curve(effort: Effort) -> Value {
    let series: Vec<Value> = (MOVES.iter())
        .map(|kind| {
            let costs = LENGTHS.map(|length| median_of(&cost(kind, length, effort)));
            json!({ "name": kind.title, "y": costs })
        })
        .collect();
    json!({
        "id": "rust-queue", "title": "the engine: one call against queue length", "unit": "ns per call",
        "x": LENGTHS, "series": series,
    })
}

fn cost(kind: &Move, length: u32, effort: Effort) -> Value {
    let race = Race {
        id: kind.id,
        title: String::new(),
        unit: "",
        work: "",
        options: String::new(),
        note: "",
        ours: contender(kind, length, "bulkheads"),
        peers: vec![],
        others: vec![],
    };
    race.measure(effort)["ours"].clone()
}

fn contender(kind: &Move, length: u32, name: &str) -> Contender {
    let mut crowd = Crowd::new(length, kind.patience);
    let step = kind.step;
    Contender::new(name, kind.calls, move |calls| {
        for _ in 0..calls {
            step(&mut crowd);
        }
    })
}

fn tokio(length: u32) -> Contender {
    let semaphore = Arc::new(tokio::sync::Semaphore::new(0));
    waiting("tokio::sync::Semaphore", length, move || {
        Arc::clone(&semaphore).acquire_owned()
    })
}

fn async_lock(length: u32) -> Contender {
    let semaphore = Arc::new(async_lock::Semaphore::new(0));
    waiting("async_lock::Semaphore", length, move || {
        semaphore.acquire_arc()
    })
}

/// Futures that wait for a permit, and one more that comes and goes.
fn waiting<Wait>(name: &str, length: u32, acquire: impl Fn() -> Wait + 'static) -> Contender
where
    Wait: Future + 'static,
{
    let waiters: Vec<Pin<Box<Wait>>> = (0..length).map(|_| polled(acquire())).collect();
    let name = format!(
        "{name}, {} waiters",
        if length == FEW { "1,000" } else { "1,000,000" }
    );
    Contender::new(&name, "a boxed acquire, polled once; drop", move |calls| {
        black_box(&waiters);
        for _ in 0..calls {
            drop(black_box(polled(acquire())));
        }
    })
}

fn polled<Wait: Future>(wait: Wait) -> Pin<Box<Wait>> {
    let mut wait = Box::pin(wait);
    let poll = wait.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(poll, Poll::Pending), "no permit is free");
    wait
}
