//! The orderly shutdown, in four phases.

use crate::common::assert_clean;
use crate::common::player::{Cue, Notes, Player, stop};
use crate::common::seeds::{for_each_seed, stepped};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use playhouse::{Phase, ShutdownReason, ShutdownReport, ShutdownTask};
use std::future::pending;
use std::time::Duration;

const PHASES: [Phase; 4] = [
    Phase::CloseDoors,
    Phase::FinishRequests,
    Phase::StopActors,
    Phase::ReleaseResources,
];

/// A task that writes down its line.
fn says(system: &ActorSystem, notes: &Notes, phase: Phase, line: &'static str) -> ShutdownTask {
    let notes = notes.clone();
    system.on_shutdown(phase, line, async move || {
        notes.say(line);
        Ok(())
    })
}

/// One line per phase, the last one first.
fn say_every_phase(stage: &Stage) {
    let lines = ["doors", "requests", "actors", "resources"];
    for (phase, line) in PHASES.into_iter().zip(lines).rev() {
        says(&stage.system, &stage.notes, phase, line);
    }
}

fn shut_down(stage: &Stage) -> ShutdownReport {
    stage.world.block_on_timed(stage.system.shutdown())
}

// differs: CSD-01: the phases are four and in one order, so there are no dependencies to sort by
#[test]
fn csd_01_phases_run_in_the_order_in_which_they_are_declared() {
    assert!(PHASES.is_sorted());
    on_stage(|stage| {
        say_every_phase(stage);
        assert_clean(&shut_down(stage));
        stage.expect(["doors", "requests", "actors", "resources"]);
    });
}

// differs: CSD-02: a phase cannot name what it depends on, so there are no cycles; of two phases one is always first
#[test]
fn csd_02_of_two_phases_one_is_always_first() {
    for one in PHASES {
        for two in PHASES {
            assert_eq!(one < two, !(two <= one), "{one:?} {two:?}");
            assert_eq!(one == two, !(one < two) && !(two < one), "{one:?} {two:?}");
        }
    }
}

#[test]
fn csd_04_a_phase_waits_for_all_tasks_of_the_one_before() {
    on_stage(|stage| {
        say_every_phase(stage);
        let (notes, clock) = (stage.notes.clone(), stage.system.clock().clone());
        stage
            .system
            .on_shutdown(Phase::FinishRequests, "slow", async move || {
                clock.sleep(millis(100)).await;
                notes.say("slow");
                Ok(())
            });
        assert_clean(&shut_down(stage));
        stage.expect(["doors", "requests", "slow", "actors", "resources"]);
        assert_eq!(stage.world.elapsed(), millis(100));
    });
}

#[test]
fn csd_05_a_cancelled_task_does_not_run_and_the_others_do() {
    on_stage(|stage| {
        let kept = says(&stage.system, &stage.notes, Phase::CloseDoors, "kept");
        let cancelled = says(&stage.system, &stage.notes, Phase::CloseDoors, "cancelled");
        assert!(cancelled.cancel());
        assert!(!cancelled.cancel(), "there is nothing left to take back");
        shut_down(stage);
        stage.expect(["kept"]);
        assert!(!kept.cancel(), "it has run");
    });
}

// differs: CSD-09: a shutdown always begins with the first phase; each phase keeps a promise that none may skip
#[test]
fn csd_09_whoever_begins_it_every_phase_runs() {
    on_stage(|stage| {
        say_every_phase(stage);
        let guardian = stage.player("guardian");
        stage.system.end_with(&guardian);
        guardian.stop();
        let report = stage.world.block_on(stage.system.terminated());
        assert!(matches!(report.reason, ShutdownReason::GuardianEnded(_)));
        stage.expect(["doors", "requests", "actors", "resources"]);
    });
}

#[test]
fn csd_10_it_runs_once_and_the_first_reason_stays() {
    on_stage(|stage| {
        says(&stage.system, &stage.notes, Phase::CloseDoors, "doors");
        let guardian = stage.player("guardian");
        stage.system.end_with(&guardian);
        let first = shut_down(stage);
        let second = shut_down(stage);
        stage.expect(["doors"]);
        for report in [first, second] {
            assert!(matches!(report.reason, ShutdownReason::Asked), "{report:?}");
        }
        assert!(matches!(
            stage.world.block_on(guardian.terminated()),
            Exit::Shutdown
        ));
    });
}

#[test]
fn csd_11_neither_a_failed_task_nor_a_phase_that_hangs_holds_up_the_rest() {
    for_each_seed(8, |seed| {
        let builder =
            ActorSystem::builder("test").phase_deadline(Phase::FinishRequests, millis(100));
        let (system, world) = builder.build_stepped(seed).unwrap();
        let notes = Notes::default();
        for phase in PHASES {
            says(&system, &notes, phase, "ran");
        }
        system.on_shutdown(Phase::CloseDoors, "fails", async || Err("no".into()));
        system.on_shutdown(Phase::FinishRequests, "hangs", pending::<Outcome>);
        let report = world.block_on_timed(system.shutdown());
        assert_eq!(notes.read(), ["ran"; 4]);
        assert_eq!(world.elapsed(), millis(100));
        assert_eq!(report.overran, [Phase::FinishRequests]);
        let failed = report.failed_tasks.iter();
        let failed = failed.map(|(phase, name, why)| format!("{phase:?} {name}: {why}"));
        let expected = [
            "CloseDoors fails: no",
            "FinishRequests hangs: did not end within the deadline of its phase",
        ];
        assert_eq!(failed.collect::<Vec<_>>(), expected);
    });
}

// differs: CSD-12: nothing can make a shutdown stop half-way; later phases always run
#[test]
fn csd_12_later_phases_run_after_one_that_hangs() {
    for_each_seed(8, |seed| {
        let (system, world, _) = stepped(seed);
        let notes = Notes::default();
        system.on_shutdown(Phase::CloseDoors, "hangs", pending::<Outcome>);
        says(&system, &notes, Phase::ReleaseResources, "later");
        let player = Player::called(&notes, "actor");
        system.spawn("actor", move || player).unwrap();
        world.settle();
        let report = world.block_on_timed(system.shutdown());
        assert_eq!(report.overran, [Phase::CloseDoors]);
        assert_eq!(world.elapsed(), playhouse::limits::PHASE_DEADLINE);
        assert_eq!(notes.read(), ["actor stops", "later"]);
    });
}

// differs: CSD-13: no phase can be switched off; what is not to run is cancelled task by task, and later phases run
#[test]
fn csd_13_a_phase_whose_tasks_are_cancelled_is_empty_and_later_ones_run() {
    on_stage(|stage| {
        let doors =
            ["one", "two"].map(|line| says(&stage.system, &stage.notes, Phase::CloseDoors, line));
        says(&stage.system, &stage.notes, Phase::FinishRequests, "later");
        assert!(doors.iter().all(ShutdownTask::cancel));
        assert_clean(&shut_down(stage));
        stage.expect(["later"]);
    });
}

#[test]
fn csd_14_a_running_task_adds_one_to_a_later_phase() {
    on_stage(|stage| {
        let (system, notes) = (stage.system.clone(), stage.notes.clone());
        stage
            .system
            .on_shutdown(Phase::CloseDoors, "adds", async move || {
                notes.say("adds");
                says(&system, &notes, Phase::StopActors, "added");
                Ok(())
            });
        assert_clean(&shut_down(stage));
        stage.expect(["adds", "added"]);
    });
}

#[test]
fn csd_16_asked_or_by_its_guardian_it_is_the_same_shutdown_with_its_reason() {
    let ended_by = |end: fn(&Stage, &ActorRef<Cue>)| {
        let (system, world, events) = stepped(0);
        let notes = Notes::default();
        let stage = Stage {
            system,
            world,
            events,
            notes,
        };
        let guardian = stage.player("guardian");
        stage.system.end_with(&guardian);
        says(&stage.system, &stage.notes, Phase::CloseDoors, "doors");
        end(&stage, &guardian);
        let report = stage.world.block_on(stage.system.terminated());
        stage.expect(["doors"]);
        report.reason.to_string()
    };
    let asked = ended_by(|stage, _| {
        shut_down(stage);
    });
    assert_eq!(asked, "it was asked to");
    let stopped = ended_by(|stage, guardian| stage.tell(guardian, stop()));
    assert_eq!(stopped, "its guardian ended: stopped");
    let killed = ended_by(|_, guardian| guardian.kill());
    assert_eq!(killed, "its guardian ended: killed");
}

/// Adds a task that waits for the end of the actor, after the task has told it what it has to tell.
fn waits_for(stage: &Stage, actor: &ActorRef<Cue>, tell: impl Fn(&ActorRef<Cue>) + Send + 'static) {
    let (actor, notes) = (actor.clone(), stage.notes.clone());
    let phase = Phase::FinishRequests;
    stage.system.on_shutdown(phase, "actor", async move || {
        tell(&actor);
        let exit = actor.terminated().await;
        notes.say(format!("gone: {exit}"));
        Ok(())
    });
    says(&stage.system, &stage.notes, Phase::StopActors, "next phase");
}

#[test]
fn csd_19_a_task_ends_an_actor_with_a_message_and_waits_until_it_is_gone() {
    on_stage(|stage| {
        let player = Player::called(&stage.notes, "cashier");
        let cashier = stage.spawn("cashier", move || player);
        waits_for(stage, &cashier, |cashier| cashier.tell(stop()));
        assert_clean(&shut_down(stage));
        stage.expect(["cashier stops", "gone: stopped", "next phase"]);
    });
}

#[test]
fn csd_20_a_task_waits_for_an_actor_that_ends_by_itself() {
    on_stage(|stage| {
        let cashier = stage.player("cashier");
        waits_for(stage, &cashier, |_| {});
        let begin = stage.world.elapsed();
        let clock = stage.system.clock().clone();
        stage
            .system
            .on_shutdown(Phase::FinishRequests, "elsewhere", async move || {
                clock.sleep(secs(1)).await;
                cashier.tell(stop());
                Ok(())
            });
        assert_clean(&shut_down(stage));
        stage.expect(["gone: stopped", "next phase"]);
        assert_eq!(stage.world.elapsed() - begin, secs(1));
    });
}

#[test]
fn csd_21_for_an_actor_already_gone_the_task_is_done_at_once() {
    on_stage(|stage| {
        let cashier = stage.player("cashier");
        stage.tell(&cashier, stop());
        waits_for(stage, &cashier, |_| {});
        assert_clean(&shut_down(stage));
        stage.expect(["gone: stopped", "next phase"]);
        assert_eq!(stage.world.elapsed(), Duration::ZERO);
    });
}
