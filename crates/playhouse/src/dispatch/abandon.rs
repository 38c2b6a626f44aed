//! Dropping runnables that nobody will run.
//!
//! The end of an actor is told to its parent and its watchers, which schedules them; on a dispatcher that has ended they
//! are dropped in turn. One after the other, so that a long line of actors does not exhaust the stack.

use super::runnable::Runnable;
use crate::sync::thread_local;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

thread_local! {
    static LINE: Line = const { Line { is_moving: Cell::new(false), waiting: RefCell::new(VecDeque::new()) } };
}

/// What this thread still has to drop.
struct Line {
    is_moving: Cell<bool>,
    waiting: RefCell<VecDeque<Runnable>>,
}

/// Ends its actor, now or, if this thread is just ending another one, right after that.
#[cold]
pub(crate) fn abandon(runnable: Runnable) {
    let mut runnable = Some(runnable);
    // While the thread ends there may be no line any more; then it is dropped below.
    let _ = LINE.try_with(|line| {
        line.waiting.borrow_mut().extend(runnable.take());
        if !line.is_moving.replace(true) {
            while let Some(next) = line.next() {
                drop(next);
            }
            line.is_moving.set(false);
        }
    });
}

impl Line {
    /// The borrow ends here: the drop of what it returns comes back for more.
    fn next(&self) -> Option<Runnable> {
        self.waiting.borrow_mut().pop_front()
    }
}
