//! What went wrong once.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{AskError, Event, Ledger, Message};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::Duration;
use tokio::sync::Semaphore;

/// A waker that panics when it is called.
struct PanickingWaker;

impl Wake for PanickingWaker {
    fn wake(self: Arc<Self>) {
        panic!("this waker panics on purpose");
    }
}

fn poll_behind_a_bomb<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::new(PanickingWaker));
    future.poll(&mut TaskContext::from_waker(&waker))
}

/// A question that is on its way, whose asker's waker panics.
fn ask_behind_a_bomb<T: Message>(
    actor: &ActorRef<Reply<T>>,
) -> Pin<Box<impl Future<Output = Result<T, AskError>> + use<T>>> {
    let ask = actor.ask(|reply| reply).within(Duration::from_secs(60));
    let mut ask = Box::pin(ask.into_future());
    assert!(poll_behind_a_bomb(ask.as_mut()).is_pending());
    ask
}

/// In time, or the test fails.
async fn soon<F: Future>(what: &str, future: F) -> F::Output {
    match tokio::time::timeout(Duration::from_secs(5), future).await {
        Ok(output) => output,
        Err(_) => panic!("{what} does not come"),
    }
}

/// The end was gone through a second time then, with what was dropped the first time.
#[tokio::test]
async fn a_waker_that_panics_when_an_actor_ends_does_not_end_it_twice() {
    let (system, events) = system();
    let other = system.spawn_anonymous(Props::func(async |ctx: &mut Context<()>| {
        ctx.stopping().await;
        Ok(())
    }));
    let watched = other.clone();
    let actor = system.spawn_anonymous(Props::func(async move |ctx: &mut Context<u32>| {
        ctx.watch_with(&watched, |_| 1);
        while ctx.recv().await.is_some() {}
        Ok(())
    }));
    actor.tell(7);
    let mut ended = Box::pin(actor.terminated());
    assert!(poll_behind_a_bomb(ended.as_mut()).is_pending());
    actor.drain();
    let ledger = end(&system).await;
    assert!(matches!(soon("the end", ended).await, Exit::Drained));
    assert_eq!((ledger.accepted, ledger.handled), (1, 1));
    let ends = events.count(|event| matches!(event, Event::Ended { who, .. } if *who == actor));
    assert_eq!(ends, 1);
}

/// Its turn was won and given to nobody.
#[tokio::test]
async fn a_waker_that_panics_when_an_actor_is_stopped_does_not_keep_it_from_ending() {
    let (system, _events) = system();
    let (hand_out, handed) = tokio::sync::oneshot::channel();
    let actor = system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
        let _ = hand_out.send(ctx.stopping());
        while ctx.recv().await.is_some() {}
        Ok(())
    }));
    let mut stopping = Box::pin(handed.await.unwrap());
    assert!(poll_behind_a_bomb(stopping.as_mut()).is_pending());
    let stopper = actor.clone();
    let stopped = std::thread::spawn(move || stopper.stop()).join();
    assert!(stopped.is_ok(), "it is not the fault of whoever stops it");
    soon("the end", actor.terminated()).await;
    end(&system).await;
}

/// The worker died of it.
#[tokio::test]
async fn a_waker_that_panics_when_a_reply_is_dropped_harms_nobody() {
    let (system, _events) = system();
    let actor = system.spawn_anonymous(Props::func(async |ctx: &mut Context<Reply<()>>| {
        while let Some(reply) = ctx.recv().await {
            drop(reply);
            ctx.clock().sleep(Duration::from_millis(1)).await; // sleeps: in the handler, so that it suspends
        }
        Ok(())
    }));
    let first = ask_behind_a_bomb(&actor);
    let second = actor.ask(|reply| reply).within(Duration::from_secs(60));
    let second = soon("the second answer", second.into_future()).await;
    assert!(
        matches!(second, Err(AskError::NoReply { .. })),
        "{second:?}"
    );
    assert!(soon("the first answer", first).await.is_err());
    end(&system).await;
}

/// The one who answered failed for it.
#[tokio::test]
async fn a_waker_that_panics_when_its_asker_is_answered_does_not_fail_who_answers() {
    let (system, _events) = system();
    let actor = system.spawn_anonymous(Props::func(async |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            reply.send(7);
        }
        Ok(())
    }));
    let first = ask_behind_a_bomb(&actor);
    let second = actor.ask(|reply| reply).within(Duration::from_secs(60));
    assert_eq!(
        soon("the second answer", second.into_future()).await.ok(),
        Some(7)
    );
    assert_eq!(soon("the first answer", first).await.ok(), Some(7));
    end(&system).await;
}

/// The ticker died of it, and every ask of the system with it.
#[tokio::test]
async fn a_waker_that_panics_when_an_ask_is_due_ends_no_other_ask() {
    let (system, _events) = system();
    let (keep, mut kept) = journal();
    let actor = system.spawn_anonymous(Props::func(async move |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            let _ = keep.send(reply);
        }
        Ok(())
    }));
    let mut bomb = Box::pin(
        actor
            .ask(|reply| reply)
            .within(Duration::from_millis(20))
            .into_future(),
    );
    assert!(poll_behind_a_bomb(bomb.as_mut()).is_pending());
    let first = kept.recv().await.unwrap();
    let patient = actor
        .ask(|reply| reply)
        .within(Duration::from_secs(60))
        .into_future();
    let mut patient = Box::pin(patient);
    let waker = Waker::noop();
    assert!(
        patient
            .as_mut()
            .poll(&mut TaskContext::from_waker(waker))
            .is_pending()
    );
    let second = kept.recv().await.unwrap();
    let due = actor.ask(|reply| reply).within(Duration::from_millis(50));
    assert!(soon("a deadline", due.into_future()).await.is_err());
    let looks = patient.as_mut().poll(&mut TaskContext::from_waker(waker));
    assert!(looks.is_pending(), "it has a minute");
    second.send(7);
    assert_eq!(soon("the answer", patient).await.ok(), Some(7));
    drop((bomb, first));
    end(&system).await;
}

/// Asks for a message behind a waker that panics, the first time.
struct BehindABomb<F>(F, bool);

impl<F: Future + Unpin> Future for BehindABomb<F> {
    type Output = F::Output;
    fn poll(self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        if std::mem::replace(&mut this.1, false) {
            return poll_behind_a_bomb(pin!(&mut this.0));
        }
        Pin::new(&mut this.0).poll(context)
    }
}

/// The worker died of it, with a pointer to its stack left behind.
#[tokio::test]
async fn a_waker_around_a_wait_for_a_message_that_panics_harms_nobody() {
    let (system, _events) = system();
    let (told, mut heard) = journal();
    let actor = system.spawn_anonymous(Props::func(async move |ctx: &mut Context<u32>| {
        let first = BehindABomb(Box::pin(ctx.recv()), true).await;
        let _ = told.send(first);
        Ok(())
    }));
    tokio::task::yield_now().await;
    actor.tell(7);
    assert_eq!(soon("the message", heard.recv()).await, Some(Some(7)));
    soon("the end", actor.terminated()).await;
    end(&system).await;
}

#[derive(Debug)]
struct Explosive;
impl std::fmt::Display for Explosive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("explosive")
    }
}
impl std::error::Error for Explosive {}
impl Drop for Explosive {
    fn drop(&mut self) {
        panic!("this drop panics on purpose");
    }
}

/// The memory of an actor took its worker along.
#[tokio::test]
async fn a_failure_whose_drop_panics_harms_nobody() {
    let system = ActorSystem::builder("test").build().unwrap();
    let fails = Props::func(async |ctx: &mut Context<()>| {
        ctx.recv().await;
        Err(Explosive.into())
    });
    let actor = system.spawn_anonymous(fails);
    actor.tell(());
    drop(actor);
    let lives = system.spawn_anonymous(Props::func(async |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            reply.send(7);
        }
        Ok(())
    }));
    for _ in 0..20 {
        let answer = lives.ask(|reply| reply).within(Duration::from_secs(5));
        assert_eq!(answer.await.ok(), Some(7));
        tokio::task::yield_now().await;
    }
    end(&system).await;
}

/// Polls a wait for a place when it is dropped.
struct Curious {
    of: ActorRef<Curious>,
    told: tokio::sync::mpsc::UnboundedSender<bool>,
}

impl Drop for Curious {
    fn drop(&mut self) {
        let mut place = Box::pin(self.of.reserve());
        let poll = place
            .as_mut()
            .poll(&mut TaskContext::from_waker(Waker::noop()));
        let _ = self.told.send(poll.is_pending());
    }
}

/// It counted as the turn of the actor that had no room, wherever that was running meanwhile.
#[tokio::test]
async fn a_message_that_is_dropped_by_its_sender_is_not_in_the_turn_of_its_receiver() {
    let (system, _events) = system();
    let (entered, _entries) = journal();
    let (seen, _sights) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let held = gated::<Curious>(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
    let actor = system.spawn_anonymous(held);
    let (told, mut heard) = journal();
    let curious = || Curious {
        of: actor.clone(),
        told: told.clone(),
    };
    while actor.try_send(curious()).is_ok() {
        tokio::task::yield_now().await;
    }
    while heard.try_recv().is_ok() {}
    actor.tell(curious());
    assert_eq!(heard.recv().await, Some(true), "it waits, as everybody");
    actor.kill();
    actor.terminated().await;
}

/// A message that post-stop puts aside was said to be there for ever.
#[tokio::test]
async fn what_post_stop_stashes_is_buried() {
    struct Late;
    impl Actor for Late {
        type Msg = u32;
        async fn receive(&mut self, _ctx: &mut Context<u32>, _msg: u32) -> Outcome {
            Ok(())
        }
        async fn signal(&mut self, ctx: &mut Context<u32>, _signal: Signal) -> Outcome {
            ctx.stash(7).unwrap();
            Ok(())
        }
    }
    let (system, events) = system();
    let actor = system.spawn_anonymous(|| Late);
    actor.tell(1);
    actor.drain(); // a stop could come before its beginning
    actor.terminated().await;
    let ledger = end(&system).await;
    assert_eq!((ledger.stashed, ledger.dead), (0, 1));
    assert_eq!(events.dead(playhouse::DeadLetterReason::Stopped), 1);
}

/// A number of messages that does not fit was cut to its lower half: to none at all, here.
#[test]
fn a_throughput_beyond_32_bits_is_a_large_one() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (told, mut heard) = journal();
        let system = ActorSystem::builder("test")
            .dispatcher("one", Dispatcher::fixed(1).throughput(1 << 32))
            .build()
            .unwrap();
        let one = system.dispatcher("one").unwrap();
        let gate = Arc::new(std::sync::Barrier::new(2));
        let opens = gate.clone();
        one.submit(move || {
            gate.wait();
        });
        for name in ["a", "b"] {
            let told = told.clone();
            let actor = system.spawn(
                name,
                Props::func(async move |ctx: &mut Context<u32>| {
                    while ctx.recv().await.is_some() {
                        let _ = told.send(name);
                    }
                    Ok(())
                })
                .dispatcher(&one),
            );
            let actor = actor.unwrap();
            (0..3).for_each(|n| actor.tell(n));
        }
        tokio::task::spawn_blocking(move || {
            opens.wait();
        })
        .await
        .unwrap();
        let mut order = Vec::new();
        while order.len() < 6 {
            order.push(heard.recv().await.unwrap());
        }
        assert_eq!(order, ["a", "a", "a", "b", "b", "b"]);
        system.shutdown().await;
    });
}

/// Those whose parent went with its runtime were lost from the books.
#[test]
fn the_books_of_a_child_that_outlives_its_parent_are_kept() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (hand_out, handed) = std::sync::mpsc::channel();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let system = runtime.block_on(async move {
        let system = ActorSystem::builder("test")
            .dispatcher("fixed", Dispatcher::fixed(1))
            .build()
            .unwrap();
        let own = system.dispatcher("fixed").unwrap();
        let parent = Props::func(async move |ctx: &mut Context<()>| {
            let child = Props::func(async move |ctx: &mut Context<u32>| {
                while let Some(n) = ctx.recv().await {
                    if n == 2 {
                        let _ = held.recv(); // over the end of its parent
                    }
                }
                Ok(())
            });
            let _ = hand_out.send(ctx.spawn_anonymous(child.dispatcher(&own)));
            std::future::pending::<()>().await;
            Ok(())
        });
        system.spawn_anonymous(parent);
        system
    });
    let child = handed.recv().unwrap();
    (0..3).for_each(|n| child.tell(n));
    while system.ledger().handled < 2 {
        std::thread::yield_now();
    }
    drop(runtime);
    drop(release);
    let outside = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    outside.block_on(child.terminated());
    let kept = || -> Ledger { system.ledger() };
    let until = std::time::Instant::now() + Duration::from_secs(5);
    while kept().handled < 3 && std::time::Instant::now() < until {
        std::thread::yield_now();
    }
    assert_eq!(kept().handled, 3, "{:?}", kept());
}

#[test]
fn the_end_of_an_actor_that_never_joined_is_no_event() {
    let (system, world, events) = common::seeds::stepped(0);
    let idle = || {
        Props::func(async |ctx: &mut Context<()>| {
            while ctx.recv().await.is_some() {}
            Ok(())
        })
    };
    let one = system.spawn("one", idle()).unwrap();
    assert!(system.spawn("one", idle()).is_err());
    world.settle();
    let ended = |event: &Event| matches!(event, Event::Ended { .. });
    assert_eq!(events.count(ended), 0);
    one.stop();
    world.settle();
    assert_eq!(events.count(ended), 1);
    common::seeds::end(&system, &world);
}
