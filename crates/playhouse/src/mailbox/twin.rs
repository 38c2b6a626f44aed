//! The message lane as a lock around a deque: the plain form that a faster one is measured and tested against.

use super::Slot;
use crate::sync::Mutex;
use std::collections::VecDeque;

pub(crate) struct Twin<M>(Mutex<Lane<M>>);

struct Lane<M> {
    slots: VecDeque<Slot<M>>,
    is_closed: bool,
}

impl<M> Twin<M> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Lane {
            slots: VecDeque::new(),
            is_closed: false,
        }))
    }

    pub(crate) fn push(&self, slot: Slot<M>) -> Result<(), Slot<M>> {
        let mut lane = self.0.lock();
        if lane.is_closed {
            return Err(slot);
        }
        lane.slots.push_back(slot);
        Ok(())
    }

    pub(crate) fn pop(&self) -> Option<Slot<M>> {
        self.0.lock().slots.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().slots.is_empty()
    }

    /// Everything that was queued; nothing more gets in.
    pub(crate) fn close(&self) -> VecDeque<Slot<M>> {
        let mut lane = self.0.lock();
        lane.is_closed = true;
        std::mem::take(&mut lane.slots)
    }
}
