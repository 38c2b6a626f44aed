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
use super::{Driver, Unit, World};
use crate::dispatch::{Birth, LocalTask};
use crate::sync::{Arc, Mutex, catch, drop_quietly};
use std::task::{Context, Poll, Wake, Waker};

pub(super) struct Task {
    pub(super) number: u64,
    pub(super) label: Label,
    world: World,
    state: Mutex<State>,
    body: Mutex<Body>,
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

/// Where its future is.
pub(super) enum Body {
    Anywhere(crate::dispatch::Task),
    /// Makes a future that must not leave the thread of the world.
    Unborn(Birth),
    /// The driver keeps it.
    WithDriver,
    /// Being polled, or dropped.
    Taken,
}

impl Task {
    pub(super) fn new(world: &World, number: u64, label: Label, body: Body) -> Arc<Self> {
        Arc::new(Self {
            number,
            label,
            world: world.clone(),
            state: Mutex::new(State {
                phase: Phase::Queued,
                is_aborted: false,
            }),
            body: Mutex::new(body),
        })
    }

    pub(super) fn poll(self: Arc<Self>, driver: &Driver) {
        let before = self.change(|state| state.phase = Phase::Running);
        if before.is_aborted {
            return self.leave(driver);
        }
        let waker = Waker::from(self.clone());
        let mut context = Context::from_waker(&waker);
        let polled = match self.take_body() {
            Body::Anywhere(mut future) => {
                let polled = catch(|| future.as_mut().poll(&mut context));
                *self.body.lock() = Body::Anywhere(future);
                polled
            }
            Body::Unborn(birth) => {
                catch(birth).and_then(|future| self.poll_local(driver, future, &mut context))
            }
            Body::WithDriver => match driver.take_local(self.number) {
                Some(future) => self.poll_local(driver, future, &mut context),
                None => Ok(Poll::Ready(())),
            },
            Body::Taken => Ok(Poll::Ready(())),
        };
        match polled {
            Ok(Poll::Pending) => self.rest(driver),
            Ok(Poll::Ready(())) => self.leave(driver),
            Err(payload) => {
                drop_quietly(payload);
                self.leave(driver);
            }
        }
    }

    fn poll_local(
        &self,
        driver: &Driver,
        mut future: LocalTask,
        context: &mut Context<'_>,
    ) -> Result<Poll<()>, crate::sync::Payload> {
        let polled = catch(|| future.as_mut().poll(context));
        *self.body.lock() = Body::WithDriver;
        driver.keep_local(self.number, future);
        polled
    }

    fn rest(self: Arc<Self>, driver: &Driver) {
        let before = self.change(|state| {
            state.phase = match state.phase {
                Phase::RunAgain => Phase::Queued,
                _ => Phase::Idle,
            };
        });
        if before.is_aborted {
            self.leave(driver);
        } else if before.phase == Phase::RunAgain {
            let world = self.world.clone();
            world.enqueue(Unit::Task(self));
        }
    }

    fn leave(&self, driver: &Driver) {
        self.world.0.state.lock().tasks.remove(&self.number);
        self.finish(driver);
    }

    /// Drops the future. Also breaks the ring of task, waker and whoever holds the waker.
    pub(super) fn finish(&self, driver: &Driver) {
        self.change(|state| state.phase = Phase::Done);
        drop_quietly(driver.take_local(self.number));
        drop_quietly(self.take_body());
    }

    /// The world has ended. A task that came too late is in no list, so it is dropped here; one that did not is dropped
    /// by the end.
    pub(super) fn discard(self: Arc<Self>) {
        let is_unlisted = !self.world.0.state.lock().tasks.contains_key(&self.number);
        if is_unlisted {
            self.change(|state| state.phase = Phase::Done);
            drop_quietly(self.take_body());
        }
    }

    fn take_body(&self) -> Body {
        std::mem::replace(&mut *self.body.lock(), Body::Taken)
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
