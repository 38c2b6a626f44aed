//! The queue that all drivers of a dispatcher share: what comes from other threads, and what a full ring gives away.

use super::runnable::Runnable;
use crate::sync::{AtomicUsize, Mutex, Ordering};
use std::collections::VecDeque;

pub(crate) struct Injector {
    queue: Mutex<VecDeque<Runnable>>,
    /// The length, to be read without the lock; written under it.
    count: AtomicUsize,
}

impl Injector {
    pub(crate) fn new() -> Self {
        Self {
            queue: Mutex::new(VecDeque::new()),
            count: AtomicUsize::new(0),
        }
    }

    pub(crate) fn push(&self, runnable: Runnable) {
        self.with(|queue| queue.push_back(runnable));
    }

    pub(crate) fn extend(&self, runnables: impl Iterator<Item = Runnable>) {
        self.with(|queue| queue.extend(runnables));
    }

    pub(crate) fn pop(&self) -> Option<Runnable> {
        if self.is_empty() {
            return None;
        }
        self.with(VecDeque::pop_front)
    }

    /// A fair share for one of so many drivers, but never more than `limit`.
    pub(crate) fn share(&self, drivers: usize, limit: usize) -> Vec<Runnable> {
        self.with(|queue| {
            let share = queue.len().div_ceil(drivers).min(limit);
            queue.drain(..share).collect()
        })
    }

    /// A guess, exact for what was pushed before an event that this thread has seen.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    fn with<T>(&self, change: impl FnOnce(&mut VecDeque<Runnable>) -> T) -> T {
        let mut queue = self.queue.lock();
        let value = change(&mut queue);
        self.count.store(queue.len(), Ordering::Relaxed); // no partner: a hint, the lock guards the queue
        value
    }
}
