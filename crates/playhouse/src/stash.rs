//! Messages set aside until their actor is ready for them. Each keeps its place in the mailbox, so the mailbox's bound is
//! the stash's bound too, unless the props name a lower one.

use crate::cell::Core;
use crate::clock::Deadline;
use crate::dead_letters;
use crate::events::DeadLetterReason;
use crate::sync::{Arc, Mutex};
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;

/// The stash of one actor. Its drop buries what is left, also when the actor's life is cut short.
pub(crate) struct Stash<M> {
    core: Arc<Core>,
    bound: usize,
    waiting: VecDeque<Stashed<M>>,
    /// Taken back by the handler: they come next, before the mailbox.
    returning: VecDeque<Stashed<M>>,
}

/// A message, and the deadline of the question it asks.
pub(crate) struct Stashed<M> {
    pub(crate) msg: M,
    pub(crate) deadline: Option<Deadline>,
}

impl<M> Stash<M> {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        Self {
            core: core.clone(),
            bound: core.stash_bound,
            waiting: VecDeque::new(),
            returning: VecDeque::new(),
        }
    }

    /// The place was freed when the message was taken, so it is taken again, whoever has come meanwhile.
    pub(crate) fn put(&mut self, msg: M) -> Result<(), StashFull<M>> {
        if self.len() >= self.bound {
            return Err(StashFull(Mutex::new(msg)));
        }
        self.core.places.take_regardless();
        let is_in_hand = self.core.give_up_one();
        self.core.books.note(|ledger| {
            ledger.accepted += u64::from(!is_in_hand); // one the handler made itself
            ledger.stashed += 1;
        });
        let deadline = *self.core.deadline.lock();
        self.waiting.push_back(Stashed { msg, deadline });
        Ok(())
    }

    pub(crate) fn unstash(&mut self, at_most: usize) {
        let count = at_most.min(self.waiting.len());
        self.returning.extend(self.waiting.drain(..count));
    }

    pub(crate) fn next(&mut self) -> Option<Stashed<M>> {
        let next = self.returning.pop_front()?;
        self.core.books.note(|ledger| ledger.stashed -= 1);
        self.core.places.free();
        Some(next)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + self.returning.len()
    }

    /// Nothing comes back from here by itself.
    pub(crate) fn is_settled(&self) -> bool {
        self.returning.is_empty()
    }

    pub(crate) fn bury(&mut self) {
        for Stashed { msg, .. } in self.returning.drain(..).chain(self.waiting.drain(..)) {
            self.core.books.note(|ledger| {
                ledger.stashed -= 1;
                ledger.dead += 1;
            });
            self.core.places.free();
            dead_letters::publish(&self.core, DeadLetterReason::Stopped);
            dead_letters::drop_in_turn(&self.core, msg);
        }
    }
}

impl<M> Drop for Stash<M> {
    fn drop(&mut self) {
        self.bury();
    }
}

/// The stash is at its bound.
pub struct StashFull<M>(Mutex<M>);

impl<M> StashFull<M> {
    /// The message.
    pub fn into_message(self) -> M {
        self.0.into_inner()
    }
}

impl<M> fmt::Display for StashFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the stash is full; answer \"busy\", or give the actor a larger mailbox or stash",
        )
    }
}

impl<M> fmt::Debug for StashFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StashFull")
    }
}

impl<M> Error for StashFull<M> {}
