//! The orderly end of a system.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{Phase, ShutdownReason, SpawnError};
use tokio::sync::mpsc;

struct Note {
    name: &'static str,
    seen: mpsc::UnboundedSender<&'static str>,
}

impl Actor for Note {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            self.seen.send(self.name)?;
        }
        Ok(())
    }
}

#[tokio::test]
async fn phases_run_in_order_and_actors_stop_between_the_second_and_the_last() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let by_actor = seen.clone();
    let actor = system
        .spawn("actor", move || Note {
            name: "actor",
            seen: by_actor,
        })
        .unwrap();
    let phases = [
        (Phase::ReleaseResources, "release"),
        (Phase::StopActors, "before actors"),
        (Phase::CloseDoors, "doors"),
        (Phase::FinishRequests, "requests"),
    ];
    for (phase, name) in phases {
        let seen = seen.clone();
        system.on_shutdown(phase, name, async move || {
            seen.send(name)?;
            Ok(())
        });
    }
    end(&system).await;
    assert!(matches!(actor.terminated().await, Exit::Shutdown));
    assert_eq!(
        read(&mut journal),
        ["doors", "requests", "before actors", "actor", "release"]
    );
}

#[tokio::test]
async fn who_drains_is_given_the_time_to_finish_and_so_is_who_it_asks_to_drain() {
    struct Relay {
        next: Option<ActorRef<u32>>,
        seen: mpsc::UnboundedSender<u32>,
    }
    impl Actor for Relay {
        type Msg = u32;
        async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
            tokio::task::yield_now().await;
            match &self.next {
                Some(next) => next.send(n).await?,
                None => self.seen.send(n)?,
            }
            Ok(())
        }
        async fn signal(&mut self, _ctx: &mut Context<u32>, _signal: Signal) -> Outcome {
            self.next.iter().for_each(ActorRef::drain);
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let heard = seen.clone();
    let last = system.spawn_anonymous(move || Relay {
        next: None,
        seen: heard,
    });
    let first = system.spawn_anonymous(move || Relay {
        next: Some(last),
        seen,
    });
    (0..100).for_each(|n| first.tell(n));
    first.drain();
    let ledger = end(&system).await;
    assert_eq!((ledger.handled, ledger.dead), (200, 0));
    assert_eq!(read(&mut journal), (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn tasks_of_one_phase_run_together() {
    let (system, _) = system();
    let barrier = std::sync::Arc::new(tokio::sync::Barrier::new(2));
    for name in ["one", "two"] {
        let barrier = barrier.clone();
        system.on_shutdown(Phase::CloseDoors, name, async move || {
            barrier.wait().await;
            Ok(())
        });
    }
    end(&system).await;
}

#[tokio::test]
async fn a_step_added_too_late_runs_with_the_next_phase() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let late = system.clone();
    system.on_shutdown(Phase::FinishRequests, "requests", async move || {
        late.on_shutdown(Phase::CloseDoors, "late", async move || {
            seen.send("late")?;
            Ok(())
        });
        Ok(())
    });
    end(&system).await;
    assert_eq!(read(&mut journal), ["late"]);
}

#[tokio::test(start_paused = true)]
async fn failed_and_late_tasks_are_named_and_the_shutdown_goes_on() {
    let system = ActorSystem::builder("test")
        .phase_deadline(Phase::CloseDoors, millis(50))
        .build()
        .unwrap();
    system.on_shutdown(Phase::CloseDoors, "fails", async || Err("no".into()));
    system.on_shutdown(Phase::CloseDoors, "panics", async || panic!("on purpose"));
    system.on_shutdown(Phase::CloseDoors, "never ends", async || {
        std::future::pending().await
    });
    let begin = system.clock().now();
    let report = system.shutdown().await;
    assert_eq!(report.overran, [Phase::CloseDoors]);
    let mut failed: Vec<_> = report
        .failed_tasks
        .iter()
        .map(|(phase, name, why)| (*phase, *name, why.to_string()))
        .collect();
    failed.sort_by_key(|(_, name, _)| *name);
    let expected = [
        (Phase::CloseDoors, "fails", "no".to_owned()),
        (
            Phase::CloseDoors,
            "never ends",
            "did not end within the deadline of its phase".to_owned(),
        ),
        (
            Phase::CloseDoors,
            "panics",
            "panicked: on purpose".to_owned(),
        ),
    ];
    assert_eq!(failed, expected);
    let took = system.clock().now() - begin; // of a clock that only moves when everybody waits for it
    assert!(
        took >= millis(50) && took < playhouse::limits::PHASE_DEADLINE,
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_past_the_deadline_becomes_a_kill() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let stubborn = Props::func(async move |_ctx: &mut Context<()>| {
        entered.send(())?;
        std::future::pending().await
    });
    let stubborn = system.spawn("stubborn", stubborn).unwrap();
    has_entered.recv().await;
    let report = system.shutdown().await;
    assert_eq!(
        (report.overran, report.still_alive.len()),
        (vec![Phase::StopActors], 0)
    );
    assert!(matches!(stubborn.terminated().await, Exit::Killed));
}

#[tokio::test]
async fn the_shutdown_is_one_and_goes_on_without_whoever_began_it() {
    let (system, _) = system();
    let (begun, mut has_begun) = journal();
    let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
    let opened = gate.clone();
    system.on_shutdown(Phase::CloseDoors, "doors", async move || {
        begun.send(())?;
        opened.acquire().await?.forget();
        Ok(())
    });
    tokio::select! {
        _ = system.shutdown() => panic!("the door is held"),
        _ = has_begun.recv() => {} // and the shutdown is dropped
    }
    gate.add_permits(1);
    let (one, two) = tokio::join!(system.shutdown(), system.shutdown());
    assert_eq!(one.ledger, two.ledger);
    assert_clean(&one);
    assert!(has_begun.recv().await.is_none(), "the task ran once");
}

#[tokio::test]
async fn after_the_end_nothing_is_spawned() {
    let (system, _) = system();
    end(&system).await;
    let (seen, mut journal) = journal();
    let make = move || Note { name: "late", seen };
    assert!(matches!(
        system.spawn("late", make.clone()),
        Err(SpawnError::Stopping)
    ));
    let gone = system.spawn_anonymous(make);
    assert!(matches!(gone.terminated().await, Exit::Stopped));
    gone.tell(());
    assert!(gone.try_send(()).is_err());
    let ledger = system.ledger();
    assert_eq!((ledger.balance(), ledger.dead, ledger.refused), (0, 1, 1));
    drop(gone);
    assert!(journal.recv().await.is_none(), "it never lived");
}

#[tokio::test]
async fn children_end_before_their_parents() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let spawned = seen.clone();
    let parent = Props::func(async move |ctx: &mut Context<()>| {
        let (one, two) = (spawned.clone(), spawned.clone());
        ctx.spawn("one", move || Note {
            name: "child",
            seen: one,
        })?;
        ctx.spawn("two", move || Note {
            name: "child",
            seen: two,
        })?;
        ctx.recv().await;
        Ok(())
    });
    let parent = system.spawn("parent", parent).unwrap();
    let watched = parent.clone();
    let watcher = tokio::spawn(async move {
        watched.terminated().await;
        seen.send("parent")
    });
    tokio::task::yield_now().await;
    end(&system).await;
    watcher.await.unwrap().unwrap();
    assert_eq!(read(&mut journal), ["child", "child", "parent"]);
}

#[tokio::test]
async fn a_step_added_after_the_last_phase_is_dropped_with_what_it_holds() {
    let (system, _) = system();
    end(&system).await;
    let held = std::sync::Arc::new(());
    let kept = held.clone();
    system.on_shutdown(Phase::CloseDoors, "too late", async move || {
        drop(kept);
        Ok(())
    });
    assert_eq!(std::sync::Arc::strong_count(&held), 1);
}

#[tokio::test]
async fn a_cancelled_step_is_dropped_with_what_it_holds_even_if_that_panics() {
    struct Loud(mpsc::UnboundedSender<&'static str>);
    impl Drop for Loud {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
            panic!("on purpose");
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let held = Loud(seen);
    let step = system.on_shutdown(Phase::CloseDoors, "cancelled", async move || {
        let _held = held;
        Ok(())
    });
    assert!(step.cancel());
    assert_eq!(read(&mut journal), ["dropped"]);
    end(&system).await;
    assert!(!step.cancel());
}

#[tokio::test]
async fn a_root_that_escalates_its_failure_is_the_reason() {
    let (system, _) = system();
    let fails = || Behavior::receive(|_ctx, ()| Err("no way out".into()));
    let props = Props::new(fails).supervise(Supervise::escalate());
    system.spawn("root", props).unwrap().tell(());
    let report = system.terminated().await;
    assert_clean(&report);
    assert_eq!(report.reason.to_string(), "/test/root failed: no way out");
    let ShutdownReason::RootFailed(who, failure) = report.reason else {
        panic!("{:?}", report.reason)
    };
    assert_eq!(who.path(), "/test/root");
    assert_eq!(failure.to_string(), "no way out");
}

#[tokio::test]
async fn a_guardian_may_live_as_long_as_its_handles() {
    let idle = || Behavior::<()>::receive(|_ctx, ()| Ok(Behavior::stopped()));
    let props = Props::new(idle).lifetime(Lifetime::Handles);
    let (system, guardian) = ActorSystem::builder("test").build_with(props).unwrap();
    drop(guardian); // what waits for its end is no handle
    let report = system.terminated().await;
    assert_clean(&report);
    assert_eq!(report.reason.to_string(), "its guardian ended: drained");
}

#[tokio::test]
async fn of_several_guardians_the_first_to_end_ends_the_system() {
    let (system, _) = system();
    let idle = || Behavior::<()>::receive(|_ctx, ()| Ok(Behavior::stopped()));
    let [one, two] = ["one", "two"].map(|name| system.spawn(name, idle).unwrap());
    two.stop();
    two.terminated().await;
    system.end_with(&one);
    system.end_with(&two); // it has ended already
    let report = system.terminated().await;
    assert_eq!(report.reason.to_string(), "its guardian ended: stopped");
    assert!(matches!(one.terminated().await, Exit::Shutdown));
}
