//! A world that one thread runs in steps, in an order that a seed chooses: every task, turn and closure of a system, and
//! its time.
//!
//! 1. What is ready stands in one list. In each step the seed picks a unit of it, which runs to its next wait. Nothing
//!    else decides: no address, no hash seed, no clock of the machine. The same program under the same seed takes the same
//!    steps.
//! 2. All dispatchers are this list. What they promise still holds: an actor has one turn at a time, and closures given to
//!    a `fixed(1)` run in the order in which they came.
//! 3. Time stands still. [`World::fire_next`] moves it to the next alarm; alarms of one moment ring in the order in which
//!    they were set, and the seed orders what they woke.
//! 4. How many messages a turn may take is drawn as well, so that turns end everywhere they can.
//!    In every step all that are ready have the same chance, unless few preemptions are asked for ([`priorities`]).
//! 5. Nobody can wait for a second unit inside a step, because it would have to run on the same thread. Blocking calls
//!    take there what is to be had at once, and panic otherwise.
//! 6. A world that has ended ([`Driver`]) has ended all its actors and dropped all its tasks, and drops at once what still
//!    comes. An actor that has had a turn is ended by the thread of the world and no other, for its state may be of a kind
//!    that must not leave it (rule 7 of the cell's body): the end waits for whoever has won a turn and not yet handed
//!    it in.

mod alarms;
mod driver;
mod priorities;
mod task;
#[cfg(test)]
mod toy;
mod trace;

pub(crate) use alarms::Alarm;
pub(crate) use driver::{Driver, Time, block_on, is_inside_tokio, is_stepping};
pub(crate) use task::Aborter;

use super::Closure;
use super::abandon::abandon;
use super::runnable::Runnable;
use crate::address::Address;
use crate::effect::Effects;
use crate::random::Random;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, drop_quietly, run_quietly, thread};
use alarms::Alarms;
use priorities::{Priorities, Who};
use std::collections::BTreeMap;
use std::fmt;
use std::task::Waker;
use std::time::{Duration, Instant};
use task::Task;
use trace::{Label, Trace};

#[derive(Clone)]
pub(crate) struct World(Arc<Shared>);

struct Shared {
    seed: u64,
    /// What an `Instant` of this world is counted from. Only differences to it are ever looked at.
    begin: Instant,
    /// The only one that gives turns, and ends actors that have had one.
    thread: thread::ThreadId,
    state: Mutex<State>,
    /// Told when, during the end, an actor was scheduled elsewhere or has left.
    ending: Condvar,
}

struct State {
    random: Random,
    /// Who goes before whom, if not everybody has the same chance in each step.
    priorities: Option<Priorities>,
    /// Whatever is bounded has one place, whatever its setting.
    has_bounds_of_one: bool,
    /// If a test wants to know.
    effects: Option<Effects>,
    ready: Vec<Ready>,
    /// How many units have become ready so far.
    queued: u64,
    /// Every task that is not done, by age, so that the end can drop what will never run again.
    tasks: BTreeMap<u64, Arc<Task>>,
    spawned: u64,
    dispatchers: u64,
    now: Duration,
    alarms: Alarms,
    trace: Trace,
    /// Actors that were made and have not ended.
    living: usize,
    end: End,
}

/// How far the end of the world is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Not,
    /// The driver ends the actors, and waits for those that another thread is just scheduling.
    Begun,
    Over,
}

struct Ready {
    /// Its place in the order of becoming ready: names the choice in the trace.
    number: u64,
    unit: Unit,
}

impl Ready {
    fn who(&self) -> Who {
        match &self.unit {
            Unit::Actor { who, .. } => Who::Actor(who.uid()),
            Unit::Task(task) => Who::Task(task.number),
            Unit::Closure { .. } => Who::Closure(self.number),
        }
    }
}

/// What a step can run.
enum Unit {
    Task(Arc<Task>),
    Closure { from: Line, work: Closure },
    Actor { who: Address, turn: Runnable },
}

/// Whose closures they are.
#[derive(Clone)]
struct Line {
    dispatcher: u64,
    name: Arc<str>,
    /// One thread would run them one after the other.
    is_in_order: bool,
}

/// What the seed has chosen.
enum Choice {
    Idle,
    /// The future that a `block_on` of the test polls; it has a part in the draw like a unit.
    Guest,
    Unit(Unit),
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Shared {
            seed,
            begin: Instant::now(),
            thread: thread::current().id(),
            ending: Condvar::new(),
            state: Mutex::new(State {
                random: Random::new(seed),
                priorities: None,
                has_bounds_of_one: false,
                effects: None,
                ready: Vec::new(),
                queued: 0,
                tasks: BTreeMap::new(),
                spawned: 0,
                dispatchers: 0,
                now: Duration::ZERO,
                alarms: Alarms::default(),
                trace: Trace::default(),
                living: 0,
                end: End::Not,
            }),
        }))
    }

    /// From now on whoever goes goes on, but for so many times.
    pub(crate) fn preempt(&self, times: usize) {
        self.0.state.lock().priorities = Some(Priorities::new(times));
    }

    /// Of actors and turns to come.
    pub(crate) fn set_bounds_to_one(&self) {
        self.0.state.lock().has_bounds_of_one = true;
    }

    /// From now on what actors do is written down.
    pub(crate) fn keep_effects(&self) {
        self.0.state.lock().effects = Some(Effects::default());
    }

    pub(crate) fn record(&self, write: impl FnOnce(&mut Effects)) {
        if let Some(effects) = &mut self.0.state.lock().effects {
            write(effects);
        }
    }

    /// What is left of a bound that a setting asks for.
    pub(crate) fn bound(&self, asked: usize) -> usize {
        let is_bounded = asked != usize::MAX;
        if is_bounded && self.0.state.lock().has_bounds_of_one {
            asked.min(1)
        } else {
            asked
        }
    }

    pub(crate) fn spawn(&self, name: &'static str, future: super::Task) -> Aborter {
        let task = {
            let mut state = self.0.state.lock();
            state.spawned += 1;
            let label = Label::Task(name, state.spawned);
            let task = Task::new(self, state.spawned, label, future);
            if state.end == End::Not {
                state.tasks.insert(task.number, task.clone());
            }
            task
        };
        self.enqueue(Unit::Task(task.clone()));
        Aborter::of(&task)
    }

    pub(crate) fn now(&self) -> Instant {
        self.0.begin + self.0.state.lock().now
    }

    pub(crate) fn alarm(&self, due: Instant) -> Alarm {
        Alarm::new(self, due.saturating_duration_since(self.0.begin))
    }

    /// A dispatcher of this world: its name, and on how many threads it would run elsewhere, if that is given.
    pub(crate) fn workers(&self, name: &str, threads: Option<usize>, is_shared: bool) -> Workers {
        let mut state = self.0.state.lock();
        state.dispatchers += 1;
        Workers {
            world: self.clone(),
            line: Line {
                dispatcher: state.dispatchers,
                name: name.into(),
                is_in_order: threads == Some(1),
            },
            is_shared,
            is_closed: AtomicBool::new(false),
        }
    }

    fn enqueue(&self, unit: Unit) {
        let mut state = self.0.state.lock();
        match (state.end, &unit) {
            (End::Not, _) => state.add(unit),
            (end, Unit::Actor { .. }) if !self.is_here() => {
                // What it is made of may have to stay on the thread of the world.
                if end == End::Begun {
                    state.add(unit);
                    self.0.ending.notify_one();
                } else {
                    std::mem::forget(unit);
                }
            }
            _ => {
                drop(state); // what the unit holds is the user's
                unit.discard();
            }
        }
    }

    /// Is this the thread of the world?
    fn is_here(&self) -> bool {
        thread::current().id() == self.0.thread
    }

    /// The one place where a step is chosen, and the choice written down.
    fn choose(&self, guest_is_ready: bool) -> Choice {
        let mut state = self.0.state.lock();
        let candidates = state.ready.len() + usize::from(guest_is_ready);
        if candidates == 0 {
            return Choice::Idle;
        }
        let picked = state.pick(guest_is_ready);
        let now = state.now;
        if picked == state.ready.len() {
            state.trace.note(now, 0, Label::Guest);
            return Choice::Guest;
        }
        let first = first_in_line(&state.ready, picked);
        let Ready { number, unit } = state.ready.swap_remove(first);
        state.trace.note(now, number, unit.label());
        Choice::Unit(unit)
    }

    /// Moves time to the next alarm that is due by then, and rings every alarm of that moment.
    fn fire_next(&self, until: Duration) -> bool {
        let woken: Vec<Waker> = {
            let mut state = self.0.state.lock();
            let Some(due) = state.alarms.next_due().filter(|due| *due <= until) else {
                return false;
            };
            state.now = due;
            state.alarms.take(due)
        };
        woken.into_iter().for_each(Waker::wake);
        true
    }

    fn elapsed(&self) -> Duration {
        self.0.state.lock().now
    }

    /// Nothing is due on the way.
    fn set_time(&self, now: Duration) {
        self.0.state.lock().now = now;
    }

    /// Of the small turns as many as of the large ones.
    fn draw_throughput(&self, most: usize) -> usize {
        let most = self.bound(most);
        let mut state = self.0.state.lock();
        let sizes = most.ilog2() as usize + 1;
        let largest = most >> state.random.below(sizes);
        1 + state.random.below(largest)
    }
}

impl State {
    /// An index into what is ready; the one behind it is the guest's.
    fn pick(&mut self, guest_is_ready: bool) -> usize {
        let candidates = self.ready.len() + usize::from(guest_is_ready);
        match &mut self.priorities {
            None => self.random.below(candidates),
            Some(priorities) => {
                let who = |index| self.ready.get(index).map_or(Who::Guest, Ready::who);
                priorities.choose(&mut self.random, (0..candidates).map(who))
            }
        }
    }

    fn add(&mut self, unit: Unit) {
        self.queued += 1;
        let number = self.queued;
        self.ready.push(Ready { number, unit });
    }

    fn take_ready(&mut self) -> Vec<Ready> {
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_unstable_by_key(|one| one.number);
        ready
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World(seed {})", self.0.seed)
    }
}

/// The unit that was picked, or the oldest one that must come before it. The list has no order of its own.
fn first_in_line(ready: &[Ready], picked: usize) -> usize {
    let Unit::Closure { from, .. } = &ready[picked].unit else {
        return picked;
    };
    if !from.is_in_order {
        return picked;
    }
    let same = |unit: &Unit| matches!(unit, Unit::Closure { from: other, .. } if other.dispatcher == from.dispatcher);
    let line = ready.iter().enumerate().filter(|(_, one)| same(&one.unit));
    line.min_by_key(|(_, one)| one.number)
        .map_or(picked, |(index, _)| index)
}

impl Unit {
    fn run(self, driver: &Driver) {
        match self {
            Self::Task(task) => task.poll(),
            Self::Closure { work, .. } => run_quietly(work),
            Self::Actor { who, turn } => {
                if let Some(turn) = turn.run() {
                    driver.world().enqueue(Self::Actor { who, turn });
                }
            }
        }
    }

    /// It will not run. A task is still in the list of tasks, and dropped from there.
    fn discard(self) {
        match self {
            Self::Task(task) => task.discard(),
            Self::Closure { work, .. } => drop_quietly(work),
            Self::Actor { turn, .. } => abandon(turn),
        }
    }

    fn label(&self) -> Label {
        match self {
            Self::Task(task) => task.label.clone(),
            Self::Closure { from, .. } => Label::Closure(from.name.clone()),
            Self::Actor { who, .. } => Label::Actor(who.clone()),
        }
    }
}

/// One dispatcher of a world.
pub(crate) struct Workers {
    world: World,
    line: Line,
    /// Elsewhere it would run on threads that outlive the system, and it never refuses work.
    is_shared: bool,
    is_closed: AtomicBool,
}

impl Workers {
    pub(crate) fn submit(&self, work: Closure) {
        // Set and read on the thread of the world; a closure that another thread submits meanwhile may be either.
        if self.is_closed.load(Ordering::Relaxed) {
            return drop_quietly(work);
        }
        let from = self.line.clone();
        self.world.enqueue(Unit::Closure { from, work });
    }

    /// An actor will live here.
    pub(crate) fn enter(&self) {
        self.world.0.state.lock().living += 1;
    }

    /// One that lived here has ended.
    pub(crate) fn leave(&self) {
        let mut state = self.world.0.state.lock();
        state.living -= 1;
        if state.end == End::Begun {
            self.world.0.ending.notify_one();
        }
    }

    /// One turn, when the seed chooses it.
    pub(crate) fn schedule(&self, of: &Address, turn: Runnable) {
        let who = of.clone();
        self.world.enqueue(Unit::Actor { who, turn });
    }

    pub(crate) fn throughput(&self, most: usize) -> usize {
        self.world.draw_throughput(most)
    }

    /// As elsewhere, so that what would panic there does not pass here.
    pub(crate) fn may_block(&self) -> bool {
        !self.is_shared
    }

    pub(crate) fn refuse(&self) {
        if !self.is_shared {
            self.is_closed.store(true, Ordering::Relaxed); // read in `submit`, which says why that is enough
        }
    }

    /// Its closures that wait run now, in their order: there is no thread that could be waited for.
    pub(crate) fn close(&self) {
        if self.is_shared {
            return;
        }
        self.refuse();
        let mut left: Vec<Ready> = {
            let mut state = self.world.0.state.lock();
            let own = |one: &mut Ready| matches!(&one.unit, Unit::Closure { from, .. } if from.dispatcher == self.line.dispatcher);
            state.ready.extract_if(.., own).collect()
        };
        left.sort_unstable_by_key(|one| one.number);
        for one in left {
            if let Unit::Closure { work, .. } = one.unit {
                run_quietly(work);
            }
        }
    }
}
