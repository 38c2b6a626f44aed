//! Messages set aside until their actor is ready for them. Each keeps its place in the mailbox, so the mailbox's bound is
//! the stash's bound too, unless the props name a lower one.

use crate::clock::Deadline;
use crate::sync::Mutex;
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;

/// The stash of one actor.
pub(crate) struct Stash<M> {
    waiting: VecDeque<Stashed<M>>,
    /// Taken back by the handler: they come next, before the mailbox.
    returning: VecDeque<Stashed<M>>,
}

/// A message, and the deadline of the question it asks.
pub(crate) struct Stashed<M> {
    pub(crate) msg: M,
    pub(crate) deadline: Option<Deadline>,
}

impl<M> Default for Stash<M> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            returning: VecDeque::new(),
        }
    }
}

impl<M> Stash<M> {
    pub(crate) fn put(&mut self, stashed: Stashed<M>, bound: usize) -> Result<(), StashFull<M>> {
        if self.len() >= bound {
            return Err(StashFull(Mutex::new(stashed.msg)));
        }
        self.waiting.push_back(stashed);
        Ok(())
    }

    /// It was taken before, and comes next.
    pub(crate) fn put_back(&mut self, stashed: Stashed<M>) {
        self.returning.push_front(stashed);
    }

    /// Returns how many.
    pub(crate) fn unstash(&mut self, at_most: usize) -> usize {
        let count = at_most.min(self.waiting.len());
        self.returning.extend(self.waiting.drain(..count));
        count
    }

    pub(crate) fn next(&mut self) -> Option<Stashed<M>> {
        self.returning.pop_front()
    }

    /// In the order in which they would come.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &M> {
        let all = self.returning.iter().chain(&self.waiting);
        all.map(|stashed| &stashed.msg)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + self.returning.len()
    }

    /// Nothing comes back from here by itself.
    pub(crate) fn is_settled(&self) -> bool {
        self.returning.is_empty()
    }

    /// Everything, in the order in which it would have come.
    pub(crate) fn take_all(&mut self) -> VecDeque<Stashed<M>> {
        let mut all = std::mem::take(&mut self.returning);
        all.append(&mut self.waiting);
        all
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
