//! Promise 6: no place is parked on a future that nobody polls, nobody starves, nobody waits for itself.

mod common;

use common::*;
use playhouse::prelude::*;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::Semaphore;

async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// OWN-09.
#[tokio::test]
async fn own_09_a_sender_that_is_never_polled_again_keeps_nobody_out() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
    let actor = system.spawn("actor", props).unwrap();
    actor.send(0).await.unwrap();
    has_entered.recv().await;
    actor.send(1).await.unwrap();

    let mut frozen = pin!(actor.send(2));
    assert!(poll_once(frozen.as_mut()).await.is_pending());
    gate.add_permits(1);
    has_entered.recv().await; // message 1 was taken: its place woke `frozen`
    actor.send(3).await.unwrap();

    gate.add_permits(10);
    has_entered.recv().await;
    frozen.await.unwrap(); // it only waited longer
    actor.drain();
    actor.terminated().await;
    assert_eq!(read(&mut journal), [0, 1, 3, 2]);
    end(&system).await;
}

#[tokio::test]
async fn a_wait_that_is_given_up_passes_its_place_on() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
    let actor = system.spawn("actor", props).unwrap();
    actor.send(0).await.unwrap();
    has_entered.recv().await;
    actor.send(1).await.unwrap();
    let other = actor.clone();
    let mut given_up = Box::pin(actor.reserve());
    assert!(poll_once(given_up.as_mut()).await.is_pending());
    let waiting = tokio::spawn(async move { other.send(2).await });
    tokio::task::yield_now().await; // now it is second in line
    gate.add_permits(1);
    has_entered.recv().await;
    drop(given_up);
    waiting.await.unwrap().unwrap();
    gate.add_permits(2);
    actor.drain();
    actor.terminated().await;
    assert_eq!(read(&mut journal), [0, 1, 2]);
    end(&system).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_starves() {
    let (system, _) = system();
    let counting = Props::func(async |ctx: &mut Context<u32>| {
        while ctx.recv().await.is_some() {}
        Ok(())
    });
    let actor = system
        .spawn("actor", counting.mailbox(Mailbox::bounded(1)))
        .unwrap();
    let senders: Vec<_> = (0..8)
        .map(|n| {
            let actor = actor.clone();
            tokio::spawn(async move {
                for _ in 0..500 {
                    actor.send(n).await.unwrap();
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    actor.drain();
    actor.terminated().await;
    assert_eq!(end(&system).await.handled, 8 * 500);
}

#[tokio::test]
async fn sending_to_oneself_fails_instead_of_waiting_for_ever() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let actor = system
        .spawn(
            "actor",
            Props::func(async move |ctx: &mut Context<u32>| {
                let me = ctx.me().clone();
                me.send(1).await?; // room: a message like any other
                let full = me.send(2).await.unwrap_err();
                seen.send(full.is_self_send())?;
                assert_eq!(full.into_message(), 2);
                seen.send(me.reserve().await.unwrap_err().is_self_send())?;
                let asked = me.ask(|_: Reply<()>| 3).within(secs(5)).await;
                seen.send(matches!(asked, Err(AskError::Full)))?;
                assert_eq!(ctx.recv().await, Some(1));
                Ok(())
            })
            .mailbox(Mailbox::bounded(1)),
        )
        .unwrap();
    assert!(matches!(actor.terminated().await, Exit::Stopped));
    assert_eq!(read(&mut journal), [true, true, true]);
    assert_eq!(end(&system).await.refused, 2);
}

#[tokio::test]
async fn again_cannot_fail_and_comes_after_what_is_queued() {
    struct Countdown(tokio::sync::mpsc::UnboundedSender<u32>);
    impl Actor for Countdown {
        type Msg = u32;
        async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
            self.0.send(n)?;
            match n {
                0 => ctx.stop(),
                10.. => {} // one that was queued
                n => ctx.again(n - 1),
            }
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let props = Props::new(move || Countdown(seen)).mailbox(Mailbox::bounded(2));
    let actor = system.spawn("countdown", props).unwrap();
    actor.try_send(2).unwrap();
    actor.try_send(10).unwrap();
    actor.terminated().await;
    assert_eq!(read(&mut journal), [2, 10, 1, 0]);
    end(&system).await;
}

/// Asks, in its handler, an actor that waits in line behind a sender which is never polled again.
async fn ask_behind_a_frozen_sender(dispatcher: &str, is_blocking: bool) {
    enum Msg {
        Ask(ActorRef<Reply<()>>),
        Plain,
    }
    let (system, _) = system();
    let gate = Arc::new(Semaphore::new(0));
    let (told, mut journal) = journal();
    let (opened, tells) = (gate.clone(), told.clone());
    let asking = Props::func(async move |ctx: &mut Context<Msg>| {
        opened.acquire().await?.forget();
        while let Some(msg) = ctx.recv().await {
            let Msg::Ask(other) = msg else { continue };
            let question = other.ask(|reply| reply);
            let answer = if is_blocking {
                question.blocking_within(secs(60))
            } else {
                question.within(secs(60)).await
            };
            told.send(answer.is_ok())?;
        }
        Ok(())
    });
    let asking = asking
        .mailbox(Mailbox::bounded(1))
        .dispatcher(&system.dispatcher(dispatcher).unwrap());
    let asking = system.spawn("asking", asking).unwrap();
    let permit = asking.reserve().await.unwrap(); // the only place
    let again = asking.clone();
    let mut frozen = Box::pin(async move { again.send(Msg::Plain).await });
    assert!(poll_once(frozen.as_mut()).await.is_pending());
    std::mem::forget(frozen);
    let to = asking.clone();
    let asked = Props::func(async move |ctx: &mut Context<Reply<()>>| {
        let mut place = pin!(to.reserve());
        assert!(poll_once(place.as_mut()).await.is_pending());
        tells.send(true)?;
        place.await?.send(Msg::Plain);
        while let Some(reply) = ctx.recv().await {
            reply.send(());
        }
        Ok(())
    });
    let asked = system.spawn("asked", asked).unwrap();
    assert_eq!(journal.recv().await, Some(true), "it waits in line");
    permit.send(Msg::Ask(asked));
    gate.add_permits(1);
    assert_eq!(journal.recv().await, Some(true), "the answer came");
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn a_frozen_sender_keeps_nobody_out_of_an_actor_whose_handler_waits_for_them() {
    ask_behind_a_frozen_sender("default", false).await;
}

#[tokio::test]
async fn nor_out_of_an_actor_whose_handler_blocks_until_they_come() {
    ask_behind_a_frozen_sender("fixed", true).await;
}
