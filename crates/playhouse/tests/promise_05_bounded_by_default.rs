//! Promise 5: bounded by default; what does not fit is counted, never silent.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event, limits};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// An actor whose first message is in its hands, and the gate that holds it there.
async fn held(
    system: &ActorSystem,
    props: impl Fn(Props<u32>) -> Props<u32>,
) -> (ActorRef<u32>, Arc<Semaphore>) {
    let (entered, mut has_entered) = journal();
    let (seen, _) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let held = system.spawn_anonymous(props(gated(entered, gate.clone(), seen)));
    held.send(0).await.unwrap();
    has_entered.recv().await;
    (held, gate)
}

fn room(actor: &ActorRef<u32>) -> usize {
    (0..).take_while(|n| actor.try_send(*n).is_ok()).count()
}

#[tokio::test]
async fn a_mailbox_has_1024_places_unless_said_otherwise() {
    let (system, _) = system();
    let (plain, gate) = held(&system, |props| props).await;
    assert_eq!(limits::MAILBOX, 1_024);
    assert_eq!(room(&plain), limits::MAILBOX);
    gate.add_permits(limits::MAILBOX + 1);
    end(&system).await;
}

#[tokio::test]
async fn a_permit_holds_a_place_until_its_message_is_taken() {
    let (system, _) = system();
    let (actor, gate) = held(&system, |props| props.mailbox(Mailbox::bounded(3))).await;
    let used = actor.reserve().await.unwrap();
    let unused = actor.try_reserve().unwrap();
    assert_eq!(room(&actor), 1);
    used.send(7);
    assert_eq!(room(&actor), 0, "the message holds the place of its permit");
    drop(unused);
    assert_eq!(room(&actor), 1, "a permit dropped gives its place back");
    gate.add_permits(10);
    end(&system).await;
}

#[tokio::test]
async fn a_tell_into_a_full_mailbox_is_a_dead_letter_that_names_both() {
    let (system, events) = system();
    let (actor, gate) = held(&system, |props| props.mailbox(Mailbox::bounded(1))).await;
    actor.tell(1);
    actor.tell(2);
    assert_eq!(events.dead(DeadLetterReason::Full), 1);
    let named = events.count(
        |event| matches!(event, Event::DeadLetter { to, message: "u32", .. } if *to == actor),
    );
    assert_eq!(named, 1);
    gate.add_permits(2);
    let ledger = system.ledger();
    assert_eq!((ledger.accepted, ledger.dead), (3, 1));
    actor.drain();
    actor.terminated().await;
    end(&system).await;
}

#[tokio::test]
async fn an_adapter_over_a_full_mailbox_loses_a_tell_like_any_tell() {
    let (system, events) = system();
    let (handed_out, mut adapters) = journal();
    let (entered, mut has_entered) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let actor = system
        .spawn(
            "adapting",
            Props::func(async move |ctx: &mut Context<u32>| {
                handed_out.send(ctx.adapter(|text: &'static str| text.len() as u32))?;
                opened.acquire().await?.forget();
                while let Some(n) = ctx.recv().await {
                    entered.send(n)?;
                }
                Ok(())
            })
            .mailbox(Mailbox::bounded(1)),
        )
        .unwrap();
    let adapter = adapters.recv().await.unwrap();
    adapter.tell("four");
    adapter.tell("lost");
    gate.add_permits(1);
    assert_eq!(has_entered.recv().await, Some(4));
    assert_eq!(events.dead(DeadLetterReason::Full), 1);
    actor.drain();
    actor.terminated().await;
    end(&system).await;
}

/// More own work than the bound: an ask is answered with `Full`, a pipe fails the turn, both are events.
#[tokio::test]
async fn own_work_has_a_bound_of_its_own() {
    let (system, events) = system();
    let (seen, mut answers) = journal();
    let silent = system
        .spawn(
            "silent",
            Props::func(async |ctx: &mut Context<Reply<()>>| {
                ctx.stopping().await;
                Ok(())
            }),
        )
        .unwrap();
    let greedy = system
        .spawn(
            "greedy",
            Props::func(async move |ctx: &mut Context<bool>| {
                for _ in 0..limits::COMPLETIONS_PER_ACTOR {
                    ctx.pipe_to_self(std::future::pending::<bool>(), |never| never);
                }
                ctx.ask(
                    &silent,
                    secs(5),
                    |reply| reply,
                    |answer| matches!(answer, Err(AskError::Full)),
                );
                seen.send(ctx.recv().await)?;
                ctx.pipe_to_self(std::future::pending::<bool>(), |never| never);
                Ok(())
            }),
        )
        .unwrap();
    let exit = greedy.terminated().await;
    assert!(
        matches!(&exit, Exit::Failed(cause) if cause.to_string().contains("under way")),
        "{exit}"
    );
    assert_eq!(read(&mut answers), [Some(true)]);
    assert_eq!(
        events.count(|event| matches!(event, Event::TooManyCompletions { who } if *who == greedy)),
        2
    );
    end(&system).await;
}
