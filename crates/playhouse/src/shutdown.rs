//! The orderly end of a system, in named phases, and its report.

use crate::actor::{Exit, Outcome};
use crate::address::Address;
use crate::clock::Deadline;
use crate::dispatch::DispatcherRef;
use crate::events::Event;
use crate::failure::Failure;
use crate::host::Aborter;
use crate::ledger::Ledger;
use crate::limits;
use crate::mailbox::signals::StopCause;
use crate::sync::{
    Arc, AtomicBool, AtomicUsize, Mutex, Ordering, SetOnce, Weak, catch_future, drop_quietly, mpsc,
    oneshot, thread,
};
use crate::system::System;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// In this order. Tasks of one phase run together; `StopActors` is the tree, children first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing new comes in.
    CloseDoors,
    /// What came in is finished or handed back. After its tasks: actors that were asked to drain are waited for.
    FinishRequests,
    /// After its tasks: every actor is stopped; those that are not gone at the deadline are killed.
    StopActors,
    /// After its tasks: every dispatcher's queue runs dry and its threads are joined.
    ReleaseResources,
}

const PHASES: [Phase; 4] = [
    Phase::CloseDoors,
    Phase::FinishRequests,
    Phase::StopActors,
    Phase::ReleaseResources,
];

/// How a system ended. It adds up: `ledger.balance()` is zero unless actors are still alive.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ShutdownReport {
    /// Why it ended.
    pub reason: ShutdownReason,
    /// What happened to every message.
    pub ledger: Ledger,
    /// Tasks that failed, panicked, or did not end in time.
    pub failed_tasks: Vec<(Phase, &'static str, Failure)>,
    /// Phases that were cut short by their deadline.
    pub overran: Vec<Phase>,
    /// Actors whose handlers block and did not come back.
    pub still_alive: Vec<Address>,
}

/// Why a system ended: what came first.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum ShutdownReason {
    /// [`shutdown`](crate::ActorSystem::shutdown) was called.
    #[default]
    Asked,
    /// The actor with which it was to end has ended; see [`end_with`](crate::ActorSystem::end_with).
    GuardianEnded(Exit),
    /// The process was asked to end, by this signal; see `SystemBuilder::shutdown_on_signals`.
    Signal(&'static str),
    /// An actor without a parent failed with this, and its supervision was to escalate.
    RootFailed(Address, Failure),
}

impl fmt::Display for ShutdownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("it was asked to"),
            Self::GuardianEnded(exit) => write!(f, "its guardian ended: {exit}"),
            Self::Signal(name) => write!(f, "the process received {name}"),
            Self::RootFailed(who, failure) => write!(f, "{who} failed: {failure}"),
        }
    }
}

/// A task that was given to [`on_shutdown`](crate::ActorSystem::on_shutdown). Dropping this does nothing.
#[derive(Clone)]
pub struct ShutdownTask {
    system: Weak<System>,
    id: usize,
}

impl ShutdownTask {
    /// Takes it back. `false`: too late, it has begun or will never run. What the task holds is dropped in here.
    pub fn cancel(&self) -> bool {
        let system = self.system.upgrade();
        let step = system.and_then(|system| system.shutdown.take_step(self.id));
        let is_taken = step.is_some();
        drop_quietly(step);
        is_taken
    }
}

impl fmt::Debug for ShutdownTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShutdownTask({})", self.id)
    }
}

type TaskFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

struct Step {
    id: usize,
    phase: Phase,
    name: &'static str,
    task: Box<dyn FnOnce() -> TaskFuture + Send>,
}

/// The shutdown of one system: what is to be done, and afterwards the report.
pub(crate) struct Shutdown {
    /// `None` once the last phase has taken its own.
    steps: Mutex<Option<Vec<Step>>>,
    next_step: AtomicUsize,
    deadlines: BTreeMap<Phase, Duration>,
    has_begun: AtomicBool,
    report: SetOnce<ShutdownReport>,
}

impl Shutdown {
    pub(crate) fn new(deadlines: BTreeMap<Phase, Duration>) -> Self {
        Self {
            steps: Mutex::new(Some(Vec::new())),
            next_step: AtomicUsize::new(0),
            deadlines,
            has_begun: AtomicBool::new(false),
            report: SetOnce::new(),
        }
    }

    pub(crate) fn add(
        system: &Arc<System>,
        phase: Phase,
        name: &'static str,
        task: Box<dyn FnOnce() -> TaskFuture + Send>,
    ) -> ShutdownTask {
        let shutdown = &system.shutdown;
        let id = shutdown.next_step.fetch_add(1, Ordering::Relaxed);
        let step = Step {
            id,
            phase,
            name,
            task,
        };
        let mut steps = shutdown.steps.lock();
        match &mut *steps {
            Some(steps) => steps.push(step),
            None => {
                drop(steps); // what the step holds is the user's, and its drop may come back here
                drop(step);
            }
        }
        ShutdownTask {
            system: Arc::downgrade(system),
            id,
        }
    }

    /// The first call starts it, as a task of its own; its reason is the one that is reported.
    pub(crate) fn begin(system: &Arc<System>, reason: ShutdownReason) {
        if !system.shutdown.has_begun.swap(true, Ordering::AcqRel) {
            let report = ShutdownReport {
                reason,
                ..ShutdownReport::default()
            };
            let progress = Progress {
                system: system.clone(),
                report,
            };
            drop(system.host.spawn("shutdown", progress.run()));
        }
    }

    /// Whether the report is there.
    #[cfg(feature = "signals")]
    pub(crate) fn has_ended(&self) -> bool {
        self.report.initialized()
    }

    pub(crate) async fn report(&self) -> ShutdownReport {
        self.report.wait().await.clone()
    }

    fn take_step(&self, id: usize) -> Option<Step> {
        let mut steps = self.steps.lock();
        let steps = steps.as_mut()?;
        let index = steps.iter().position(|step| step.id == id)?;
        Some(steps.remove(index))
    }

    /// The steps of this phase, and those of earlier ones that came too late.
    fn take_steps(&self, phase: Phase) -> Vec<Step> {
        let mut steps = self.steps.lock();
        if phase == Phase::ReleaseResources {
            return steps.take().unwrap_or_default();
        }
        steps
            .iter_mut()
            .flat_map(|steps| steps.extract_if(.., |step| step.phase <= phase))
            .collect()
    }
}

/// A shutdown that runs. Its drop writes the report, so that nobody waits for a shutdown that went away with its runtime.
struct Progress {
    system: Arc<System>,
    report: ShutdownReport,
}

impl Progress {
    async fn run(mut self) {
        for phase in PHASES {
            let limit = self
                .system
                .shutdown
                .deadlines
                .get(&phase)
                .copied()
                .unwrap_or(limits::PHASE_DEADLINE);
            let deadline = self.system.clock.deadline(limit);
            let mut is_in_time = self.run_steps(phase, deadline).await;
            is_in_time &= match phase {
                Phase::CloseDoors => true,
                Phase::FinishRequests => self.finish_drains(deadline).await,
                Phase::StopActors => self.stop_actors(deadline).await,
                Phase::ReleaseResources => self.close_dispatchers(deadline).await,
            };
            if !is_in_time {
                self.report.overran.push(phase);
            }
        }
    }

    async fn run_steps(&mut self, phase: Phase, deadline: Deadline) -> bool {
        let (ended, mut outcomes) = mpsc::unbounded_channel();
        let mut running = Steps(Vec::new());
        let mut unfinished = BTreeMap::new();
        for Step {
            id,
            phase,
            name,
            task,
        } in self.system.shutdown.take_steps(phase)
        {
            unfinished.insert(id, (phase, name));
            let ended = ended.clone();
            let step = async move {
                let outcome = catch_future(async move { task().await }).await;
                let _ = ended.send((id, outcome)); // the deadline has passed: nobody listens
            };
            running.0.push(self.system.host.spawn(name, step));
        }
        drop(ended); // so that the last step to end, or to be thrown away, ends the wait
        let all_done = async {
            while let Some((id, outcome)) = outcomes.recv().await {
                let Some((phase, name)) = unfinished.remove(&id) else {
                    continue;
                };
                match outcome {
                    Ok(Ok(())) => {}
                    Ok(Err(failure)) => self.report.failed_tasks.push((phase, name, failure)),
                    Err(payload) => {
                        self.report
                            .failed_tasks
                            .push((phase, name, Failure::from_panic(payload)))
                    }
                }
            }
        };
        let is_in_time = before(&self.system, deadline, all_done).await.is_some();
        for (phase, name) in unfinished.into_values() {
            self.report.failed_tasks.push((phase, name, TooLate.into()));
        }
        is_in_time // dropping the steps aborts what is left
    }

    /// One actor's last message may have asked another to drain, so it looks until nobody drains.
    async fn finish_drains(&mut self, deadline: Deadline) -> bool {
        let roots = self.system.roots.clone();
        let all_drained = async {
            loop {
                let mut draining = roots.descendants();
                draining.retain(|actor| actor.is_draining());
                if draining.is_empty() {
                    return;
                }
                for actor in draining {
                    actor.ended().await;
                }
            }
        };
        before(&self.system, deadline, all_drained).await.is_some()
    }

    async fn stop_actors(&mut self, deadline: Deadline) -> bool {
        let roots = self.system.roots.clone();
        self.system.held_handles.begin(&roots.descendants());
        roots.stop_all(StopCause::Shutdown);
        let all_ended = before(&self.system, deadline, roots.all_ended()).await;
        if all_ended.is_none() {
            roots.descendants().iter().for_each(|actor| actor.kill());
            let grace = self.system.clock.deadline(limits::KILL_GRACE);
            let _ = before(&self.system, grace, roots.all_ended()).await;
        }
        for path in self.system.held_handles.end() {
            self.system.events.publish(&Event::HandleCycle { path });
        }
        all_ended.is_some()
    }

    /// On a thread of its own: joining blocks, and a thread that never ends must not hold up the runtime. Without threads
    /// to join at once, which also keeps a paused clock from running on while nothing but that thread is awake.
    async fn close_dispatchers(&mut self, deadline: Deadline) -> bool {
        let dispatchers = self.system.dispatchers();
        // First: a thread that started after the look would be joined on the worker we are on.
        dispatchers.iter().for_each(DispatcherRef::refuse);
        let (with_threads, without): (Vec<_>, Vec<_>) = dispatchers
            .into_iter()
            .partition(DispatcherRef::has_threads);
        without.iter().for_each(DispatcherRef::close);
        if with_threads.is_empty() {
            return true;
        }
        let (closed, all_closed) = oneshot::channel();
        let close = move || {
            with_threads.iter().for_each(DispatcherRef::close);
            let _ = closed.send(()); // the deadline has passed: nobody waits
        };
        if thread::Builder::new()
            .name("playhouse-shutdown".to_owned())
            .spawn(close)
            .is_err()
        {
            return false;
        }
        matches!(
            before(&self.system, deadline, all_closed).await,
            Some(Ok(()))
        )
    }
}

/// The steps of one phase as they run; dropped, they end.
struct Steps(Vec<Aborter>);

impl Drop for Steps {
    fn drop(&mut self) {
        self.0.iter().for_each(Aborter::abort);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.report.ledger = self.system.ledger();
        let alive = self.system.roots.descendants();
        self.report.still_alive = alive.iter().map(|core| core.address.clone()).collect();
        let _ = self
            .system
            .shutdown
            .report
            .set(std::mem::take(&mut self.report)); // there is one shutdown only
    }
}

/// `None`: the deadline has passed first.
async fn before<T>(
    system: &System,
    deadline: Deadline,
    future: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        value = future => Some(value),
        () = system.clock.sleep_until(deadline) => None,
    }
}

#[derive(Debug)]
struct TooLate;

impl fmt::Display for TooLate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("did not end within the deadline of its phase")
    }
}

impl Error for TooLate {}
