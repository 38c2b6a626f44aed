//! Who keeps an actor's memory.
//!
//! One allocation holds all of an actor (drawn in [`body`](super::body)). Two counts in its [`Core`]
//! ([`counts`](super::counts)) say who still needs it:
//!
//! 1. *Memory*: the allocation is freed by whoever brings this count to zero. It is one for the actor itself until its
//!    last turn is over, one for each [`CoreRef`], [`CellRef`] and waker, and one for all handles together.
//! 2. *Handles*: the [`ActorRef`](crate::ActorRef)s. The one that makes it one from zero takes a memory count for all of
//!    them, the one that makes it zero gives it back. Whoever takes a first handle holds a memory count meanwhile, so the
//!    two moments may overlap in any order.
//! 3. A `Core` exists only at the head of such an allocation, and a [`Cell`] begins with its `Core`, so a pointer to one
//!    is a pointer to the other, and the allocation can be found from either.
//! 4. Freeing drops what is left in the core and the lane. State, context and future are gone by then: the actor ended
//!    before it gave up its own count.
//! 5. Counts may not wrap: a program that leaks two thousand million references aborts instead.
#![allow(unsafe_code)]

use super::{Cell, Core};
use crate::dispatch::runnable::Header;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;

/// The memory of an actor, without its protocol.
pub(crate) struct CoreRef(NonNull<Core>);

// SAFETY: rule 1: a count may be given back by any thread, and a `Core` may be read by all of them.
unsafe impl Send for CoreRef {}
// SAFETY: as above.
unsafe impl Sync for CoreRef {}

impl CoreRef {
    /// Takes a count.
    #[inline]
    pub(crate) fn new(core: &Core) -> Self {
        core.counts.add_memory();
        Self(NonNull::from(core))
    }

    #[inline]
    pub(crate) fn is(&self, other: &Core) -> bool {
        std::ptr::eq(self.0.as_ptr(), other)
    }

    /// Is it what begins with this?
    #[inline]
    pub(crate) fn begins_with(&self, header: *const Header) -> bool {
        std::ptr::eq(self.0.as_ptr().cast(), header)
    }

    /// # Safety
    /// `raw` carries a count, which is this one's from now on.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: NonNull<Core>) -> Self {
        Self(raw)
    }
}

impl Clone for CoreRef {
    #[inline]
    fn clone(&self) -> Self {
        Self::new(self)
    }
}

impl Deref for CoreRef {
    type Target = Core;
    #[inline]
    fn deref(&self) -> &Core {
        // SAFETY: rule 1: this count keeps it.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for CoreRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: rule 1: this count is given back once.
        unsafe { release(self.0) }
    }
}

/// The memory of an actor whose protocol is known.
pub(crate) struct CellRef<M> {
    core: CoreRef,
    protocol: PhantomData<fn(M)>,
}

impl<M> CellRef<M> {
    /// Takes a count.
    #[inline]
    pub(crate) fn new(cell: &Cell<M>) -> Self {
        Self {
            core: CoreRef::new(&cell.core),
            protocol: PhantomData,
        }
    }
}

impl<M> Clone for CellRef<M> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            protocol: PhantomData,
        }
    }
}

impl<M> Deref for CellRef<M> {
    type Target = Cell<M>;
    #[inline]
    fn deref(&self) -> &Cell<M> {
        // SAFETY: rules 1 and 3, and the constructors' word that the protocol is `M`.
        unsafe { self.core.0.cast().as_ref() }
    }
}

/// Gives back a memory count.
///
/// # Safety
/// The caller owns one and does not use it again.
#[inline]
pub(crate) unsafe fn release(core: NonNull<Core>) {
    // SAFETY: the caller's count keeps it until here.
    if unsafe { core.as_ref() }.counts.release_memory() {
        // SAFETY: rule 1: this was the last one.
        unsafe { (core.as_ref().kind().free)(core) }
    }
}
