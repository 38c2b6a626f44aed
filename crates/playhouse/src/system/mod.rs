//! A system: its roots, its dispatchers, its runtime. Nothing is shared between two systems of one process.

mod builder;
#[cfg(feature = "signals")]
mod signals;
#[cfg(not(feature = "signals"))]
#[path = "signals_absent.rs"]
mod signals;

#[cfg(feature = "config")]
pub(crate) use builder::OWN_THREADS;
pub use builder::{BuildError, SystemBuilder};

use crate::actor::{Message, Outcome};
use crate::actor_ref::ActorRef;
use crate::address::{Address, Name, complaint};
use crate::cell::body::{Newborn, Place, Refused};
use crate::cell::family::{Family, NoEntry};
use crate::cell::{Core, CoreRef};
use crate::clock::Clock;
use crate::deadlines::Deadlines;
use crate::dispatch::{DispatcherRef, UnknownDispatcher};
use crate::events::{Event, Events};
use crate::failure::Failure;
use crate::here;
use crate::host::{Aborter, Host};
use crate::ledger::Ledger;
use crate::mailbox::signals::StopCause;
use crate::props::IntoProps;
use crate::random::Random;
use crate::shutdown::{Phase, Shutdown, ShutdownReason, ShutdownReport, ShutdownTask};
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, Weak};
use crate::waits::HeldHandles;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::{Future, pending};
use tokio::runtime::Runtime;

/// A handle; clone it freely, dropping it ends nothing. Many may live in one process.
#[derive(Clone)]
pub struct ActorSystem(Arc<System>);

impl ActorSystem {
    /// A system that is not built yet. The name begins every path.
    pub fn builder(name: impl Into<String>) -> SystemBuilder {
        SystemBuilder::new(name.into())
    }

    /// An actor without a parent. Name taken or malformed, or the system is ending: `Err`.
    pub fn spawn<P: IntoProps>(
        &self,
        name: impl Into<String>,
        props: P,
    ) -> Result<ActorRef<P::Msg>, SpawnError> {
        self.spawn_in(&self.0.roots, name.into(), props)
    }

    /// The same with a generated name: cannot fail. When the system is ending, the reference returned is already gone; so
    /// it is when the props name a dispatcher that is not there, which is an [`Event::SpawnFailed`].
    pub fn spawn_anonymous<P: IntoProps>(&self, props: P) -> ActorRef<P::Msg> {
        self.spawn_anonymous_in(&self.0.roots, props)
    }

    /// `default` (Tokio's workers), `blocking` ([`BLOCKING_THREADS`](crate::limits::BLOCKING_THREADS) own threads), or a
    /// name given to the builder.
    pub fn dispatcher(&self, name: &str) -> Result<DispatcherRef, UnknownDispatcher> {
        self.0
            .dispatchers
            .get(name)
            .cloned()
            .ok_or_else(|| UnknownDispatcher {
                name: name.to_owned(),
                known: self.0.dispatchers.keys().cloned().collect(),
            })
    }

    /// The system's time.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// What happened to every message so far. While actors run it is a picture of no exact moment: what was in the books
    /// when it was asked for is in it, whoever ends meanwhile, and some of what came after.
    pub fn ledger(&self) -> Ledger {
        self.0.ledger()
    }

    /// Adds a step to a phase at run time, e.g. by the actor that opened the door. A step added after its phase runs
    /// with the next phase, one added after the last is dropped. It can be taken back:
    /// [`ShutdownTask::cancel`].
    ///
    /// To end an actor in a phase and wait until it is gone, tell it so and wait:
    ///
    /// ```
    /// # use playhouse::prelude::*;
    /// # fn add(system: &ActorSystem, cashier: ActorRef<&'static str>) {
    /// system.on_shutdown(playhouse::Phase::FinishRequests, "cashier", async move || {
    ///     cashier.tell("count the till, then stop");
    ///     cashier.terminated().await;
    ///     Ok(())
    /// });
    /// # }
    /// ```
    pub fn on_shutdown<F: Future<Output = Outcome> + Send + 'static>(
        &self,
        phase: Phase,
        name: &'static str,
        task: impl FnOnce() -> F + Send + 'static,
    ) -> ShutdownTask {
        let task = Box::new(move || Box::pin(task()) as _);
        Shutdown::add(&self.0, phase, name, task)
    }

    /// When this actor ends, for whatever reason, the [`shutdown`](Self::shutdown) begins by itself. It may have ended
    /// already. [`terminated`](Self::terminated) waits for the end of it all.
    pub fn end_with<M: Message>(&self, guardian: &ActorRef<M>) {
        let system = Arc::downgrade(&self.0);
        let guardian = CoreRef::new(guardian.core()); // memory alone: it may live as long as its handles
        let ends = async move {
            let exit = guardian.ended().await;
            if let Some(system) = system.upgrade() {
                Shutdown::begin(&system, ShutdownReason::GuardianEnded(exit));
            }
        };
        drop(self.0.host.spawn("guardian", ends));
    }

    /// Waits for the end of the shutdown, whoever begins it; a runtime that ends under its system begins none. Cancel
    /// safe. An actor must not await it in a handler: the shutdown waits for that handler.
    pub async fn terminated(&self) -> ShutdownReport {
        self.0.shutdown.report().await
    }

    /// Runs the phases in order, each within its deadline. Called twice: both wait for the same end. Cancel safe: it
    /// goes on without you. An actor must not await it in a handler: the shutdown waits for that handler.
    pub async fn shutdown(&self) -> ShutdownReport {
        Shutdown::begin(&self.0, ShutdownReason::Asked);
        self.0.shutdown.report().await
    }

    /// [`shutdown`](Self::shutdown) from a plain thread. A stepped system is driven by it. Another system's Tokio runtime must be driven meanwhile: one that
    /// the system owns and one with worker threads are; with a current-thread runtime another thread must be inside its
    /// `block_on`, or this waits for ever.
    ///
    /// # Panics
    /// On any thread that drives asynchronous tasks, and in the turn of an actor, for which the shutdown waits.
    pub fn blocking_shutdown(&self) -> ShutdownReport {
        assert_no_turn();
        Shutdown::begin(&self.0, ShutdownReason::Asked);
        self.block_on_report("ActorSystem::blocking_shutdown")
    }

    /// [`terminated`](Self::terminated) from a plain thread; what is said of
    /// [`blocking_shutdown`](Self::blocking_shutdown) holds for it too.
    ///
    /// # Panics
    /// As that one.
    pub fn blocking_terminated(&self) -> ShutdownReport {
        assert_no_turn();
        self.block_on_report("ActorSystem::blocking_terminated")
    }

    fn block_on_report(&self, what: &'static str) -> ShutdownReport {
        match here::block_on(what, self.0.shutdown.report()) {
            Ok(report) => report,
            Err(cancelled) => unreachable!("only actors are cancelled: {cancelled}"),
        }
    }

    pub(crate) fn inner(&self) -> &Arc<System> {
        &self.0
    }

    pub(crate) fn spawn_in<P: IntoProps>(
        &self,
        family: &Arc<Family>,
        name: String,
        props: P,
    ) -> Result<ActorRef<P::Msg>, SpawnError> {
        self.spawn_prepared_in(family, name, props, |_| ())
    }

    /// `prepare` has the actor when it has its name and has not begun.
    pub(crate) fn spawn_prepared_in<P: IntoProps>(
        &self,
        family: &Arc<Family>,
        name: String,
        props: P,
        prepare: impl FnOnce(&Core),
    ) -> Result<ActorRef<P::Msg>, SpawnError> {
        if let Some(why) = complaint(&name) {
            return Err(SpawnError::BadName(format!("{name:?}: {why}")));
        }
        self.spawn_as(family, &name, props, prepare)
    }

    fn spawn_as<P: IntoProps>(
        &self,
        family: &Arc<Family>,
        name: &str,
        props: P,
        prepare: impl FnOnce(&Core),
    ) -> Result<ActorRef<P::Msg>, SpawnError> {
        let newborn = match self.newborn(family, Name::Given(name), props) {
            Ok(newborn) => newborn,
            Err(Refused { newborn, why }) => {
                newborn.cancel();
                return Err(why);
            }
        };
        match family.join(newborn.core(), false) {
            Ok(()) => {
                prepare(newborn.core());
                Ok(newborn.start())
            }
            Err(why) => {
                newborn.cancel();
                Err(match why {
                    NoEntry::NameTaken(holder) => SpawnError::NameTaken(holder),
                    NoEntry::Closed => SpawnError::Stopping,
                })
            }
        }
    }

    pub(crate) fn spawn_anonymous_in<P: IntoProps>(
        &self,
        family: &Arc<Family>,
        props: P,
    ) -> ActorRef<P::Msg> {
        let name = Name::Anonymous(family.next_anonymous());
        match self.newborn(family, name, props) {
            Ok(newborn) => match family.join(newborn.core(), true) {
                Ok(()) => newborn.start(),
                Err(_) => newborn.cancel(),
            },
            Err(Refused { newborn, why }) => {
                let who = newborn.core().address.clone();
                self.0.events.publish(&Event::SpawnFailed { who, why });
                newborn.cancel()
            }
        }
    }

    /// A root of the runtime's own, under a name that nobody can give; the one that is there already, if it is. When the
    /// system is ending, it is already gone.
    pub(crate) fn spawn_own<P: IntoProps + Clone>(&self, name: &str, props: P) -> CoreRef {
        let roots = &self.0.roots;
        if let Some(known) = roots.holder(name) {
            return known;
        }
        match self.spawn_as(roots, name, props.clone(), |_| ()) {
            Ok(own) => CoreRef::new(own.core()),
            // Somebody was faster, or the system is ending.
            Err(_) => roots
                .holder(name)
                .unwrap_or_else(|| CoreRef::new(self.spawn_anonymous_in(roots, props).core())),
        }
    }

    fn newborn<P: IntoProps>(
        &self,
        parent: &Arc<Family>,
        name: Name<'_>,
        props: P,
    ) -> Result<Newborn<P::Msg>, Refused<P::Msg>> {
        props.newborn(&Place {
            system: self,
            parent,
            name,
        })
    }
}

fn assert_no_turn() {
    assert!(
        !here::is_turn(),
        "an actor cannot wait for the end of its own system; spawn a task that does"
    );
}

impl fmt::Debug for ActorSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActorSystem({:?})", self.0.roots.path())
    }
}

/// The inside of a system.
pub(crate) struct System {
    pub(crate) host: Host,
    owned_runtime: Mutex<Option<Runtime>>,
    pub(crate) clock: Clock,
    pub(crate) deadlines: Arc<Deadlines>,
    pub(crate) events: Events,
    /// What came too late for an actor's own books.
    pub(crate) total: Mutex<Ledger>,
    pub(crate) random: Mutex<Random>,
    pub(crate) roots: Arc<Family>,
    dispatchers: BTreeMap<String, DispatcherRef>,
    /// One of them, which most actors live on.
    default_dispatcher: DispatcherRef,
    own_threads: DispatcherRef,
    pub(crate) shutdown: Shutdown,
    pub(crate) held_handles: HeldHandles,
    spawned: AtomicUsize,
    /// The task that notices it.
    end_of_runtime: Aborter,
}

/// Held by a task that never ends by itself, so it is dropped with its host. Actors on Tokio's workers are dropped the
/// same way; those on own threads would never learn of it.
struct EndOfRuntime(Weak<System>);

impl EndOfRuntime {
    fn watch(host: &Host, system: Weak<System>) -> Aborter {
        let held = Self(system);
        let waits = async move {
            let _held = held;
            pending::<()>().await
        };
        host.spawn("end of the runtime", waits)
    }
}

impl Drop for EndOfRuntime {
    fn drop(&mut self) {
        if let Some(system) = self.0.upgrade() {
            system.roots.stop_all(StopCause::Shutdown);
        }
    }
}

impl System {
    /// A root's failure was escalated, and nobody is above it.
    pub(crate) fn root_failed(self: &Arc<Self>, who: &Address, failure: &Failure) {
        let reason = ShutdownReason::RootFailed(who.clone(), failure.clone());
        Shutdown::begin(self, reason);
    }

    pub(crate) fn next_uid(&self) -> u64 {
        self.spawned.fetch_add(1, Ordering::Relaxed) as u64
    }

    pub(crate) fn default_dispatcher(&self) -> &DispatcherRef {
        &self.default_dispatcher
    }

    /// Every dispatcher with threads of its own.
    pub(crate) fn dispatchers(&self) -> Vec<DispatcherRef> {
        self.dispatchers
            .values()
            .chain([&self.own_threads])
            .cloned()
            .collect()
    }

    /// Family by family, parents first, each under its own lock. Whoever leaves a family that was looked at already takes
    /// its books, and those below, to where they were counted; whoever leaves one that was not is found in its books.
    pub(crate) fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::default();
        let mut families = vec![self.roots.clone()];
        while let Some(family) = families.pop() {
            ledger.add(&family.picture(&mut families));
        }
        ledger.add(&self.total.lock()); // last: where the books of those who outlive their parent go
        ledger
    }

    pub(crate) fn own_threads(&self) -> &DispatcherRef {
        &self.own_threads
    }
}

/// Our own runtime may end on one of its own threads, where waiting for it is not allowed.
impl Drop for System {
    fn drop(&mut self) {
        self.end_of_runtime.abort();
        self.deadlines.close();
        if let Some(runtime) = self.owned_runtime.lock().take() {
            runtime.shutdown_background();
        }
    }
}

/// Why there is no such actor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SpawnError {
    /// By this actor. Stop it first, and wait for its end.
    NameTaken(Address),
    /// The name, and what is wrong with it.
    BadName(String),
    /// The parent or the system is ending.
    Stopping,
    /// [`Props::dispatcher_named`](crate::Props::dispatcher_named) names a dispatcher that is not there.
    UnknownDispatcher(UnknownDispatcher),
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameTaken(holder) => write!(
                f,
                "the name is taken by {holder}; stop it first and wait for its end"
            ),
            Self::BadName(text) => write!(f, "bad name {text}"),
            Self::Stopping => f.write_str("the parent is ending and takes no more children"),
            Self::UnknownDispatcher(unknown) => write!(f, "{unknown}"),
        }
    }
}

impl Error for SpawnError {}
