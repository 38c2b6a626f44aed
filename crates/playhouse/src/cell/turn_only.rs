//! A value of an actor that only its turn reaches.
//!
//! 1. Whoever reads or writes it is the turn of the actor it belongs to. There is one turn at a time, and it is handed from
//!    thread to thread with what happened in it, so no two threads reach the value without order.
#![allow(unsafe_code)]

use crate::sync::UnsafeCell;

pub(crate) struct TurnOnly<T>(UnsafeCell<T>);

// SAFETY: by rule 1 a reference gives access to one thread at a time, so the value only has to move between threads.
unsafe impl<T: Send> Sync for TurnOnly<T> {}

impl<T: Copy> TurnOnly<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// # Safety
    /// Rule 1.
    #[inline]
    pub(crate) unsafe fn get(&self) -> T {
        // SAFETY: the caller's word.
        self.0.with(|value| unsafe { *value })
    }

    /// # Safety
    /// Rule 1.
    #[inline]
    pub(crate) unsafe fn set(&self, new: T) {
        // SAFETY: the caller's word.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}
