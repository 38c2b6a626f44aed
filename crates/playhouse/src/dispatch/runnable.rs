//! The right to give an actor one turn, as one pointer.
//!
//! 1. A `Runnable` exists from the moment an actor became *scheduled* until its turn begins: there is never a second one
//!    for the same actor. Whoever holds it may run it once, on any thread of the actor's dispatcher.
//! 2. The pointer is valid as long as the `Runnable` exists: an actor that is scheduled has not ended, and one that has
//!    not ended keeps its own memory.
//! 3. After [`Runnable::run`] said `None` nothing of the actor may be touched: it may be running elsewhere, or be gone.
//! 4. A `Runnable` that is dropped ends its actor, as `Shutdown`: no job is thrown away in silence.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// What everything that can be scheduled begins with.
#[repr(C)]
pub(crate) struct Header {
    vtable: NonNull<VTable>,
}

// SAFETY: it points to functions, for ever.
unsafe impl Send for Header {}
// SAFETY: as above.
unsafe impl Sync for Header {}

impl Header {
    /// The pointer may be one to something larger that begins with the table. It lives for ever.
    pub(crate) const fn new(vtable: NonNull<VTable>) -> Self {
        Self { vtable }
    }

    #[inline]
    pub(crate) fn vtable(&self) -> NonNull<VTable> {
        self.vtable
    }
}

/// What a dispatcher can do with it.
pub(crate) struct VTable {
    /// Gives it one turn. True: it has more to do, and goes to the back of the queue.
    ///
    /// # Safety
    /// The caller owns the right of rule 1, and gives it up unless the answer is true.
    pub(crate) run: unsafe fn(NonNull<Header>) -> bool,
    /// Ends it without a turn. Never unwinds.
    ///
    /// # Safety
    /// The caller owns the right of rule 1, and gives it up.
    pub(crate) abandon: unsafe fn(NonNull<Header>),
}

#[must_use = "dropping it ends the actor"]
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: rule 1: it is the only one, and what it points to may be run by any thread that holds it.
unsafe impl Send for Runnable {}

impl Runnable {
    /// # Safety
    /// `header` is the first field of something that lives by the rules above, and the caller has just won the right of
    /// rule 1.
    pub(crate) unsafe fn new(header: NonNull<Header>) -> Self {
        Self(header)
    }

    /// One turn. `Some`: it has more to do; queue it behind the others. Never unwinds.
    #[inline]
    pub(crate) fn run(self) -> Option<Self> {
        let this = ManuallyDrop::new(self);
        // SAFETY: rules 1 and 2; the right goes to `run`, and comes back with `true`.
        let has_more = unsafe { (this.0.as_ref().vtable.as_ref().run)(this.0) };
        has_more.then(|| Self(this.0))
    }

    /// What tells it from every other that exists at the same time.
    #[inline]
    pub(crate) fn name(&self) -> *mut Header {
        self.0.as_ptr()
    }

    /// For queues that hold thin pointers; [`from_raw`](Self::from_raw) takes it back.
    #[inline]
    pub(crate) fn into_raw(self) -> NonNull<Header> {
        ManuallyDrop::new(self).0
    }

    /// # Safety
    /// `raw` came from [`into_raw`](Self::into_raw), and this is the only time it is taken back.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: NonNull<Header>) -> Self {
        Self(raw)
    }
}

impl Drop for Runnable {
    fn drop(&mut self) {
        // SAFETY: rules 1 and 2; the right is given up here.
        unsafe { (self.0.as_ref().vtable.as_ref().abandon)(self.0) }
    }
}
