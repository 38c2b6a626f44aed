//! Locks whose order the thread sanitizer sees. The standard library is not built for it, so of a lock that somebody had to
//! wait for it would see no order at all, and report whatever the lock guards.
//!
//! Each lock is the standard one with a mark beside it: written before the lock is let go, read after it was taken.

use super::{AtomicU32, Ordering};
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Mutex<T> {
    order: AtomicU32,
    lock: std::sync::Mutex<T>,
}

pub(crate) struct MutexGuard<'a, T> {
    order: &'a AtomicU32,
    /// There until it is let go.
    guard: Option<std::sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            order: AtomicU32::new(0),
            lock: std::sync::Mutex::new(value),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        MutexGuard::new(&self.order, guard)
    }

    pub(crate) fn into_inner(self) -> T {
        self.order.load(Ordering::Acquire);
        self.lock
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a, T> MutexGuard<'a, T> {
    fn new(order: &'a AtomicU32, guard: std::sync::MutexGuard<'a, T>) -> Self {
        order.load(Ordering::Acquire);
        Self {
            order,
            guard: Some(guard),
        }
    }

    fn let_go(mut self) -> (&'a AtomicU32, std::sync::MutexGuard<'a, T>) {
        self.order.store(1, Ordering::Release);
        match self.guard.take() {
            Some(guard) => (self.order, guard),
            None => unreachable!("it is let go once"),
        }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.guard {
            Some(guard) => guard,
            None => unreachable!("whoever has it has not let it go"),
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.guard {
            Some(guard) => guard,
            None => unreachable!("whoever has it has not let it go"),
        }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if self.guard.is_some() {
            self.order.store(1, Ordering::Release); // the lock itself goes after this
        }
    }
}

pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    let (order, guard) = guard.let_go();
    let guard = condition.wait(guard);
    MutexGuard::new(order, guard.unwrap_or_else(PoisonError::into_inner))
}

pub(crate) fn wait_at_most<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    limit: Duration,
) -> MutexGuard<'a, T> {
    let (order, guard) = guard.let_go();
    let waited = condition.wait_timeout(guard, limit);
    MutexGuard::new(order, waited.unwrap_or_else(PoisonError::into_inner).0)
}
