//! Room for one [`Runnable`] that any thread may fill and any thread may empty.
//!
//! 1. A pointer in the place is a `Runnable` that the place owns. Whoever changes it from that pointer to another value
//!    by one read-modify-write owns it from then on: nobody else can have read it by such a change.
//! 2. The plain store of [`put`](Place::put) replaces only null, and only the owner of the place stores: others make a
//!    pointer null, never null a pointer. So the store overwrites nothing.
#![allow(unsafe_code)]

use super::runnable::{Header, Runnable};
use crate::sync::{AtomicPtr, Ordering};
use std::ptr::{self, NonNull};

pub(crate) struct Place(AtomicPtr<Header>);

impl Place {
    pub(crate) fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// Only the owner of the place puts, and it uses no [`offer`](Self::offer). Returns what was there.
    #[inline]
    pub(crate) fn put(&self, runnable: Runnable) -> Option<Runnable> {
        let raw = runnable.into_raw().as_ptr();
        if self.0.load(Ordering::Relaxed).is_null() {
            self.0.store(raw, Ordering::Release); // with the exchange in `take`
            return None;
        }
        // Release with the exchange in `take`. What comes out was put by this owner.
        let older = NonNull::new(self.0.swap(raw, Ordering::Release));
        // SAFETY: rule 1: the exchange has just made it ours.
        older.map(|older| unsafe { Runnable::from_raw(older) })
    }

    /// Fills the place if it is empty; otherwise hands the runnable back.
    #[inline]
    pub(crate) fn offer(&self, runnable: Runnable) -> Result<(), Runnable> {
        if self.is_filled() {
            return Err(runnable);
        }
        let raw = runnable.into_raw();
        // Release with the exchange in `take`.
        let filled = self.0.compare_exchange(
            ptr::null_mut(),
            raw.as_ptr(),
            Ordering::Release,
            Ordering::Relaxed,
        );
        match filled {
            Ok(_) => Ok(()),
            // SAFETY: rule 1: the place refused it, so it is still ours, and taken back once.
            Err(_) => Err(unsafe { Runnable::from_raw(raw) }),
        }
    }

    /// Any thread. It exchanges a pointer for null and never null for null, so the store in [`put`](Self::put) comes
    /// after nothing but a null that is there to stay.
    #[inline]
    pub(crate) fn take(&self) -> Option<Runnable> {
        let mut raw = self.0.load(Ordering::Relaxed);
        loop {
            let found = NonNull::new(raw)?;
            // Acquire with whoever filled it: `put` or `offer`.
            let taken =
                self.0
                    .compare_exchange(raw, ptr::null_mut(), Ordering::Acquire, Ordering::Relaxed);
            match taken {
                // SAFETY: rule 1: the exchange has just made it ours.
                Ok(_) => return Some(unsafe { Runnable::from_raw(found) }),
                Err(now) => raw = now,
            }
        }
    }

    /// A guess unless nobody else is at it.
    #[inline]
    pub(crate) fn is_filled(&self) -> bool {
        !self.0.load(Ordering::Relaxed).is_null()
    }
}
