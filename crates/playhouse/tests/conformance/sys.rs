//! A system, the actor it ends with, and its end.

use crate::common::player::{Cue, Player, quietly, stop};
use crate::common::stage::{Stage, on_stage};
use crate::common::{assert_clean, system};
use playhouse::prelude::*;
use playhouse::{BuildError, Phase, ShutdownReason, ShutdownReport, SpawnError};
use std::sync::mpsc;
use std::thread;

/// A player with which the system ends.
fn guardian(stage: &Stage) -> ActorRef<Cue> {
    let player = Player::called(&stage.notes, "guardian");
    let guardian = stage.spawn("guardian", move || player);
    stage.system.end_with(&guardian);
    guardian
}

#[track_caller]
fn assert_ended_with_its_guardian(stage: &Stage) -> ShutdownReport {
    let report = stage.world.block_on(stage.system.terminated());
    assert_clean(&report);
    let reason = &report.reason;
    assert!(
        matches!(reason, ShutdownReason::GuardianEnded(Exit::Stopped)),
        "{reason:?}"
    );
    report
}

/// Stops when it is told to.
fn until_told() -> impl playhouse::IntoProps<Msg = Reply<u32>> {
    || {
        Behavior::receive(|_ctx, reply: Reply<u32>| {
            reply.send(42);
            Ok(Behavior::stopped())
        })
    }
}

#[tokio::test]
async fn sys_01_a_guardian_that_answers_and_stops_ends_its_system() {
    let (system, guardian) = ActorSystem::builder("test")
        .build_with(until_told())
        .unwrap();
    assert_eq!(guardian.address().path(), "/test/guardian");
    let other = Props::func(async |ctx: &mut Context<()>| {
        ctx.recv().await;
        Ok(())
    });
    let other = system.spawn("other", other).unwrap();
    assert_eq!(
        guardian.ask(|reply| reply).within(secs(10)).await.unwrap(),
        42
    );
    let report = system.terminated().await;
    assert_clean(&report);
    assert_eq!(report.reason.to_string(), "its guardian ended: stopped");
    assert!(matches!(other.terminated().await, Exit::Shutdown));
}

#[test]
fn sys_02_a_guardian_that_stops_over_its_first_message_ends_its_system() {
    on_stage(|stage| {
        let guardian = guardian(stage);
        guardian.tell(stop());
        assert_ended_with_its_guardian(stage);
        stage.expect(["guardian stops"]);
    });
}

#[test]
fn sys_03_post_stop_of_the_guardian_comes_before_the_end_of_the_shutdown() {
    on_stage(|stage| {
        guardian(stage);
        let report = stage.world.block_on(stage.system.shutdown());
        stage.expect(["guardian stops"]);
        assert!(matches!(report.reason, ShutdownReason::Asked), "{report:?}");
    });
}

#[test]
fn sys_04_a_shutdown_right_after_the_build_completes() {
    on_stage(|stage| {
        let player = Player::called(&stage.notes, "guardian");
        let guardian = stage.system.spawn("guardian", move || player).unwrap();
        stage.system.end_with(&guardian);
        assert_clean(&stage.world.block_on(stage.system.shutdown()));
        let exit = stage.world.block_on(guardian.terminated());
        // Whether it had its first turn before the stop is the seed's choice; a stop before the start ends it unstarted.
        assert!(matches!(exit, Exit::Stopped | Exit::Shutdown), "{exit}");
    });
}

#[test]
fn sys_06_a_dispatcher_runs_a_plain_closure() {
    let (system, _) = system();
    let (answers, answer) = mpsc::channel();
    let fixed = system.dispatcher("fixed").unwrap();
    fixed.submit(move || {
        let name = thread::current().name().map(str::to_owned);
        answers.send((42, name)).unwrap();
    });
    let (answer, thread) = answer.recv().unwrap();
    assert_eq!(answer, 42);
    let thread = thread.unwrap();
    assert!(thread.starts_with("playhouse-fixed-"), "{thread}");
    assert_clean(&system.blocking_shutdown());
}

// does not compile: SYS-07: there is no message that is nothing; what may be absent is an `Option` in the protocol

// differs: SYS-08: dropping a handle ends nothing, because an end takes time that a drop may not; who wants a scope
// writes a guard that waits in its own drop
#[test]
fn sys_08_a_guard_ends_the_system_with_its_scope_and_waits() {
    struct Scope(ActorSystem);
    impl Drop for Scope {
        fn drop(&mut self) {
            self.0.blocking_shutdown();
        }
    }
    let (ended, has_ended) = mpsc::channel();
    let actor = {
        let (system, _) = system();
        let scope = Scope(system.clone());
        system.on_shutdown(Phase::ReleaseResources, "last", async move || {
            ended.send(()).unwrap();
            Ok(())
        });
        drop(system); // ends nothing
        assert!(has_ended.try_recv().is_err());
        let idle = Props::func(async |ctx: &mut Context<()>| {
            ctx.recv().await;
            Ok(())
        });
        scope.0.spawn_anonymous(idle)
    };
    assert_eq!(has_ended.try_recv(), Ok(()));
    assert!(actor.try_send(()).is_err());
}

#[tokio::test]
async fn sys_09_a_message_right_after_the_build_is_delivered() {
    let (system, guardian) = ActorSystem::builder("test")
        .build_with(until_told())
        .unwrap();
    let answer = guardian.ask(|reply| reply).within(secs(10));
    assert_eq!(answer.await.unwrap(), 42);
    assert_eq!(system.terminated().await.ledger.dead, 0);
}

#[tokio::test]
async fn sys_10_the_guardian_may_use_everything_of_its_system_from_the_start() {
    let (answers, mut answer) = tokio::sync::mpsc::unbounded_channel();
    let setup = move || {
        Behavior::setup(move |ctx: &mut Context<()>| {
            let system = ctx.system().clone();
            let child = ctx.spawn("child", until_told())?;
            system.dispatcher("blocking")?.submit(|| {});
            let closed = answers.clone();
            system.on_shutdown(Phase::CloseDoors, "from setup", async move || {
                closed.send(Ok(1))?;
                Ok(())
            });
            let question = child.ask(|reply| reply).within(secs(10));
            ctx.pipe_to_self(question, move |answer| {
                let _ = answers.send(answer);
            });
            Ok(Behavior::receive(|_ctx, ()| Ok(Behavior::stopped())))
        })
    };
    let (system, guardian) = ActorSystem::builder("test").build_with(setup).unwrap();
    assert_clean(&system.terminated().await);
    assert_eq!(answer.recv().await.unwrap().unwrap(), 42);
    assert_eq!(answer.recv().await.unwrap().unwrap(), 1);
    assert!(matches!(guardian.terminated().await, Exit::Stopped));
}

#[test]
fn sys_10_a_guardian_that_cannot_be_spawned_is_no_system() {
    let props = Props::new(Behavior::<()>::stopped).dispatcher_named("none");
    let refused = ActorSystem::builder("test").build_with(props);
    let Err(BuildError::NoGuardian(why)) = refused else {
        panic!("{refused:?}")
    };
    assert!(!matches!(why, SpawnError::Stopping), "{why}");
}

#[test]
fn sys_11_a_guardian_whose_setup_stops_runs_its_last_step_and_ends_its_system() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let setup = move || {
            Behavior::setup(move |_ctx: &mut Context<Cue>| {
                Ok(Behavior::stopped_with(move || notes.say("last step")))
            })
        };
        let guardian = stage.system.spawn("guardian", setup).unwrap();
        stage.system.end_with(&guardian);
        assert_ended_with_its_guardian(stage);
        stage.expect(["last step"]);
        guardian.tell(quietly(|_ctx| {}));
        assert_eq!(stage.system.ledger().dead, 1, "nobody is left");
    });
}
