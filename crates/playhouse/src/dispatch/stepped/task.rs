//! A future of a stepped world: polled when the seed chooses it, never twice in the list of what is ready.
//!
//! | state | a wake or an abort makes it |
//! |---|---|
//! | `Idle` | `Queued`, and queues it |
//! | `Queued` | stays |
//! | `Running` | `RunAgain`, queued after the poll |
//! | `RunAgain` | stays |
//! | `Done` | stays |
//!
//! An abort only queues it: its future is dropped in a step of its own, not in the middle of somebody's turn.

use super::trace::Label;
use super::{Unit, World};
use crate::dispatch;
use crate::sync::{Arc, Mutex, catch, drop_quietly};
use std::task::{Context, Poll, Wake, Waker};

pub(super) struct Task {
    pub(super) number: u64,
    pub(super) label: Label,
    world: World,
    state: Mutex<State>,
    /// Not there while it is polled, and when the task is done.
    future: Mutex<Option<dispatch::Task>>,
}

#[derive(Clone, Copy)]
struct State {
    phase: Phase,
    is_aborted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Queued,
    Running,
    RunAgain,
    Done,
}

impl Task {
    pub(super) fn new(
        world: &World,
        number: u64,
        label: Label,
        future: dispatch::Task,
    ) -> Arc<Self> {
        Arc::new(Self {
            number,
            label,
            world: world.clone(),
            state: Mutex::new(State {
                phase: Phase::Queued,
                is_aborted: false,
            }),
            future: Mutex::new(Some(future)),
        })
    }

    pub(super) fn poll(self: Arc<Self>) {
        let before = self.change(|state| state.phase = Phase::Running);
        if before.is_aborted {
            return self.leave();
        }
        let Some(mut future) = self.take_future() else {
            return self.leave();
        };
        let waker = Waker::from(self.clone());
        let mut context = Context::from_waker(&waker);
        let polled = catch(|| future.as_mut().poll(&mut context));
        *self.future.lock() = Some(future);
        match polled {
            Ok(Poll::Pending) => self.rest(),
            Ok(Poll::Ready(())) => self.leave(),
            Err(payload) => {
                drop_quietly(payload);
                self.leave();
            }
        }
    }

    fn rest(self: Arc<Self>) {
        let before = self.change(|state| {
            state.phase = match state.phase {
                Phase::RunAgain => Phase::Queued,
                _ => Phase::Idle,
            };
        });
        if before.is_aborted {
            self.leave();
        } else if before.phase == Phase::RunAgain {
            let world = self.world.clone();
            world.enqueue(Unit::Task(self));
        }
    }

    fn leave(&self) {
        self.world.0.state.lock().tasks.remove(&self.number);
        self.finish();
    }

    /// Drops the future. Also breaks the ring of task, waker and whoever holds the waker.
    pub(super) fn finish(&self) {
        self.change(|state| state.phase = Phase::Done);
        drop_quietly(self.take_future());
    }

    /// The world has ended. A task that came too late is in no list, so it is dropped here; one that did not is dropped
    /// by the end.
    pub(super) fn discard(self: Arc<Self>) {
        let is_unlisted = !self.world.0.state.lock().tasks.contains_key(&self.number);
        if is_unlisted {
            self.finish();
        }
    }

    fn take_future(&self) -> Option<dispatch::Task> {
        self.future.lock().take()
    }

    fn awaken(self: &Arc<Self>, and: impl FnOnce(&mut State)) {
        let before = self.change(|state| {
            state.phase = match state.phase {
                Phase::Idle => Phase::Queued,
                Phase::Running => Phase::RunAgain,
                other => other,
            };
            and(state);
        });
        if before.phase == Phase::Idle {
            self.world.enqueue(Unit::Task(self.clone()));
        }
    }

    /// Returns the state before.
    fn change(&self, next: impl FnOnce(&mut State)) -> State {
        let mut state = self.state.lock();
        let before = *state;
        next(&mut state);
        before
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.awaken(|_| ());
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.awaken(|_| ());
    }
}

/// Ends a task from outside.
pub(crate) struct Aborter(Arc<Task>);

impl Aborter {
    pub(super) fn of(task: &Arc<Task>) -> Self {
        Self(task.clone())
    }

    pub(crate) fn abort(&self) {
        self.0.awaken(|state| state.is_aborted = true);
    }
}
