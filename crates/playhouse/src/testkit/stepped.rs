//! A system on one thread: the seed chooses who goes next, and time moves only when the test says so.

use crate::dispatch::stepped::{Driver, Time};
use std::fmt;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

/// Drives a system made by [`SystemBuilder::build_stepped`](crate::SystemBuilder::build_stepped), in plain `#[test]`s.
/// The same test under the same seed takes the same steps, in every process; another seed takes others.
///
/// ```
/// use playhouse::prelude::*;
///
/// # fn main() -> Outcome {
/// let (system, world) = ActorSystem::builder("tour").build_stepped(7)?;
/// let echo = system.spawn("echo", Props::func(async |ctx: &mut Context<Reply<u32>>| {
///     while let Some(reply) = ctx.recv().await {
///         ctx.clock().sleep(secs(3_600)).await; // an hour that nobody waits
///         reply.send(42);
///     }
///     Ok(())
/// }))?;
/// let asked = echo.ask(|reply| reply).within(secs(10_000));
/// assert_eq!(world.block_on_timed(asked)?, 42);
/// assert_eq!(world.elapsed(), secs(3_600));
/// assert_eq!(world.block_on(system.shutdown()).ledger.balance(), 0);
/// # Ok(())
/// # }
/// ```
///
/// * **Dispatchers.** All of them, and the threads of blocking actors, are this thread. Of each turn's throughput a part is
///   drawn, so that turns end everywhere they can. A step is a turn, a poll of a pipe, or a submitted closure.
/// * **Waiting.** A blocking call (`blocking_send`, `blocking_within`, ..) in a step takes what is to be had at once and
///   panics otherwise: nobody else could run on this thread. Outside of steps, in the test itself, such calls drive the
///   youngest system of the thread, and time passes meanwhile; so does
///   [`blocking_shutdown`](crate::ActorSystem::blocking_shutdown). On a shared dispatcher they panic as they do elsewhere.
/// * **Tokio.** There is no runtime, so its channels and locks work and its timers, sockets and tasks do not: the actor fails
///   with the alternative named. `tokio::select!` without `biased` chooses by a die of its own, as does an iteration over a
///   `HashMap`: what is to be repeatable uses neither.
/// * **Other threads** may send and wake, but when they do so is their own choice, and nobody waits for them.
/// * **The end.** Dropping this ends the system at once: every actor that is left ends as
///   [`Exit::Shutdown`](crate::Exit::Shutdown), and the books still balance.
#[must_use = "nobody runs unless it is driven, and its drop ends the system"]
pub struct Stepped(Rc<Driver>);

impl Stepped {
    pub(crate) fn new(driver: Rc<Driver>) -> Self {
        Self(driver)
    }

    pub(super) fn driver(&self) -> &Rc<Driver> {
        &self.0
    }

    /// One step of somebody. False: nobody has anything to do.
    pub fn step(&self) -> bool {
        self.0.step()
    }

    /// Steps until nobody has anything to do. Time stands still.
    ///
    /// # Panics
    /// If that takes more than [`STEPS_TO_SETTLE`](crate::limits::STEPS_TO_SETTLE) steps.
    pub fn settle(&self) {
        self.0.settle();
    }

    /// Settles, then moves time from one due timer to the next, settling after each moment. Timers of the same moment
    /// fire together, in the order in which they were set; the seed orders what they woke.
    ///
    /// # Panics
    /// Beyond three hundred years.
    pub fn advance(&self, time: Duration) {
        self.0.advance(time);
    }

    /// Settles, moves time to the next timer, and settles again. False: no timer is set.
    pub fn advance_to_next(&self) -> bool {
        self.0.advance_to_next()
    }

    /// Steps until the future is ready; when it is polled is the seed's choice too. Time stands still.
    ///
    /// # Panics
    /// If nobody has anything to do and the future still waits; the text names the next timer and the last steps.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.block_on(future, Time::StandsStill)
    }

    /// The same, and whenever nobody has anything to do time moves to the next timer.
    ///
    /// # Panics
    /// As [`block_on`](Self::block_on), if there is no timer either.
    pub fn block_on_timed<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.block_on(future, Time::Passes)
    }

    /// The time since the system was built.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// How many steps were taken.
    pub fn steps(&self) -> u64 {
        self.0.steps()
    }

    /// What chooses.
    pub fn seed(&self) -> u64 {
        self.0.seed()
    }

    /// A hash of every step so far: its time, its kind, whose it was. Equal hashes mean equal orders.
    pub fn trace_hash(&self) -> u64 {
        self.0.trace_hash()
    }

    /// The last [`STEPS_REMEMBERED`](crate::limits::STEPS_REMEMBERED) steps, one line each; all of them since
    /// [`keep_trace`](Self::keep_trace).
    pub fn trace(&self) -> Vec<String> {
        self.0.trace()
    }

    /// Forgets no step from now on.
    pub fn keep_trace(&self) {
        self.0.keep_trace();
    }
}

/// A second end finds nothing.
impl Drop for Stepped {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl fmt::Debug for Stepped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stepped(seed {}, {:?})", self.seed(), self.elapsed())
    }
}
