//! What went wrong once.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{AskError, Event};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::Duration;

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
            ctx.clock().sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }));
    let mut first = Box::pin(
        actor
            .ask(|reply| reply)
            .within(Duration::from_secs(60))
            .into_future(),
    );
    assert!(poll_behind_a_bomb(first.as_mut()).is_pending());
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
    let mut first = Box::pin(
        actor
            .ask(|reply| reply)
            .within(Duration::from_secs(60))
            .into_future(),
    );
    assert!(poll_behind_a_bomb(first.as_mut()).is_pending());
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
