//! The one contended word of a message lane: its flags, how many messages were pushed, and the lock inside it.
//!
//! ```text
//!  63                                6    5        4        3      2       1          0
//! ┌───────────────────────────────────┬────────┬─────────┬───────┬────────┬───────────┬────────┐
//! │ messages pushed so far            │ NUDGED │ WAITING │ ENDED │ CLOSED │ SCHEDULED │ LOCKED │
//! └───────────────────────────────────┴────────┴─────────┴───────┴────────┴───────────┴────────┘
//! ```
//!
//! * While LOCKED is set only its holder writes the word: everybody else writes by compare-and-swap from a word that has
//!   the bit clear. That is why a plain store may unlock: it can erase nothing.
//! * So a push is one read-modify-write, and going idle is one.
//! * The actor's turn never waits for the lock unless somebody waits for a place or wants to be noticed.

use crate::limits;
use crate::sync::{AtomicU64, Ordering, spin_loop, thread};
use std::time::Duration;

/// A producer, or somebody in line, works on what the lock guards.
const LOCKED: u64 = 1 << 0;
/// The actor is scheduled or has its turn. Clear: it is idle, and everything that was pushed has been popped.
pub(super) const SCHEDULED: u64 = 1 << 1;
/// No place is given out any more.
pub(super) const CLOSED: u64 = 1 << 2;
/// Nothing gets in any more.
pub(super) const ENDED: u64 = 1 << 3;
/// Somebody waits for a place and was not woken, or has a claim.
pub(super) const WAITING: u64 = 1 << 4;
/// The actor is to look at what is not in the lane.
pub(super) const NUDGED: u64 = 1 << 5;
const ONE_PUSH: u64 = 1 << 6;

/// The word as its lock's holder found it, or will leave it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State(u64);

impl State {
    #[inline(always)]
    pub(super) fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    #[inline(always)]
    pub(super) fn is_locked(self) -> bool {
        self.has(LOCKED)
    }

    #[inline(always)]
    pub(super) fn set(&mut self, flag: u64) {
        self.0 |= flag;
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, flag: u64) {
        self.0 &= !flag;
    }

    /// One message more; whoever takes it has the actor scheduled.
    #[inline(always)]
    pub(super) fn count_push(&mut self) {
        self.0 = (self.0 | SCHEDULED) + ONE_PUSH;
    }

    #[inline(always)]
    pub(super) fn pushed(self) -> u64 {
        self.0 / ONE_PUSH
    }
}

pub(super) struct Word(AtomicU64);

impl Word {
    /// Scheduled: whoever makes an actor owns its first turn.
    pub(super) fn new() -> Self {
        Self(AtomicU64::new(SCHEDULED))
    }

    /// The same of a lane that has had so many messages.
    #[cfg(all(test, not(playhouse_loom)))]
    pub(super) fn after(messages: u64) -> Self {
        Self(AtomicU64::new(messages * ONE_PUSH | SCHEDULED))
    }

    /// What it looks like without the lock. Says nothing about what the lock guards.
    #[inline(always)]
    pub(super) fn glance(&self) -> State {
        // Relaxed: only for the flags themselves; who acts on one takes the lock or a compare-and-swap first.
        State(self.0.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub(super) fn lock(&self) -> State {
        match self.try_lock() {
            Some(state) => state,
            None => self.lock_contended(),
        }
    }

    #[cold]
    fn lock_contended(&self) -> State {
        let mut patience = Patience::default();
        loop {
            patience.wait();
            if let Some(state) = self.try_lock() {
                return state;
            }
        }
    }

    #[inline(always)]
    fn try_lock(&self) -> Option<State> {
        let found = self.glance();
        if found.has(LOCKED) {
            return None; // without a write, which would take the cache line from the holder
        }
        let locked = found.0 | LOCKED;
        // Acquire: pairs with the Release in `unlock` of the holder before, and with that in `try_idle`. Relaxed: a
        // failure is forgotten.
        let swapped =
            self.0
                .compare_exchange(found.0, locked, Ordering::Acquire, Ordering::Relaxed);
        swapped.ok().map(State)
    }

    #[inline(always)]
    pub(super) fn unlock(&self, state: State) {
        debug_assert!(!state.has(LOCKED), "the holder leaves the word unlocked");
        // Release: pairs with the Acquire in `lock` of the next holder.
        self.0.store(state.0, Ordering::Release);
    }

    /// From scheduled to idle, if `is_done` says so of the word as it is then. Nothing is touched after it succeeded.
    #[inline(always)]
    pub(super) fn try_idle(&self, is_done: impl Fn(State) -> bool) -> bool {
        let mut patience = Patience::default();
        let mut found = self.glance();
        loop {
            if !is_done(found) {
                return false;
            }
            if found.has(LOCKED) {
                patience.wait(); // a push that is under way, or somebody who takes a look
                found = self.glance();
                continue;
            }
            let idle = found.0 & !SCHEDULED;
            // Release: pairs with the Acquire in `lock` of whoever schedules the actor next and hands it on. Relaxed: a
            // failure is only looked at.
            let swapped =
                self.0
                    .compare_exchange(found.0, idle, Ordering::Release, Ordering::Relaxed);
            match swapped {
                Ok(_) => return true,
                Err(now) => found = State(now),
            }
        }
    }
}

/// How long to wait for a lock that is held for a few instructions, unless its holder was put off its core.
#[derive(Default)]
struct Patience {
    tries: u32,
}

impl Patience {
    #[cold]
    fn wait(&mut self) {
        let tries = self.tries;
        self.tries = tries.saturating_add(1);
        if tries < limits::LOCK_SPINS || cfg!(playhouse_loom) {
            spin_loop();
        } else if tries < limits::LOCK_SPINS + limits::LOCK_YIELDS {
            thread::yield_now();
        } else {
            thread::sleep(Self::nap(tries - limits::LOCK_SPINS - limits::LOCK_YIELDS));
        }
    }

    /// Twice as long each time, up to a bound.
    fn nap(naps: u32) -> Duration {
        let factor = 1_u32.checked_shl(naps).unwrap_or(u32::MAX);
        limits::LOCK_NAP_FIRST
            .saturating_mul(factor)
            .min(limits::LOCK_NAP_LONGEST)
    }
}

#[cfg(all(test, not(playhouse_loom)))]
mod tests {
    use super::*;

    #[test]
    fn naps_grow_and_stay_bounded() {
        assert_eq!(Patience::nap(0), limits::LOCK_NAP_FIRST);
        assert_eq!(Patience::nap(1), limits::LOCK_NAP_FIRST * 2);
        assert_eq!(Patience::nap(31), limits::LOCK_NAP_LONGEST);
        assert_eq!(Patience::nap(u32::MAX), limits::LOCK_NAP_LONGEST);
    }

    #[test]
    fn a_push_counts_and_schedules_and_keeps_the_other_flags() {
        let mut state = State(CLOSED | NUDGED);
        state.count_push();
        assert_eq!(state.pushed(), 1);
        assert!(state.has(SCHEDULED) && state.has(CLOSED) && state.has(NUDGED));
        assert!(!state.has(LOCKED) && !state.has(ENDED) && !state.has(WAITING));
    }
}
