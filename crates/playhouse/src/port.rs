//! Where messages enter an actor, as one pointer.
//!
//! 1. The pointer's lowest bit says what it points to: clear, the [`Core`] of a `Cell<M>`; set, a [`Foreign`]. Both are
//!    aligned to more than two bytes.
//! 2. A `Port` carries a memory count of the cell, or a count of the `Arc` around the foreign.
//! 3. A reference's port is shared: all handles of a direct actor carry one memory count together (rule 2 of
//!    [`counted`](crate::cell::counted)), so it is dropped by the last of them alone. A foreign's handles carry one count
//!    of the `Arc` each.
#![allow(unsafe_code)]

use crate::actor::Message;
use crate::cell::{Cell, CellRef, Core, CoreRef};
use crate::mailbox::{Envelope, NoPlace, Slot};
use crate::sync::Arc;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// What messages of another protocol, or from outside, go through on their way into a mailbox. Places are the core's; an
/// inlet says what is pushed on one.
pub(crate) trait Inlet<M>: Send + Sync {
    fn core(&self) -> &Core;
    /// Takes a place and pushes, or gives the message back.
    fn offer(&self, envelope: Envelope<M>) -> Result<(), (NoPlace, Envelope<M>)> {
        match self.core().gate().try_reserve() {
            Ok(()) => self.put(envelope),
            Err(why) => return Err((why, envelope)),
        }
        Ok(())
    }
    /// Pushes on a place that was reserved before.
    fn put(&self, envelope: Envelope<M>);
    /// Do its references keep the actor alive?
    fn is_handle(&self) -> bool;
    /// May the actor be stopped, drained and killed through it, and watched?
    fn takes_orders(&self) -> bool {
        true
    }
}

pub(crate) struct Port<M> {
    target: NonNull<u8>,
    protocol: PhantomData<fn(M)>,
}

// SAFETY: counts may be given back by any thread, and what the port points to may be used by all of them: a lane by its
// own rules, an inlet because it is `Send + Sync`. Only owned messages pass, and only where `M` is `Send`.
unsafe impl<M> Send for Port<M> {}
// SAFETY: as above.
unsafe impl<M> Sync for Port<M> {}

#[repr(align(8))]
struct Foreign<M>(Box<dyn Inlet<M>>);

impl<M: Message> Foreign<M> {
    #[inline(never)]
    fn offer_plain(&self, msg: M) -> Result<(), (NoPlace, M)> {
        let question = None;
        self.offer(Envelope { msg, question })
            .map_err(|(why, back)| (why, back.msg))
    }

    fn offer(&self, envelope: Envelope<M>) -> Result<(), (NoPlace, Envelope<M>)> {
        self.0.offer(envelope)
    }
}

enum View<'a, M> {
    /// The core of a `Cell<M>`.
    Direct(&'a Core),
    Foreign(&'a Foreign<M>),
}

const FOREIGN: usize = 1;

impl<M> Port<M> {
    #[inline]
    fn view(&self) -> View<'_, M> {
        let address = self.target.as_ptr();
        if address.addr() & FOREIGN == 0 {
            // SAFETY: rules 1 and 2.
            View::Direct(unsafe { &*address.cast() })
        } else {
            // SAFETY: rules 1 and 2.
            View::Foreign(unsafe { &*foreign_of(address) })
        }
    }

    #[inline]
    pub(crate) fn core(&self) -> &Core {
        match self.view() {
            View::Direct(core) => core,
            View::Foreign(foreign) => foreign.0.core(),
        }
    }

    /// Do references through this keep the actor alive?
    pub(crate) fn is_handle(&self) -> bool {
        match self.view() {
            View::Direct(_) => true,
            View::Foreign(foreign) => foreign.0.is_handle(),
        }
    }

    /// May the actor be stopped, drained and killed through this, and watched?
    pub(crate) fn takes_orders(&self) -> bool {
        match self.view() {
            View::Direct(_) => true,
            View::Foreign(foreign) => foreign.0.takes_orders(),
        }
    }

    /// Counts one that was just made.
    pub(crate) fn add_handle(&self) {
        if self.is_handle() {
            self.core().counts.add_handle();
        }
    }

    /// One handle more.
    #[inline]
    pub(crate) fn clone_handle(&self) -> ManuallyDrop<Self> {
        self.add_handle();
        if let View::Foreign(_) = self.view() {
            std::mem::forget(self.clone()); // rule 3
        }
        self.alias()
    }

    /// One handle less.
    #[inline]
    pub(crate) fn drop_handle(port: &mut ManuallyDrop<Self>) {
        let memory = match port.view() {
            View::Direct(core) => core.drop_handle(),
            View::Foreign(foreign) => {
                if foreign.0.is_handle() && foreign.0.core().drop_handle() {
                    // SAFETY: it was the last handle, so the memory count that they shared is ours to give back.
                    drop(unsafe { CoreRef::from_raw(NonNull::from(foreign.0.core())) });
                }
                true
            }
        };
        if memory {
            // SAFETY: rule 3; a handle is dropped once.
            unsafe { ManuallyDrop::drop(port) };
        }
    }

    /// A handle from a port that is none. `None`: too late.
    pub(crate) fn revive_handle(&self) -> Option<ManuallyDrop<Self>> {
        let is_alive = if self.is_handle() {
            self.core().revive_handle()
        } else {
            !self.core().has_ended()
        };
        if !is_alive {
            return None;
        }
        if let View::Foreign(_) = self.view() {
            std::mem::forget(self.clone()); // rule 3
        }
        Some(self.alias())
    }

    fn alias(&self) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self {
            target: self.target,
            protocol: PhantomData,
        })
    }
}

impl<M: Message> Port<M> {
    /// A reference's.
    pub(crate) fn sharing(cell: &CellRef<M>) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self {
            target: NonNull::from(&**cell).cast(),
            protocol: PhantomData,
        })
    }

    pub(crate) fn foreign(inlet: impl Inlet<M> + 'static) -> Self {
        let foreign = Arc::into_raw(Arc::new(Foreign(Box::new(inlet)))).cast_mut();
        let tagged = foreign.cast::<u8>().map_addr(|address| address | FOREIGN);
        Self {
            // SAFETY: an `Arc`'s pointer is not null, and setting a bit does not make it so.
            target: unsafe { NonNull::new_unchecked(tagged) },
            protocol: PhantomData,
        }
    }

    /// Takes a place and pushes, or gives the message back.
    #[inline]
    pub(crate) fn offer(&self, msg: M) -> Result<(), (NoPlace, M)> {
        match self.view() {
            View::Direct(core) => cell_of(core).offer(msg),
            View::Foreign(foreign) => foreign.offer_plain(msg),
        }
    }

    /// As [`offer`](Self::offer), of a question.
    #[inline]
    pub(crate) fn ask(&self, envelope: Envelope<M>) -> Result<(), (NoPlace, Envelope<M>)> {
        match self.view() {
            View::Direct(core) => cell_of(core).ask(envelope),
            View::Foreign(foreign) => foreign.offer(envelope),
        }
    }

    /// Pushes on a place that was reserved before.
    pub(crate) fn put(&self, envelope: Envelope<M>) {
        match self.view() {
            View::Direct(core) => cell_of(core).push_reserved(Slot::holding(envelope)),
            View::Foreign(foreign) => foreign.0.put(envelope),
        }
    }

    /// Of an actor's own context, which is direct.
    #[inline]
    pub(crate) fn own_cell(&self) -> &Cell<M> {
        // SAFETY: rules 1 and 2: a context's reference is never foreign.
        unsafe { self.target.cast().as_ref() }
    }
}

impl<M> Clone for Port<M> {
    fn clone(&self) -> Self {
        match self.view() {
            View::Direct(core) => std::mem::forget(CoreRef::new(core)),
            // SAFETY: rule 2: it came from an `Arc`, which this keeps.
            View::Foreign(foreign) => unsafe { Arc::increment_strong_count(foreign) },
        }
        ManuallyDrop::into_inner(self.alias())
    }
}

impl<M> Drop for Port<M> {
    fn drop(&mut self) {
        match self.view() {
            // SAFETY: rule 2: its count is given back.
            View::Direct(core) => drop(unsafe { CoreRef::from_raw(NonNull::from(core)) }),
            // SAFETY: as above.
            View::Foreign(foreign) => drop(unsafe { Arc::from_raw(foreign) }),
        }
    }
}

/// A direct port's core.
#[inline]
fn cell_of<M>(core: &Core) -> &Cell<M> {
    // SAFETY: rule 1: it is the core of a `Cell<M>`.
    unsafe { NonNull::from(core).cast().as_ref() }
}

fn foreign_of<M>(tagged: *mut u8) -> *const Foreign<M> {
    tagged.map_addr(|address| address & !FOREIGN).cast()
}
