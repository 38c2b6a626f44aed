//! The run queue of one driver: a ring, first in, first out, from which others may take half.
//!
//! 1. Only the owner pushes: it alone writes `tail` and the slots.
//! 2. The slots from `head` to `tail` hold runnables that the ring owns. Whoever moves `head` over them, by one
//!    compare-and-swap, owns them from then on.
//! 3. They are read *before* that swap. A slot is written again only after its writer saw `head` beyond it, and `head`
//!    never goes back, so a swap that succeeds proves that what was read had not been written over.
#![allow(unsafe_code)]

use super::runnable::{Header, Runnable};
#[cfg(not(playhouse_loom))]
use crate::limits;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};
use std::ptr::{self, NonNull};

#[cfg(not(playhouse_loom))]
const CAPACITY: usize = limits::RUN_QUEUE;
/// Small enough that a model wraps round.
#[cfg(playhouse_loom)]
const CAPACITY: usize = 4;

/// As many as one theft, or one overflow, moves at most.
pub(crate) const HALF: usize = CAPACITY / 2;

pub(crate) struct RunQueue {
    /// Apart from the rest: thieves write it.
    head: Apart<AtomicU64>,
    tail: AtomicU64,
    slots: Box<[AtomicPtr<Header>]>,
}

/// On cache lines of its own: two, because processors fetch them in pairs.
#[repr(align(128))]
struct Apart<T>(T);

/// Runnables on their way from a ring to somewhere else.
pub(crate) struct Batch {
    raw: [*mut Header; HALF],
    taken: usize,
    count: usize,
}

impl RunQueue {
    pub(crate) fn new() -> Self {
        let slot = |_| AtomicPtr::new(ptr::null_mut());
        Self {
            head: Apart(AtomicU64::new(0)),
            tail: AtomicU64::new(0),
            slots: (0..CAPACITY).map(slot).collect(),
        }
    }

    /// Handed back: the ring is full.
    ///
    /// # Safety
    /// The caller is the owner of rule 1.
    #[inline]
    pub(crate) unsafe fn push(&self, runnable: Runnable) -> Result<(), Runnable> {
        let tail = self.tail.load(Ordering::Relaxed);
        // Acquire with the swaps in `pop` and `grab`: what they moved over has been read.
        let head = self.head.0.load(Ordering::Acquire);
        if tail.wrapping_sub(head) >= CAPACITY as u64 {
            return Err(runnable);
        }
        self.slot(tail)
            .store(runnable.into_raw().as_ptr(), Ordering::Relaxed);
        // Release with the load of `tail` in `grab`.
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
        Ok(())
    }

    /// # Safety
    /// The caller is the owner of rule 1.
    #[inline]
    pub(crate) unsafe fn pop(&self) -> Option<Runnable> {
        let tail = self.tail.load(Ordering::Relaxed);
        let mut head = self.head.0.load(Ordering::Relaxed);
        while head != tail {
            let raw = self.slot(head).load(Ordering::Relaxed);
            match self.claim(head, 1) {
                // SAFETY: rules 2 and 3: it is ours since the swap.
                Ok(()) => return NonNull::new(raw).map(|raw| unsafe { Runnable::from_raw(raw) }),
                Err(now) => head = now,
            }
        }
        None
    }

    /// Half of what is there, rounded up. Any thread.
    pub(crate) fn grab(&self) -> Batch {
        // Acquire with the swap in `claim`, whose thread had seen a `tail` not before this `head`. So we see one, too.
        let mut head = self.head.0.load(Ordering::Acquire);
        loop {
            // Acquire with the store of `tail` in `push`: the slots up to there are written.
            let tail = self.tail.load(Ordering::Acquire);
            // A `head` that has moved on meanwhile makes this too large, and fails the swap.
            let there = tail.wrapping_sub(head).min(CAPACITY as u64) as usize;
            let mut batch = Batch {
                raw: [ptr::null_mut(); HALF],
                taken: 0,
                count: there.div_ceil(2),
            };
            if batch.count == 0 {
                return batch;
            }
            for (at, raw) in (head..).zip(&mut batch.raw[..batch.count]) {
                *raw = self.slot(at).load(Ordering::Relaxed);
            }
            match self.claim(head, batch.count as u64) {
                Ok(()) => return batch,
                Err(now) => {
                    batch.count = 0; // what was read is not ours
                    head = now;
                }
            }
        }
    }

    /// A guess unless the caller is the owner and it is not empty.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Acquire with the store in `push`, for the last look of a driver before it parks.
        self.tail.load(Ordering::Acquire) == self.head.0.load(Ordering::Relaxed)
    }

    /// A guess.
    pub(crate) fn len(&self) -> usize {
        let head = self.head.0.load(Ordering::Relaxed);
        let tail = self.tail.load(Ordering::Relaxed);
        tail.wrapping_sub(head) as usize
    }

    #[inline]
    fn claim(&self, head: u64, count: u64) -> Result<(), u64> {
        // Release with the loads of `head` in `push` and `grab`; acquire, as the latter, for the next attempt.
        self.head
            .0
            .compare_exchange(
                head,
                head.wrapping_add(count),
                Ordering::Release,
                Ordering::Acquire,
            )
            .map(drop)
    }

    #[inline]
    fn slot(&self, at: u64) -> &AtomicPtr<Header> {
        &self.slots[at as usize % CAPACITY]
    }
}

impl Iterator for Batch {
    type Item = Runnable;

    fn next(&mut self) -> Option<Runnable> {
        let raw = self.raw[..self.count].get(self.taken)?;
        self.taken += 1;
        // SAFETY: rule 2: `grab` made it ours, and the count has just left it behind.
        NonNull::new(*raw).map(|raw| unsafe { Runnable::from_raw(raw) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.count - self.taken;
        (left, Some(left))
    }
}

/// What nobody took out is given up like any runnable.
impl Drop for Batch {
    fn drop(&mut self) {
        self.by_ref().for_each(super::abandon::abandon);
    }
}
