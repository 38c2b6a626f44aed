//! The places of a lane: who gets one, who waits for one, and whom to wake.
//!
//! All of it is decided under the lock, with what the turn has freed as it is read there. Why a place that is freed
//! just then and a waiter that registers do not miss each other is told in [`queue`](super), points a to e.

use super::{Locked, NoPlace, Queue, UNBOUNDED};
use crate::mailbox::line::{Called, Left, Ticket};
use crate::mailbox::word::{CLOSED, State, WAITING};
use crate::sync::{Ordering, fence};
use std::task::{Context, Poll, Waker};

/// What left the line, to be dropped once the lock is not held: a waker may own a task whose drop comes back here.
type Unneeded = (Option<Waker>, Option<Left>);

/// For any thread: places.
impl<T> Queue<'_, T> {
    /// Takes a place without a message: a permit is out.
    pub(crate) fn try_reserve(&self) -> Result<(), NoPlace> {
        self.locked(|state, locked| {
            self.admit(*state, locked)?;
            locked.permits += 1;
            Ok(())
        })
    }

    /// Takes a place or joins the line.
    pub(crate) fn poll_reserve(
        &self,
        ticket: &mut Ticket,
        context: &Context<'_>,
    ) -> Poll<Result<(), NoPlace>> {
        let known = context.waker();
        // Cloned before the lock is taken, because that is somebody else's code, and only when it is known to be needed.
        let mut own = None;
        loop {
            let (answer, unneeded) = self
                .locked(|state, locked| self.take_or_wait(state, locked, ticket, known, &mut own));
            drop(unneeded);
            match answer {
                Some(answer) => return answer,
                None => own = Some(known.clone()),
            }
        }
    }

    /// Gives up the position.
    pub(crate) fn leave(&self, ticket: &mut Ticket) {
        if ticket.is_none() {
            return;
        }
        let (left, called) = self.locked(|state, locked| {
            let line = locked.line.as_mut();
            let left = line.and_then(|line| line.leave(ticket));
            let was_called = left.as_ref().is_some_and(|left| left.was_called);
            let called = if was_called {
                self.call(*state, locked)
            } else {
                Called::default()
            };
            self.note_waiting(state, locked);
            (left, called)
        });
        called.wake();
        drop(left);
    }

    /// A permit was dropped unused.
    pub(crate) fn release(&self) {
        let called = self.locked(|state, locked| {
            debug_assert!(locked.permits > 0, "a permit was given back twice");
            locked.permits = locked.permits.saturating_sub(1);
            let called = self.call(*state, locked);
            self.note_waiting(state, locked);
            called
        });
        called.wake();
    }

    /// `None`: somebody has to wait here, and that takes a waker of its own. With it goes what is to be dropped outside
    /// the lock.
    fn take_or_wait(
        &self,
        state: &mut State,
        locked: &mut Locked<T>,
        ticket: &mut Ticket,
        known: &Waker,
        own: &mut Option<Waker>,
    ) -> (Option<Poll<Result<(), NoPlace>>>, Unneeded) {
        let mut unneeded = (None, None);
        let mut answer = self.try_take(*state, locked, *ticket);
        if answer.is_none() {
            let line = locked.line.get_or_insert_default();
            let mut is_in_line = line.knows(*ticket, known);
            if let Some(waker) = own.take() {
                unneeded.0 = line.wait(ticket, waker);
                is_in_line = true;
            }
            if is_in_line {
                self.note_waiting(state, locked);
                // Point a of "why nobody is forgotten". Pairs with the fences in `free_fenced` and `suspend`.
                fence(Ordering::SeqCst);
                answer = self
                    .try_take(*state, locked, *ticket)
                    .or(Some(Poll::Pending));
            }
        }
        if let (Some(Poll::Ready(_)), Some(line)) = (&answer, &mut locked.line) {
            unneeded.1 = line.leave(ticket);
            self.note_waiting(state, locked);
        }
        (answer, unneeded)
    }

    /// A place, or that there will be none.
    fn try_take(
        &self,
        state: State,
        locked: &mut Locked<T>,
        ticket: Ticket,
    ) -> Option<Poll<Result<(), NoPlace>>> {
        if state.has(CLOSED) {
            return Some(Poll::Ready(Err(NoPlace::Closed)));
        }
        let line = locked.line.as_ref();
        let claims = line.map_or(0, |line| line.claims_of_others(ticket));
        if !self.has_room(state, locked, claims) {
            return None;
        }
        locked.permits += 1;
        Some(Poll::Ready(Ok(())))
    }

    /// Whether somebody who does not wait may have a place.
    #[inline(always)]
    pub(super) fn admit(&self, state: State, locked: &Locked<T>) -> Result<(), NoPlace> {
        if state.has(CLOSED) {
            return Err(NoPlace::Closed);
        }
        let claims = locked.line.as_ref().map_or(0, |line| line.claims());
        if self.has_room(state, locked, claims) {
            Ok(())
        } else {
            Err(NoPlace::Full)
        }
    }

    #[inline(always)]
    fn has_room(&self, state: State, locked: &Locked<T>, claims: usize) -> bool {
        locked.capacity == UNBOUNDED || self.room(state, locked) > claims
    }

    #[inline(always)]
    pub(super) fn room(&self, state: State, locked: &Locked<T>) -> usize {
        locked.capacity.saturating_sub(self.occupied(state, locked)) as usize
    }

    /// Places taken: accepted, and permits out, less what was freed.
    #[inline(always)]
    pub(super) fn occupied(&self, state: State, locked: &Locked<T>) -> u32 {
        // Acquire: pairs with the Release in `free_one`: whoever gets the place comes after whoever had it.
        let freed = self.freed.load(Ordering::Acquire);
        let pushed = locked.places_pushed(state);
        // Modulo 2³² like `freed`, which comes round in a long life: what counts is the difference, and that is less.
        // Each message queued is in memory, and each permit out holds a count of the actor, which ends the program
        // before it comes round (rule 5 of `counted`).
        (pushed as u32)
            .wrapping_add(locked.permits)
            .wrapping_sub(freed)
    }

    /// Whom to wake now that there may be room.
    pub(super) fn call(&self, state: State, locked: &mut Locked<T>) -> Called {
        let room = self.room(state, locked);
        let pace = self.pace();
        let line = locked.line.as_mut();
        line.map_or_else(Called::default, |line| line.call(room, pace))
    }

    /// Leaves word for the turn whether anybody waits.
    pub(super) fn note_waiting(&self, state: &mut State, locked: &Locked<T>) {
        let is_waiting = locked.line.as_ref().is_some_and(|line| line.is_waiting());
        if is_waiting {
            state.set(WAITING);
        } else {
            state.clear(WAITING);
        }
        let has_unwoken = locked.line.as_ref().is_some_and(|line| line.has_unwoken());
        // Relaxed: ordered by the fence that whoever registers puts up behind it; a stale "yes" only costs a look.
        self.hint.store(u8::from(has_unwoken), Ordering::Relaxed);
    }
}
