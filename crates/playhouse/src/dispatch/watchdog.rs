//! Names handlers that hold a shared worker.
//!
//! 1. A handler is reported while it is still at it, once for each turn, and never for what several messages of one turn
//!    took together.
//! 2. It costs a turn one plain store: the driver leaves the address of whose turn it is ([`seat`](super::seat)). That
//!    address is only compared with those of the actors alive, so nobody's memory is touched on the strength of it.

use super::hosted::Hosted;
use super::seat::Seat;
use crate::cell::CoreRef;
use crate::events::Event;
use crate::sync::Weak;
use crate::system::System;
use std::time::{Duration, Instant};

/// For one dispatcher.
pub(super) struct Watchdog {
    system: Weak<System>,
    dispatcher: String,
    limit: Duration,
}

/// What it has seen of each driver.
pub(super) struct Watch<'a> {
    watchdog: &'a Watchdog,
    sights: Vec<Sight>,
}

/// A turn, as it looks from outside.
struct Sight {
    turn: u32,
    since: Instant,
    suspect: Option<Suspect>,
    is_told: bool,
}

/// Whose turn has lasted too long, and which message it is at.
struct Suspect {
    core: CoreRef,
    message: Since,
}

/// Since when the turn has been at its so many-th message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Since {
    taken: u32,
    since: Instant,
}

impl Since {
    /// The first message of a turn, or the one that it went on with, has been in hand for all of it. Of a later one it is
    /// not known since when.
    fn first_seen(taken: u32, turn_since: Instant, now: Instant) -> Self {
        let since = if taken <= 1 { turn_since } else { now };
        Self { taken, since }
    }

    fn seen(self, taken: u32, now: Instant) -> Self {
        if taken == self.taken {
            self
        } else {
            Self { taken, since: now }
        }
    }
}

impl Watchdog {
    pub(super) fn new(system: Weak<System>, dispatcher: String, limit: Duration) -> Self {
        Self {
            system,
            dispatcher,
            limit,
        }
    }

    pub(super) fn watch(&self, hosted: &Hosted) -> Watch<'_> {
        let now = Instant::now();
        let sights = hosted.seats.iter().map(|seat| Sight::new(seat, now));
        Watch {
            watchdog: self,
            sights: sights.collect(),
        }
    }

    fn find(&self, seat: &Seat) -> Option<CoreRef> {
        let system = self.system.upgrade()?;
        let running = seat.running();
        let mut alive = system.roots.descendants().into_iter();
        alive.find(|core| core.begins_with(running))
    }

    fn tell(&self, core: &CoreRef, age: Duration, driver: usize, seat: &Seat) {
        core.publish(&Event::SlowHandler {
            who: core.address.clone(),
            message: core.protocol(),
            age,
            dispatcher: self.dispatcher.clone(),
            worker: driver + 1,
            queued: core.queued(),
            waiting: seat.waiting(),
        });
    }
}

impl Watch<'_> {
    pub(super) fn look(&mut self, hosted: &Hosted, now: Instant) {
        for (driver, (seat, sight)) in hosted.seats.iter().zip(&mut self.sights).enumerate() {
            let is_resting = !seat.is_polled() || hosted.sleepers.is_parked(driver);
            if is_resting || seat.turns() != sight.turn {
                *sight = Sight::new(seat, now);
            } else if let Some(age) = sight.look(self.watchdog, seat, now) {
                sight.is_told = true;
                if let Some(Suspect { core, .. }) = sight.suspect.take() {
                    self.watchdog.tell(&core, age, driver, seat);
                }
            }
        }
    }
}

impl Sight {
    fn new(seat: &Seat, now: Instant) -> Self {
        Self {
            turn: seat.turns(),
            since: now,
            suspect: None,
            is_told: false,
        }
    }

    /// The turn is still on. `Some`: it is time to tell of it.
    fn look(&mut self, watchdog: &Watchdog, seat: &Seat, now: Instant) -> Option<Duration> {
        if self.is_told || now - self.since < watchdog.limit {
            return None;
        }
        let suspect = match self.suspect.take() {
            Some(Suspect { core, message }) => {
                let message = message.seen(core.taken_in_turn(), now);
                Suspect { core, message }
            }
            None => {
                let Some(core) = watchdog.find(seat) else {
                    self.is_told = true; // it has left its family, and only its last steps are left
                    return None;
                };
                let message = Since::first_seen(core.taken_in_turn(), self.since, now);
                Suspect { core, message }
            }
        };
        let age = now - suspect.message.since;
        self.suspect = Some(suspect);
        // The turn may have ended while its actor was looked for: then it was perhaps another's.
        (age >= watchdog.limit && seat.turns() == self.turn).then_some(age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::millis;

    #[test]
    fn the_only_message_of_a_turn_is_as_old_as_the_turn() {
        let begin = Instant::now();
        let now = begin + millis(100);
        for taken in [0, 1] {
            assert_eq!(Since::first_seen(taken, begin, now).since, begin);
        }
        assert_eq!(Since::first_seen(2, begin, now).since, now);
    }

    #[test]
    fn each_message_is_timed_by_itself() {
        let begin = Instant::now();
        let message = Since {
            taken: 2,
            since: begin,
        };
        assert_eq!(message.seen(2, begin + millis(5)), message);
        let next = message.seen(3, begin + millis(5));
        assert_eq!((next.taken, next.since), (3, begin + millis(5)));
    }
}
