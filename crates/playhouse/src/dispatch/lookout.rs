//! Looks, while actors run, whether a driver is stuck in a turn, and lets others have what waits behind it.
//!
//! What a driver woke last is its own to run next, and nobody is woken for it: that is what makes a hop cheap. A handler
//! that blocks its worker would strand that actor, and no other driver may be awake to see it. So somebody outside the
//! workers compares the counts of turns now and then. A Tokio timer would not do: the blocked worker may be the one that
//! keeps time for the others. It is a closure on Tokio's threads for blocking work, and ends when nothing happens. Beside a
//! single worker it has a thread of its own, because Tokio lets no paused clock jump while such a closure runs.
//!
//! A turn that lasts too long is reported by its [`watchdog`](super::watchdog).

use super::hosted::Hosted;
use super::seat::Seat;
use super::watchdog::Watchdog;
use crate::limits;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, OnceLock, Ordering, thread, wait_at_most};
use std::time::Instant;

pub(crate) struct Lookout {
    is_on_duty: AtomicBool,
    is_dismissed: Mutex<bool>,
    dismissal: Condvar,
    watchdog: OnceLock<Watchdog>,
}

impl Lookout {
    pub(crate) fn new() -> Self {
        Self {
            is_on_duty: AtomicBool::new(false),
            is_dismissed: Mutex::new(false),
            dismissal: Condvar::new(),
            watchdog: OnceLock::new(),
        }
    }

    /// From the first turn on, because no actor lives before its system.
    pub(super) fn report(&self, watchdog: Watchdog) {
        let _ = self.watchdog.set(watchdog); // one system, once
    }

    /// A driver begins to run.
    #[inline]
    pub(super) fn watch(&self, hosted: &Arc<Hosted>) {
        // No partner of its own: a driver that was parked has acquired the sleepers' word, and `end_duty` explains.
        if !self.is_on_duty.load(Ordering::Relaxed) {
            self.go_on_duty(hosted);
        }
    }

    #[cold]
    fn go_on_duty(&self, hosted: &Arc<Hosted>) {
        if !self.is_on_duty.swap(true, Ordering::AcqRel) {
            let hosted = hosted.clone();
            let runtime = hosted.runtime.clone();
            if hosted.seats.len() > 1 {
                drop(runtime.spawn_blocking(move || hosted.lookout.look(&hosted)));
            } else {
                let look = move || hosted.lookout.look(&hosted);
                let thread = thread::Builder::new().name("playhouse-lookout".to_owned());
                drop(thread.spawn(look)); // without it nobody is named, and nothing else is missed
            }
        }
    }

    pub(crate) fn dismiss(&self) {
        *self.is_dismissed.lock() = true;
        self.dismissal.notify_all();
    }

    fn look(&self, hosted: &Hosted) {
        let mut seen: Vec<u32> = hosted.seats.iter().map(Seat::turns).collect();
        let mut watch = self.watchdog.get().map(|watchdog| watchdog.watch(hosted));
        let mut idle_looks = 0;
        while !self.is_dismissed_meanwhile() {
            let is_idle = look_once(hosted, &mut seen);
            if let Some(watch) = &mut watch {
                watch.look(hosted, Instant::now()); // not the system's clock: a worker loses real time
            }
            idle_looks = if is_idle { idle_looks + 1 } else { 0 };
            if idle_looks >= limits::IDLE_LOOKS && self.end_duty(hosted) {
                return;
            }
        }
    }

    /// Nobody needs it while all drivers are parked. It goes first and looks then: a driver that is woken later has seen
    /// it go, in the order of the sleepers' word.
    fn end_duty(&self, hosted: &Hosted) -> bool {
        self.is_on_duty.store(false, Ordering::Release);
        let may_go = hosted.sleepers.are_all_parked();
        may_go || self.is_on_duty.swap(true, Ordering::AcqRel)
    }

    fn is_dismissed_meanwhile(&self) -> bool {
        let mut is_dismissed = self.is_dismissed.lock();
        if !*is_dismissed {
            is_dismissed = wait_at_most(&self.dismissal, is_dismissed, limits::LOOKOUT);
        }
        *is_dismissed
    }
}

/// True: there was no turn since the last look.
fn look_once(hosted: &Hosted, seen: &mut [u32]) -> bool {
    let mut is_idle = true;
    for (driver, (seat, seen)) in hosted.seats.iter().zip(seen).enumerate() {
        let before = std::mem::replace(seen, seat.turns());
        if before != *seen {
            is_idle = false;
        } else if hosted.seats.len() > 1 && seat.is_laden() && !hosted.sleepers.is_parked(driver) {
            hosted.injector.extend(seat.take_newest().into_iter());
            hosted.announce();
        }
    }
    is_idle
}
