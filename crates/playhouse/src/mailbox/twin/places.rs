//! The rules of the [line](crate::mailbox::line) once more, with ordered sets behind a lock. It shares no code with the
//! line: an oracle that did would share its mistakes.

use super::{NoPlace, Ticket};
use crate::sync::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::task::{Context, Poll, Waker};

pub(super) struct Places(Mutex<Line>);

struct Line {
    capacity: usize,
    /// Messages in the lane that hold a place, and permits.
    taken: usize,
    is_open: bool,
    next_ticket: u64,
    waiting: BTreeMap<u64, Waiter>,
    /// Those of `waiting` that were not woken since they last polled.
    unwoken: BTreeSet<u64>,
    /// How many of `waiting` have a claim.
    claims: usize,
    pace: Pace,
}

/// What the actor is doing, as far as those who wait for a place are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Taking messages: a free place wakes one waiter.
    Busy,
    /// Its handler waits, everybody was called, and the claims stand for one more round.
    Called,
    /// A free place wakes everybody, and there are no claims.
    Resting,
}

struct Waiter {
    waker: Waker,
    /// By what it was woken since it last polled.
    call: Option<Call>,
    has_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// By a place of its own.
    Alone,
    WithAll,
}

impl Waiter {
    fn claims(&self) -> usize {
        usize::from(self.call == Some(Call::Alone) && self.has_lost)
    }
}

impl Places {
    pub(super) fn new(capacity: usize) -> Self {
        Self(Mutex::new(Line {
            capacity,
            taken: 0,
            is_open: true,
            next_ticket: 0,
            waiting: BTreeMap::new(),
            unwoken: BTreeSet::new(),
            claims: 0,
            pace: Pace::Busy,
        }))
    }

    /// Takes a place if there is one that nobody has a claim on.
    pub(super) fn try_take(&self) -> Result<(), NoPlace> {
        let mut line = self.0.lock();
        if !line.is_open {
            return Err(NoPlace::Closed);
        }
        if line.room() <= line.claims {
            return Err(NoPlace::Full);
        }
        line.taken += 1;
        Ok(())
    }

    /// Takes a place or joins the line.
    pub(super) fn poll_take(
        &self,
        ticket: &mut Ticket,
        context: &Context<'_>,
    ) -> Poll<Result<(), NoPlace>> {
        let mut line = self.0.lock();
        if !line.is_open {
            return Poll::Ready(Err(NoPlace::Closed));
        }
        let own_claim = ticket
            .and_then(|id| line.waiting.get(&id))
            .map_or(0, Waiter::claims);
        if line.room() > line.claims - own_claim {
            line.taken += 1;
            let gone = ticket.take().and_then(|id| line.remove(id));
            drop(line); // before `gone`: a waker may own a task whose drop comes back here
            drop(gone);
            return Poll::Ready(Ok(()));
        }
        let replaced = line.wait(ticket, context.waker());
        drop(line); // before `replaced`, for the same reason
        drop(replaced);
        Poll::Pending
    }

    /// Gives up the position.
    pub(super) fn leave(&self, ticket: &mut Ticket) {
        let Some(id) = ticket.take() else { return };
        let (gone, called) = {
            let mut line = self.0.lock();
            let gone = line.remove(id);
            let was_woken = gone.as_ref().is_some_and(|waiter| waiter.call.is_some());
            let called = if was_woken { line.call() } else { Vec::new() };
            (gone, called)
        };
        called.into_iter().for_each(Waker::wake);
        drop(gone);
    }

    /// A place more than the capacity, for a message that an actor sends itself in the place of the one in hand.
    pub(super) fn take_regardless(&self) {
        self.0.lock().taken += 1;
    }

    /// Gives back the place of a message that the actor has just taken, so it is busy.
    pub(super) fn free_in_turn(&self) {
        self.free_at(Some(Pace::Busy));
    }

    /// Gives back a place, whatever the actor is doing.
    pub(super) fn free(&self) {
        self.free_at(None);
    }

    /// The actor has nothing to do: no claim stands any more, and whoever can come should.
    pub(super) fn rest(&self) {
        let called = self.0.lock().rest();
        called.into_iter().for_each(Waker::wake);
    }

    /// The actor's handler waits. True: somebody who was woken has a claim; call again after one round of the run queue,
    /// if the handler still waits then.
    #[must_use = "a claim that never ends keeps others out while the handler waits for them"]
    pub(super) fn suspend(&self) -> bool {
        let (called, has_claimants) = {
            let mut line = self.0.lock();
            if line.claims > 0 && line.pace == Pace::Busy {
                line.pace = Pace::Called;
                (line.call(), true)
            } else {
                (line.rest(), false)
            }
        };
        called.into_iter().for_each(Waker::wake);
        has_claimants
    }

    /// Nobody gets a place any more; those who wait are told.
    pub(super) fn close(&self) {
        let called = {
            let mut line = self.0.lock();
            line.is_open = false;
            line.call_all()
        };
        called.into_iter().for_each(Waker::wake);
    }

    pub(super) fn taken(&self) -> usize {
        self.0.lock().taken
    }

    fn free_at(&self, pace: Option<Pace>) {
        let called = {
            let mut line = self.0.lock();
            debug_assert!(line.taken > 0, "a place was given back twice");
            line.taken -= 1;
            line.pace = pace.unwrap_or(line.pace);
            line.call()
        };
        called.into_iter().for_each(Waker::wake);
    }
}

impl Line {
    fn room(&self) -> usize {
        self.capacity.saturating_sub(self.taken)
    }

    /// Hands back the waker that is no longer needed.
    fn wait(&mut self, ticket: &mut Ticket, waker: &Waker) -> Waker {
        let id = *ticket.get_or_insert_with(|| {
            self.next_ticket += 1;
            self.next_ticket
        });
        let waiter = self.waiting.entry(id).or_insert_with(|| Waiter {
            waker: waker.clone(),
            call: None,
            has_lost: false,
        });
        self.claims -= waiter.claims();
        waiter.has_lost |= waiter.call == Some(Call::Alone);
        waiter.call = None;
        self.unwoken.insert(id);
        std::mem::replace(&mut waiter.waker, waker.clone())
    }

    fn remove(&mut self, id: u64) -> Option<Waiter> {
        self.unwoken.remove(&id);
        let waiter = self.waiting.remove(&id)?;
        self.claims -= waiter.claims();
        Some(waiter)
    }

    /// Whom to wake now that there may be room.
    fn call(&mut self) -> Vec<Waker> {
        if self.room() == 0 {
            return Vec::new();
        }
        match self.pace {
            Pace::Busy => self.call_oldest(Call::Alone).into_iter().collect(),
            Pace::Called | Pace::Resting => self.call_all(),
        }
    }

    fn rest(&mut self) -> Vec<Waker> {
        self.pace = Pace::Resting;
        if self.claims > 0 {
            let claimants = self.waiting.values_mut().filter(|one| one.claims() > 0);
            claimants.for_each(|one| one.has_lost = false);
            self.claims = 0;
        }
        self.call()
    }

    fn call_oldest(&mut self, call: Call) -> Option<Waker> {
        let id = self.unwoken.pop_first()?;
        let waiter = self.waiting.get_mut(&id)?;
        waiter.call = Some(call);
        self.claims += waiter.claims();
        Some(waiter.waker.clone())
    }

    fn call_all(&mut self) -> Vec<Waker> {
        std::iter::from_fn(|| self.call_oldest(Call::WithAll)).collect()
    }
}
