//! Stepped systems, and the same test under many seeds.

use super::Events;
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A stepped system whose events are kept.
pub(crate) fn stepped(seed: u64) -> (ActorSystem, Stepped, Events) {
    let events = Events::default();
    let kept = events.clone();
    let (system, world) = ActorSystem::builder("test")
        .dispatcher("fixed", Dispatcher::fixed(2))
        .dispatcher("single", Dispatcher::fixed(1))
        .dispatcher("pinned", Dispatcher::pinned())
        .on_event(move |event| kept.0.lock().unwrap().push(event.clone()))
        .build_stepped(seed)
        .unwrap();
    (system, world, events)
}

/// Shuts down and asserts that the books are closed.
pub(crate) fn end(system: &ActorSystem, world: &Stepped) -> playhouse::Ledger {
    let report = world.block_on(system.shutdown());
    super::assert_clean(&report);
    count_steps(world);
    report.ledger
}

/// For the report; [`end`] does it.
pub(crate) fn count_steps(world: &Stepped) {
    STEPS.fetch_add(world.steps(), Ordering::Relaxed);
}

/// Of the systems of this process that were shut down.
static STEPS: AtomicU64 = AtomicU64::new(0);

/// As many seeds as `PLAYHOUSE_SEEDS` says, or only the one of `PLAYHOUSE_SEED`.
pub(crate) fn for_each_seed(usually: u64, test: impl Fn(u64)) {
    run_seeds(number("PLAYHOUSE_SEEDS").unwrap_or(usually), test);
}

/// For a test that takes as long as a thousand others: one in a thousand of what `PLAYHOUSE_SEEDS` says.
pub(crate) fn for_a_few_seeds(usually: u64, test: impl Fn(u64)) {
    let asked = number("PLAYHOUSE_SEEDS").map(|seeds| seeds.div_ceil(1_000));
    run_seeds(asked.unwrap_or(usually), test);
}

fn run_seeds(seeds: u64, test: impl Fn(u64)) {
    if let Some(seed) = number("PLAYHOUSE_SEED") {
        return test(seed);
    }
    let (begin, steps) = (Instant::now(), STEPS.load(Ordering::Relaxed));
    for seed in 0..seeds {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed))) {
            eprintln!("seed {seed} fails; PLAYHOUSE_SEED={seed} replays it alone");
            resume_unwind(panic);
        }
    }
    report(
        seeds,
        STEPS.load(Ordering::Relaxed) - steps,
        begin.elapsed(),
    );
}

/// One test after the other, the way `cargo xtask seeds` runs them, the steps are those of this one.
fn report(seeds: u64, steps: u64, took: Duration) {
    let took = took.as_secs_f64();
    let speed = steps as f64 / took / 1e6;
    println!("{seeds} seeds, {steps} steps in {took:.1} s: {speed:.2} million steps per second");
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}
