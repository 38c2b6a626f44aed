//! What a pool has before it, as its producers see it.

use crate::cell::{Core, CoreRef};
use crate::sync::{Arc, AtomicUsize, OnceLock, Ordering};
use std::fmt;

/// What a [`WorkPool`](super::WorkPool) has before it. A picture of no exact moment, read without a message; it keeps no
/// pool alive, and is empty before the pool was spawned and after its end.
///
/// A producer that must not wait looks here before it makes the job, and refuses its own callers while there is a backlog.
#[derive(Clone, Default)]
pub struct Backlog(Arc<Counts>);

#[derive(Default)]
struct Counts {
    /// Of the pool, once it runs.
    core: OnceLock<CoreRef>,
    /// Written by the pool alone.
    at_work: AtomicUsize,
    again: AtomicUsize,
}

impl Backlog {
    /// Jobs that wait for a worker: in the mailbox, or failed and to be tried again.
    pub fn waiting(&self) -> usize {
        self.pool().map_or(0, |core| {
            core.gate().queued() + self.0.again.load(Ordering::Relaxed)
        })
    }

    /// Jobs in the hands of workers.
    pub fn at_work(&self) -> usize {
        self.pool()
            .map_or(0, |_| self.0.at_work.load(Ordering::Relaxed))
    }

    /// Jobs that may wait, as [`WorkPool::waiting`](super::WorkPool::waiting) has set it.
    pub fn places(&self) -> usize {
        self.pool().map_or(0, |core| core.gate().capacity())
    }

    pub(super) fn begin(&self, core: &Core) {
        let _ = self.0.core.set(CoreRef::new(core)); // a recipe is spawned once
    }

    pub(super) fn note(&self, at_work: usize, again: usize) {
        self.0.at_work.store(at_work, Ordering::Relaxed);
        self.0.again.store(again, Ordering::Relaxed);
    }

    fn pool(&self) -> Option<&Core> {
        let core = self.0.core.get()?;
        (!core.has_ended()).then_some(core)
    }
}

impl fmt::Debug for Backlog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (waiting, at_work) = (self.waiting(), self.at_work());
        write!(f, "Backlog({waiting} waiting, {at_work} at work)")
    }
}
