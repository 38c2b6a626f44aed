//! Locks that forgive a panic inside: what they guard here is always left whole, because no user code runs under them (an
//! adapter's function is the exception, and its panic is reported to the actor).

use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits on a condition.
pub(crate) fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

/// The same for a limited time. It may be woken for nothing.
pub(crate) fn wait_at_most<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    limit: Duration,
) -> MutexGuard<'a, T> {
    let waited = condition.wait_timeout(guard, limit);
    waited.unwrap_or_else(PoisonError::into_inner).0
}
