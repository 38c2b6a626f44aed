//! Restart ends the old incarnation completely before the factory runs again; mailbox, watches and stash are kept. Resume
//! keeps the state, escalate passes the failure on, and the default is stop.

mod common;

use common::fragile::Fragile;
use common::read;
use common::seeds::{end, for_each_seed, stepped};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{DeadLetterReason, Event, Restart};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const SEEDS: u64 = 50;

/// What an actor under test can be told.
enum Msg {
    Note(u32),
    Fail,
    Panic,
    Stash(u32),
    Spawn(&'static str),
    Pipe,
    Tick,
    Ask(Reply<u32>),
    Drop(Reply<u32>),
    Stop,
    Ended(Exit),
}

struct Subject {
    incarnation: u32,
    told: UnboundedSender<String>,
}

impl Subject {
    fn note(&self, text: impl ToString) {
        let _ = self.told.send(text.to_string());
    }
}

impl Actor for Subject {
    type Msg = Msg;

    async fn started(&mut self, _ctx: &mut Context<Msg>) -> Outcome {
        self.note(format!("started {}", self.incarnation));
        Ok(())
    }

    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Note(n) => self.note(n),
            Msg::Fail => return Err(io::Error::other("failed").into()),
            Msg::Panic => panic!("panicked"),
            Msg::Stash(n) => ctx.stash(Msg::Note(n))?,
            Msg::Spawn(name) => {
                let told = self.told.clone();
                let child = ctx.spawn(name, move || Child(told))?;
                ctx.watch_with(&child, Msg::Ended);
            }
            Msg::Pipe => {
                let clock = ctx.clock().clone();
                ctx.pipe_to_self(async move { clock.sleep(secs(9)).await }, |()| {
                    Msg::Note(99)
                });
            }
            Msg::Tick => ctx.timers().once("tick", secs(9), Msg::Note(98)),
            Msg::Ask(reply) => reply.send(self.incarnation),
            Msg::Drop(_reply) => return Err("dropped a reply".into()),
            Msg::Stop => ctx.stop(),
            Msg::Ended(exit) => self.note(format!("ended: {exit}")),
        }
        Ok(())
    }

    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        match signal {
            Signal::PreRestart(cause) => self.note(format!("pre-restart: {cause}")),
            Signal::PostStop => self.note("post-stop"),
            other => other.unhandled()?,
        }
        Ok(())
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.note("dropped");
    }
}

struct Child(UnboundedSender<String>);

impl Actor for Child {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if let Signal::PostStop = signal {
            ctx.clock().sleep(secs(1)).await; // whoever does not wait for it is seen
            self.0.send("child ended".into())?;
        }
        Ok(())
    }
}

/// A system with one subject in it.
struct Stage {
    system: ActorSystem,
    world: Stepped,
    events: common::Events,
    subject: ActorRef<Msg>,
    told: UnboundedReceiver<String>,
}

impl Stage {
    fn new(seed: u64, how: impl Into<Supervise>) -> Self {
        Self::with(seed, |props| props.supervise(how))
    }

    fn with(seed: u64, set: impl FnOnce(Props<Msg>) -> Props<Msg>) -> Self {
        let (system, world, events) = stepped(seed);
        let (tell, told) = unbounded_channel();
        let incarnations = Arc::new(AtomicU32::new(0));
        let props = Props::new(move || Subject {
            incarnation: incarnations.fetch_add(1, Ordering::Relaxed),
            told: tell,
        });
        let subject = system.spawn("subject", set(props)).unwrap();
        Self {
            system,
            world,
            events,
            subject,
            told,
        }
    }

    /// Everything noted until nobody has anything to do.
    fn notes(&mut self) -> Vec<String> {
        self.world.settle();
        read(&mut self.told)
    }

    fn end(self) -> playhouse::Ledger {
        end(&self.system, &self.world)
    }
}

fn at_once() -> Restart {
    Supervise::restart().at_once()
}

#[test]
fn a_failure_makes_a_fresh_incarnation_and_the_mailbox_stays() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, at_once());
        for msg in [
            Msg::Note(1),
            Msg::Fail,
            Msg::Note(2),
            Msg::Panic,
            Msg::Note(3),
        ] {
            stage.subject.tell(msg);
        }
        let notes = stage.notes();
        let expected = [
            "started 0",
            "1",
            "pre-restart: failed",
            "dropped",
            "started 1",
            "2",
            "pre-restart: panicked: panicked",
            "dropped",
            "started 2",
            "3",
        ];
        assert_eq!(notes, expected);
        let restarts = stage
            .events
            .count(|event| matches!(event, Event::Restarted { .. }));
        assert_eq!(restarts, 2);
        let ledger = stage.end();
        assert_eq!((ledger.handled, ledger.failed), (3, 2));
    });
}

#[test]
fn the_default_is_to_stop() {
    let mut stage = Stage::with(0, |props| props);
    stage.subject.tell(Msg::Fail);
    stage.subject.tell(Msg::Note(1));
    assert_eq!(stage.notes(), ["started 0", "post-stop", "dropped"]);
    let exit = stage.world.block_on(stage.subject.terminated());
    assert_eq!(exit.to_string(), "failed: failed");
    stage.end();
}

#[test]
fn resume_keeps_the_state_and_skips_the_message() {
    let mut stage = Stage::new(0, Supervise::resume());
    stage.subject.tell(Msg::Fail);
    let asked = stage.subject.ask(Msg::Ask).within(secs(1));
    assert_eq!(stage.world.block_on(asked).unwrap(), 0);
    assert_eq!(stage.notes(), ["started 0"]);
    stage.subject.tell(Msg::Panic); // not by name
    assert_eq!(stage.notes(), ["post-stop", "dropped"]);
    stage.end();
}

#[test]
fn a_panic_is_resumed_by_name() {
    let mut stage = Stage::new(0, Supervise::stop().when_panic(Supervise::resume()));
    stage.subject.tell(Msg::Panic);
    stage.subject.tell(Msg::Note(1));
    assert_eq!(stage.notes(), ["started 0", "1"]);
    stage.end();
}

#[test]
fn an_escalated_failure_is_the_parents_too() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (tell, mut told) = unbounded_channel::<String>();
        let parent = Props::setup(async move |ctx: &mut Context<()>| {
            let _ = tell.send("parent".into());
            let child = Props::func(async |_: &mut Context<()>| Ok(()));
            drop(child);
            let told = tell.clone();
            let subject = Props::new(move || Subject {
                incarnation: 0,
                told,
            });
            let subject = ctx.spawn("subject", subject.supervise(Supervise::escalate()))?;
            subject.tell(Msg::Fail);
            Ok(Idle)
        });
        let limited = at_once().limit(1, secs(60));
        let parent = system.spawn("parent", parent.supervise(limited)).unwrap();
        let exit = world.block_on(parent.terminated());
        assert_eq!(exit.to_string(), "failed: failed");
        let parents = read(&mut told).into_iter().filter(|note| note == "parent");
        assert_eq!(parents.count(), 2);
        let failed = events.count(|event| matches!(event, Event::Failed { .. }));
        assert_eq!(failed, 4, "each of both, twice");
        end(&system, &world);
    });
}

struct Idle;

impl Actor for Idle {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
}

#[test]
fn a_root_that_escalates_ends_the_system() {
    let stage = Stage::new(0, Supervise::escalate());
    let other = stage.system.spawn("other", || Idle).unwrap();
    stage.subject.tell(Msg::Fail);
    let exit = stage.world.block_on_timed(other.terminated());
    assert!(matches!(exit, Exit::Shutdown), "{exit:?}");
    stage.end();
}

#[test]
fn children_end_before_the_factory_runs_and_their_end_is_no_news() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, at_once());
        stage.subject.tell(Msg::Spawn("child"));
        assert_eq!(stage.notes(), ["started 0"]);
        stage.subject.tell(Msg::Fail);
        stage.subject.tell(Msg::Note(1));
        assert_eq!(stage.notes(), ["pre-restart: failed"]);
        stage.world.advance(secs(1));
        assert_eq!(stage.notes(), ["child ended", "dropped", "started 1", "1"]);
        stage.subject.tell(Msg::Spawn("child")); // the name is free
        stage.subject.tell(Msg::Note(2));
        assert_eq!(stage.notes(), ["2"]);
        stage.world.block_on_timed(stage.system.shutdown());
    });
}

#[test]
fn children_are_kept_where_that_is_said() {
    let mut stage = Stage::new(0, at_once().keep_children());
    stage.subject.tell(Msg::Spawn("child"));
    stage.subject.tell(Msg::Fail);
    stage.subject.tell(Msg::Spawn("child"));
    let notes = stage.notes();
    assert_eq!(
        notes[..4],
        ["started 0", "pre-restart: failed", "dropped", "started 1"]
    );
    assert_eq!(
        notes[4],
        "pre-restart: the name is taken by /test/subject/child; stop it first and wait for its end"
    );
    stage.world.block_on_timed(stage.system.shutdown());
}

#[test]
fn late_results_of_the_old_incarnation_never_reach_the_new_one() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, at_once());
        for msg in [Msg::Pipe, Msg::Tick, Msg::Fail] {
            stage.subject.tell(msg);
        }
        stage.world.advance(secs(20));
        assert_eq!(
            stage.notes(),
            ["started 0", "pre-restart: failed", "dropped", "started 1"]
        );
        assert_eq!(stage.end().accepted, 3);
    });
}

#[test]
fn a_message_to_an_adapter_of_the_old_incarnation_is_a_dead_letter() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (tell, mut adapters) = unbounded_channel();
        let props = Props::setup(async move |ctx: &mut Context<u32>| {
            let _ = tell.send(ctx.adapter(|reply: Reply<u32>| {
                reply.send(1);
                0
            }));
            Ok(Picky)
        });
        let picky = system.spawn("picky", props.supervise(at_once())).unwrap();
        world.settle();
        let old = adapters.try_recv().unwrap();
        picky.tell(7);
        world.settle();
        let new = adapters.try_recv().unwrap();
        let late = world
            .block_on(old.ask(|reply| reply).within(secs(1)))
            .unwrap_err();
        assert!(
            matches!(late, AskError::NoReply { .. } | AskError::Gone(_)),
            "{late:?}"
        );
        assert_eq!(events.dead(DeadLetterReason::Gone), 1);
        assert_eq!(
            world
                .block_on(new.ask(|reply| reply).within(secs(1)))
                .unwrap(),
            1
        );
        drop((old, new));
        end(&system, &world);
    });
}

/// Fails at a seven.
struct Picky;

impl Actor for Picky {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        if n == 7 { Err("seven".into()) } else { Ok(()) }
    }
}

#[test]
fn what_was_stashed_comes_first_after_a_restart() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, at_once());
        for msg in [Msg::Stash(1), Msg::Stash(2), Msg::Fail, Msg::Note(3)] {
            stage.subject.tell(msg);
        }
        let notes = stage.notes();
        assert_eq!(notes[3..], ["started 1", "1", "2", "3"]);
        stage.end();
    });
}

#[test]
fn an_ask_whose_handler_fails_is_answered_with_the_cause() {
    let stage = Stage::new(0, at_once());
    let asked = stage.subject.ask(Msg::Drop).within(secs(1));
    let error = stage.world.block_on(asked).unwrap_err();
    assert!(error.to_string().contains("dropped a reply"), "{error}");
    stage.end();
}

#[test]
fn the_backoff_is_waited_and_messages_wait_with_it() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, Supervise::restart().backoff(secs(1)..=secs(4), 0.0));
        for delay in [1, 2, 4, 4] {
            stage.subject.tell(Msg::Fail);
            stage.subject.tell(Msg::Note(delay));
            stage.world.advance(secs(u64::from(delay)) - millis(1));
            assert!(!stage.notes().contains(&delay.to_string()));
            stage.world.advance(millis(1));
            assert_eq!(stage.notes().last(), Some(&delay.to_string()));
        }
        stage.end();
    });
}

#[test]
fn beyond_its_limit_an_actor_stops_as_failed() {
    let mut stage = Stage::new(0, at_once().limit(2, secs(60)));
    for _ in 0..3 {
        stage.subject.tell(Msg::Fail);
    }
    assert_eq!(stage.notes().last().unwrap(), "dropped");
    let exit = stage.world.block_on(stage.subject.terminated());
    assert_eq!(exit.to_string(), "failed: failed");
    stage.end();
}

#[test]
fn orders_are_seen_during_a_backoff() {
    type Order = fn(&ActorRef<Msg>);
    let orders: [(Order, &str); 3] = [
        (ActorRef::stop, "stopped"),
        (ActorRef::kill, "killed"),
        (ActorRef::drain, "failed: failed"),
    ];
    for (order, expected) in orders {
        for_each_seed(SEEDS, |seed| {
            let mut stage = Stage::new(seed, Supervise::restart().backoff(secs(9)..=secs(9), 0.0));
            stage.subject.tell(Msg::Fail);
            stage.subject.tell(Msg::Note(1));
            stage.notes();
            order(&stage.subject);
            let exit = stage.world.block_on(stage.subject.terminated());
            assert_eq!(exit.to_string(), expected);
            assert_eq!(
                stage.notes(),
                Vec::<String>::new(),
                "there was no state any more"
            );
            assert_eq!(stage.end().dead, 1);
        });
    }
}

#[test]
fn an_actor_whose_dispatcher_goes_away_between_two_incarnations_ends_with_the_system() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, Supervise::restart().backoff(secs(9)..=secs(9), 0.0));
        stage.subject.tell(Msg::Fail);
        stage.notes();
        drop(stage.world);
        let shut_down = |event: &Event| matches!(event, Event::Ended { who, exit: Exit::Shutdown } if *who == stage.subject);
        assert_eq!(stage.events.count(shut_down), 1);
        assert_eq!(stage.system.ledger().balance(), 0);
    });
}

#[test]
fn a_stop_while_the_children_end_ends_the_actor() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, at_once());
        stage.subject.tell(Msg::Spawn("child"));
        stage.notes();
        stage.subject.tell(Msg::Fail);
        stage.notes();
        stage.subject.stop();
        let exit = stage.world.block_on_timed(stage.subject.terminated());
        assert!(matches!(exit, Exit::Stopped), "{exit:?}");
        assert_eq!(stage.notes(), ["child ended", "post-stop", "dropped"]);
        stage.end();
    });
}

#[test]
fn an_actor_that_stops_itself_and_fails_is_not_renewed() {
    let (system, world, _) = stepped(0);
    let props = Props::setup(async |_: &mut Context<()>| Ok(StopsAndFails));
    let actor = system.spawn("actor", props.supervise(at_once())).unwrap();
    actor.tell(());
    let exit = world.block_on(actor.terminated());
    assert_eq!(exit.to_string(), "failed: both");
    end(&system, &world);
}

struct StopsAndFails;

impl Actor for StopsAndFails {
    type Msg = ();
    async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
        ctx.stop();
        Err("both".into())
    }
}

#[test]
fn a_factory_that_fails_is_tried_again_within_the_limit() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let tries = Arc::new(AtomicU32::new(0));
        let counted = tries.clone();
        let props = Props::setup(async move |_: &mut Context<()>| {
            match counted.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Err("not yet".into()),
                2 => panic!("still not"),
                _ => Ok(Idle),
            }
        });
        let how = Supervise::restart().backoff(secs(1)..=secs(1), 0.0);
        let actor = system.spawn("actor", props.supervise(how)).unwrap();
        actor.tell(());
        world.advance(secs(3));
        assert_eq!(tries.load(Ordering::Relaxed), 4);
        assert_eq!(
            events.count(|event| matches!(event, Event::Restarted { .. })),
            3
        );
        assert_eq!(end(&system, &world).handled, 1);
    });
}

#[test]
fn watches_outlive_a_restart_and_are_told_once_at_the_end() {
    for_each_seed(SEEDS, |seed| {
        let stage = Stage::new(seed, at_once());
        let (tell, mut told) = unbounded_channel::<String>();
        let subject = stage.subject.clone();
        let watcher = Props::func(async move |ctx: &mut Context<Exit>| {
            ctx.watch_with(&subject, |exit| exit);
            while let Some(exit) = ctx.recv().await {
                tell.send(exit.to_string())?;
            }
            Ok(())
        });
        drop(stage.system.spawn("watcher", watcher).unwrap());
        stage.world.settle();
        stage.subject.tell(Msg::Fail);
        stage.world.settle();
        assert!(read(&mut told).is_empty());
        stage.subject.tell(Msg::Stop);
        stage.world.settle();
        assert_eq!(read(&mut told), ["stopped"]);
        stage.end();
    });
}

#[test]
fn a_poison_message_is_delivered_again_first_and_then_quarantined() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (tell, mut told) = unbounded_channel();
        let props = Props::new(move || Fragile(tell))
            .supervise(at_once())
            .redeliver(2);
        let fragile = system.spawn("fragile", props).unwrap();
        for n in [1, 100, 2, 3] {
            fragile.tell(n);
        }
        world.settle();
        assert_eq!(read(&mut told), [1, 100, 100, 100, 2, 3]);
        let quarantined = events.all().into_iter().find_map(|event| match event {
            Event::Quarantined {
                who,
                message,
                failures,
            } => Some((who.to_string(), message, failures)),
            _ => None,
        });
        let (who, message, failures) = quarantined.unwrap();
        assert_eq!(
            (who.as_str(), message, failures.len()),
            ("/test/fragile", "u32", 3)
        );
        assert_eq!(failures[0].to_string(), "cannot take 100");
        let ledger = end(&system, &world);
        assert_eq!(
            (ledger.handled, ledger.quarantined, ledger.failed),
            (3, 1, 0)
        );
    });
}

#[test]
fn a_message_that_waits_to_be_delivered_again_is_accounted_for_at_the_end() {
    let (system, world, _) = stepped(0);
    let (tell, _told) = unbounded_channel();
    let how = Supervise::restart().backoff(secs(9)..=secs(9), 0.0);
    let props = Props::new(move || Fragile(tell))
        .supervise(how)
        .redeliver(2);
    let fragile = system.spawn("fragile", props).unwrap();
    fragile.tell(100);
    world.settle();
    assert_eq!(system.ledger().stashed, 1);
    assert_eq!(end(&system, &world).dead, 1);
}

#[test]
#[should_panic(expected = "`Props::redeliver` does nothing without `Props::supervise`")]
fn redelivery_without_supervision_is_refused() {
    let (system, _world, _) = stepped(0);
    let (tell, _told) = unbounded_channel();
    let _ = system.spawn("fragile", Props::new(move || Fragile(tell)).redeliver(2));
}

#[test]
fn a_blocking_actor_restarts_on_its_own_thread() {
    struct Own(std::rc::Rc<u32>);
    impl BlockingActor for Own {
        type Msg = Option<Reply<u32>>;
        fn receive(&mut self, _ctx: &mut Context<Self::Msg>, msg: Self::Msg) -> Outcome {
            msg.ok_or("nobody asks")?.send(*self.0);
            Ok(())
        }
    }
    let system = ActorSystem::builder("own")
        .on_event(|_| ())
        .build()
        .unwrap();
    let incarnations = Arc::new(AtomicU32::new(0));
    let props = Props::blocking(move |_| {
        Ok(Own(std::rc::Rc::new(
            incarnations.fetch_add(1, Ordering::Relaxed),
        )))
    });
    let own = system.spawn("own", props.supervise(at_once())).unwrap();
    own.tell(None);
    assert_eq!(own.ask(Some).blocking_within(secs(10)).unwrap(), 1);
    common::assert_clean(&system.blocking_shutdown());
}
