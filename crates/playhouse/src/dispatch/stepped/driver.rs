//! Who makes a stepped world go: the one thread that takes its steps, and ends it.

use super::{Choice, End, World};
use crate::limits;
use crate::sync::{Arc, AtomicBool, Ordering, thread, thread_local, wait_at_most};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

thread_local! {
    /// The worlds that live on this thread, the youngest last.
    static HERE: RefCell<Vec<Weak<Driver>>> = const { RefCell::new(Vec::new()) };
    static IS_STEPPING: Cell<bool> = const { Cell::new(false) };
}

/// Three hundred years. The longest limit of the runtime, thirty years, must still fit behind it.
const END_OF_TIME: Duration = Duration::from_secs(300 * 365 * 24 * 60 * 60);

/// Neither `Send` nor `Sync`, so a world never changes its thread.
pub(crate) struct Driver {
    world: World,
}

/// What waits for what, outside of the world.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// Only the test moves it.
    StandsStill,
    /// It moves to the next alarm whenever nobody has anything to do.
    Passes,
}

enum Step {
    Idle,
    Guest,
    Taken,
}

impl Driver {
    pub(crate) fn new(world: World) -> Rc<Self> {
        let driver = Rc::new(Self { world });
        HERE.with_borrow_mut(|here| here.push(Rc::downgrade(&driver)));
        driver
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// False: nobody has anything to do.
    pub(crate) fn step(&self) -> bool {
        !matches!(self.step_or_guest(false), Step::Idle)
    }

    /// # Panics
    /// If it does not end.
    pub(crate) fn settle(&self) {
        for _ in 0..limits::STEPS_TO_SETTLE {
            if !self.step() {
                return;
            }
        }
        panic!(
            "still busy after {} steps: somebody does something again and again without time passing{}",
            limits::STEPS_TO_SETTLE,
            self.situation()
        );
    }

    /// Time passes, with everything that is due in it.
    pub(crate) fn advance(&self, time: Duration) {
        self.settle();
        let until = self.world.elapsed().saturating_add(time);
        assert!(
            until <= END_OF_TIME,
            "time ends {END_OF_TIME:?} after the begin: what an `Instant` holds on every platform"
        );
        while self.world.fire_next(until) {
            self.settle();
        }
        self.world.set_time(until);
    }

    /// To the next alarm. False: there is none.
    pub(crate) fn advance_to_next(&self) -> bool {
        self.settle();
        let is_due = self.world.fire_next(Duration::MAX);
        self.settle();
        is_due
    }

    /// # Panics
    /// If the future waits for something that will not come.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>, time: Time) -> T {
        let mut future = pin!(future);
        let guest = Arc::new(Guest(AtomicBool::new(true)));
        let waker = Waker::from(guest.clone());
        let mut context = Context::from_waker(&waker);
        for _ in 0..limits::STEPS_TO_SETTLE {
            // Relaxed, here and in `wake`: on the thread of the world nothing needs ordering; from another thread the
            // mutex of what it changed orders it.
            let is_ready = guest.0.load(Ordering::Relaxed);
            match self.step_or_guest(is_ready) {
                Step::Guest => {
                    guest.0.store(false, Ordering::Relaxed); // as above
                    if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                        return output;
                    }
                }
                Step::Taken => {}
                Step::Idle if time == Time::Passes && self.world.fire_next(Duration::MAX) => {}
                Step::Idle => panic!(
                    "what `block_on` waits for does not come: nobody in the system has anything to do{}",
                    self.situation()
                ),
            }
        }
        panic!(
            "`block_on` still waits after {} steps{}",
            limits::STEPS_TO_SETTLE,
            self.situation()
        );
    }

    /// Steps until `look` finds something; it looks before each step. When nobody has anything to do, time moves to the
    /// next alarm, at most to `until`. `None`: nothing more comes by then.
    pub(crate) fn run_until<T>(
        &self,
        until: Duration,
        mut look: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        for _ in 0..limits::STEPS_TO_SETTLE {
            let found = look();
            if found.is_some() || !(self.step() || self.world.fire_next(until)) {
                return found;
            }
        }
        panic!(
            "still busy after {} steps{}",
            limits::STEPS_TO_SETTLE,
            self.situation()
        );
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.world.elapsed()
    }

    pub(crate) fn seed(&self) -> u64 {
        self.world.0.seed
    }

    pub(crate) fn steps(&self) -> u64 {
        self.world.0.state.lock().trace.steps()
    }

    pub(crate) fn trace_hash(&self) -> u64 {
        self.world.0.state.lock().trace.hash()
    }

    pub(crate) fn trace(&self) -> Vec<String> {
        self.world.0.state.lock().trace.lines()
    }

    pub(crate) fn keep_trace(&self) {
        self.world.0.state.lock().trace.keep();
    }

    /// Drops everything that is left: first what was ready, then those who wait for time, then every task, oldest first.
    /// The oldest is the one whose drop stops all actors, which here means to end them.
    ///
    /// # Panics
    /// If somebody does not end.
    pub(crate) fn end(&self) {
        let is_outside = !is_stepping(); // else a turn may be on below us, and would be waited for in vain
        let _stepping = Stepping::begin(); // the drops are the user's, and must not drive what ends
        let (ready, alarms) = {
            let mut state = self.world.0.state.lock();
            if state.end != End::Not {
                return;
            }
            state.end = End::Begun;
            (state.take_ready(), state.alarms.take_all())
        };
        ready.into_iter().for_each(|one| one.unit.discard());
        drop(alarms);
        loop {
            let oldest = self.world.0.state.lock().tasks.pop_first();
            let Some((_, task)) = oldest else { break };
            task.finish();
        }
        let left = if is_outside { self.end_the_last() } else { 0 };
        self.world.0.state.lock().end = End::Over;
        assert!(
            left == 0 || thread::panicking(),
            "{left} actors did not end with their world{}",
            self.situation()
        );
    }

    /// Those that another thread was just scheduling, as they come. Returns how many do not.
    fn end_the_last(&self) -> usize {
        let until = Instant::now() + limits::LAST_ACTORS;
        loop {
            let mut state = self.world.0.state.lock();
            let ready = state.take_ready();
            if !ready.is_empty() {
                drop(state);
                ready.into_iter().for_each(|one| one.unit.discard());
                continue;
            }
            let patience = until.saturating_duration_since(Instant::now());
            if state.living == 0 || patience.is_zero() {
                return state.living;
            }
            drop(wait_at_most(&self.world.0.ending, state, patience));
        }
    }

    fn step_or_guest(&self, guest_is_ready: bool) -> Step {
        assert!(
            !is_stepping(),
            "a step of a stepped system cannot take another one: the test drives it, not what runs in it"
        );
        assert!(
            !is_inside_tokio(),
            "a stepped system is driven outside of any Tokio runtime; make the test a plain `#[test]`"
        );
        match self.world.choose(guest_is_ready) {
            Choice::Idle => Step::Idle,
            Choice::Guest => Step::Guest,
            Choice::Unit(unit) => {
                let _stepping = Stepping::begin();
                unit.run(self);
                Step::Taken
            }
        }
    }

    /// For the end of a panic's text.
    pub(crate) fn situation(&self) -> String {
        let state = self.world.0.state.lock();
        let next = match state.alarms.next_due() {
            Some(due) => format!("the next timer is due in {:?}", due - state.now),
            None => "no timer is set".to_owned(),
        };
        let last = state.trace.lines().join("\n  ");
        let (seed, now) = (self.world.0.seed, state.now);
        format!(" (seed {seed}, time {now:?}; {next}). The last steps:\n  {last}")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.end();
        // A thread that is going away has no list any more.
        let _ = HERE.try_with(|here| here.borrow_mut().retain(|one| one.strong_count() > 0));
    }
}

struct Guest(AtomicBool);

impl Wake for Guest {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed); // `block_on` says why that is enough
    }
}

/// Marks the thread while user code runs in a step.
struct Stepping {
    before: bool,
}

impl Stepping {
    fn begin() -> Self {
        let before = IS_STEPPING.try_with(|mark| mark.replace(true));
        Self {
            before: before.unwrap_or(true),
        }
    }
}

impl Drop for Stepping {
    fn drop(&mut self) {
        let _ = IS_STEPPING.try_with(|mark| mark.set(self.before));
    }
}

/// Does this thread run a step of a stepped world?
pub(crate) fn is_stepping() -> bool {
    IS_STEPPING.try_with(Cell::get).unwrap_or(false)
}

pub(crate) fn is_inside_tokio() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
}

/// A blocking call, if this thread is that of a stepped world: outside of its steps the call drives the youngest world,
/// and time passes meanwhile as it does for everybody who waits. `Err`: the future back; no world lives here.
///
/// # Panics
/// In a step, if it would have to wait.
pub(crate) fn block_on<T, F: Future<Output = T>>(what: &str, future: F) -> Result<T, F> {
    if is_stepping() {
        return Ok(at_once(what, future));
    }
    let youngest = HERE.with_borrow(|here| here.iter().rev().find_map(Weak::upgrade));
    match youngest {
        Some(driver) => Ok(driver.block_on(future, Time::Passes)),
        None => Err(future),
    }
}

fn at_once<T>(what: &str, future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(output) => output,
        Poll::Pending => panic!(
            "`{what}` would wait, and on the one thread of a stepped system nobody else could run meanwhile; await \
             instead, or let the answer come as a message with `ctx.ask` or `ctx.pipe_to_self`"
        ),
    }
}
