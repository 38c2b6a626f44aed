//! The way that actors took before there were runnables: a life as one future, or as one closure.

use super::pinned::Threads;
use super::pool::Pool;
use super::{Closure, DispatcherRef, Shape};
use crate::sync::Arc;
use std::future::Future;
use std::pin::Pin;
use tokio::runtime::Handle;

pub(super) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An actor's life, ready to run.
pub(crate) enum Job {
    Task(Task),
    Thread(Closure),
}

impl Job {
    pub(crate) fn task(life: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::Task(Box::pin(life))
    }

    pub(crate) fn thread(life: impl FnOnce() + Send + 'static) -> Self {
        Self::Thread(Box::new(life))
    }
}

pub(super) enum Jobs {
    Shared(Handle),
    Fixed(Arc<Pool>),
    Pinned(Threads),
    Lane,
}

impl Jobs {
    pub(super) fn new(shape: Shape, name: &str, runtime: &Handle) -> Self {
        match shape {
            Shape::Shared => Self::Shared(runtime.clone()),
            Shape::Fixed(threads) => Self::Fixed(Pool::new(name, threads, runtime.clone())),
            Shape::Pinned => Self::Pinned(Threads::new(name, runtime.clone())),
        }
    }

    pub(super) fn refuse(&self) {
        match self {
            Self::Shared(_) | Self::Lane => {}
            Self::Fixed(pool) => pool.refuse(),
            Self::Pinned(threads) => threads.refuse(),
        }
    }

    pub(super) fn has_threads(&self) -> bool {
        match self {
            Self::Shared(_) | Self::Lane => false,
            Self::Fixed(pool) => pool.has_threads(),
            Self::Pinned(threads) => threads.has_threads(),
        }
    }

    pub(super) fn close(&self) {
        match self {
            Self::Shared(_) | Self::Lane => {}
            Self::Fixed(pool) => pool.close(),
            Self::Pinned(threads) => threads.close(),
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        if let Self::Fixed(pool) = self {
            drop(pool.dismiss());
        }
    }
}

impl DispatcherRef {
    pub(crate) fn run(&self, job: Job) {
        match (&self.0.jobs, job) {
            (Jobs::Shared(runtime), Job::Task(task)) => drop(runtime.spawn(task)),
            (Jobs::Fixed(pool), Job::Task(task)) => pool.spawn(task),
            (Jobs::Pinned(threads), Job::Task(task)) => {
                threads.run(Box::new(move || crate::sync::block_on(task)));
            }
            (Jobs::Pinned(threads), Job::Thread(work)) => threads.run(work),
            (_, Job::Thread(_)) => {
                unreachable!("props for an own thread are given a pinned dispatcher")
            }
            (Jobs::Lane, _) => unreachable!("a lane runs only runnables"),
        }
    }
}
