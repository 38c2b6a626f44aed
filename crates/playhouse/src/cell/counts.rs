//! The two counts that say who still needs an actor, without the actor: rules 1, 2 and 5 of [`counted`](super::counted).
//!
//! Nothing here frees or drains. Whoever is told that it was the last does, and is told so once.

use crate::sync::{AtomicU32, Ordering, acquire};

#[repr(C)]
pub(crate) struct Counts {
    handles: AtomicU32,
    memory: AtomicU32,
}

impl Counts {
    /// No handle, and the memory count of the actor itself.
    pub(crate) fn new() -> Self {
        Self {
            handles: AtomicU32::new(0),
            memory: AtomicU32::new(1),
        }
    }

    /// One handle more. The first of them takes the memory count that all of them share.
    #[inline]
    pub(crate) fn add_handle(&self) {
        if add(&self.handles) == 0 {
            self.add_memory();
        }
    }

    /// One handle less. True: it was the last, and the memory count that all of them shared is the caller's.
    #[inline]
    #[must_use = "the memory count goes with the last handle"]
    pub(crate) fn drop_handle(&self) -> bool {
        // Pairs with itself: who drops the last one sees what the others did through theirs.
        self.handles.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// One handle more for somebody who holds a memory count. Refused from nothing, unless it `may_begin` again.
    #[must_use = "there is no handle if it was refused"]
    pub(crate) fn revive_handle(&self, may_begin: bool) -> bool {
        let more = |count: u32| {
            if count > MOST {
                std::process::abort(); // rule 5
            }
            (count > 0 || may_begin).then_some(count + 1)
        };
        // Pairs with `drop_handle`: the last one may be dropped at the same time.
        let before = self
            .handles
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, more);
        if before == Ok(0) {
            self.add_memory();
        }
        before.is_ok()
    }

    #[inline]
    pub(crate) fn add_memory(&self) {
        add(&self.memory);
    }

    /// Gives a memory count back. True: it was the last, and everything that others did to the actor came before.
    #[inline]
    #[must_use = "whoever gives the last one back frees the memory"]
    pub(crate) fn release_memory(&self) -> bool {
        // Release: pairs with the Acquire below: what was done with this count comes before the memory goes.
        let was_last = self.memory.fetch_sub(1, Ordering::Release) == 1;
        if was_last {
            acquire(&self.memory);
        }
        was_last
    }
}

/// Half of what there is room for: so many more may be added by other threads before the one that sees it ends the
/// program.
const MOST: u32 = u32::MAX / 2;

#[inline]
fn add(count: &AtomicU32) -> u32 {
    // Relaxed: whoever adds has a reference already, so nothing is published by this.
    let before = count.fetch_add(1, Ordering::Relaxed);
    if before > MOST {
        std::process::abort(); // rule 5
    }
    before
}

#[cfg(all(test, playhouse_loom))]
mod models;
