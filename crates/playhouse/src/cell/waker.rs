//! The waker of an actor: its core, counted.
//!
//! 1. The data pointer is a `Core` that carries one memory count. A waker that the turn only lends to a poll carries none,
//!    and is never dropped.
//! 2. There are two kinds, which differ in their tables. User code is lent the *outside* one, and the core counts its
//!    clones. The runtime's own waits, of which it keeps a list ([`waits`](crate::waits)), turn it into the *own* one for
//!    the length of their poll, and clone that. So a handler that pends with no outside waker about waits for what is on
//!    the list and for nothing else, whatever futures it is made of.
#![allow(unsafe_code)]

use super::{Core, CoreRef};
use crate::sync::Arc;
use crate::system::System;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::task::{RawWaker, RawWakerVTable, Waker};

static OUTSIDE: RawWakerVTable =
    RawWakerVTable::new(clone_outside, wake_outside, wake_by_ref, drop_outside);
static OWN: RawWakerVTable = RawWakerVTable::new(clone_own, wake_own, wake_by_ref, drop_own);

/// For the length of a poll.
#[inline]
pub(crate) fn lend(core: &Core) -> ManuallyDrop<Waker> {
    let data = NonNull::from(core).as_ptr().cast::<()>().cast_const();
    // SAFETY: rule 1: it is lent. The functions of the table are safe to call from any thread, as the core is.
    ManuallyDrop::new(unsafe { Waker::new(data, &OUTSIDE) })
}

/// The same waker, to be lent to a wait of the runtime's own, in that system. An actor's becomes one of its own kind.
#[inline]
pub(crate) fn for_own_wait<'a>(waker: &'a Waker, system: &Arc<System>) -> Lent<'a> {
    let is_own = outside(waker).is_some_and(|core| Arc::ptr_eq(core.system(), system));
    let table = if is_own { &OWN } else { waker.vtable() };
    // SAFETY: rule 1: it is lent, no longer than the original. The tables of an actor take the same data.
    let waker = ManuallyDrop::new(unsafe { Waker::new(waker.data(), table) });
    Lent {
        waker,
        original: std::marker::PhantomData,
    }
}

/// A waker that lasts as long as the one it was made of.
pub(crate) struct Lent<'a> {
    waker: ManuallyDrop<Waker>,
    original: std::marker::PhantomData<&'a Waker>,
}

impl std::ops::Deref for Lent<'_> {
    type Target = Waker;
    #[inline]
    fn deref(&self) -> &Waker {
        &self.waker
    }
}

/// Whose wait it is, if it is one of an actor's own.
pub(crate) fn who_waits(waker: &Waker) -> Option<&Core> {
    // SAFETY: rule 1: the waker keeps it, or is lent by somebody who does.
    std::ptr::eq(waker.vtable(), &OWN).then(|| unsafe { &*waker.data().cast::<Core>() })
}

#[inline]
fn outside(waker: &Waker) -> Option<&Core> {
    // SAFETY: as in `who_waits`.
    std::ptr::eq(waker.vtable(), &OUTSIDE).then(|| unsafe { &*waker.data().cast::<Core>() })
}

#[inline]
unsafe fn clone_outside(data: *const ()) -> RawWaker {
    // SAFETY: rule 1.
    let core = unsafe { &*data.cast::<Core>() };
    core.add_outside_waker();
    std::mem::forget(CoreRef::new(core));
    RawWaker::new(data, &OUTSIDE)
}

#[inline]
unsafe fn clone_own(data: *const ()) -> RawWaker {
    // SAFETY: rule 1.
    std::mem::forget(CoreRef::new(unsafe { &*data.cast::<Core>() }));
    RawWaker::new(data, &OWN)
}

#[inline]
unsafe fn wake_outside(data: *const ()) {
    // SAFETY: rule 1: the count goes with this call.
    let core = unsafe { owned(data) };
    core.wake();
    core.drop_outside_waker();
}

#[inline]
unsafe fn wake_own(data: *const ()) {
    // SAFETY: rule 1: the count goes with this call.
    unsafe { owned(data) }.wake();
}

#[inline]
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: rule 1.
    unsafe { &*data.cast::<Core>() }.wake();
}

#[inline]
unsafe fn drop_outside(data: *const ()) {
    // SAFETY: rule 1: the count goes with this call.
    unsafe { owned(data) }.drop_outside_waker();
}

#[inline]
unsafe fn drop_own(data: *const ()) {
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
