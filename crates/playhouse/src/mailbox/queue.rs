//! The message lane: first in, first out, many producers, and one consumer, which is the actor's turn.
//!
//! What it promises:
//!
//! * A message is stored inline in a slot ([`chunk`](super::chunk) draws the memory) and moved twice: in and out.
//! * Order is the order of acceptance, and so first in, first out for each sender.
//! * A push that finds the actor idle says so, once: whoever is told must schedule the actor.
//! * A bounded lane never holds more places than it has, counting messages that wait, permits out, and what is stashed;
//!   only [`push_regardless`](Queue::push_regardless) may exceed that. Completions hold no place.
//! * A push costs one read-modify-write, going idle one, a pop and a freed place none.
//! * Wakers are called and dropped while the lock is not held.
//!
//! # Protocol
//!
//! 1. *Locked* fields belong to the holder of the lock in [`Word`]. No code of the user runs under it.
//! 2. The *turn* is owned by one thread at a time. It is won by whoever sets SCHEDULED: a push, a nudge, a claim, or the
//!    creator; and given up by [`Queue::try_idle`]. `popped`, `freed` and `pace` are written by its owner alone, so plain
//!    stores do; `head` too, except for the first chunk, which a producer sets.
//! 3. SCHEDULED is only cleared when everything that was pushed has been popped. So an idle lane is empty, its chunk is
//!    the holder's of the lock, and the next push starts over in it.
//! 4. Once `try_idle` has cleared SCHEDULED it touches nothing of the lane any more: another thread may own the turn by
//!    then, may end the actor, and may free its memory.
//! 5. After ENDED is set no chunk is touched by a producer again; they are the turn's.
//!
//! # Why nobody who waits is forgotten
//!
//! Who gets a place and who stands in line is in [`places`], behind the lock.
//!
//! A place becomes free with a plain store, and whether anybody waits is one byte, `hint`. So a free and a waiter that
//! registers can miss each other: the store of each may still be on its way when the other one looks. This is what
//! makes up for it:
//!
//! a. Whoever registers sets `hint`, then puts up a fence, then looks at `freed` once more, and takes its place if there
//!    is one by now.
//! b. The turn looks at `hint` after each free; after a fence as well where the next look may be far away
//!    ([`Queue::free_fenced`]). Of two fences one comes first: either the turn sees the hint, or the waiter the place.
//! c. Without the fence a waiter may be missed while the turn goes on, until the next free, which wakes as many as
//!    there is room for, or until the turn pauses:
//! d. when a handler begins to wait, [`Queue::suspend`] changes `pace`, puts up a fence, and looks at `hint`. From then on
//!    places become free only under the lock, by permits, and see `pace` there;
//! e. when the actor goes idle, the word itself decides: WAITING is in it, and it is compared as a whole. Whoever
//!    registers later has locked the word after that, and sees every place that was freed.
#![allow(unsafe_code)]

mod places;

use super::chunk::{Chunk, ChunkPointer};
use super::line::{Called, Line, Pace};
use super::word::{CLOSED, ENDED, NUDGED, SCHEDULED, State, WAITING, Word};
use crate::limits;
use crate::sync::{AtomicU8, AtomicU32, AtomicU64, Ordering, UnsafeCell, fence};

/// Why there is no place right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    Full,
    Closed,
}

/// What became of a message that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an idle actor is scheduled by whoever is told so, and by nobody else"]
pub(crate) enum Pushed {
    /// Behind others, or the actor is busy.
    Queued,
    /// The actor was idle. It counts as scheduled now, and the caller has to do it.
    WasIdle,
    /// Behind very many others: their number has just passed a power of two.
    Swollen,
}

/// The lane, as its two parts.
#[derive(Clone, Copy)]
pub(crate) struct Queue<'a, T> {
    word: &'a Word,
    locked: &'a UnsafeCell<Locked<T>>,
    head: &'a ChunkPointer<T>,
    popped: &'a AtomicU64,
    freed: &'a AtomicU32,
    pace: &'a AtomicU8,
    hint: &'a AtomicU8,
}

/// What every push writes. An actor keeps it more than a cache line away from [`Back`], or each push would take from the
/// turn what the turn needs for each pop, and the other way round.
#[repr(C)]
pub(crate) struct Front<T> {
    word: Word,
    locked: UnsafeCell<Locked<T>>,
}

/// What the turn writes.
#[repr(C)]
pub(crate) struct Back<T> {
    /// Where the next message lies.
    head: ChunkPointer<T>,
    /// How many messages were popped.
    popped: AtomicU64,
    /// How many places were given back by the turn, modulo 2³²: the difference to the pushes is what counts.
    freed: AtomicU32,
    /// A [`Pace`].
    pace: AtomicU8,
    /// Not zero: somebody waits who was not woken. On the turn's side, so that a freed place does not touch the word.
    hint: AtomicU8,
}

/// What the lock guards. First what every push writes.
#[repr(C)]
struct Locked<T> {
    /// Where the next message goes.
    tail: Option<Chunk<T>>,
    /// There once somebody had to wait.
    line: Option<Box<Line>>,
    /// How many of the messages pushed hold no place.
    outside: u64,
    /// Reserved places that no message was pushed into yet.
    permits: u32,
    capacity: u32,
}

/// A capacity that is never reached, and not looked at.
const UNBOUNDED: u32 = u32::MAX;

#[cfg(all(target_pointer_width = "64", not(playhouse_loom)))]
const _: () = assert!(
    size_of::<Front<u64>>() + size_of::<Back<u64>>() <= 64,
    "every actor has them, idle ones too"
);

// SAFETY: rules 1 and 2 say which thread touches what; messages move from one thread to another, so they are `Send`.
// Wakers and the line are `Send` themselves.
unsafe impl<T: Send> Send for Front<T> {}
// SAFETY: as above; no reference to a message is ever shared.
unsafe impl<T: Send> Sync for Front<T> {}

impl<T> Front<T> {
    /// Scheduled: whoever makes it owns the first turn. `usize::MAX` places are never counted.
    pub(crate) fn new(capacity: usize) -> Self {
        let counted = u32::try_from(capacity)
            .unwrap_or(u32::MAX)
            .min(UNBOUNDED - 1);
        let is_unbounded = capacity == usize::MAX;
        Self {
            word: Word::new(),
            locked: UnsafeCell::new(Locked {
                tail: None,
                line: None,
                outside: 0,
                permits: 0,
                capacity: if is_unbounded { UNBOUNDED } else { counted },
            }),
        }
    }
}

impl<T> Back<T> {
    pub(crate) fn new() -> Self {
        Self {
            head: ChunkPointer::none(),
            popped: AtomicU64::new(0),
            freed: AtomicU32::new(0),
            pace: AtomicU8::new(Pace::Busy as u8),
            hint: AtomicU8::new(0),
        }
    }
}

impl<'a, T> Queue<'a, T> {
    /// Both are of one lane, always the same two.
    #[inline(always)]
    pub(crate) fn of(front: &'a Front<T>, back: &'a Back<T>) -> Self {
        Self {
            word: &front.word,
            locked: &front.locked,
            head: &back.head,
            popped: &back.popped,
            freed: &back.freed,
            pace: &back.pace,
            hint: &back.hint,
        }
    }
}

/// For any thread: messages.
impl<T> Queue<'_, T> {
    /// Takes a place and pushes what `make` makes of a part, which comes back as it was if there is no place. Made in its
    /// slot, a message is written in the same pieces in which it was held.
    #[inline(always)]
    pub(crate) fn try_push_made<P>(
        &self,
        part: P,
        make: impl FnOnce(P) -> T,
    ) -> Result<Pushed, (NoPlace, P)> {
        self.locked(|state, locked| match self.admit(*state, locked) {
            Ok(()) => Ok(self.append(state, locked, || make(part))),
            Err(why) => Err((why, part)),
        })
    }

    /// Uses up a permit, also one that outlived the admission. Fails after the end; the permit is used up then too.
    #[inline]
    pub(crate) fn push_reserved(&self, message: T) -> Result<Pushed, T> {
        self.locked(|state, locked| {
            debug_assert!(locked.permits > 0, "a permit was used twice");
            locked.permits = locked.permits.saturating_sub(1);
            self.append_unless_ended(state, locked, message)
        })
    }

    /// For completions: holds no place.
    #[inline]
    pub(crate) fn push_outside(&self, message: T) -> Result<Pushed, T> {
        self.locked(|state, locked| {
            locked.outside += u64::from(!state.has(ENDED));
            self.append_unless_ended(state, locked, message)
        })
    }

    /// Takes a place that need not be there.
    pub(crate) fn push_regardless(&self, message: T) -> Result<Pushed, T> {
        self.locked(|state, locked| self.append_unless_ended(state, locked, message))
    }

    #[inline(always)]
    fn append_unless_ended(
        &self,
        state: &mut State,
        locked: &mut Locked<T>,
        message: T,
    ) -> Result<Pushed, T> {
        if state.has(ENDED) {
            return Err(message);
        }
        Ok(self.append(state, locked, || message))
    }

    #[inline(always)]
    fn append(
        &self,
        state: &mut State,
        locked: &mut Locked<T>,
        make: impl FnOnce() -> T,
    ) -> Pushed {
        debug_assert!(!state.has(ENDED), "nothing gets in after the end");
        let was_idle = !state.has(SCHEDULED);
        let number = state.pushed();
        let mut is_in_new_chunk = false;
        match locked.tail {
            // SAFETY: rule 1, and rule 3 for an idle actor.
            Some(tail) if was_idle => unsafe { tail.start_over(number, make) },
            Some(tail) => {
                // SAFETY: rule 1.
                let last = unsafe { tail.append(number, make) };
                is_in_new_chunk = last != tail;
                locked.tail = Some(last);
            }
            None => {
                locked.tail = Some(Chunk::first(number, make));
                self.head.set(locked.tail);
            }
        }
        state.count_push();
        if was_idle {
            Pushed::WasIdle
        } else if is_in_new_chunk && self.is_swollen(number) {
            Pushed::Swollen
        } else {
            Pushed::Queued
        }
    }

    /// Asked once for each chunk, so a power of two lies within the last one or does not.
    #[cold]
    fn is_swollen(&self, number: u64) -> bool {
        let waiting = number.saturating_sub(self.popped.load(Ordering::Relaxed)); // a picture
        let before = waiting.saturating_sub(u64::from(limits::CHUNK_LARGEST));
        waiting >= limits::MAILBOX_GROWS as u64 && waiting.ilog2() != before.max(1).ilog2()
    }
}

/// For any thread: the life of the actor, and pictures of the lane.
impl<T> Queue<'_, T> {
    /// No places any more, which those who wait are told, and a nudge, with `order` in between: whoever sees the order
    /// finds the admission closed.
    #[must_use = "an idle actor is scheduled by whoever is told so, and by nobody else"]
    pub(crate) fn close_and_nudge(&self, order: &mut dyn FnMut()) -> bool {
        let (was_idle, called) = self.locked(|state, locked| {
            let called = self.close(state, locked);
            order();
            let was_idle = !state.has(SCHEDULED);
            state.set(NUDGED | SCHEDULED);
            (was_idle, called)
        });
        called.wake();
        was_idle
    }

    /// Makes the turn look at what is not in the lane. True: the actor was idle, and the caller has to schedule it.
    #[must_use = "an idle actor is scheduled by whoever is told so, and by nobody else"]
    pub(crate) fn nudge(&self) -> bool {
        self.locked(|state, _| {
            let was_idle = !state.has(SCHEDULED);
            state.set(NUDGED | SCHEDULED);
            was_idle
        })
    }

    /// `usize::MAX`: without a bound.
    pub(crate) fn capacity(&self) -> usize {
        self.locked(|_, locked| match locked.capacity {
            UNBOUNDED => usize::MAX,
            capacity => capacity as usize,
        })
    }

    /// Places that are not free: messages queued, permits out, messages stashed.
    pub(crate) fn taken(&self) -> usize {
        self.locked(|state, locked| self.occupied(*state, locked) as usize)
    }

    /// Whether every message that was pushed has been popped.
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: only the number counts; the lock orders it behind what the turn did before it went idle.
        self.locked(|state, _| state.pushed() == self.popped.load(Ordering::Relaxed))
    }

    /// Messages with a place that were accepted so far.
    pub(crate) fn pushes(&self) -> u64 {
        self.locked(|state, locked| locked.places_pushed(*state))
    }

    /// Places reserved that no message was pushed into yet.
    pub(crate) fn permits(&self) -> usize {
        self.locked(|_, locked| locked.permits as usize)
    }

    /// Places that the turn has given back so far, less those it took again.
    pub(crate) fn freed(&self) -> u64 {
        self.locked(|state, locked| {
            let given_out = locked.places_pushed(*state) + u64::from(locked.permits);
            given_out.wrapping_sub(u64::from(self.occupied(*state, locked)))
        })
    }

    fn close(&self, state: &mut State, locked: &mut Locked<T>) -> Called {
        state.set(CLOSED);
        let Some(line) = &mut locked.line else {
            return Called::default();
        };
        let called = line.close();
        self.note_waiting(state, locked);
        called
    }

    fn pace(&self) -> Pace {
        // Relaxed: see point d for who must see what.
        match self.pace.load(Ordering::Relaxed) {
            pace if pace == Pace::Busy as u8 => Pace::Busy,
            pace if pace == Pace::Called as u8 => Pace::Called,
            _ => Pace::Resting,
        }
    }

    /// Decides under the lock. Whatever is to be called or dropped comes out of it.
    #[inline(always)]
    fn locked<R>(&self, decide: impl FnOnce(&mut State, &mut Locked<T>) -> R) -> R {
        let mut state = self.word.lock();
        let whole = Whole;
        let answer = self.locked.with_mut(|locked| {
            // SAFETY: rule 1: this thread holds the lock until the line after.
            decide(&mut state, unsafe { &mut *locked })
        });
        std::mem::forget(whole);
        self.word.unlock(state);
        answer
    }
}

/// Held while the lane is locked. No code of the user runs then, so a panic is a defect of this crate: it would leave the
/// lane half changed and locked for ever, with every sender spinning. That ends the program instead, with a reason.
struct Whole;

impl Drop for Whole {
    #[cold]
    fn drop(&mut self) {
        if cfg!(playhouse_loom) {
            return; // the panic is what the model checker found, and it has its own way to say so
        }
        eprintln!(
            "playhouse: a mailbox panicked while it was locked, which is a defect of the runtime; the messages in it \
             cannot be trusted any more, so the program ends; please report the panic above"
        );
        std::process::abort();
    }
}

/// For the owner of the turn.
impl<T> Queue<'_, T> {
    /// The oldest message. Its place stays taken until it is freed.
    ///
    /// # Safety
    /// The caller owns the turn.
    #[inline]
    pub(crate) unsafe fn pop(&self) -> Option<T> {
        let head = self.head.get()?;
        let number = self.popped.load(Ordering::Relaxed); // rule 2: our own store
        // SAFETY: rule 2; `number` messages were taken so far.
        let (now, message) = unsafe { head.take(number) }?;
        if now != head {
            self.head.set(Some(now));
        }
        // Relaxed: others read it as a number; what lies behind it is ordered by the word.
        self.popped.store(number + 1, Ordering::Relaxed);
        Some(message)
    }

    /// How many messages wait, at least: one that is just being pushed may be missing, and found by the next look.
    ///
    /// # Safety
    /// The caller owns the turn.
    pub(crate) unsafe fn waiting(&self) -> u64 {
        let popped = self.popped.load(Ordering::Relaxed); // rule 2: our own store
        self.word.glance().pushed().saturating_sub(popped)
    }

    /// Gives back the place of a message that was taken. Wakes the oldest waiter, if there is one.
    ///
    /// # Safety
    /// The caller owns the turn.
    #[inline]
    pub(crate) unsafe fn free(&self) {
        self.free_one();
        self.look_at_hint();
    }

    /// The same where the next look may be far away, because handlers block: nobody is missed even for a moment.
    ///
    /// # Safety
    /// The caller owns the turn.
    #[inline]
    pub(crate) unsafe fn free_fenced(&self) {
        self.free_one();
        // Point b. Pairs with the fence in `take_or_wait`.
        fence(Ordering::SeqCst);
        self.look_at_hint();
    }

    /// A message that was taken goes on holding its place, or holds it again.
    ///
    /// # Safety
    /// The caller owns the turn.
    pub(crate) unsafe fn unfree(&self) {
        let freed = self.freed.load(Ordering::Relaxed); // rule 2: our own store
        // Release: as in `free_one`.
        self.freed.store(freed.wrapping_sub(1), Ordering::Release);
    }

    /// From scheduled to idle, unless there is a message or a nudge. True: the turn is given up, and nothing of the actor
    /// may be touched any more.
    ///
    /// # Safety
    /// The caller owns the turn, and gives it up if the answer is true.
    #[inline]
    #[must_use = "the turn is given up if it is true"]
    pub(crate) unsafe fn try_idle(&self) -> bool {
        let popped = self.popped.load(Ordering::Relaxed); // rule 2: our own store
        let is_done = |state: State| state.pushed() == popped && !state.has(NUDGED);
        if self.word.glance().has(WAITING) {
            return self.rest_and_idle(is_done);
        }
        let pace = self.pace.load(Ordering::Relaxed); // rule 2: our own store
        // Relaxed: the word's Release is behind it. Whoever reads it early wakes more than it had to.
        self.pace.store(Pace::Resting as u8, Ordering::Relaxed);
        let is_idle = self
            .word
            .try_idle(|state| is_done(state) && !state.has(WAITING));
        if !is_idle {
            self.pace.store(pace, Ordering::Relaxed);
        }
        is_idle
    }

    /// Whether somebody asked for a look at what is not in the lane, since it was taken last.
    ///
    /// # Safety
    /// The caller owns the turn.
    #[inline]
    pub(crate) unsafe fn take_nudge(&self) -> bool {
        // A look without the lock: a nudge that it misses keeps the actor from going idle.
        if !self.word.glance().has(NUDGED) {
            return false;
        }
        self.locked(|state, _| state.clear(NUDGED));
        true
    }

    /// The handler begins to wait. True: somebody who was woken has a claim; call again after one round of the run
    /// queue, if the handler still waits then.
    ///
    /// # Safety
    /// The caller owns the turn.
    #[must_use = "a claim that never ends keeps others out while the handler waits for them"]
    pub(crate) unsafe fn suspend(&self) -> bool {
        let pace = self.pace();
        if pace == Pace::Resting {
            return false; // no place was freed since, except under the lock
        }
        self.pace.store(Pace::Resting as u8, Ordering::Relaxed);
        // Point d. Pairs with the fence in `take_or_wait`.
        fence(Ordering::SeqCst);
        // The word tells of claims too, unless somebody is just at it.
        let word = self.word.glance();
        let is_waiting = word.has(WAITING) || word.is_locked();
        if self.hint.load(Ordering::Relaxed) == 0 && !is_waiting {
            return false;
        }
        let (has_claimants, called) = self.locked(|state, locked| {
            let room = self.room(*state, locked);
            let Some(line) = &mut locked.line else {
                return (false, Called::default());
            };
            let (pace, called) = line.suspend(room, pace);
            self.pace.store(pace as u8, Ordering::Relaxed); // read under the lock
            self.note_waiting(state, locked);
            (pace == Pace::Called, called)
        });
        called.wake();
        has_claimants
    }

    /// Nothing gets in any more, and those who wait are told. What was queued comes out, in order.
    ///
    /// # Safety
    /// The caller owns the turn, and never gives it up.
    pub(crate) unsafe fn end(&self) -> Vec<T> {
        let called = self.locked(|state, locked| {
            state.set(ENDED);
            locked.tail = None;
            self.close(state, locked)
        });
        called.wake();
        let mut rest = Vec::new();
        // SAFETY: the caller's promise.
        while let Some(message) = unsafe { self.pop() } {
            rest.push(message);
        }
        if let Some(head) = self.head.get() {
            self.head.set(None);
            // SAFETY: rule 5, and everything was popped.
            unsafe { head.free_chain() };
        }
        rest
    }

    #[inline(always)]
    fn free_one(&self) {
        let freed = self.freed.load(Ordering::Relaxed); // rule 2: our own store
        // Release: pairs with the Acquire in `occupied`.
        self.freed.store(freed.wrapping_add(1), Ordering::Release);
        if self.pace.load(Ordering::Relaxed) != Pace::Busy as u8 {
            self.pace.store(Pace::Busy as u8, Ordering::Relaxed); // read under the lock
        }
    }

    #[inline(always)]
    fn look_at_hint(&self) {
        // Relaxed: point c.
        if self.hint.load(Ordering::Relaxed) != 0 {
            self.call_for_free();
        }
    }

    #[cold]
    fn call_for_free(&self) {
        let called = self.locked(|state, locked| {
            let called = self.call(*state, locked);
            self.note_waiting(state, locked);
            called
        });
        called.wake();
    }

    /// Going idle while somebody waits: whoever can come is called first.
    #[cold]
    fn rest_and_idle(&self, is_done: impl Fn(State) -> bool) -> bool {
        let (is_idle, called) = self.locked(|state, locked| {
            if !is_done(*state) {
                return (false, Called::default());
            }
            let room = self.room(*state, locked);
            let line = locked.line.as_mut();
            let called = line.map_or_else(Called::default, |line| line.rest(room));
            self.note_waiting(state, locked);
            self.pace.store(Pace::Resting as u8, Ordering::Relaxed); // read under the lock
            state.clear(SCHEDULED);
            (true, called)
        });
        called.wake(); // rule 4: these are our own by now
        is_idle
    }
}

impl<T> Locked<T> {
    #[inline(always)]
    fn places_pushed(&self, state: State) -> u64 {
        state.pushed() - self.outside
    }
}

/// A lane without an actor.
#[cfg(test)]
pub(crate) struct Lone<T: 'static>(Queue<'static, T>, std::ptr::NonNull<(Front<T>, Back<T>)>);

// SAFETY: it owns what it points to, which is `Send` and `Sync`.
#[cfg(test)]
unsafe impl<T: Send> Send for Lone<T> {}
// SAFETY: as above.
#[cfg(test)]
unsafe impl<T: Send> Sync for Lone<T> {}

#[cfg(test)]
impl<T: 'static> Lone<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self::with(Front::new(capacity), Back::new())
    }

    /// One that has had so many messages, with their places, and is empty.
    #[cfg(not(playhouse_loom))]
    pub(crate) fn after(messages: u64, capacity: usize) -> Self {
        let front = Front {
            word: Word::after(messages),
            ..Front::new(capacity)
        };
        let back = Back {
            popped: AtomicU64::new(messages),
            freed: AtomicU32::new(messages as u32),
            ..Back::new()
        };
        Self::with(front, back)
    }

    fn with(front: Front<T>, back: Back<T>) -> Self {
        let parts = Box::leak(Box::new((front, back)));
        let owned = std::ptr::NonNull::from(&mut *parts);
        // SAFETY: it was just leaked, and is taken back when nobody uses it any more.
        let (front, back) = unsafe { &*owned.as_ptr() };
        Self(Queue::of(front, back), owned)
    }
}

#[cfg(test)]
impl<T: 'static> std::ops::Deref for Lone<T> {
    type Target = Queue<'static, T>;
    fn deref(&self) -> &Queue<'static, T> {
        &self.0
    }
}

#[cfg(test)]
impl<T: 'static> Drop for Lone<T> {
    fn drop(&mut self) {
        // SAFETY: nobody else knows the lane any more; its parts are freed once.
        unsafe {
            let rest = self.0.end();
            rest.into_iter().for_each(crate::sync::drop_quietly);
            drop(Box::from_raw(self.1.as_ptr()));
        }
    }
}

/// What only tests and models ask for.
#[cfg(test)]
impl<T> Queue<'_, T> {
    pub(crate) fn try_push(&self, message: T) -> Result<Pushed, (NoPlace, T)> {
        self.try_push_made(message, |message| message)
    }

    /// No places any more; those who wait are told.
    fn close_admission(&self) {
        let called = self.locked(|state, locked| self.close(state, locked));
        called.wake();
    }

    /// Wins the turn of an idle actor without a message. True: it is the caller's.
    #[must_use = "the caller owns the turn if it is true"]
    fn try_claim(&self) -> bool {
        self.locked(|state, _| {
            let was_idle = !state.has(SCHEDULED);
            state.set(SCHEDULED);
            was_idle
        })
    }
}

#[cfg(all(test, playhouse_loom))]
mod models;
#[cfg(all(test, not(playhouse_loom)))]
mod tests;
