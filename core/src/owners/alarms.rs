//! Timers that belong to no call: the end of a map's wait for capacity, and of a drain.

use crate::time::Instant;

use super::{Owner, Owners};

/// A timer that belongs to no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Alarm {
    pub(crate) at: Instant,
    pub(crate) compartment: u32,
    pub(crate) why: Alarms,
}

/// What an alarm is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alarms {
    /// The owner watches for capacity, and asks again.
    Room,
    /// A drain ends by closing.
    Drain,
}

impl Alarm {
    pub(crate) const fn room(compartment: u32, at: Instant) -> Self {
        let why = Alarms::Room;
        Self {
            at,
            compartment,
            why,
        }
    }

    pub(crate) const fn drain(compartment: u32, at: Instant) -> Self {
        let why = Alarms::Drain;
        Self {
            at,
            compartment,
            why,
        }
    }

    const fn is_like(&self, other: &Self) -> bool {
        self.compartment == other.compartment && self.why as u8 == other.why as u8
    }
}

impl Owners {
    /// Sets an alarm of an owner; of two that are alike the first counts.
    pub(crate) fn set_alarm(&mut self, owner: u32, alarm: Alarm) {
        // Options 2.2
        if alarm.at == Instant::NEVER {
            return;
        }
        self.next_due = self.next_due.min(alarm.at);
        let alarms = &mut self.at(owner).alarms;
        if let Some(known) = alarms.iter_mut().find(|known| known.is_like(&alarm)) {
            known.at = known.at.min(alarm.at);
        } else {
            alarms.push(alarm);
            self.armed += 1;
        }
    }

    /// An owner waits for capacity in a compartment no longer.
    pub(crate) fn clear_room_alarm(&mut self, owner: u32, compartment: u32) {
        self.clear_alarm(owner, Alarm::room(compartment, Instant::NEVER));
    }

    /// The drain of a compartment has ended.
    pub(crate) fn clear_drain_alarms(&mut self, compartment: u32) {
        for owner in self.indices() {
            self.clear_alarm(owner, Alarm::drain(compartment, Instant::NEVER));
        }
    }

    fn clear_alarm(&mut self, owner: u32, like: Alarm) {
        let alarms = &mut self.at(owner).alarms;
        if let Some(place) = alarms.iter().position(|alarm| alarm.is_like(&like)) {
            alarms.swap_remove(place);
            self.disarmed();
        }
    }

    /// The first alarm that is due, with its owner.
    pub(crate) fn first_alarm(&self, now: Instant) -> Option<(u32, Alarm)> {
        let owners = self.indices().zip(&self.list);
        let alarms = owners.flat_map(|(index, owner)| {
            let alarms = owner.alarms.iter();
            alarms.map(move |alarm| (*alarm, index))
        });
        let (alarm, owner) = alarms.min()?;
        (alarm.at <= now).then_some((owner, alarm))
    }

    // Ending 2.1
    /// The bound on a drain outlives the owner that asked for it: another one's driver takes it
    /// over. With none left no call is either, so the drain is over.
    pub(super) fn hand_over(&mut self, alarm: Alarm) {
        let heir = self.indices().find(|index| self.get(*index).is_alive);
        if let Some(heir) = heir {
            self.set_alarm(heir, alarm);
            self.wake(heir);
        }
    }
}

impl Owner {
    pub(crate) fn alarms(&self) -> &[Alarm] {
        &self.alarms
    }
}
