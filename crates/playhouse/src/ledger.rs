//! What happened to every message. One set of books per actor, folded into the system's when the actor ends.

use crate::sync::{Arc, Mutex};

/// Counts of messages. An offered message was either accepted or refused; an accepted one ends in exactly one of the
/// other columns. Own results (asks, pipes, `watch_with`) count as accepted when they become a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ledger {
    /// Handed back to the sender: full, closed, or the wait was given up.
    pub refused: u64,
    /// Taken by a mailbox. A `tell` that could not be delivered counts here and as dead.
    pub accepted: u64,
    /// The handler returned `Ok`, or asked for the next message.
    pub handled: u64,
    /// The handler returned `Err` or panicked.
    pub failed: u64,
    /// The handler was dropped by a kill, or gave up because its actor was asked to stop.
    pub interrupted: u64,
    /// Given to `Context::unhandled`.
    pub unhandled: u64,
    /// Dead letters.
    pub dead: u64,
    /// Still in a mailbox.
    pub queued: u64,
    /// Still set aside by a handler.
    pub stashed: u64,
}

impl Ledger {
    /// What is missing (positive) or counted twice (negative). Zero at the end of a system, always; while it runs, the
    /// messages in the hands of their handlers.
    pub fn balance(&self) -> i64 {
        let spent = self.handled
            + self.failed
            + self.interrupted
            + self.unhandled
            + self.dead
            + self.queued
            + self.stashed;
        self.accepted as i64 - spent as i64
    }

    pub(crate) fn add(&mut self, other: &Ledger) {
        self.refused += other.refused;
        self.accepted += other.accepted;
        self.handled += other.handled;
        self.failed += other.failed;
        self.interrupted += other.interrupted;
        self.unhandled += other.unhandled;
        self.dead += other.dead;
        self.queued += other.queued;
        self.stashed += other.stashed;
    }
}

/// The books of one actor. After its end, what still arrives (a `tell` to somebody gone) is written into the system's.
pub(crate) struct Books {
    own: Mutex<Option<Ledger>>,
    total: Arc<Mutex<Ledger>>,
}

impl Books {
    pub(crate) fn new(total: Arc<Mutex<Ledger>>) -> Self {
        Self {
            own: Mutex::new(Some(Ledger::default())),
            total,
        }
    }

    pub(crate) fn note(&self, entry: impl FnOnce(&mut Ledger)) {
        match &mut *self.own.lock() {
            Some(own) => entry(own),
            None => entry(&mut self.total.lock()),
        }
    }

    /// What is in these books and not yet in the system's.
    pub(crate) fn open_entries(&self) -> Ledger {
        (*self.own.lock()).unwrap_or_default()
    }

    pub(crate) fn fold(&self) {
        let mut own = self.own.lock();
        if let Some(entries) = own.take() {
            self.total.lock().add(&entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_before_and_after_the_fold_reach_the_total_once() {
        let total = Arc::new(Mutex::new(Ledger::default()));
        let books = Books::new(total.clone());
        books.note(|ledger| ledger.accepted += 2);
        books.note(|ledger| ledger.handled += 1);
        assert_eq!(books.open_entries().balance(), 1);
        books.fold();
        books.fold();
        books.note(|ledger| ledger.dead += 1);
        assert_eq!(books.open_entries(), Ledger::default());
        assert_eq!(
            *total.lock(),
            Ledger {
                accepted: 2,
                handled: 1,
                dead: 1,
                ..Ledger::default()
            }
        );
        assert_eq!(total.lock().balance(), 0);
    }
}
