//! The task that gives turns on a Tokio worker.
//!
//! 1. Tokio polls a driver, as any task, on one thread at a time, and each poll sees what the last one did.
//! 2. There is one driver for each seat, and it keeps the dispatcher's inside alive.
#![allow(unsafe_code)]

use super::hosted::Hosted;
use super::run_queue::HALF;
use super::runnable::Runnable;
use super::seat::{Owner, Seat, Seated};
use super::sleepers::Search;
use crate::limits;
use crate::sync::Arc;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Instant;

pub(super) struct Driver {
    hosted: Arc<Hosted>,
    index: usize,
    turns: u32,
    /// Turns in a row from the slot for the actor woken last.
    lifo_run: usize,
    /// It was called, and has not found anything yet.
    search: Option<Search>,
}

impl Future for Driver {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let driver = self.get_mut();
        let hosted = driver.hosted.clone();
        let seat = &hosted.seats[driver.index];
        // SAFETY: rules 1 and 2, and it lives until the end of this poll.
        let seated = unsafe { Seated::new(hosted.address(), driver.index, seat) };
        seat.know(context.waker());
        driver.begin();
        driver.drive(seated.owner(), context)
    }
}

/// Tokio looks at its timers and sockets, and runs what else is ready, before it polls this task again. A plain wake would
/// call another worker for it.
#[cold]
fn yield_to_tokio(context: &mut Context<'_>) {
    let yielding = pin!(tokio::task::yield_now());
    let _ = yielding.poll(context); // pends, and has left the waker with Tokio
}

impl Driver {
    pub(super) fn new(hosted: Arc<Hosted>, index: usize) -> Self {
        Self {
            hosted,
            index,
            turns: 0,
            lifo_run: 0,
            search: None,
        }
    }

    fn begin(&mut self) {
        self.search = self.hosted.sleepers.begin(self.index);
        self.hosted.lookout.watch(&self.hosted);
    }

    fn drive(&mut self, owner: Owner<'_>, context: &mut Context<'_>) -> Poll<()> {
        let mut slice = Slice::default();
        loop {
            if let Some(runnable) = self.next(owner) {
                self.end_search();
                if self.turn(owner, runnable, &mut slice) {
                    self.make_stealable(owner);
                    yield_to_tokio(context);
                    return Poll::Pending;
                }
            } else if self.hosted.is_dismissed() {
                return Poll::Ready(());
            } else {
                self.hosted.sleepers.park(self.index, self.search.take());
                if !self.is_work_in_sight() {
                    return Poll::Pending;
                }
                self.begin();
            }
        }
    }

    /// True: the slice is over.
    #[inline]
    fn turn(&mut self, owner: Owner<'_>, runnable: Runnable, slice: &mut Slice) -> bool {
        owner.begin_turn(&runnable);
        match runnable.run() {
            None => slice.spend(1),
            Some(again) => {
                let are_others_waiting = owner.is_laden();
                self.hosted.push(owner, again);
                if are_others_waiting {
                    self.hosted.get_help();
                }
                slice.spend(limits::FULL_TURN)
            }
        }
    }

    #[inline]
    fn next(&mut self, owner: Owner<'_>) -> Option<Runnable> {
        self.turns = self.turns.wrapping_add(1);
        if self.turns.is_multiple_of(limits::TURNS_PER_INJECTOR_LOOK)
            && let Some(runnable) = self.take_from_outside()
        {
            return Some(runnable);
        }
        if let Some(newest) = owner.take_newest() {
            return Some(self.newest_or_oldest(owner, newest));
        }
        self.lifo_run = 0;
        owner.pop().or_else(|| self.look_around(owner))
    }

    #[inline]
    fn newest_or_oldest(&mut self, owner: Owner<'_>, newest: Runnable) -> Runnable {
        self.lifo_run += 1;
        if self.lifo_run <= limits::LIFO_RUN {
            return newest;
        }
        self.lifo_run = 0;
        let Some(oldest) = owner.pop() else {
            return newest;
        };
        self.hosted.push(owner, newest);
        oldest
    }

    fn take_from_outside(&self) -> Option<Runnable> {
        let inbox = &self.hosted.seats[self.index].inbox;
        inbox.take().or_else(|| self.hosted.injector.pop())
    }

    /// Nothing of its own is left.
    fn look_around(&self, owner: Owner<'_>) -> Option<Runnable> {
        let found = self
            .open_inbox(owner)
            .or_else(|| self.take_share(owner))
            .or_else(|| self.steal(owner))
            .or_else(|| self.open_inboxes_of_others());
        if found.is_some() && owner.is_laden() {
            self.hosted.get_help();
        }
        found
    }

    #[inline]
    fn open_inbox(&self, owner: Owner<'_>) -> Option<Runnable> {
        let inbox = &self.hosted.seats[self.index].inbox;
        let first = inbox.take();
        if first.is_some() {
            while let Some(more) = inbox.take() {
                self.hosted.push(owner, more);
            }
        }
        first
    }

    fn take_share(&self, owner: Owner<'_>) -> Option<Runnable> {
        let injector = &self.hosted.injector;
        if injector.is_empty() {
            return None;
        }
        self.keep(owner, injector.share(self.hosted.seats.len(), HALF))
    }

    fn steal(&self, owner: Owner<'_>) -> Option<Runnable> {
        self.others()
            .filter(|seat| seat.has_stealable())
            .find_map(|seat| self.keep(owner, seat.steal()))
    }

    /// What lies there belongs on another thread, whose task awaits the answer. Only who was called takes it, because
    /// that driver does not come.
    fn open_inboxes_of_others(&self) -> Option<Runnable> {
        self.search.as_ref()?;
        self.others().find_map(|seat| seat.inbox.take())
    }

    /// The first one to run, the others to queue.
    fn keep(
        &self,
        owner: Owner<'_>,
        found: impl IntoIterator<Item = Runnable>,
    ) -> Option<Runnable> {
        let mut found = found.into_iter();
        let first = found.next();
        found.for_each(|more| self.hosted.push(owner, more));
        first
    }

    /// The last look before it sleeps: what was queued by somebody who saw it awake.
    fn is_work_in_sight(&self) -> bool {
        !self.hosted.injector.is_empty()
            || self.hosted.seats[self.index].inbox.is_filled()
            || self.others().any(Seat::has_stealable)
            || self.hosted.is_dismissed()
    }

    /// From its neighbour on, so that not all begin with the same one.
    fn others(&self) -> impl Iterator<Item = &Seat> {
        let (before, from_here) = self.hosted.seats.split_at(self.index);
        from_here[1..].iter().chain(before)
    }

    /// Others were not called because of it. If there is more, it calls the next.
    #[inline]
    fn end_search(&mut self) {
        if let Some(search) = self.search.take() {
            self.hosted.sleepers.found(search);
            let own = &self.hosted.seats[self.index];
            if own.is_laden() || self.is_work_in_sight() {
                self.hosted.announce();
            }
        }
    }

    /// Tokio's other tasks come first now; another driver need not wait for them.
    fn make_stealable(&self, owner: Owner<'_>) {
        if let Some(newest) = owner.take_newest() {
            self.hosted.push(owner, newest);
        }
    }
}

/// Its runtime has gone, or it has nothing left to drive.
impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(search) = self.search.take() {
            self.hosted.sleepers.found(search);
        }
        self.hosted.abandon(self.index);
    }
}

/// How long a driver has been at it. A poll of a few turns never looks at the clock.
struct Slice {
    turns: u32,
    next_look: u32,
    since: Option<Instant>,
}

impl Default for Slice {
    fn default() -> Self {
        Self {
            turns: 0,
            next_look: limits::FULL_TURN,
            since: None,
        }
    }
}

impl Slice {
    /// True: it is over.
    #[inline]
    fn spend(&mut self, turns: u32) -> bool {
        self.turns += turns;
        self.turns >= self.next_look && self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        self.next_look = self.turns + limits::TURNS_PER_CLOCK_LOOK;
        // Not the system's clock: this is about the time that the worker really lost.
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        now - since >= limits::SLICE || self.turns >= limits::SLICE_TURNS
    }
}
