//! Patterns (from the documentation's specs).

use crate::common::seeds::{end, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{Aggregator, Answers, DeadLetterReason, Event};
use std::collections::BTreeSet;
use std::future::Future;
use std::thread;
use tokio::sync::mpsc;

/// An actor that writes down what it gets.
fn listener<T: Send + 'static>(system: &ActorSystem) -> (ActorRef<T>, mpsc::UnboundedReceiver<T>) {
    let (seen, journal) = journal();
    let listener = Props::func(async move |ctx: &mut Context<T>| {
        while let Some(msg) = ctx.recv().await {
            let _ = seen.send(msg);
        }
        Ok(())
    });
    (system.spawn_anonymous(listener), journal)
}

fn aggregator<T: Send + 'static>(
    system: &ActorSystem,
    expected: usize,
) -> (ActorRef<T>, mpsc::UnboundedReceiver<Answers<T>>) {
    let (parent, journal) = listener(system);
    let finish = move |answers| parent.tell(answers);
    (
        system.spawn_anonymous(Aggregator::new(expected, secs(1), finish)),
        journal,
    )
}

#[test]
fn pat_01_an_aggregator_collects_three_replies_and_stops() {
    let (system, world, _) = stepped(1);
    let (answers, mut finished) = aggregator(&system, 3);
    for answer in ["a", "b", "c"] {
        assert!(read(&mut finished).is_empty());
        answers.tell(answer);
        world.settle();
    }
    let got = finished.try_recv().unwrap();
    assert_eq!((got.as_slice(), got.missing()), (&["a", "b", "c"][..], 0));
    assert!(matches!(
        world.block_on(answers.terminated()),
        Exit::Stopped
    ));
    end(&system, &world);
}

#[test]
fn pat_02_an_aggregator_gives_what_it_has_when_the_time_is_over() {
    let (system, world, events) = stepped(2);
    let (answers, mut finished) = aggregator(&system, 3);
    answers.tell("a");
    world.advance(millis(999));
    answers.tell("c");
    world.settle();
    assert!(read(&mut finished).is_empty());
    world.advance(millis(1));
    answers.tell("b");
    let got = finished.try_recv().unwrap();
    assert_eq!((got.missing(), got.into_vec()), (1, vec!["a", "c"]));
    assert!(matches!(
        world.block_on(answers.terminated()),
        Exit::Stopped
    ));
    assert_eq!(events.dead(DeadLetterReason::Gone), 1, "the late one");
    end(&system, &world);
}

#[test]
fn pat_03_an_aggregator_over_two_protocols_finds_the_best_price() {
    struct Quote {
        hotel: &'static str,
        price: u32,
    }
    struct Price(f64);

    let (system, world, _) = stepped(3);
    let (answers, mut finished) = aggregator::<(u32, &str)>(&system, 2);
    let from_one = answers.contramap(|Quote { hotel, price }| (price, hotel));
    let from_two = answers.contramap(|Price(price)| (price as u32, "two"));
    Reply::to(&from_one).send(Quote {
        hotel: "one",
        price: 100,
    });
    Reply::to(&from_two).send(Price(95.0));
    world.settle();
    let mut quotes = finished.try_recv().unwrap().into_vec();
    quotes.sort_unstable();
    assert_eq!(quotes, [(95, "two"), (100, "one")]);
    end(&system, &world);
}

enum Work {
    Hello(Reply<&'static str>),
    Fail,
}

/// Does what it is told.
struct Hand;

impl Actor for Hand {
    type Msg = Work;
    async fn receive(&mut self, _ctx: &mut Context<Work>, msg: Work) -> Outcome {
        match msg {
            Work::Hello(reply) => reply.send("hello"),
            Work::Fail => return Err("a failure of the worker".into()),
        }
        Ok(())
    }
}

/// Passes on what it is told to whoever is below, whose end it does not handle.
struct Above<P> {
    below: P,
    report: Option<ActorRef<Work>>,
}

impl<P: playhouse::IntoProps<Msg = Work> + Clone + Send + 'static> Actor for Above<P> {
    type Msg = Work;
    async fn started(&mut self, ctx: &mut Context<Work>) -> Outcome {
        let report = ctx.spawn("below", self.below.clone())?;
        ctx.watch(&report);
        self.report = Some(report);
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<Work>, msg: Work) -> Outcome {
        if let Some(report) = &self.report {
            report.send(msg).await?;
        }
        Ok(())
    }
}

#[test]
fn pat_04_a_failure_bubbles_up_to_a_boss_that_is_restarted() {
    let (system, world, events) = stepped(4);
    let manager = || {
        let (below, report) = (|| Hand, None);
        Above { below, report }
    };
    let boss = Props::new(move || {
        let (below, report) = (manager, None);
        Above { below, report }
    });
    let boss = boss.supervise(Supervise::restart());
    let boss = system.spawn("boss", boss).unwrap();
    let greet = || world.block_on_timed(boss.ask(Work::Hello).within(secs(60)));
    assert_eq!(greet().unwrap(), "hello");
    boss.tell(Work::Fail);
    world.settle();
    let ends = |event: &Event| {
        matches!(
            event,
            Event::Ended {
                exit: Exit::Failed(_),
                ..
            }
        )
    };
    assert_eq!(events.count(ends), 2, "the worker and its manager");
    assert_eq!(greet().unwrap(), "hello", "the boss is back");
    let restarts = |event: &Event| matches!(event, Event::Restarted { who, .. } if *who == boss);
    assert_eq!(events.count(restarts), 1);
    end(&system, &world);
}

enum Master {
    Begin(&'static str),
    ShutDown,
}

/// Two jobs below it; each end is written down in the order in which it comes.
struct Works {
    ended: mpsc::UnboundedSender<&'static str>,
}

impl Actor for Works {
    type Msg = Master;

    async fn receive(&mut self, ctx: &mut Context<Master>, msg: Master) -> Outcome {
        match msg {
            Master::Begin(job) => {
                let ended = self.ended.clone();
                ctx.spawn(job, move || Task { job, ended })?;
            }
            Master::ShutDown => ctx.stop(),
        }
        Ok(())
    }

    async fn signal(&mut self, ctx: &mut Context<Master>, signal: Signal) -> Outcome {
        if let Signal::PostStop = signal {
            assert!(ctx.children().is_empty());
            self.ended.send("master")?;
        }
        Ok(())
    }
}

struct Task {
    job: &'static str,
    ended: mpsc::UnboundedSender<&'static str>,
}

impl Actor for Task {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if let Signal::PostStop = signal {
            self.ended.send(self.job)?;
        }
        Ok(())
    }
}

#[test]
fn pat_05_a_master_with_two_jobs_stops_gracefully() {
    for stops_itself in [false, true] {
        let (system, world, _) = stepped(5);
        let (ended, mut journal) = journal();
        let master = system.spawn("master", move || Works { ended }).unwrap();
        master.tell(Master::Begin("a"));
        master.tell(Master::Begin("b"));
        world.settle();
        if stops_itself {
            master.tell(Master::ShutDown);
            world.block_on(master.terminated());
        }
        end(&system, &world); // within no time at all
        let ended = read(&mut journal);
        let jobs: BTreeSet<_> = ended[..2].iter().copied().collect();
        assert_eq!((jobs, &ended[2..]), (["a", "b"].into(), &["master"][..]));
    }
}

struct Keys;
struct Wallet;

enum Home {
    Leave { reply: Reply<(Keys, Wallet)> },
}

enum Found {
    Keys(Keys),
    Wallet(Wallet),
}

/// Asks two others, and answers when it has both.
fn leaving(
    keys: ActorRef<Reply<Keys>>,
    wallets: ActorRef<Reply<Wallet>>,
    reply: Reply<(Keys, Wallet)>,
) -> impl playhouse::IntoProps<Msg = Found> {
    Props::func(async move |ctx: &mut Context<Found>| {
        keys.tell(Reply::to(&ctx.adapter(Found::Keys)));
        wallets.tell(Reply::to(&ctx.adapter(Found::Wallet)));
        let (mut key, mut wallet) = (None, None);
        while let Some(found) = ctx.recv().await {
            match found {
                Found::Keys(found) => key = Some(found),
                Found::Wallet(found) => wallet = Some(found),
            }
            if let (Some(_), Some(_)) = (&key, &wallet) {
                break;
            }
        }
        if let (Some(key), Some(wallet)) = (key, wallet) {
            reply.send((key, wallet));
        }
        Ok(())
    })
}

#[test]
fn pat_06_a_child_per_session_combines_two_replies_of_different_types() {
    for keys_first in [true, false] {
        let (system, world, events) = stepped(6);
        let (keys, mut for_keys) = listener::<Reply<Keys>>(&system);
        let (wallets, mut for_wallets) = listener::<Reply<Wallet>>(&system);
        let home = Props::func(async move |ctx: &mut Context<Home>| {
            while let Some(Home::Leave { reply }) = ctx.recv().await {
                ctx.spawn("session", leaving(keys.clone(), wallets.clone(), reply))?;
            }
            Ok(())
        });
        let home = system.spawn("home", home).unwrap();
        let (answered, mut answers) = listener(&system);
        let reply = Reply::to(&answered);
        home.tell(Home::Leave { reply });
        world.settle();
        let (for_keys, for_wallets) = (
            for_keys.try_recv().unwrap(),
            for_wallets.try_recv().unwrap(),
        );
        if keys_first {
            for_keys.send(Keys);
            world.settle();
            assert!(read(&mut answers).is_empty(), "half is no answer");
            for_wallets.send(Wallet);
        } else {
            for_wallets.send(Wallet);
            world.settle();
            assert!(read(&mut answers).is_empty(), "half is no answer");
            for_keys.send(Keys);
        }
        world.settle();
        assert_eq!(read(&mut answers).len(), 1);
        let of_session = |event: &Event| matches!(event, Event::Ended { who, exit: Exit::Stopped } if who.path() == "/test/home/session");
        assert_eq!(events.count(of_session), 1);
        end(&system, &world);
    }
}

#[test]
fn pat_07_an_ask_from_outside_gets_a_value_or_an_error_text() {
    struct GiveCookies(u32, Reply<Result<u32, String>>);

    let (system, world, _) = stepped(7);
    let jar = Props::func(async |ctx: &mut Context<GiveCookies>| {
        while let Some(GiveCookies(count, reply)) = ctx.recv().await {
            reply.send(match count {
                0..=5 => Ok(count),
                _ => Err(format!("{count} are too many cookies")),
            });
        }
        Ok(())
    });
    let jar = system.spawn_anonymous(jar);
    let ask = |count| {
        let asked = jar.ask(|reply| GiveCookies(count, reply)).within(secs(1));
        world.block_on(asked).unwrap()
    };
    assert_eq!(ask(3), Ok(3));
    assert_eq!(ask(9), Err("9 are too many cookies".into()));
    end(&system, &world);
}

enum Buffer {
    Queue(u32),
    Flush,
    Idle,
}

/// Collects, and sends what it has when nothing came for a second, or when it is told to.
fn buffering(kept: Vec<u32>, to: ActorRef<Vec<u32>>) -> Behavior<Buffer> {
    Behavior::receive(move |ctx, msg| {
        let mut kept = kept;
        match msg {
            Buffer::Queue(n) => {
                kept.push(n);
                ctx.timers().once("idle", secs(1), Buffer::Idle);
            }
            Buffer::Flush | Buffer::Idle => {
                ctx.timers().cancel("idle");
                to.tell(std::mem::take(&mut kept));
            }
        }
        Ok(buffering(kept, to))
    })
}

#[test]
fn pat_08_a_buffering_state_machine_sends_batches() {
    let (system, world, _) = stepped(8);
    let (target, mut batches) = listener(&system);
    let buffer = system.spawn_anonymous(move || buffering(Vec::new(), target));
    buffer.tell(Buffer::Queue(42));
    buffer.tell(Buffer::Queue(43));
    world.advance(millis(999));
    assert!(read(&mut batches).is_empty());
    world.advance(millis(1));
    assert_eq!(read(&mut batches), [[42, 43]]);
    buffer.tell(Buffer::Queue(44));
    buffer.tell(Buffer::Flush);
    world.settle();
    assert_eq!(read(&mut batches), [[44]]);
    buffer.tell(Buffer::Queue(45));
    world.advance(secs(1));
    assert_eq!(read(&mut batches), [[45]]);
    end(&system, &world);
}

enum Access {
    Loaded(&'static str),
    Get(Reply<&'static str>),
    Save(&'static str, Reply<()>),
    Saved,
}

fn loading(time: impl Future<Output = ()> + Send + 'static) -> Behavior<Access> {
    Behavior::setup(|ctx| {
        ctx.pipe_to_self(time, |()| Access::Loaded("TheValue"));
        Ok(until_loaded())
    })
}

fn until_loaded() -> Behavior<Access> {
    Behavior::receive(|ctx, msg| match msg {
        Access::Loaded(value) => {
            ctx.unstash_all();
            Ok(active(value))
        }
        early => {
            ctx.stash(early)?;
            Ok(until_loaded())
        }
    })
}

fn active(value: &'static str) -> Behavior<Access> {
    Behavior::receive(move |ctx, msg| match msg {
        Access::Get(reply) => {
            reply.send(value);
            Ok(active(value))
        }
        Access::Save(value, reply) => {
            let time = ctx.clock().clone();
            // sleeps: in virtual time
            ctx.pipe_to_self(async move { time.sleep(secs(1)).await }, |()| Access::Saved);
            Ok(saving(value, reply))
        }
        other => {
            ctx.unhandled(other);
            Ok(active(value))
        }
    })
}

fn saving(value: &'static str, reply: Reply<()>) -> Behavior<Access> {
    Behavior::receive(move |ctx, msg| match msg {
        Access::Saved => {
            reply.send(());
            ctx.unstash_all();
            Ok(active(value))
        }
        early => {
            ctx.stash(early)?;
            Ok(saving(value, reply))
        }
    })
}

#[test]
fn pat_09_what_comes_while_loading_and_saving_is_stashed() {
    let (system, world, _) = stepped(9);
    let clock = system.clock().clone();
    // sleeps: in virtual time
    let access = move || loading(async move { clock.sleep(secs(1)).await });
    let access = system.spawn_anonymous(access);
    let get = |world: &Stepped| {
        let asked = access.ask(Access::Get).within(secs(5));
        world.block_on_timed(asked).unwrap()
    };
    assert_eq!(get(&world), "TheValue");
    let (told, mut order) = listener::<&str>(&system);
    let done = told.contramap(|()| "Done");
    access.tell(Access::Save("UpdatedValue", Reply::to(&done)));
    access.tell(Access::Get(Reply::to(&told)));
    world.advance(secs(1));
    assert_eq!(read(&mut order), ["Done", "UpdatedValue"]);
    assert_eq!(get(&world), "UpdatedValue");
    end(&system, &world);
}

/// A dispatcher names its threads; the system owns its Tokio runtime, whose threads are the default dispatcher's.
#[test]
fn pat_10_children_run_on_the_dispatcher_they_were_given() {
    let system = ActorSystem::builder("test")
        .dispatcher("configured", Dispatcher::fixed(1))
        .build()
        .unwrap();
    for name in ["default", "blocking", "configured"] {
        let on = system.dispatcher(name).unwrap();
        let parent = Props::func(async move |ctx: &mut Context<Reply<String>>| {
            let child = Props::func(async |ctx: &mut Context<Reply<String>>| {
                while let Some(reply) = ctx.recv().await {
                    reply.send(thread::current().name().unwrap_or_default().to_owned());
                }
                Ok(())
            });
            let child = ctx.spawn_anonymous(child.dispatcher(&on));
            while let Some(reply) = ctx.recv().await {
                child.send(reply).await?;
            }
            Ok(())
        });
        let parent = system.spawn(name, parent).unwrap();
        let thread = parent.ask(|reply| reply).blocking_within(secs(10)).unwrap();
        let expected = format!("playhouse-{name}-");
        assert!(thread.starts_with(&expected), "{thread} is not {expected}");
    }
    assert_eq!(system.blocking_shutdown().ledger.balance(), 0);
}
