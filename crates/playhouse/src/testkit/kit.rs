//! A system under test.

use super::probe::Probe;
use super::record::{EventPattern, Record};
use super::scene::Scene;
use super::stepped::Stepped;
use crate::actor::Message;
use crate::actor_ref::ActorRef;
use crate::events::Event;
use crate::props::IntoProps;
use crate::sync::{Arc, thread};
use crate::system::{ActorSystem, SystemBuilder};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::ops::{Bound, RangeBounds, RangeInclusive};
use std::rc::Rc;
use std::time::Duration;

/// A system on one thread with a seeded schedule and a clock that stands still, in plain `#[test]`s. Nothing sleeps.
///
/// ```
/// use playhouse::prelude::*;
/// use playhouse::testkit::TestKit;
///
/// let kit = TestKit::new();
/// let mut probe = kit.probe();
/// let told = probe.actor_ref().clone();
/// kit.spawn("patient", Props::func(async move |ctx: &mut Context<u32>| {
///     ctx.clock().sleep(secs(60)).await;
///     told.tell("a minute has passed");
///     Ok(())
/// }));
/// kit.advance(millis(59_999));
/// probe.expect_nothing();
/// kit.advance(millis(1));
/// assert_eq!(probe.expect(), "a minute has passed");
/// ```
///
/// Dropped, it ends its system, and then asserts, unless the test panics already:
///
/// * the ledger balances, and nothing is queued or stashed any more;
/// * no message was lost to a full mailbox, except as the test [expected](Self::expect_dead_letters).
///
/// What it stands on, and what cannot be tested on it, is said at [`Stepped`].
#[must_use = "dropped, it ends the system"]
pub struct TestKit {
    system: ActorSystem,
    world: Stepped,
    scene: Rc<Scene>,
    probes: Cell<u64>,
    expected_lost: RefCell<RangeInclusive<usize>>,
}

impl TestKit {
    /// Under seed 0.
    ///
    /// # Panics
    /// Inside a Tokio runtime: make the test a plain `#[test]`.
    pub fn new() -> Self {
        Self::seeded(0)
    }

    /// Under this seed, which chooses who goes next.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn seeded(seed: u64) -> Self {
        Self::with(ActorSystem::builder("test"), seed)
    }

    /// Of a system with settings of its own: dispatchers, a hook for events, deadlines of the shutdown.
    ///
    /// # Panics
    /// If the system cannot be built, saying why.
    pub fn with(builder: SystemBuilder, seed: u64) -> Self {
        let record = Arc::<Record>::default();
        let kept = record.clone();
        let built = builder
            .and_on_event(move |event| kept.add(event))
            .build_stepped(seed);
        let (system, world) =
            built.unwrap_or_else(|error| panic!("no system for this test: {error}"));
        let driver = world.driver().clone();
        Self {
            system,
            world,
            scene: Rc::new(Scene { driver, record }),
            probes: Cell::new(0),
            expected_lost: RefCell::new(0..=0),
        }
    }

    /// The system.
    pub fn system(&self) -> &ActorSystem {
        &self.system
    }

    /// What takes its steps, for tests that count, trace or choose them.
    pub fn world(&self) -> &Stepped {
        &self.world
    }

    /// An actor without a parent.
    ///
    /// # Panics
    /// If the name is taken or malformed.
    #[track_caller]
    pub fn spawn<P: IntoProps>(&self, name: impl Into<String>, props: P) -> ActorRef<P::Msg> {
        match self.system.spawn(name, props) {
            Ok(actor) => actor,
            Err(error) => panic!("{error}"),
        }
    }

    /// An actor that takes everything it is told and keeps it for the test. Named `probe-1`, `probe-2` and so on.
    #[track_caller]
    pub fn probe<M: Message>(&self) -> Probe<M> {
        let number = self.probes.get() + 1;
        self.probes.set(number);
        Probe::spawn(&self.system, self.scene.clone(), format!("probe-{number}"))
    }

    /// Runs until nobody has anything to do. Time stands still.
    ///
    /// # Panics
    /// If that does not end ([`STEPS_TO_SETTLE`](crate::limits::STEPS_TO_SETTLE)).
    pub fn settle(&self) {
        self.world.settle();
    }

    /// Moves the clock, firing what is due in order, settling before, between and after.
    pub fn advance(&self, time: Duration) {
        self.world.advance(time);
    }

    /// Runs until the future is ready. Time stands still, so what needs time does not come
    /// ([`Stepped::block_on_timed`] lets it pass).
    ///
    /// # Panics
    /// If nobody has anything to do and the future still waits; the text has the next timer and the last steps.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.world.block_on(future)
    }

    /// Tries `attempt` before each step until it is `Ok`; whenever nobody has anything to do, time moves to the next timer,
    /// at most `within` from now.
    ///
    /// # Panics
    /// With the last error, if it is still none by then.
    #[track_caller]
    pub fn await_assert<T, E: fmt::Display>(
        &self,
        within: Duration,
        mut attempt: impl FnMut() -> Result<T, E>,
    ) -> T {
        let mut last = None;
        let found = self.scene.wait(within, || match attempt() {
            Ok(value) => Some(value),
            Err(error) => {
                last = Some(error);
                None
            }
        });
        match (found, last) {
            (Some(value), _) => value,
            (None, Some(error)) => panic!(
                "{}",
                self.scene
                    .report(format_args!("{error}, still after {within:?}"))
            ),
            (None, None) => unreachable!("it was tried once at least"),
        }
    }

    /// Everything that was published so far and not [taken](Self::take_events), oldest first.
    pub fn events(&self) -> Vec<Event> {
        self.scene.record.all()
    }

    /// Those like this.
    pub fn events_like(&self, pattern: &EventPattern) -> Vec<Event> {
        let mut events = self.events();
        events.retain(|event| pattern.matches(event));
        events
    }

    /// The same as [`events`](Self::events), which are then forgotten.
    pub fn take_events(&self) -> Vec<Event> {
        self.scene.record.take_all()
    }

    /// Steps until there is an event like this, and takes it. Time stands still.
    ///
    /// # Panics
    /// If it does not come.
    #[track_caller]
    pub fn expect_event(&self, pattern: &EventPattern) -> Event {
        let record = &self.scene.record;
        match self.scene.wait(Duration::ZERO, || record.take(pattern)) {
            Some(event) => event,
            None => panic!(
                "{}",
                self.scene
                    .report(format_args!("no event like this came: {pattern}"))
            ),
        }
    }

    /// How many messages may be lost to full mailboxes in this test: `3..=3`, `1..`. Otherwise none may, and the end of the
    /// kit panics. The last call counts.
    pub fn expect_dead_letters(&self, how_many: impl RangeBounds<usize>) {
        let first = match how_many.start_bound() {
            Bound::Included(first) => *first,
            Bound::Excluded(before) => before + 1,
            Bound::Unbounded => 0,
        };
        let last = match how_many.end_bound() {
            Bound::Included(last) => *last,
            Bound::Excluded(end) => end.saturating_sub(1),
            Bound::Unbounded => usize::MAX,
        };
        *self.expected_lost.borrow_mut() = first..=last;
    }

    pub(super) fn scene(&self) -> &Rc<Scene> {
        &self.scene
    }

    fn assert_clean(&self) {
        let ledger = self.system.ledger();
        assert!(
            ledger.balance() == 0 && ledger.queued == 0 && ledger.stashed == 0,
            "the books of the system do not balance at its end: {ledger:?}{}",
            self.scene.driver.situation()
        );
        let (lost, expected) = (self.scene.record.lost(), self.expected_lost.borrow());
        assert!(
            expected.contains(&lost),
            "{lost} messages were told to full mailboxes and are lost, where the test expects {expected:?}: wait with \
             `send`, give the mailbox more places, or say how many with `expect_dead_letters`; {}",
            self.scene.report(self.scene.record.losers().join(", "))
        );
    }
}

impl Default for TestKit {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TestKit {
    fn drop(&mut self) {
        self.scene.driver.end();
        if !thread::panicking() {
            self.assert_clean();
        }
    }
}

impl fmt::Debug for TestKit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TestKit({:?})", self.world)
    }
}
