//! The waker of an actor: its core, counted.
//!
//! 1. The data pointer is a `Core` that carries one memory count. A waker that the turn only lends to a poll carries none,
//!    and is never dropped.
#![allow(unsafe_code)]

use super::{Core, CoreRef};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::task::{RawWaker, RawWakerVTable, Waker};

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// For the length of a poll.
#[inline]
pub(crate) fn lend(core: &Core) -> ManuallyDrop<Waker> {
    let data = NonNull::from(core).as_ptr().cast::<()>().cast_const();
    // SAFETY: rule 1: it is lent. The functions of the table are safe to call from any thread, as the core is.
    ManuallyDrop::new(unsafe { Waker::new(data, &VTABLE) })
}

#[inline]
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: rule 1.
    std::mem::forget(CoreRef::new(unsafe { &*data.cast::<Core>() }));
    RawWaker::new(data, &VTABLE)
}

#[inline]
unsafe fn wake(data: *const ()) {
    // SAFETY: rule 1: the count goes with this call.
    unsafe { owned(data) }.wake();
}

#[inline]
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: rule 1.
    unsafe { &*data.cast::<Core>() }.wake();
}

#[inline]
unsafe fn drop_waker(data: *const ()) {
    // SAFETY: rule 1: the count goes with this call.
    drop(unsafe { owned(data) });
}

/// # Safety
/// `data` is a waker's, whose count is given away.
#[inline]
unsafe fn owned(data: *const ()) -> CoreRef {
    // SAFETY: rule 1; it came from a reference, so it is not null.
    unsafe { CoreRef::from_raw(NonNull::new_unchecked(data.cast_mut().cast())) }
}
