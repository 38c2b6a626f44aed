//! What a system stands on: who polls its futures, and whose time it has.
//!
//! 1. Every task, sleep and look at the clock of a system goes through its host, so one system can stand on Tokio and
//!    the next on a world that a seed orders ([`stepped`]), and nothing above can tell.
//! 2. A task lives until it is done, aborted, or its host ends; whichever comes, its future is dropped.

use crate::dispatch::stepped::{self, World};
use crate::effect::Effects;
use std::future::Future;
use std::time::Instant;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

#[derive(Clone, Debug)]
pub(crate) enum Host {
    Tokio(Handle),
    /// There is none without the feature `testkit`.
    #[cfg_attr(not(feature = "testkit"), allow(dead_code))]
    Stepped(World),
}

impl Host {
    /// A task of its own. The name is for traces.
    pub(crate) fn spawn(
        &self,
        name: &'static str,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Aborter {
        match self {
            Self::Tokio(runtime) => Aborter::Tokio(runtime.spawn(task).abort_handle()),
            Self::Stepped(world) => Aborter::Stepped(world.spawn(name, Box::pin(task))),
        }
    }

    /// Writes down what an actor does, if a test wants to know.
    #[inline]
    pub(crate) fn record(&self, write: impl FnOnce(&mut Effects)) {
        match self {
            Self::Tokio(_) => {}
            Self::Stepped(world) => world.record(write),
        }
    }

    /// What is left of a bound that a setting asks for: a test may want the least of all.
    #[inline]
    pub(crate) fn bound(&self, asked: usize) -> usize {
        match self {
            Self::Tokio(_) => asked,
            Self::Stepped(world) => world.bound(asked),
        }
    }

    /// Tokio pauses the clock of a current-thread runtime alone. Where it may, only the inside of the runtime knows the
    /// time, and to enter it costs as much as to look at the clock.
    pub(crate) fn has_real_time(&self) -> bool {
        match self {
            Self::Tokio(runtime) => runtime.runtime_flavor() != RuntimeFlavor::CurrentThread,
            Self::Stepped(_) => false,
        }
    }

    #[cold]
    pub(crate) fn now(&self) -> Instant {
        match self {
            Self::Tokio(runtime) => {
                let _time = runtime.enter();
                tokio::time::Instant::now().into_std()
            }
            Self::Stepped(world) => world.now(),
        }
    }

    /// Works on any thread: the timer belongs to the host, wherever it is polled.
    pub(crate) fn sleep_until(&self, deadline: Instant) -> impl Future<Output = ()> + Send + use<> {
        enum Timer {
            Tokio(Sleep),
            Stepped(stepped::Alarm),
        }
        let timer = match self {
            Self::Tokio(runtime) => {
                let _time = runtime.enter();
                Timer::Tokio(tokio::time::sleep_until(deadline.into()))
            }
            Self::Stepped(world) => Timer::Stepped(world.alarm(deadline)),
        };
        async move {
            match timer {
                Timer::Tokio(timer) => timer.await,
                Timer::Stepped(alarm) => alarm.await,
            }
        }
    }
}

/// Ends a task from outside; dropping it does nothing.
pub(crate) enum Aborter {
    Tokio(AbortHandle),
    Stepped(stepped::Aborter),
}

impl Aborter {
    /// The task is polled no more, and its future dropped soon, by its host.
    pub(crate) fn abort(&self) {
        match self {
            Self::Tokio(task) => task.abort(),
            Self::Stepped(task) => task.abort(),
        }
    }
}
