//! The contract of [`Queue`](super::queue::Queue) in safe code: a deque and [`Places`], each behind a lock.
//!
//! For tests alone. It is slow, and plain enough to be right at sight: whatever a test does to the fast lane it does to
//! this one too, and both must answer the same. One thing is missing: going idle touches the lock once more after it
//! succeeded, so whoever uses it keeps the memory by other means.

mod places;

use super::queue::Pushed;
use super::{NoPlace, Ticket};
use crate::sync::Mutex;
use places::Places;
use std::collections::VecDeque;
use std::task::{Context, Poll};

pub(crate) struct Twin<T> {
    places: Places,
    book: Mutex<Book<T>>,
}

struct Book<T> {
    messages: VecDeque<T>,
    is_scheduled: bool,
    is_nudged: bool,
    has_ended: bool,
    permits: usize,
    pushes: u64,
    freed: u64,
}

impl<T> Twin<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            places: Places::new(capacity),
            book: Mutex::new(Book {
                messages: VecDeque::new(),
                is_scheduled: true,
                is_nudged: false,
                has_ended: false,
                permits: 0,
                pushes: 0,
                freed: 0,
            }),
        }
    }

    pub(crate) fn try_push(&self, message: T) -> Result<Pushed, (NoPlace, T)> {
        if let Err(why) = self.places.try_take() {
            return Err((why, message));
        }
        self.push_placed(message)
            .map_err(|message| (NoPlace::Closed, message))
    }

    pub(crate) fn try_reserve(&self) -> Result<(), NoPlace> {
        self.places.try_take()?;
        self.book.lock().permits += 1;
        Ok(())
    }

    pub(crate) fn poll_reserve(
        &self,
        ticket: &mut Ticket,
        context: &Context<'_>,
    ) -> Poll<Result<(), NoPlace>> {
        let answer = self.places.poll_take(ticket, context);
        match answer {
            Poll::Ready(Ok(())) => self.book.lock().permits += 1,
            Poll::Ready(Err(_)) => self.leave(ticket), // it has nothing to wait for any more
            Poll::Pending => {}
        }
        answer
    }

    pub(crate) fn leave(&self, ticket: &mut Ticket) {
        self.places.leave(ticket);
    }

    pub(crate) fn push_reserved(&self, message: T) -> Result<Pushed, T> {
        self.book.lock().permits -= 1;
        self.push_placed(message)
    }

    pub(crate) fn release(&self) {
        self.book.lock().permits -= 1;
        self.places.free();
    }

    pub(crate) fn push_outside(&self, message: T) -> Result<Pushed, T> {
        self.push(message, 0)
    }

    pub(crate) fn push_regardless(&self, message: T) -> Result<Pushed, T> {
        self.places.take_regardless();
        self.push_placed(message)
    }

    pub(crate) fn close_admission(&self) {
        self.places.close();
    }

    pub(crate) fn nudge(&self) -> bool {
        self.book.lock().is_nudged = true;
        self.try_claim()
    }

    pub(crate) fn try_claim(&self) -> bool {
        !std::mem::replace(&mut self.book.lock().is_scheduled, true)
    }

    pub(crate) fn taken(&self) -> usize {
        self.places.taken()
    }

    pub(crate) fn permits(&self) -> usize {
        self.book.lock().permits
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.book.lock().messages.is_empty()
    }

    pub(crate) fn pushes(&self) -> u64 {
        self.book.lock().pushes
    }

    pub(crate) fn freed(&self) -> u64 {
        self.book.lock().freed
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.book.lock().messages.pop_front()
    }

    pub(crate) fn free(&self) {
        self.book.lock().freed += 1;
        self.places.free_in_turn();
    }

    pub(crate) fn unfree(&self) {
        self.book.lock().freed -= 1;
        self.places.take_regardless();
    }

    pub(crate) fn try_idle(&self) -> bool {
        if !self.book.lock().is_done() {
            return false;
        }
        self.places.rest();
        let mut book = self.book.lock();
        if !book.is_done() {
            return false;
        }
        book.is_scheduled = false;
        true
    }

    pub(crate) fn take_nudge(&self) -> bool {
        std::mem::take(&mut self.book.lock().is_nudged)
    }

    pub(crate) fn suspend(&self) -> bool {
        self.places.suspend()
    }

    pub(crate) fn end(&self) -> Vec<T> {
        let rest = {
            let mut book = self.book.lock();
            book.has_ended = true;
            std::mem::take(&mut book.messages)
        };
        self.places.close();
        rest.into()
    }

    /// The place is taken already, and given back if there is no use for it.
    fn push_placed(&self, message: T) -> Result<Pushed, T> {
        let answer = self.push(message, 1);
        if answer.is_err() {
            self.places.free();
        }
        answer
    }

    fn push(&self, message: T, places: u64) -> Result<Pushed, T> {
        let mut book = self.book.lock();
        if book.has_ended {
            return Err(message);
        }
        book.messages.push_back(message);
        book.pushes += places;
        if std::mem::replace(&mut book.is_scheduled, true) {
            Ok(Pushed::Queued)
        } else {
            Ok(Pushed::WasIdle)
        }
    }
}

impl<T> Book<T> {
    fn is_done(&self) -> bool {
        self.messages.is_empty() && !self.is_nudged
    }
}
