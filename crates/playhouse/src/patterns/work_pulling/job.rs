//! A job in a worker's hands, and the ticket that says what became of it.

use crate::clock::Deadline;
use crate::sync::mpsc;
use std::fmt;
use std::ops::Deref;

/// A job in a worker's hands; the worker gets no other until it is done. Dropped without `done` (by `?`, a panic, a
/// stop): tried again, or a dead letter.
#[must_use = "a job dropped without `done` counts as failed"]
pub struct Job<J> {
    payload: J,
    deadline: Option<Deadline>,
    ticket: Ticket,
}

impl<J> Job<J> {
    pub(super) fn new(payload: J, deadline: Option<Deadline>, ticket: Ticket) -> Self {
        Self {
            payload,
            deadline,
            ticket,
        }
    }

    /// The worker wants the next one.
    pub fn done(self) {
        self.ticket.done();
    }

    /// The payload by value; the ticket keeps the worker busy, e.g. across a pipe.
    pub fn split(self) -> (J, Ticket) {
        (self.payload, self.ticket)
    }

    /// When whoever waits for this job stops waiting. `None` if nobody does. A job is not a question, so what the worker
    /// asks meanwhile does not end by then by itself.
    pub fn deadline(&self) -> Option<Deadline> {
        self.deadline
    }
}

impl<J> Deref for Job<J> {
    type Target = J;
    fn deref(&self) -> &J {
        &self.payload
    }
}

impl<J: fmt::Debug> fmt::Debug for Job<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Job").field(&self.payload).finish()
    }
}

/// What is left of a [`Job`] without its payload.
#[must_use = "a job dropped without `done` counts as failed"]
pub struct Ticket {
    worker: usize,
    is_done: bool,
    verdicts: mpsc::UnboundedSender<Verdict>,
}

impl Ticket {
    pub(super) fn new(worker: usize, verdicts: mpsc::UnboundedSender<Verdict>) -> Self {
        Self {
            worker,
            is_done: false,
            verdicts,
        }
    }

    /// The job is done; the worker wants the next one.
    pub fn done(mut self) {
        self.is_done = true;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Self {
            worker, is_done, ..
        } = *self;
        let _ = self.verdicts.send(Verdict { worker, is_done }); // the pool has ended: nobody counts any more
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket(worker {})", self.worker)
    }
}

/// What became of the job of one worker. The channel is bounded by its use: one job per worker, one verdict per job.
pub(super) struct Verdict {
    pub(super) worker: usize,
    pub(super) is_done: bool,
}
