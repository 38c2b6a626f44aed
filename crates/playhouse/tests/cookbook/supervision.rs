//! A default and its exceptions by error type, groups whose members fall together, and watching.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{Event, Group};
use std::io;
use std::num::ParseIntError;

/// Adds up what it can read.
struct Sum(u32, ActorRef<u32>);

impl Actor for Sum {
    type Msg = &'static str;
    async fn receive(&mut self, _ctx: &mut Context<&'static str>, text: &'static str) -> Outcome {
        if text == "disk" {
            return Err(io::Error::other("disk").into());
        }
        let n: u32 = text.parse()?;
        assert!(n > 0, "zero");
        self.0 += n;
        self.1.tell(self.0);
        Ok(())
    }
}

fn sum(told: ActorRef<u32>) -> Props<&'static str> {
    Props::new(move || Sum(0, told)).supervise(
        Supervise::stop()
            .when::<io::Error>(
                Supervise::restart()
                    .backoff(secs(1)..=secs(30), 0.0)
                    .limit(10, secs(600)),
            )
            .when::<ParseIntError>(Supervise::resume())
            .when_panic(Supervise::escalate()),
    )
}

enum Parent {
    StopChild,
    ChildEnded(Exit),
}

struct Boss {
    sums: ActorRef<u32>,
    log: ActorRef<String>,
    children: ActorRef<ActorRef<&'static str>>,
    child: Option<ActorRef<&'static str>>,
}

impl Actor for Boss {
    type Msg = Parent;
    async fn started(&mut self, ctx: &mut Context<Parent>) -> Outcome {
        let child = ctx.spawn("sum", sum(self.sums.clone()))?;
        ctx.watch_with(&child, Parent::ChildEnded);
        self.children.tell(child.clone());
        self.child = Some(child);
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<Parent>, msg: Parent) -> Outcome {
        match msg {
            Parent::StopChild => {
                if let Some(child) = self.child.take() {
                    ctx.stop_child(&child).await;
                }
            }
            Parent::ChildEnded(exit) => {
                self.log.tell(format!("child {exit}"));
                ctx.stop();
            }
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Parent>, signal: Signal) -> Outcome {
        match signal {
            Signal::PostStop => self.log.tell("cleaning up".into()),
            other => other.unhandled()?,
        }
        Ok(())
    }
}

#[test]
fn each_failure_has_its_own_answer() {
    let kit = TestKit::new();
    let (mut sums, mut log, mut children) = (kit.probe(), kit.probe(), kit.probe());
    let (told, logged) = (sums.actor_ref().clone(), log.actor_ref().clone());
    let spawned = children.actor_ref().clone();
    let boss = kit.spawn("boss", move || Boss {
        sums: told,
        log: logged,
        children: spawned,
        child: None,
    });
    let child = children.expect();
    for text in ["3", "x", "4"] {
        child.tell(text); // what is not a number is skipped, and the sum kept
    }
    assert_eq!(sums.expect_n(2), [3, 7]);

    child.tell("disk");
    child.tell("5");
    sums.expect_nothing(); // it waits before it begins again
    kit.advance(secs(1));
    assert_eq!(sums.expect(), 5);

    boss.tell(Parent::StopChild);
    assert_eq!(log.expect_n(2), ["child stopped", "cleaning up"]);
}

#[test]
fn a_panic_goes_up() {
    let kit = TestKit::new();
    let (sums, log, mut children) = (kit.probe(), kit.probe(), kit.probe());
    let (told, logged) = (sums.actor_ref().clone(), log.actor_ref().clone());
    let spawned = children.actor_ref().clone();
    let boss = kit.spawn("boss", move || Boss {
        sums: told,
        log: logged,
        children: spawned,
        child: None,
    });
    children.expect().tell("0");
    let Exit::Failed(cause) = children.expect_terminated(&boss) else {
        panic!("it fails with its child");
    };
    assert!(cause.to_string().contains("zero"), "{cause}");
}

#[test]
fn members_of_a_group_restart_together() {
    let kit = TestKit::new();
    let (mut sums, mut members) = (kit.probe(), kit.probe());
    let (told, given) = (sums.actor_ref().clone(), members.actor_ref().clone());
    let parent = Props::func(async move |ctx: &mut Context<()>| {
        let restart = Supervise::restart().at_once().limit(5, secs(60));
        let group = ctx.spawn_group("storage", Group::one_for_all(restart))?;
        for name in ["files", "cache"] {
            let told = told.clone();
            given.tell(group.spawn(name, move || Sum(0, told))?);
        }
        ctx.recv().await;
        Ok(())
    });
    kit.spawn("parent", parent);
    let (files, cache) = (members.expect(), members.expect());
    cache.tell("3");
    assert_eq!(sums.expect(), 3);
    files.tell("disk");
    let restarted = EventPattern::that(|event| matches!(event, Event::Restarted { .. }));
    kit.expect_event(&restarted.of(&cache));
    cache.tell("4");
    assert_eq!(sums.expect(), 4);
}
