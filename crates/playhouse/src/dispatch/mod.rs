//! A dispatcher is a named set of threads that gives actors their turns.
//!
//! The contract: an actor's life is one future ([`Job::Task`]), polled by one thread at a time, each poll seeing what
//! the last one did; or, for actors that must not move, one such future made on the thread it stays on
//! ([`Job::Thread`]). A job that is thrown away is dropped, and its actor ends as `Shutdown`.

mod pinned;
mod pool;
#[allow(dead_code)]
pub(crate) mod runnable;
#[cfg(feature = "testkit")]
pub(crate) mod stepped;
#[cfg(not(feature = "testkit"))]
#[path = "stepped_absent.rs"]
pub(crate) mod stepped;

use crate::address::Address;
use crate::host::Host;
use crate::limits;
use crate::sync::Arc;
use pinned::Threads;
use pool::Pool;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use tokio::runtime::Handle;

/// What to start. `shared`: on Tokio's workers. `fixed`: own threads, for handlers that block. `pinned`: a thread per
/// actor.
#[derive(Clone, Debug)]
#[must_use = "it has no threads before it is given to `SystemBuilder::dispatcher`"]
pub struct Dispatcher {
    shape: Shape,
    throughput: usize,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Shared,
    Fixed(usize),
    Pinned,
}

impl Dispatcher {
    /// On the workers of the system's Tokio runtime. Handlers must not block.
    pub fn shared() -> Self {
        Self {
            shape: Shape::Shared,
            throughput: limits::THROUGHPUT,
        }
    }

    /// On `threads` threads of its own, started with the first use. Handlers may block. They run inside the system's
    /// Tokio runtime, so timers and sockets work.
    ///
    /// # Panics
    /// If `threads` is zero: nothing would ever run.
    pub fn fixed(threads: usize) -> Self {
        assert!(
            threads > 0,
            "a dispatcher without threads would run nothing; the least is 1"
        );
        Self {
            shape: Shape::Fixed(threads),
            throughput: limits::THROUGHPUT_FIXED,
        }
    }

    /// A thread for each actor, and for each submitted closure. Handlers may block.
    pub fn pinned() -> Self {
        Self {
            shape: Shape::Pinned,
            throughput: limits::THROUGHPUT,
        }
    }

    /// Messages an actor may handle before others get their turn. Default: [`limits::THROUGHPUT`], for `fixed`
    /// [`limits::THROUGHPUT_FIXED`].
    ///
    /// # Panics
    /// If `messages` is zero.
    pub fn throughput(mut self, messages: usize) -> Self {
        assert!(
            messages > 0,
            "an actor that may handle no message per turn never handles one"
        );
        self.throughput = messages;
        self
    }

    pub(crate) fn start(self, name: &str, host: &Host) -> DispatcherRef {
        let workers = match host {
            Host::Tokio(runtime) => self.shape.start(name, runtime),
            Host::Stepped(world) => Workers::Stepped(match self.shape {
                Shape::Shared => world.workers(name, None, true),
                Shape::Fixed(threads) => world.workers(name, Some(threads), false),
                Shape::Pinned => world.workers(name, None, false),
            }),
        };
        DispatcherRef(Arc::new(Running {
            name: name.to_owned(),
            throughput: self.throughput,
            workers,
        }))
    }
}

impl Shape {
    fn start(self, name: &str, runtime: &Handle) -> Workers {
        match self {
            Self::Shared => Workers::Shared(runtime.clone()),
            Self::Fixed(threads) => Workers::Fixed(Pool::new(name, threads, runtime.clone())),
            Self::Pinned => Workers::Pinned(Threads::new(name, runtime.clone())),
        }
    }
}

/// A running dispatcher. The only way to choose one, so a wrong name fails where it is looked up, with the names there
/// are.
#[derive(Clone)]
pub struct DispatcherRef(Arc<Running>);

struct Running {
    name: String,
    throughput: usize,
    workers: Workers,
}

enum Workers {
    Shared(Handle),
    Fixed(Arc<Pool>),
    Pinned(Threads),
    /// None: the test's own thread, in steps.
    Stepped(stepped::Workers),
}

/// The last reference is gone, so nobody can give it work any more. A thread may itself have dropped it: none is joined.
impl Drop for Running {
    fn drop(&mut self) {
        if let Workers::Fixed(pool) = &self.workers {
            drop(pool.dismiss());
        }
    }
}

impl DispatcherRef {
    /// Runs a closure on one of its threads. The shutdown of the system lets the queue run dry and joins every own
    /// thread; what is submitted later is dropped. A panic is reported by the panic hook and harms nobody else.
    pub fn submit(&self, work: impl FnOnce() + Send + 'static) {
        match &self.0.workers {
            Workers::Shared(runtime) => drop(runtime.spawn(async move { work() })),
            Workers::Fixed(pool) => pool.submit(Box::new(work)),
            Workers::Pinned(threads) => threads.run(Box::new(work)),
            Workers::Stepped(world) => world.submit(Box::new(work)),
        }
    }

    pub(crate) fn run(&self, of: &Address, job: Job) {
        match (&self.0.workers, job) {
            (Workers::Shared(runtime), Job::Task(task)) => drop(runtime.spawn(task)),
            (Workers::Fixed(pool), Job::Task(task)) => pool.spawn(task),
            (Workers::Pinned(threads), Job::Task(task)) => {
                threads.run(Box::new(move || crate::sync::block_on(task)));
            }
            (Workers::Pinned(threads), Job::Thread(birth)) => {
                threads.run(Box::new(move || crate::sync::block_on(birth())));
            }
            (Workers::Stepped(world), job) => world.run(of, job),
            (_, Job::Thread(_)) => {
                unreachable!("props for an own thread are given a pinned dispatcher")
            }
        }
    }

    /// Of one turn.
    pub(crate) fn throughput(&self) -> usize {
        match &self.0.workers {
            Workers::Stepped(world) => world.throughput(self.0.throughput),
            _ => self.0.throughput,
        }
    }

    /// May code on its threads block?
    pub(crate) fn may_block(&self) -> bool {
        match &self.0.workers {
            Workers::Shared(_) => false,
            Workers::Fixed(_) | Workers::Pinned(_) => true,
            Workers::Stepped(world) => world.may_block(),
        }
    }

    /// Drops what is submitted from now on. Afterwards the answer of [`has_threads`](Self::has_threads) only goes from
    /// yes to no.
    pub(crate) fn refuse(&self) {
        match &self.0.workers {
            Workers::Shared(_) => {} // Tokio's workers outlive us
            Workers::Fixed(pool) => pool.refuse(),
            Workers::Pinned(threads) => threads.refuse(),
            Workers::Stepped(world) => world.refuse(),
        }
    }

    /// Are there threads to wait for?
    pub(crate) fn has_threads(&self) -> bool {
        match &self.0.workers {
            Workers::Shared(_) | Workers::Stepped(_) => false, // not ours
            Workers::Fixed(pool) => pool.has_threads(),
            Workers::Pinned(threads) => threads.has_threads(),
        }
    }

    /// Lets the queue run dry and joins the threads. Blocks if it [`has_threads`](Self::has_threads).
    pub(crate) fn close(&self) {
        match &self.0.workers {
            Workers::Shared(_) => {}
            Workers::Fixed(pool) => pool.close(),
            Workers::Pinned(threads) => threads.close(),
            Workers::Stepped(world) => world.close(),
        }
    }
}

impl fmt::Debug for DispatcherRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DispatcherRef({:?})", self.0.name)
    }
}

type Closure = Box<dyn FnOnce() + Send>;
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;
type LocalTask = Pin<Box<dyn Future<Output = ()>>>;
/// Makes, on the thread it is to stay on, a future that must not move.
type Birth = Box<dyn FnOnce() -> LocalTask + Send>;

/// An actor's life, ready to run.
pub(crate) enum Job {
    Task(Task),
    Thread(Birth),
}

impl Job {
    pub(crate) fn task(life: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::Task(Box::pin(life))
    }

    pub(crate) fn thread<L: Future<Output = ()> + 'static>(
        birth: impl FnOnce() -> L + Send + 'static,
    ) -> Self {
        Self::Thread(Box::new(move || Box::pin(birth())))
    }
}

/// No dispatcher has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDispatcher {
    /// The name that was looked up.
    pub name: String,
    /// The names there are.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownDispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.join(", ");
        write!(
            f,
            "no dispatcher is named {:?}; there are {known}; add it with `SystemBuilder::dispatcher`",
            self.name
        )
    }
}

impl Error for UnknownDispatcher {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn refused_work_is_dropped_and_starts_no_thread() {
        for shape in [Dispatcher::fixed(1), Dispatcher::pinned()] {
            let dispatcher = shape.start("refusing", &Host::Tokio(Handle::current()));
            dispatcher.refuse();
            let (told, runs) = mpsc::channel();
            dispatcher.submit(move || told.send(()).unwrap_or_default());
            assert_eq!(runs.recv(), Err(mpsc::RecvError));
            assert!(!dispatcher.has_threads());
            dispatcher.close(); // nothing to join, so it does not block
        }
    }
}
