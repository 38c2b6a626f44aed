//! What a system will be, and why it cannot be.

use super::signals::OnSignals;
use super::{ActorSystem, EndOfRuntime, SpawnError, System};
use crate::actor_ref::ActorRef;
use crate::address::{Address, complaint};
use crate::cell::family::Family;
use crate::clock::Clock;
#[cfg(feature = "config")]
use crate::config::SystemConfig;
use crate::deadlines::Deadlines;
use crate::dispatch::Dispatcher;
#[cfg(feature = "testkit")]
use crate::dispatch::stepped::{Driver, World, is_inside_tokio};
use crate::events::{Event, Events};
use crate::host::Host;
use crate::limits;
use crate::props::IntoProps;
use crate::random::Random;
use crate::shutdown::{Phase, Shutdown};
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering};
#[cfg(feature = "testkit")]
use crate::testkit::Stepped;
use crate::waits::HeldHandles;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

const DEFAULT: &str = "default";
const BLOCKING: &str = "blocking";
/// Names the threads of blocking actors. Not to be looked up: `Props::blocking` is the way to it.
pub(crate) const OWN_THREADS: &str = "own";

/// What a system will be.
#[must_use = "nothing exists before `build`"]
pub struct SystemBuilder {
    name: String,
    dispatchers: Vec<(String, Dispatcher)>,
    events: Events,
    phase_deadlines: BTreeMap<Phase, Duration>,
    slow_handler: Duration,
    on_signals: OnSignals,
}

impl SystemBuilder {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            dispatchers: vec![
                (DEFAULT.to_owned(), Dispatcher::shared()),
                (
                    BLOCKING.to_owned(),
                    Dispatcher::fixed(limits::BLOCKING_THREADS),
                ),
            ],
            events: Events::default(),
            phase_deadlines: BTreeMap::new(),
            slow_handler: limits::SLOW_HANDLER,
            on_signals: OnSignals::default(),
        }
    }

    /// One more dispatcher, to be looked up by this name.
    pub fn dispatcher(mut self, name: &str, dispatcher: Dispatcher) -> Self {
        self.dispatchers.push((name.to_owned(), dispatcher));
        self
    }

    /// What a configuration says. Its dispatchers replace those of the same name that the builder has so far, the built-in
    /// ones too.
    #[cfg(feature = "config")]
    pub fn config(mut self, config: &SystemConfig) -> Self {
        let is_replaced = |name: &String| config.dispatchers.contains_key(name);
        self.dispatchers.retain(|(name, _)| !is_replaced(name));
        self.dispatchers.extend(config.dispatchers.clone());
        self.phase_deadlines.extend(config.phase_deadlines.clone());
        match config.dead_letter_log {
            Some((limit, pause)) => self.dead_letter_log(limit, pause),
            None => self,
        }
    }

    /// Hears every event, on the thread where it happens: be quick. What it causes itself while it runs is not told to
    /// it. It replaces the default, which prints failures and lost messages to standard error.
    pub fn on_event(mut self, hook: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.events.set_hook(Box::new(hook));
        self
    }

    /// Takes the lines that are printed to standard error otherwise, on the thread where it happens, also when there is
    /// a hook for events. Each is one event that an operator must not miss, with the path of the actor.
    pub fn log_to(mut self, write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.events.set_write(Box::new(write));
        self
    }

    /// After this many lines about lost messages the log leaves them out for this long, and then tells how many those
    /// were. The first message that is lost to an actor's full mailbox is always logged. Default:
    /// [`limits::DEAD_LETTERS_LOGGED`] and [`limits::DEAD_LETTER_PAUSE`]; a limit of nought logs none.
    pub fn dead_letter_log(mut self, limit: u32, pause: Duration) -> Self {
        self.events.set_pace(limit, pause);
        self
    }

    /// How long a handler may hold a shared worker before [`Event::SlowHandler`] names it. It is noticed a few
    /// milliseconds late, and never under a stepped dispatcher. Default: [`limits::SLOW_HANDLER`]; `Duration::MAX` is
    /// never.
    pub fn slow_handler(mut self, limit: Duration) -> Self {
        self.slow_handler = limit;
        self
    }

    /// How long a phase of the shutdown may take. Default: [`limits::PHASE_DEADLINE`].
    pub fn phase_deadline(mut self, phase: Phase, limit: Duration) -> Self {
        self.phase_deadlines.insert(phase, limit);
        self
    }

    /// When the process is asked to end, by Ctrl-C or SIGTERM, the [`shutdown`](ActorSystem::shutdown) begins by itself;
    /// asked once more, or after the shutdown, the process ends at once with the exit code that a shell gives for the
    /// signal: 130 or 143. The signals are taken for the whole life of the process, so this is for programs, not for
    /// libraries. `main` waits for [`terminated`](ActorSystem::terminated), whose report has the signal as its reason.
    #[cfg(feature = "signals")]
    pub fn shutdown_on_signals(mut self) -> Self {
        self.on_signals = OnSignals::wanted();
        self
    }

    /// On the current Tokio runtime; outside of one it starts its own, which ends with the last handle on the system
    /// (each living actor has one, so [`shutdown`](ActorSystem::shutdown) first). A runtime that ends before its system
    /// ends the actors as [`Exit::Shutdown`](crate::Exit::Shutdown), those on own threads too.
    pub fn build(self) -> Result<ActorSystem, BuildError> {
        self.check_names()?;
        let (runtime, owned_runtime) = match Handle::try_current() {
            Ok(current) => (current, None),
            Err(_) => {
                let owned =
                    own_runtime().map_err(|error| BuildError::NoRuntime(Arc::new(error)))?;
                (owned.handle().clone(), Some(owned))
            }
        };
        let host = Host::Tokio(runtime.clone());
        if !Clock::new(host.clone()).has_timers() {
            return Err(BuildError::NoTimers);
        }
        let hearing = self.on_signals.hear(&runtime).map_err(no_signals)?;
        let system = self.stand_on(host, owned_runtime, Random::from_entropy());
        if let Some(hearing) = hearing {
            hearing.obey(&system.0);
        }
        Ok(system)
    }

    /// The same with its first actor, named `guardian`, which starts when the system is complete. When it ends, for
    /// whatever reason, the shutdown begins by itself: see [`ActorSystem::end_with`].
    ///
    /// ```
    /// use playhouse::prelude::*;
    ///
    /// # fn main() -> Outcome {
    /// let work = Props::func(async |ctx: &mut Context<u32>| {
    ///     while let Some(0) = ctx.recv().await {}
    ///     Ok(())
    /// });
    /// let (system, guardian) = ActorSystem::builder("shop").build_with(work)?;
    /// guardian.tell(0);
    /// guardian.tell(1);
    /// let report = system.blocking_terminated();
    /// assert_eq!(report.reason.to_string(), "its guardian ended: stopped");
    /// # Ok(())
    /// # }
    /// ```
    pub fn build_with<P: IntoProps>(
        self,
        guardian: P,
    ) -> Result<(ActorSystem, ActorRef<P::Msg>), BuildError> {
        let system = self.build()?;
        let guardian = system
            .spawn("guardian", guardian)
            .map_err(BuildError::NoGuardian)?;
        system.end_with(&guardian);
        Ok((system, guardian))
    }

    /// On one thread, this one, in an order that the seed chooses, with a clock that the test moves. The second value
    /// drives it; its drop ends it.
    #[cfg(feature = "testkit")]
    pub fn build_stepped(self, seed: u64) -> Result<(ActorSystem, Stepped), BuildError> {
        self.check_names()?;
        if is_inside_tokio() {
            return Err(BuildError::InsideTokio);
        }
        self.on_signals.refuse().map_err(no_signals)?;
        let world = World::new(seed);
        let driver = Driver::new(world.clone());
        Ok((
            self.stand_on(Host::Stepped(world), None, Random::new(seed)),
            Stepped::new(driver),
        ))
    }

    /// For a test kit, which keeps the events, whoever else hears them.
    #[cfg(feature = "testkit")]
    pub(crate) fn and_on_event(mut self, hook: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.events.add_hook(hook);
        self
    }

    fn check_names(&self) -> Result<(), BuildError> {
        let names: Vec<&String> = self.dispatchers.iter().map(|(name, _)| name).collect();
        for (index, &candidate) in names.iter().enumerate() {
            check(candidate)?;
            if names[..index].contains(&candidate) || candidate == OWN_THREADS {
                return Err(BuildError::DispatcherTaken(candidate.clone()));
            }
        }
        check(&self.name)
    }

    fn stand_on(
        mut self,
        host: Host,
        owned_runtime: Option<Runtime>,
        random: Random,
    ) -> ActorSystem {
        let started = |(name, dispatcher): (String, Dispatcher)| {
            let running = dispatcher.start(&name, &host);
            (name, running)
        };
        let dispatchers: BTreeMap<_, _> = self.dispatchers.into_iter().map(started).collect();
        let default_dispatcher = dispatchers[DEFAULT].clone(); // the builder begins with it
        let clock = Clock::new(host.clone());
        self.events.set_clock(clock.clone());
        let system = Arc::new_cyclic(|system| System {
            end_of_runtime: EndOfRuntime::watch(&host, system.clone()),
            dispatchers,
            default_dispatcher,
            own_threads: Dispatcher::pinned().start(OWN_THREADS, &host),
            deadlines: Deadlines::start(&host, clock.clone()),
            clock,
            roots: Arc::new(Family::roots(Address::root(&self.name))),
            events: self.events,
            total: Mutex::default(),
            random: Mutex::new(random),
            shutdown: Shutdown::new(self.phase_deadlines),
            held_handles: HeldHandles::default(),
            spawned: AtomicUsize::new(0),
            owned_runtime: Mutex::new(owned_runtime),
            host,
        });
        for dispatcher in system.dispatchers.values() {
            dispatcher.report_slow_handlers(Arc::downgrade(&system), self.slow_handler);
        }
        ActorSystem(system)
    }
}

impl fmt::Debug for SystemBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SystemBuilder({:?})", self.name)
    }
}

fn check(name: &str) -> Result<(), BuildError> {
    match complaint(name) {
        Some(why) => Err(BuildError::BadName(format!("{name:?}: {why}"))),
        None => Ok(()),
    }
}

fn no_signals(error: std::io::Error) -> BuildError {
    BuildError::NoSignals(Arc::new(error))
}

fn own_runtime() -> std::io::Result<Runtime> {
    let count = AtomicUsize::new(1);
    let name = move || {
        format!(
            "playhouse-{DEFAULT}-{}",
            count.fetch_add(1, Ordering::Relaxed)
        )
    };
    Builder::new_multi_thread()
        .thread_name_fn(name)
        .enable_all()
        .build()
}

/// Why there is no such system.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// Two dispatchers with this name; `default`, `blocking` and `own` exist already.
    DispatcherTaken(String),
    /// The name, and what is wrong with it.
    BadName(String),
    /// Outside of a Tokio runtime, and none could be started.
    NoRuntime(Arc<std::io::Error>),
    /// A stepped system has the whole thread, and a handler must not find a Tokio runtime on it: make the test a plain
    /// `#[test]`.
    InsideTokio,
    /// The process's signals cannot be heard; those of a stepped system never.
    NoSignals(Arc<std::io::Error>),
    /// The first actor cannot be spawned.
    NoGuardian(SpawnError),
    /// The current Tokio runtime was built without timers, and every limit is one.
    NoTimers,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DispatcherTaken(name) => write!(
                f,
                "there is a dispatcher named {name:?} already; choose another name"
            ),
            Self::BadName(text) => write!(f, "bad name {text}"),
            Self::NoSignals(error) => write!(f, "cannot hear signals: {error}"),
            Self::NoGuardian(error) => write!(f, "cannot spawn the guardian: {error}"),
            Self::NoTimers => f.write_str(
                "the Tokio runtime has no timers; build it with `enable_time` or `enable_all`",
            ),
            Self::InsideTokio => f.write_str(
                "a stepped system is built outside of any Tokio runtime; make the test a plain `#[test]`",
            ),
            Self::NoRuntime(error) => write!(f, "cannot start a Tokio runtime: {error}"),
        }
    }
}

impl Error for BuildError {}
