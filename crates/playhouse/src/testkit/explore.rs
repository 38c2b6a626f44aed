//! The same test under many schedules.

use super::kit::TestKit;
use crate::limits;
use crate::sync::{Payload, catch};
use std::fmt;
use std::ops::Range;
use std::panic::resume_unwind;

/// The variable that names the one seed to run.
const ONE_SEED: &str = "PLAYHOUSE_SEED";

/// The same test under many schedules, one for each seed: [`Explore`] with its usual settings.
///
/// ```
/// use playhouse::prelude::*;
/// use playhouse::testkit::explore;
///
/// explore(0..100, |kit| {
///     let counter = kit.spawn("counter", Props::func(async |ctx: &mut Context<Reply<u32>>| {
///         for count in 1.. {
///             let Some(reply) = ctx.recv().await else { break };
///             reply.send(count);
///         }
///         Ok(())
///     }));
///     let mut askers = [kit.probe(), kit.probe()];
///     for asker in &askers {
///         counter.tell(Reply::to(asker.actor_ref()));
///     }
///     let sum: u32 = askers.iter_mut().map(|asker| asker.expect()).sum();
///     assert_eq!(sum, 3, "whoever comes first");
/// });
/// ```
///
/// # Panics
/// As the test does, under the first seed that fails.
pub fn explore(seeds: Range<u64>, test: impl Fn(&TestKit)) {
    Explore::seeds(seeds).run(test);
}

/// How to explore.
///
/// Half of the seeds choose anew in each step, with the same chance for everybody who is ready. The others let whoever goes
/// go on, but for one to three interruptions at steps of their choice: a fault that needs few of them, and long ways in
/// between, is found much sooner like that. Someone is interrupted at an await, and between two messages; code without an
/// await runs as a whole.
#[derive(Clone, Debug)]
#[must_use = "nothing is explored before `run` or `find`"]
pub struct Explore {
    seeds: Range<u64>,
    preemptions: Option<usize>,
    has_bounds_of_one: bool,
}

/// A schedule under which the test fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The seed that replays it.
    pub seed: u64,
    /// What the test said.
    pub text: String,
    /// As [`Stepped::trace_hash`](super::Stepped::trace_hash) at the end: replays have the same.
    pub trace_hash: u64,
    /// How many steps were taken.
    pub steps: u64,
    /// Seed, time, next timer and last steps, for people.
    pub situation: String,
}

impl Explore {
    /// One schedule for each of these.
    pub fn seeds(seeds: Range<u64>) -> Self {
        Self {
            seeds,
            preemptions: None,
            has_bounds_of_one: false,
        }
    }

    /// Under all seeds, nobody who could go on is interrupted more often than this. None at all still leaves open who
    /// begins. In tests of more than a thousand choices it holds for each thousand of them.
    pub fn preemptions(mut self, times: usize) -> Self {
        self.preemptions = Some(times);
        self
    }

    /// Every bounded mailbox and stash has one place, and every turn takes one message, whatever their settings. Waiting
    /// and refusing, which a thousand places hide, then happen all the time. What a test tells to several places at once is
    /// lost: it needs `send`, or [`TestKit::expect_dead_letters`].
    pub fn bounds_of_one(mut self) -> Self {
        self.has_bounds_of_one = true;
        self
    }

    /// The same under this seed alone: the seed of something [`Found`].
    pub fn only(mut self, seed: u64) -> Self {
        self.seeds = seed..seed.saturating_add(1);
        self
    }

    /// Runs the test under one seed after the other. If the environment names one (`PLAYHOUSE_SEED=17`) only under that.
    ///
    /// # Panics
    /// As the test does, under the first seed that fails; which one that is, and how to replay it, is printed to standard
    /// error.
    pub fn run(&self, test: impl Fn(&TestKit)) {
        let asked = match seed_of_environment() {
            Some(seed) => self.clone().only(seed),
            None => self.clone(),
        };
        if let Some((found, payload)) = asked.first_failure(test) {
            eprintln!("{found}");
            resume_unwind(payload);
        }
    }

    /// The first seed under which the test panics, whatever the environment says.
    pub fn find(&self, test: impl Fn(&TestKit)) -> Option<Found> {
        self.first_failure(test).map(|(found, _)| found)
    }

    fn first_failure(&self, test: impl Fn(&TestKit)) -> Option<(Found, Payload)> {
        let mut seeds = self.seeds.clone();
        seeds.find_map(|seed| self.failure(seed, &test))
    }

    fn failure(&self, seed: u64, test: impl Fn(&TestKit)) -> Option<(Found, Payload)> {
        let kit = self.kit(seed);
        let driver = kit.world().driver().clone();
        let run = move || {
            test(&kit);
            drop(kit); // which looks at the books
        };
        let payload = catch(run).err()?;
        let found = Found {
            seed,
            text: text_of(&payload),
            trace_hash: driver.trace_hash(),
            steps: driver.steps(),
            situation: driver.situation(),
        };
        Some((found, payload))
    }

    fn kit(&self, seed: u64) -> TestKit {
        let kit = TestKit::seeded(seed);
        let world = kit.world().driver().world();
        if let Some(times) = self.preemptions.or_else(|| usual_preemptions(seed)) {
            world.preempt(times);
        }
        if self.has_bounds_of_one {
            world.set_bounds_to_one();
        }
        kit
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seed,
            text,
            situation,
            ..
        } = self;
        write!(
            f,
            "seed {seed} fails: {text}\n{ONE_SEED}={seed} replays it alone{situation}"
        )
    }
}

/// `None`: everybody has the same chance in each step.
fn usual_preemptions(seed: u64) -> Option<usize> {
    let is_preempting = seed % 2 == 1;
    is_preempting.then(|| (1 + seed / 2 % limits::PREEMPTIONS) as usize)
}

/// # Panics
/// If the variable is there and no number.
fn seed_of_environment() -> Option<u64> {
    let text = std::env::var(ONE_SEED).ok()?;
    match text.parse() {
        Ok(seed) => Some(seed),
        Err(_) => panic!("{ONE_SEED} names a seed, a number such as 17, not {text:?}"),
    }
}

fn text_of(payload: &Payload) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a text").to_owned()
}
