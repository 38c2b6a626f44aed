//! The counts with an actor that is nothing but a number: whoever needs it reads it, and whoever is the last writes it, which
//! the checker allows only if all the reads came before.

use super::Counts;
use crate::sync::{Arc, UnsafeCell};
use loom::thread;
use std::sync::atomic::{AtomicUsize as Plain, Ordering::SeqCst};

struct Toy {
    counts: Counts,
    content: UnsafeCell<u32>,
    /// Counted where the checker does not look, so that it orders nothing.
    drained: Plain,
    freed: Plain,
}

// SAFETY: the checker sees every access to the content, and fails a model that has two without order.
#[allow(unsafe_code)]
unsafe impl Sync for Toy {}

impl Toy {
    /// With one handle.
    fn new() -> Arc<Self> {
        let toy = Self {
            counts: Counts::new(),
            content: UnsafeCell::new(1),
            drained: Plain::new(0),
            freed: Plain::new(0),
        };
        toy.counts.add_handle();
        Arc::new(toy)
    }

    fn drop_handle(&self) {
        self.read();
        if self.counts.drop_handle() {
            self.drained.fetch_add(1, SeqCst);
            self.release_memory();
        }
    }

    /// Somebody who holds a memory count asks for a handle, and lets it go again.
    fn revive_and_drop(&self, may_begin: bool) -> bool {
        let is_revived = self.counts.revive_handle(may_begin);
        if is_revived {
            self.drop_handle();
        }
        self.release_memory();
        is_revived
    }

    fn release_memory(&self) {
        self.read();
        if self.counts.release_memory() {
            self.freed.fetch_add(1, SeqCst);
            self.content.with_mut(|_| ());
        }
    }

    fn read(&self) {
        assert_eq!(self.freed.load(SeqCst), 0, "it is freed already");
        self.content.with(|_| ());
    }
}

/// The actor ends with its handles: either it drains before the other asks, or the other has it and it drains after that.
#[test]
fn own_13_the_last_handle_drains_or_another_is_revived() {
    loom::model(|| {
        let toy = Toy::new();
        toy.counts.add_memory(); // of a weak reference
        let weak = toy.clone();
        let revives = thread::spawn(move || {
            let is_revived = weak.counts.revive_handle(false);
            weak.release_memory();
            is_revived
        });
        toy.drop_handle();
        let was_drained = toy.drained.load(SeqCst) == 1;
        let is_revived = revives.join().unwrap();
        assert!(was_drained != is_revived, "exactly one of the two");
        if is_revived {
            toy.drop_handle();
        }
        assert_eq!(toy.drained.load(SeqCst), 1, "once, by the last of them");
        toy.release_memory(); // the actor's own, when it has ended
        assert_eq!(toy.freed.load(SeqCst), 1);
    });
}

#[test]
fn own_13_two_handles_that_go_at_once_drain_once() {
    loom::model(|| {
        let toy = Toy::new();
        toy.counts.add_handle();
        let other = toy.clone();
        let drops = thread::spawn(move || other.drop_handle());
        toy.drop_handle();
        drops.join().unwrap();
        assert_eq!(toy.drained.load(SeqCst), 1);
        toy.release_memory();
        assert_eq!(toy.freed.load(SeqCst), 1);
    });
}

/// The handles come from nothing and go again while the actor ends: nobody uses what is freed, and it is freed once.
#[test]
fn the_memory_stays_while_somebody_needs_it() {
    loom::model(|| {
        let toy = Toy::new();
        toy.counts.add_memory();
        let (weak, handle) = (toy.clone(), toy.clone());
        let revives = thread::spawn(move || weak.revive_and_drop(true));
        let drops = thread::spawn(move || handle.drop_handle());
        toy.release_memory(); // the actor's own
        assert!(revives.join().unwrap(), "it may begin again");
        drops.join().unwrap();
        assert_eq!(toy.freed.load(SeqCst), 1);
    });
}
