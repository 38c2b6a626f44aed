//! The dispatchers with actors that are nothing but a count of messages.
//!
//! 1. A toy's runnable is one count of its `Arc`, given out when its messages go from none to one and kept until they
//!    are none again, so there is one at a time.
#![allow(unsafe_code)]

mod hosted;
mod threads;

use super::DispatcherRef;
use super::runnable::{Header, Runnable, VTable};
use crate::address::Address;
use crate::host::Host;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use tokio::runtime::Runtime;

fn host(runtime: &Runtime) -> Host {
    Host::Tokio(runtime.handle().clone())
}

/// Handles one message per turn.
#[repr(C)]
pub(super) struct Toy {
    header: Header,
    on: DispatcherRef,
    messages: AtomicUsize,
    handled: AtomicUsize,
    is_running: AtomicUsize,
    /// Weak: the tests see whether a toy is let go.
    me: Weak<Toy>,
    handle: Box<dyn Fn(&Toy) + Send + Sync>,
    ended: Box<dyn Fn() + Send + Sync>,
}

static TOY: VTable = VTable { run, abandon };

impl Toy {
    pub(super) fn new(
        on: &DispatcherRef,
        handle: impl Fn(&Toy) + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::with_end(on, handle, || {})
    }

    /// `ended` runs when a runnable of it is dropped.
    pub(super) fn with_end<T>(
        on: &DispatcherRef,
        handle: impl Fn(&Toy) + Send + Sync + 'static,
        ended: impl Fn() -> T + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Toy {
            header: Header::new(NonNull::from(&TOY)),
            on: on.clone(),
            messages: AtomicUsize::new(0),
            handled: AtomicUsize::new(0),
            is_running: AtomicUsize::new(0),
            me: me.clone(),
            handle: Box::new(handle),
            ended: Box::new(move || drop(ended())),
        })
    }

    pub(super) fn tell(&self) {
        if self.messages.fetch_add(1, SeqCst) == 0 {
            self.on.schedule(&Address::root("toy"), self.scheduled());
        }
    }

    /// Its messages have just come to one, or will never be counted.
    fn scheduled(&self) -> Runnable {
        let me = self.me.upgrade().expect("whoever tells holds it");
        let raw = NonNull::new(Arc::into_raw(me).cast_mut()).expect("not null");
        // SAFETY: rule 1; `header` is the first field.
        unsafe { Runnable::new(raw.cast()) }
    }

    pub(super) fn handled(&self) -> usize {
        self.handled.load(SeqCst)
    }
}

unsafe fn run(header: NonNull<Header>) -> bool {
    // SAFETY: rule 1.
    let toy = unsafe { header.cast::<Toy>().as_ref() };
    assert_eq!(toy.is_running.fetch_add(1, SeqCst), 0, "one turn at a time");
    (toy.handle)(toy);
    toy.handled.fetch_add(1, SeqCst);
    toy.is_running.fetch_sub(1, SeqCst);
    let has_more = toy.messages.fetch_sub(1, SeqCst) > 1;
    if !has_more {
        // SAFETY: rule 1: the messages have become none. It may be scheduled again already, with another count.
        drop(unsafe { Arc::from_raw(header.cast::<Toy>().as_ptr()) });
    }
    has_more
}

unsafe fn abandon(header: NonNull<Header>) {
    // SAFETY: rule 1.
    let toy = unsafe { Arc::from_raw(header.cast::<Toy>().as_ptr()) };
    (toy.ended)();
}
