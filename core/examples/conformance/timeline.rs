//! Plays one scenario: a driver of the core that keeps labels instead of promises.

use std::collections::HashMap;

use bulkheads_core::{
    Admission, Bulkhead, Cancellation, Event, Id, Instant, Outcome, OwnerId, Rejection, Request,
    Snapshot, State,
};

use crate::format::{NextTimer, Scenario, Step, Verb, instant, span};

const ME: OwnerId = OwnerId::FIRST;

struct Label {
    id: Id,
    state: &'static str,
    by_hand: bool,
    ignores_signal: bool,
    /// The work of a call has not settled.
    working: bool,
}

struct Timeline {
    core: Bulkhead,
    labels: HashMap<String, Label>,
    names: HashMap<Id, String>,
    /// Changes of state that this turn brought, in order.
    changes: Vec<String>,
    /// The names of calls and permits in the order in which they got their permits.
    admitted: Vec<String>,
    /// Closed with abort: the signals of what runs are to be aborted.
    is_to_abort: bool,
    ended: bool,
    idle: bool,
}

type Failure = String;

/// Answers the number of the step that failed, counted from 1, and why.
pub(crate) fn play(scenario: &Scenario) -> Result<(), (usize, Failure)> {
    let core = Bulkhead::new(scenario.bulkhead.config()).map_err(|error| (0, error.to_string()))?;
    let mut timeline = Timeline {
        core,
        labels: HashMap::new(),
        names: HashMap::new(),
        changes: Vec::new(),
        admitted: Vec::new(),
        is_to_abort: false,
        ended: false,
        idle: false,
    };
    let mut before = 0.0;
    for (index, step) in scenario.steps.iter().enumerate() {
        let last = !scenario
            .steps
            .get(index + 1)
            .is_some_and(|next| next.same_turn);
        let played = if step.at < before {
            Err("time goes backwards".to_owned())
        } else {
            timeline.step(step, last)
        };
        played.map_err(|error| (index + 1, error))?;
        before = step.at;
    }
    Ok(())
}

impl Timeline {
    fn step(&mut self, step: &Step, last: bool) -> Result<(), Failure> {
        if !step.same_turn {
            self.changes.clear();
        }
        let now = instant(step.at);
        if !step.late && !step.same_turn {
            self.pass_time(now)?;
        }
        let before = self.state_of(step.of.as_deref());
        let label = self.act(now, step)?;
        if !last {
            return self.pass_on(step, label, before);
        }
        self.drain()?;
        self.pass_time(now)?;
        self.check(step, label.as_deref())
    }

    /// An earlier step of a turn: its change shows at the turn's last step.
    fn pass_on(
        &mut self,
        step: &Step,
        label: Option<String>,
        before: Option<&str>,
    ) -> Result<(), Failure> {
        if has_checks(step) {
            return Err("only the last step of a turn has checks".to_owned());
        }
        let after = self.state_of(label.as_deref());
        if let (Some(label), Some(state)) = (label, after.filter(|_| after != before)) {
            self.changes.push(format!("{label}:{state}"));
        }
        Ok(())
    }

    fn state_of(&self, label: Option<&str>) -> Option<&'static str> {
        Some(self.labels.get(label?)?.state)
    }

    /// Fires every timer that is due by `now`, each at its own time.
    fn pass_time(&mut self, now: Instant) -> Result<(), Failure> {
        while let Some(timer) = self.core.poll_timeout(ME).filter(|timer| *timer <= now) {
            self.core.handle_timeout(timer);
            self.drain()?;
        }
        Ok(())
    }

    /// Takes the events of a turn, then lets the granted go on.
    fn drain(&mut self) -> Result<(), Failure> {
        loop {
            let mut granted = Vec::new();
            while let Some(event) = self.core.poll_event(ME) {
                self.core.check_invariants()?;
                granted.extend(self.take(event));
            }
            if granted.is_empty() && !self.is_to_abort {
                return Ok(self.core.check_invariants()?);
            }
            for id in granted {
                self.core.start(id);
            }
            if core::mem::take(&mut self.is_to_abort) {
                self.abort_signals();
            }
        }
    }

    /// Work that honours its signal ends with the reason of the abort, in order of admission.
    fn abort_signals(&mut self) {
        for name in self.admitted.clone() {
            let Some(label) = self.labels.get_mut(&name) else {
                continue;
            };
            if label.state != "running" || label.by_hand || label.ignores_signal {
                continue;
            }
            label.state = "closed";
            label.working = false;
            let id = label.id;
            self.changes.push(format!("{name}:closed"));
            self.core.finish(self.core.now(), id, Outcome::Failed);
        }
    }

    /// Books an event under its label; answers the id of a grant whose caller still waits for it.
    fn take(&mut self, event: Event) -> Option<Id> {
        let (id, state) = match event {
            Event::Granted { id } => (id, "running"),
            Event::QueueTimedOut { id, .. } => (id, "queue_timeout"),
            Event::Closed { id, .. } => (id, "closed"),
            Event::TooHeavy { id, .. } => (id, "too_heavy"),
            Event::Cancelled { id } => (id, "cancelled"),
            Event::CallTimedOut { id, .. } => (id, "call_timeout"),
            Event::Idle { .. } => {
                self.idle = true;
                return None;
            }
            Event::Abort { .. } => {
                self.is_to_abort = true;
                return None;
            }
            Event::Capacity { .. } => unreachable!("no step of a scenario asks for it"),
        };
        let name = &self.names[&id];
        let label = self
            .labels
            .get_mut(name)
            .filter(|label| is_open(label.state))?;
        label.state = state;
        label.working |= state == "running" && !label.by_hand;
        self.changes.push(format!("{name}:{state}"));
        if state == "running" {
            self.admitted.push(name.clone());
            return Some(id);
        }
        None
    }

    /// Acts, and answers the step's own label.
    fn act(&mut self, now: Instant, step: &Step) -> Result<Option<String>, Failure> {
        match step.verb {
            Verb::Call | Verb::Acquire => return self.arrive(now, step).map(Some),
            Verb::TryAcquire => return self.try_acquire(now, step).map(Some),
            Verb::Finish | Verb::Fail => return self.settle(now, step).map(Some),
            Verb::Cancel => return self.cancel(now, step).map(Some),
            Verb::Release => return self.release(now, step).map(Some),
            Verb::Split => return self.split(now, step).map(Some),
            Verb::Adjust => return self.adjust(now, step).map(Some),
            Verb::Resize => {
                let limit = step.to.ok_or("resize needs `to`")?;
                self.core
                    .resize(now, limit)
                    .map_err(|error| error.to_string())?;
            }
            Verb::Close => self.core.close(now, step.abort),
            Verb::Drain => match step.timeout_ms {
                Some(time) => self.core.drain_within(now, ME, time.span()),
                None => self.core.drain(now),
            },
            Verb::Tick => self.core.handle_timeout(now),
        }
        if matches!(step.verb, Verb::Close | Verb::Drain) {
            self.ended = true;
            self.idle |= self.core.watch_idle(now, ME).is_none();
        }
        Ok(None)
    }

    fn arrive(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let by_hand = step.verb == Verb::Acquire;
        let weight = step.weight.unwrap_or(1);
        let mut request = if by_hand {
            Request::permit(weight)
        } else {
            Request::run(weight)
        };
        request = request.aborted(step.aborted);
        if let Some(time) = step.timeout_ms {
            request = request.timeout(time.span());
        }
        if let Some(at) = step.deadline_ms {
            request = request.deadline(instant(at));
        }
        if let Some(time) = step.call_timeout_ms {
            request = request.call_timeout(span(time));
        }
        let admission = self
            .core
            .acquire(now, request)
            .map_err(|error| error.to_string())?;
        let (id, state) = match admission {
            Admission::Admitted(id) => (id, "running"),
            Admission::Queued(id) => (id, "waiting"),
            Admission::Rejected(rejection) => (Id::from_raw(0), code(rejection)),
        };
        self.label(step, id, state)
    }

    fn try_acquire(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let request = Request::permit(step.weight.unwrap_or(1));
        let answer = self
            .core
            .try_acquire(now, request)
            .map_err(|error| error.to_string())?;
        let (id, state) = answer.map_or((Id::from_raw(0), "rejected"), |id| (id, "running"));
        self.label(step, id, state)
    }

    fn label(&mut self, step: &Step, id: Id, state: &'static str) -> Result<String, Failure> {
        let name = step.new.clone().ok_or("the step needs `as`")?;
        let by_hand = step.verb != Verb::Call;
        let working = state == "running" && !by_hand;
        let label = Label {
            id,
            state,
            by_hand,
            ignores_signal: step.ignores_signal,
            working,
        };
        self.names.insert(id, name.clone());
        if state == "running" {
            self.admitted.push(name.clone());
        }
        let before = self.labels.insert(name.clone(), label);
        if before.is_some() {
            Err(format!("label {name} stands twice"))
        } else {
            Ok(name)
        }
    }

    fn settle(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let (name, label) = self.of(step)?;
        if !core::mem::take(&mut label.working) {
            return Err(format!(
                "{name} has no work that could settle ({})",
                label.state
            ));
        }
        let (outcome, state) = match step.verb {
            Verb::Finish => (Outcome::Completed, "completed"),
            _ => (Outcome::Failed, "failed"),
        };
        if label.state == "running" {
            label.state = state;
        }
        let id = label.id;
        self.core.finish(now, id, outcome);
        Ok(name)
    }

    fn cancel(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let (name, label) = self.of(step)?;
        if label.by_hand && label.state != "waiting" {
            return Err(format!("{name} is no acquire that waits ({})", label.state));
        }
        let id = label.id;
        let ends_at_once = !label.ignores_signal;
        let cancellation = self.core.cancel(now, id);
        let (_, label) = self.of(step)?;
        match cancellation {
            Cancellation::Settled => {}
            Cancellation::Withdrawn => label.state = "cancelled",
            Cancellation::AnsweredEarly => {
                label.state = "cancelled";
                label.working = !ends_at_once;
                if ends_at_once {
                    self.core.finish(now, id, Outcome::Failed);
                }
            }
        }
        Ok(name)
    }

    fn release(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let (name, id) = self.permit(step)?;
        match step.permits {
            Some(permits) => self.core.release_part(now, id, permits),
            None => Ok(self.core.release(now, id)),
        }
        .map_err(|error| error.to_string())?;
        let is_released = self.core.permits(id) == 0;
        let (_, label) = self.of(step)?;
        // One whose bound has passed keeps that answer.
        if is_released && is_open(label.state) {
            label.state = "released";
        }
        Ok(name)
    }

    fn split(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let (name, id) = self.permit(step)?;
        let permits = step.permits.ok_or("split needs `permits`")?;
        let part = self
            .core
            .split(now, id, permits)
            .map_err(|error| error.to_string())?;
        let part = part.ok_or_else(|| format!("{name} cannot be split"))?;
        self.label(step, part, "running")
    }

    fn adjust(&mut self, now: Instant, step: &Step) -> Result<String, Failure> {
        let (name, id) = self.permit(step)?;
        let weight = step.weight.ok_or("adjust needs `weight`")?;
        self.core
            .adjust(now, id, weight)
            .map_err(|error| error.to_string())?;
        Ok(name)
    }

    /// The id of a permit that its holder has, or had.
    fn permit(&mut self, step: &Step) -> Result<(String, Id), Failure> {
        let (name, label) = self.of(step)?;
        let has_one = matches!(label.state, "running" | "released" | "call_timeout");
        if label.by_hand && has_one {
            Ok((name, label.id))
        } else {
            Err(format!("{name} is no permit ({})", label.state))
        }
    }

    fn of(&mut self, step: &Step) -> Result<(String, &mut Label), Failure> {
        let name = step.of.clone().ok_or("the step needs `of`")?;
        let label = self
            .labels
            .get_mut(&name)
            .ok_or_else(|| format!("no label {name}"))?;
        Ok((name, label))
    }

    fn check(&self, step: &Step, label: Option<&str>) -> Result<(), Failure> {
        if let Some(want) = &step.expect {
            let name = label.ok_or("`expect` without a label")?;
            compare("expect", &want.as_str(), &self.labels[name].state)?;
        }
        compare(
            "then",
            step.then.as_ref().unwrap_or(&Vec::new()),
            &self.changes,
        )?;
        let snapshot = self.core.snapshot();
        for (key, want) in step.stats.iter().flatten() {
            compare(key, &Some(*want), &figure(&snapshot, key))?;
        }
        if let Some(want) = &step.state {
            compare("state", &want.as_str(), &name_of(snapshot.state))?;
        }
        let timer = self.core.poll_timeout(ME);
        match step.next_timer {
            NextTimer::At(millis) => compare("next_timer", &Some(instant(millis)), &timer)?,
            NextTimer::None => compare("next_timer", &None, &timer)?,
            NextTimer::Unchecked => {}
        }
        if let Some(want) = step.idle {
            compare("idle", &want, &(self.ended && self.idle))?;
        }
        Ok(())
    }
}

fn has_checks(step: &Step) -> bool {
    step.expect.is_some()
        || step.then.is_some()
        || step.stats.is_some()
        || step.state.is_some()
        || step.idle.is_some()
        || !matches!(step.next_timer, NextTimer::Unchecked)
}

fn is_open(state: &str) -> bool {
    matches!(state, "waiting" | "running")
}

fn compare<T: PartialEq + std::fmt::Debug>(what: &str, want: &T, came: &T) -> Result<(), Failure> {
    if want == came {
        Ok(())
    } else {
        Err(format!("{what}: wanted {want:?}, came {came:?}"))
    }
}

fn code(rejection: Rejection) -> &'static str {
    match rejection {
        Rejection::Cancelled => "cancelled",
        Rejection::Closed => "closed",
        Rejection::Full(_) => "full",
        Rejection::QueueTimeout | Rejection::NoRoom { .. } => "queue_timeout",
        Rejection::Reentrant { .. } => "reentrant",
        Rejection::TooHeavy => "too_heavy",
    }
}

fn name_of(state: State) -> &'static str {
    match state {
        State::Open => "open",
        State::Draining => "draining",
        State::Closed => "closed",
    }
}

fn figure(snapshot: &Snapshot, key: &str) -> Option<u64> {
    Some(match key {
        "limit" => u64::from(snapshot.limit),
        "active" => snapshot.active,
        "available" => snapshot.available,
        "running" => snapshot.running,
        "queued" => u64::from(snapshot.queued),
        "max_queue" => u64::from(snapshot.max_queue),
        "overrun" => snapshot.overrun,
        "peak_active" => snapshot.peak_active,
        "peak_queued" => u64::from(snapshot.peak_queued),
        "admitted" => snapshot.admitted,
        "completed" => snapshot.completed,
        "failed" => snapshot.failed,
        "unclaimed" => snapshot.unclaimed,
        "abandoned_runs" => snapshot.abandoned_runs,
        "leaked" => snapshot.leaked,
        "double_releases" => snapshot.double_releases,
        "full" => snapshot.rejected.full,
        "queue_timeout" => snapshot.rejected.queue_timeout,
        "cancelled" => snapshot.rejected.cancelled,
        "closed" => snapshot.rejected.closed,
        "too_heavy" => snapshot.rejected.too_heavy,
        "call_timeout" => snapshot.call_timeouts,
        _ => return None,
    })
}
