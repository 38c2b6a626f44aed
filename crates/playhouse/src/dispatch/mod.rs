//! A dispatcher is a named set of threads that gives actors their turns.
//!
//! The contract is [`runnable`]: whoever makes an actor *scheduled* gives its dispatcher the right to one turn, and the
//! dispatcher uses it once, on one of its threads. A runnable that is thrown away is dropped, and its actor ends as
//! `Shutdown`. Where an actor lives is its [`home`](DispatcherRef::home).
//!
//! What is scheduled goes `seat` → `driver` on Tokio's workers ([`hosted`]), or through one queue to own
//! [`threads`]; [`lanes`] are own threads, one each. Under a test all of it may be one list in a seeded order, [`stepped`].

mod abandon;
pub(crate) mod choice;
mod driver;
mod hosted;
mod injector;
mod lanes;
mod lookout;
mod place;
mod run_queue;
pub(crate) mod runnable;
mod seat;
mod sleepers;
#[cfg(feature = "testkit")]
pub(crate) mod stepped;
#[cfg(not(feature = "testkit"))]
#[path = "stepped_absent.rs"]
pub(crate) mod stepped;
mod threads;
mod watchdog;

#[cfg(all(test, playhouse_loom))]
mod models;
#[cfg(all(test, not(playhouse_loom)))]
mod tests;

use crate::address::Address;
use crate::host::Host;
use crate::limits;
use crate::nearest::nearest;
use crate::sync::{Arc, Weak};
use crate::system::System;
use hosted::Hosted;
use lanes::Lanes;
use runnable::Runnable;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use threads::{Threads, Work};
use tokio::runtime::Handle;
use watchdog::Watchdog;

/// What to start. `shared`: on Tokio's workers. `fixed`: own threads, for handlers that block. `pinned`: a thread per
/// actor.
#[derive(Clone, Debug)]
#[must_use = "it has no threads before it is given to `SystemBuilder::dispatcher`"]
pub struct Dispatcher {
    shape: Shape,
    throughput: usize,
    time_limit: Option<Duration>,
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
            time_limit: None,
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
            time_limit: None,
        }
    }

    /// A thread for each actor, and for each submitted closure. Handlers may block.
    pub fn pinned() -> Self {
        Self {
            shape: Shape::Pinned,
            throughput: limits::THROUGHPUT,
            time_limit: None,
        }
    }

    /// Messages an actor may handle before others get their turn. Default: [`limits::THROUGHPUT`], for `fixed`
    /// [`limits::THROUGHPUT_FIXED`].
    ///
    /// # Panics
    /// If `messages` is zero.
    #[inline]
    pub fn throughput(mut self, messages: usize) -> Self {
        assert!(
            messages > 0,
            "an actor that may handle no message per turn never handles one"
        );
        self.throughput = messages.min(u32::MAX as usize); // turns count down in 32 bits
        self
    }

    /// A turn that has lasted this long ends after the message in hand, even if its throughput is not reached. Default:
    /// no limit. It costs a look at the clock per message.
    #[inline]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
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
            time_limit: self.time_limit,
            workers,
            of: None,
        }))
    }
}

impl Shape {
    fn start(self, name: &str, runtime: &Handle) -> Workers {
        match self {
            Self::Shared => Workers::Shared(Hosted::start(runtime)),
            Self::Fixed(count) => Workers::Own(Threads::new(name, 1, count, runtime.clone())),
            Self::Pinned => Workers::Lanes(Lanes::new(name, runtime.clone())),
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
    time_limit: Option<Duration>,
    workers: Workers,
    /// Of a lane: the `pinned` dispatcher that opened it.
    of: Option<DispatcherRef>,
}

#[repr(u8)] // a tag of its own: it is read for every turn
enum Workers {
    Shared(Arc<Hosted>),
    Own(Arc<Threads>),
    /// One of a `pinned` dispatcher's, with one thread, for one actor.
    Lane(Arc<Threads>),
    Lanes(Lanes),
    /// None: the test's own thread, in steps.
    Stepped(stepped::Workers),
}

/// The last reference is gone, so nobody can give it work any more. A thread may itself have dropped it: none is joined.
/// A lane that is still open has references of its own.
impl Drop for Running {
    fn drop(&mut self) {
        match &self.workers {
            Workers::Shared(hosted) => hosted.dismiss(),
            Workers::Own(threads) | Workers::Lane(threads) => threads.refuse(),
            Workers::Lanes(_) | Workers::Stepped(_) => {}
        }
    }
}

impl DispatcherRef {
    /// Runs a closure on one of its threads. The shutdown of the system lets the queue run dry and joins every own
    /// thread; what is submitted later is dropped. A panic is reported by the panic hook and harms nobody else.
    pub fn submit(&self, work: impl FnOnce() + Send + 'static) {
        match &self.0.workers {
            // A task of its own: Tokio is fair between it and the actors.
            Workers::Shared(hosted) => drop(hosted.runtime.spawn(async move { work() })),
            Workers::Own(threads) | Workers::Lane(threads) => {
                threads.give(Work::Closure(Box::new(work)))
            }
            Workers::Lanes(lanes) => lanes.submit(Box::new(work)),
            Workers::Stepped(world) => world.submit(Box::new(work)),
        }
    }

    /// Gives an actor that lives here its turn, soon. What comes after the end of the dispatcher is dropped.
    #[inline]
    pub(crate) fn schedule(&self, of: &Address, runnable: Runnable) {
        match &self.0.workers {
            Workers::Shared(hosted) => hosted.schedule(runnable),
            Workers::Own(threads) | Workers::Lane(threads) => threads.give(Work::Turn(runnable)),
            Workers::Lanes(_) => unreachable!("an actor lives in a lane, its `home`"),
            Workers::Stepped(world) => world.schedule(of, runnable),
        }
    }

    /// Where a new actor lives: here, or, if this is a `pinned` dispatcher or a lane of one, in a lane of its own with one
    /// thread.
    pub(crate) fn home(&self) -> Self {
        if let Some(of) = &self.0.of {
            return of.home();
        }
        let lanes = match &self.0.workers {
            Workers::Lanes(lanes) => lanes,
            Workers::Stepped(world) => {
                world.enter();
                return self.clone();
            }
            _ => return self.clone(),
        };
        Self(Arc::new(Running {
            name: self.0.name.clone(),
            throughput: self.0.throughput,
            time_limit: self.0.time_limit,
            workers: Workers::Lane(lanes.open()),
            of: Some(self.clone()),
        }))
    }

    /// The actor that lived here has ended.
    pub(crate) fn leave(&self) {
        match &self.0.workers {
            Workers::Lane(lane) => lane.refuse(),
            Workers::Stepped(world) => world.leave(),
            _ => {}
        }
    }

    /// Of one turn.
    #[inline]
    pub(crate) fn throughput(&self) -> usize {
        match &self.0.workers {
            Workers::Stepped(world) => world.throughput(self.0.throughput),
            _ => self.0.throughput,
        }
    }

    /// After which a turn ends, if the throughput does not end it before.
    #[inline]
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.0.time_limit
    }

    /// May code on its threads block?
    #[inline]
    pub(crate) fn may_block(&self) -> bool {
        match &self.0.workers {
            Workers::Shared(_) => false,
            Workers::Own(_) | Workers::Lane(_) | Workers::Lanes(_) => true,
            Workers::Stepped(world) => world.may_block(),
        }
    }

    /// Names handlers that hold a worker for longer than `limit`, if its workers must not be held.
    pub(crate) fn report_slow_handlers(&self, system: Weak<System>, limit: Duration) {
        if let Workers::Shared(hosted) = &self.0.workers {
            let name = self.0.name.clone();
            hosted.lookout.report(Watchdog::new(system, name, limit));
        }
    }

    /// Drops what is submitted from now on. Afterwards the answer of [`has_threads`](Self::has_threads) only goes from
    /// yes to no.
    pub(crate) fn refuse(&self) {
        match &self.0.workers {
            Workers::Shared(_) => {} // Tokio's workers outlive us
            Workers::Own(threads) | Workers::Lane(threads) => threads.refuse(),
            Workers::Lanes(lanes) => lanes.refuse(),
            Workers::Stepped(world) => world.refuse(),
        }
    }

    /// Are there threads to wait for?
    pub(crate) fn has_threads(&self) -> bool {
        match &self.0.workers {
            Workers::Shared(_) | Workers::Stepped(_) => false, // not ours
            Workers::Own(threads) | Workers::Lane(threads) => threads.has_threads(),
            Workers::Lanes(lanes) => lanes.has_threads(),
        }
    }

    /// Lets the queue run dry and joins the threads. Blocks if it [`has_threads`](Self::has_threads).
    pub(crate) fn close(&self) {
        match &self.0.workers {
            Workers::Shared(_) => {}
            Workers::Own(threads) | Workers::Lane(threads) => threads.close(),
            Workers::Lanes(lanes) => lanes.close(),
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
/// What is neither an actor nor a closure: a pipe, a timer, an own question.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// No dispatcher has this name. The text names those there are, and the one that was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDispatcher {
    /// The name that was looked up.
    pub name: String,
    /// The names there are.
    pub known: Vec<String>,
}

impl UnknownDispatcher {
    /// The closest of the names there are, if one is close.
    pub fn nearest(&self) -> Option<&str> {
        nearest(&self.name, &self.known)
    }
}

impl fmt::Display for UnknownDispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no dispatcher is named {:?}", self.name)?;
        if let Some(nearest) = self.nearest() {
            write!(f, ", perhaps {nearest:?} is meant")?;
        }
        let known = self.known.join(", ");
        write!(
            f,
            "; there are {known}; add it with `SystemBuilder::dispatcher`"
        )
    }
}

impl Error for UnknownDispatcher {}
