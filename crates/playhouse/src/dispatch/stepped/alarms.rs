//! Who wants to be woken when, in the time of a stepped world.

use super::{End, World};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// By the moment, then by the order in which they were set.
#[derive(Default)]
pub(super) struct Alarms {
    waiting: BTreeMap<(Duration, u64), Waker>,
    count: u64,
}

impl Alarms {
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.waiting.keys().next().map(|(due, _)| *due)
    }

    /// Everybody who waits for this moment.
    pub(super) fn take(&mut self, moment: Duration) -> Vec<Waker> {
        let later = self.waiting.split_off(&(moment, u64::MAX));
        let due = std::mem::replace(&mut self.waiting, later);
        due.into_values().collect()
    }

    pub(super) fn take_all(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.waiting).into_values().collect()
    }

    /// Hands back the waker that is no longer needed.
    fn set(&mut self, due: Duration, id: &mut Option<u64>, waker: &Waker) -> Option<Waker> {
        let id = *id.get_or_insert_with(|| {
            self.count += 1;
            self.count
        });
        self.waiting.insert((due, id), waker.clone())
    }
}

/// A sleep. It takes its place among those of the same moment when it is first polled.
pub(crate) struct Alarm {
    world: World,
    due: Duration,
    id: Option<u64>,
}

impl Alarm {
    pub(super) fn new(world: &World, due: Duration) -> Self {
        Self {
            world: world.clone(),
            due,
            id: None,
        }
    }
}

impl Future for Alarm {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { world, due, id } = &mut *self;
        let replaced = {
            let mut state = world.0.state.lock();
            if state.now >= *due {
                return Poll::Ready(());
            }
            if state.end != End::Not {
                return Poll::Pending; // whoever polls it will not be polled again
            }
            state.alarms.set(*due, id, context.waker())
        };
        drop(replaced); // outside the lock: a waker may own a task
        Poll::Pending
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let gone = {
                let mut state = self.world.0.state.lock();
                state.alarms.waiting.remove(&(self.due, id))
            };
            drop(gone); // outside the lock, for the same reason
        }
    }
}
