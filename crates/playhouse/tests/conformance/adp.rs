//! Adapters: addresses for foreign messages.

use crate::common::{end, journal, system};
use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, Event};
use std::thread;

/// Passes on what it is told, fails at one number, and says when it stops.
struct Listener {
    told: ActorRef<String>,
    fails_at: Option<u32>,
}

impl Actor for Listener {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.told.tell(n.to_string());
        match self.fails_at {
            Some(last) if last == n => Err("enough".into()),
            _ => Ok(()),
        }
    }
    async fn signal(&mut self, _ctx: &mut Context<u32>, signal: Signal) -> Outcome {
        if let Signal::PostStop = signal {
            self.told.tell("post-stop".into());
        }
        signal.unhandled()
    }
}

#[derive(Clone, Copy)]
struct Pong(u32);

/// A listener, and an adapter of it.
fn listener(
    kit: &TestKit,
    told: &ActorRef<String>,
    fails_at: Option<u32>,
    adapt: fn(Pong) -> u32,
) -> (ActorRef<u32>, ActorRef<Pong>) {
    let (told, mut probe) = (told.clone(), kit.probe());
    let adapters = probe.actor_ref().clone();
    let actor = Props::setup(async move |ctx: &mut Context<u32>| {
        adapters.tell(ctx.adapter(adapt));
        Ok(Listener { told, fails_at })
    });
    (kit.spawn("listener", actor), probe.expect())
}

#[tokio::test]
async fn adp_01_the_function_runs_inside_the_actor() {
    let (system, _events) = system();
    let own = system.dispatcher("fixed").unwrap();
    let (told, mut heard) = journal();
    let actor = Props::func(async move |ctx: &mut Context<String>| {
        let pongs = ctx
            .adapter(|Pong(n)| format!("{n} on {}", thread::current().name().unwrap_or_default()));
        thread::spawn(move || pongs.tell(Pong(7)));
        if let Some(line) = ctx.recv().await {
            let _ = told.send((line, ctx.me().to_string()));
        }
        Ok(())
    });
    system.spawn("actor", actor.dispatcher(&own)).unwrap();
    let (line, name) = heard.recv().await.unwrap();
    assert_eq!(name, "/test/actor");
    assert!(line.starts_with("7 on playhouse-fixed-"), "{line}");
    end(&system).await;
}

// differs: ADP-02: each adapter is a reference of its own, so none replaces another, whatever their types
#[test]
fn adp_02_every_adapter_counts() {
    let kit = TestKit::new();
    let (mut heard, mut adapters) = (kit.probe(), kit.probe());
    let (told, given) = (heard.actor_ref().clone(), adapters.actor_ref().clone());
    kit.spawn(
        "actor",
        Props::func(async move |ctx: &mut Context<String>| {
            let first = ctx.adapter(|Pong(n)| format!("first {n}"));
            let second = ctx.adapter(|Pong(n)| format!("second {n}"));
            let numbers = ctx.adapter(|n: u32| format!("number {n}"));
            given.tell((first, second, numbers));
            while let Some(line) = ctx.recv().await {
                told.tell(line);
            }
            Ok(())
        }),
    );
    let (first, second, numbers) = adapters.expect();
    first.tell(Pong(1));
    second.tell(Pong(2));
    first.tell(Pong(3));
    numbers.tell(4);
    assert_eq!(
        heard.expect_n(4),
        ["first 1", "second 2", "first 3", "number 4"]
    );
}

// does not compile: ADP-03: an adapter is typed by what it takes, so there is no answer that it does not know

#[test]
fn adp_04_an_adapter_that_fails_at_the_third_call() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let adapt = |Pong(n)| if n == 3 { panic!("not that one") } else { n };
    let (actor, pongs) = listener(&kit, probe.actor_ref(), None, adapt);
    for n in 1..=4 {
        pongs.tell(Pong(n));
    }
    assert_eq!(probe.expect_n(3), ["1", "2", "post-stop"]);
    assert!(matches!(probe.expect_terminated(&actor), Exit::Failed(_)));
    kit.expect_event(
        &EventPattern::failure()
            .of("/test/listener")
            .text("not that one"),
    );
    probe.expect_nothing();
}

#[test]
fn adp_05_a_failure_with_what_was_adapted() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let (actor, pongs) = listener(&kit, probe.actor_ref(), Some(3), |Pong(n)| n);
    for n in 1..=5 {
        pongs.tell(Pong(n));
    }
    assert_eq!(probe.expect_n(4), ["1", "2", "3", "post-stop"]);
    assert!(matches!(probe.expect_terminated(&actor), Exit::Failed(_)));
    let stopped = EventPattern::dead_letter(DeadLetterReason::Stopped);
    assert_eq!(letters(&kit, &stopped), [std::any::type_name::<Pong>(); 2]);
}

#[test]
fn adp_06_the_actor_of_an_adapter_has_ended() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let (actor, pongs) = listener(&kit, probe.actor_ref(), None, |Pong(n)| n);
    actor.stop();
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
    pongs.tell(Pong(1));
    let gone = EventPattern::dead_letter(DeadLetterReason::Gone).of("/test/listener");
    assert_eq!(letters(&kit, &gone), [std::any::type_name::<Pong>()]);
}

/// The message types of the dead letters like this.
fn letters(kit: &TestKit, pattern: &EventPattern) -> Vec<&'static str> {
    kit.settle();
    let events = kit.events_like(pattern).into_iter();
    events
        .map(|event| match event {
            Event::DeadLetter { message, .. } => message,
            other => panic!("{other}"),
        })
        .collect()
}
