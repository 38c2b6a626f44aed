//! Stepped systems, and the same test under many seeds.

use super::Events;
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

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
    report.ledger
}

/// As many seeds as `PLAYHOUSE_SEEDS` says, or only the one of `PLAYHOUSE_SEED`.
pub(crate) fn for_each_seed(usually: u64, test: impl Fn(u64)) {
    if let Some(seed) = number("PLAYHOUSE_SEED") {
        return test(seed);
    }
    for seed in 0..number("PLAYHOUSE_SEEDS").unwrap_or(usually) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed))) {
            eprintln!("seed {seed} fails; PLAYHOUSE_SEED={seed} replays it alone");
            resume_unwind(panic);
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}
