//! Actors on the workers of a Tokio runtime.
//!
//! One long-lived task per worker, a *driver*, gives turns. It promises:
//! - Everything scheduled gets its turn, or is dropped if the Tokio runtime goes away.
//! - An actor woken by an actor runs next, on the same thread, and wakes no other thread. Another driver is woken when a
//!   second one waits.
//! - An actor woken by a plain task runs on the thread of that task: its driver is woken there and is then the next task
//!   of that Tokio worker.
//! - A handler that blocks its worker, although it must not, holds up nobody but its own actor ([`lookout`](super::lookout)).
//! - The drivers end with the last reference to the dispatcher.

use super::abandon::abandon;
use super::driver::Driver;
use super::injector::Injector;
use super::lookout::Lookout;
use super::runnable::Runnable;
use super::seat::{self, Owner, Seat};
use super::sleepers::Sleepers;
use crate::limits;
use crate::sync::{Arc, AtomicBool, Ordering};
use std::iter::once;
use tokio::runtime::Handle;
use tokio::task::coop::unconstrained;

pub(crate) struct Hosted {
    pub(super) seats: Box<[Seat]>,
    pub(super) injector: Injector,
    pub(super) sleepers: Sleepers,
    pub(super) lookout: Lookout,
    pub(super) runtime: Handle,
    /// Nobody can schedule any more; the drivers end when they find nothing.
    is_dismissed: AtomicBool,
    /// A driver has gone, with its runtime or because there is nothing left to drive.
    is_abandoned: AtomicBool,
}

impl Hosted {
    pub(crate) fn start(runtime: &Handle) -> Arc<Self> {
        let drivers = runtime.metrics().num_workers().clamp(1, limits::DRIVERS);
        let hosted = Arc::new(Self {
            seats: (0..drivers).map(|_| Seat::new()).collect(),
            injector: Injector::new(),
            sleepers: Sleepers::new(drivers),
            lookout: Lookout::new(),
            runtime: runtime.clone(),
            is_dismissed: AtomicBool::new(false),
            is_abandoned: AtomicBool::new(false),
        });
        for index in 0..drivers {
            // Without limits from Tokio: its budget is meant for one task, and all actors of a slice would share it.
            let driver = unconstrained(Driver::new(hosted.clone(), index));
            drop(runtime.spawn(driver));
        }
        hosted
    }

    #[inline]
    pub(crate) fn schedule(&self, runnable: Runnable) {
        match seat::seated(self.address(), &self.seats) {
            Some(owner) => {
                if let Some(older) = owner.put_newest(runnable) {
                    self.push(owner, older);
                    self.get_help();
                }
            }
            None => self.schedule_from_outside(runnable),
        }
    }

    /// The last reference is gone.
    pub(crate) fn dismiss(&self) {
        self.is_dismissed.store(true, Ordering::Release); // with the load in `is_dismissed`
        self.sleepers.wake_all();
        self.seats.iter().for_each(Seat::wake);
        self.lookout.dismiss();
    }

    pub(super) fn is_dismissed(&self) -> bool {
        self.is_dismissed.load(Ordering::Acquire) // with the store in `dismiss`
    }

    /// What the thread-locals know it by. Nothing else is done with it.
    #[inline]
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// To the back of the driver's queue.
    #[inline]
    pub(super) fn push(&self, owner: Owner<'_>, runnable: Runnable) {
        if let Err(runnable) = owner.push(runnable) {
            self.overflow(owner, runnable);
        }
    }

    #[cold]
    fn overflow(&self, owner: Owner<'_>, runnable: Runnable) {
        self.injector
            .extend(owner.give_away().chain(once(runnable)));
        self.announce();
    }

    #[inline(never)]
    fn schedule_from_outside(&self, runnable: Runnable) {
        if let Err(runnable) = self.leave_at_home(runnable) {
            self.injector.push(runnable);
            self.announce();
        }
    }

    /// A driver that is not being polled now will be polled here: Tokio runs the task woken last next. One that is being
    /// polled is so on another thread, and may be long in a turn.
    #[inline]
    fn leave_at_home(&self, runnable: Runnable) -> Result<(), Runnable> {
        // The name may be that of an earlier dispatcher at this address, which had more seats.
        let known = seat::home(self.address());
        let Some((home, seat)) = known.and_then(|home| Some((home, self.seats.get(home)?))) else {
            return Err(runnable);
        };
        if seat.is_polled() {
            return Err(runnable);
        }
        seat.inbox.offer(runnable)?;
        if self.sleepers.wake(home) {
            self.rouse(home);
        }
        self.drop_if_abandoned();
        Ok(())
    }

    /// Something was queued for any driver.
    pub(super) fn announce(&self) {
        if let Some(driver) = self.sleepers.call() {
            self.rouse(driver);
        }
        self.drop_if_abandoned();
    }

    /// The driver on this thread has more to do than it can do at once.
    #[inline]
    pub(super) fn get_help(&self) {
        if let Some(driver) = self.sleepers.call_for_help() {
            self.rouse(driver);
        }
    }

    /// Tokio runs what a worker wakes next on that same worker, and lets no other worker have it. A driver that this
    /// thread will not reach before the turn in hand ends is pushed out of there by one task more, and Tokio then wakes
    /// another worker for it.
    #[cold]
    fn rouse(&self, driver: usize) {
        self.seats[driver].wake();
        if self.seats.len() > 1 && seat::is_anybody_seated() {
            drop(self.runtime.spawn(async {}));
        }
    }

    fn drop_if_abandoned(&self) {
        // Acquire with the store in `abandon`, whose change of the sleepers' word came before ours or sees what we queued.
        if self.is_abandoned.load(Ordering::Acquire) {
            self.drop_queued();
        }
    }

    /// A driver goes away.
    pub(super) fn abandon(&self, driver: usize) {
        self.is_abandoned.store(true, Ordering::Release); // with the load in `drop_if_abandoned`
        self.sleepers.wake(driver);
        let seat = &self.seats[driver];
        seat.take_newest().into_iter().for_each(abandon);
        while seat.has_stealable() {
            seat.steal().for_each(abandon);
        }
        self.drop_queued();
        self.lookout.dismiss();
    }

    /// Everything that is in nobody's hands.
    #[cold]
    fn drop_queued(&self) {
        let inboxes = self.seats.iter().map(|seat| &seat.inbox);
        for inbox in inboxes {
            while let Some(runnable) = inbox.take() {
                abandon(runnable);
            }
        }
        while let Some(runnable) = self.injector.pop() {
            abandon(runnable);
        }
    }
}
