//! What happened to every message. One set of books per actor, in its core, closed into its family's when the actor ends.

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
    /// Given up after it failed its actor as often as it may.
    pub quarantined: u64,
    /// Still in a mailbox.
    pub queued: u64,
    /// Still set aside by a handler, or about to be delivered again.
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
            + self.quarantined
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
        self.quarantined += other.quarantined;
        self.queued += other.queued;
        self.stashed += other.stashed;
    }
}
