//! Promise 6: no place is parked on a future that nobody polls, nobody starves, nobody waits for itself.

mod common;

use common::*;
use playhouse::FuncProps;
use playhouse::prelude::*;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::{Semaphore, mpsc};

async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
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
    for awaits in [false, true] {
        let (system, _) = system();
        let counting = Props::func(async move |ctx: &mut Context<u32>| {
            while ctx.recv().await.is_some() {
                if awaits {
                    tokio::task::yield_now().await;
                }
            }
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
    struct Countdown(mpsc::UnboundedSender<u32>);
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

enum Msg {
    Ask(ActorRef<Reply<()>>),
    Plain,
}

/// Takes a message for each permit of the gate. Asked to ask, it waits for the answer in its handler.
fn asking(
    gate: Arc<Semaphore>,
    told: mpsc::UnboundedSender<&'static str>,
    is_blocking: bool,
) -> FuncProps<Msg> {
    Props::func(async move |ctx: &mut Context<Msg>| {
        loop {
            gate.acquire().await?.forget();
            let other = match ctx.recv().await {
                Some(Msg::Ask(other)) => other,
                Some(Msg::Plain) => {
                    told.send("took one")?;
                    continue;
                }
                None => return Ok(()),
            };
            let question = other.ask(|reply| reply);
            if is_blocking {
                question.blocking_within(secs(60))?;
            } else {
                question.within(secs(60)).await?;
            }
            told.send("heard the answer")?;
        }
    })
    .mailbox(Mailbox::bounded(1))
}

/// Waits for a place over there before it answers.
fn waiting_in_line(
    to: ActorRef<Msg>,
    told: mpsc::UnboundedSender<&'static str>,
) -> FuncProps<Reply<()>> {
    Props::func(async move |ctx: &mut Context<Reply<()>>| {
        let mut place = pin!(to.reserve());
        assert!(poll_once(place.as_mut()).await.is_pending());
        told.send("waits in line")?;
        drop(place.await?);
        while let Some(reply) = ctx.recv().await {
            reply.send(());
        }
        Ok(())
    })
}

/// An actor asks, in its handler, another one that waits in line behind a sender which is never polled again.
async fn ask_behind_a_frozen_sender(dispatcher: &str, is_blocking: bool, has_lost: bool) {
    let (system, _) = system();
    let gate = Arc::new(Semaphore::new(0));
    let (told, mut journal) = journal();
    let on = system.dispatcher(dispatcher).unwrap();
    let props = asking(gate.clone(), told.clone(), is_blocking).dispatcher(&on);
    let actor = system.spawn("asking", props).unwrap();

    let mut permit = actor.reserve().await.unwrap(); // the only place
    let again = actor.clone();
    let mut frozen = Box::pin(async move { again.send(Msg::Plain).await });
    assert!(poll_once(frozen.as_mut()).await.is_pending());
    if has_lost {
        permit.send(Msg::Plain);
        gate.add_permits(1);
        assert_eq!(journal.recv().await, Some("took one"));
        permit = actor.reserve().await.unwrap();
        assert!(poll_once(frozen.as_mut()).await.is_pending());
    }
    std::mem::forget(frozen);

    let asked = waiting_in_line(actor.clone(), told);
    let asked = system.spawn("asked", asked).unwrap();
    assert_eq!(journal.recv().await, Some("waits in line"));
    permit.send(Msg::Ask(asked));
    gate.add_permits(1);
    assert_eq!(journal.recv().await, Some("heard the answer"));
    gate.add_permits(1); // it sees the stop
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn a_frozen_sender_keeps_nobody_out_of_an_actor_whose_handler_waits_for_them() {
    for has_lost in [false, true] {
        ask_behind_a_frozen_sender("default", false, has_lost).await;
    }
}

#[tokio::test]
async fn nor_out_of_an_actor_whose_handler_blocks_until_they_come() {
    for has_lost in [false, true] {
        ask_behind_a_frozen_sender("fixed", true, has_lost).await;
    }
}
