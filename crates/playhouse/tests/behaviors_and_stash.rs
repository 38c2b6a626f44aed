//! Behaviours that follow each other, and messages set aside until an actor is ready.

mod common;

use common::*;
use playhouse::DeadLetterReason;
use playhouse::prelude::*;

#[derive(Debug)]
enum Door {
    Push(Reply<&'static str>),
    Lock,
    Unlock,
    Fail,
}

fn closed() -> Behavior<Door> {
    Behavior::receive(|ctx, msg| match msg {
        Door::Push(reply) => {
            reply.send("open");
            Ok(closed())
        }
        Door::Lock => Ok(locked(Vec::new())),
        Door::Fail => Err("jammed".into()),
        unlock @ Door::Unlock => {
            ctx.unhandled(unlock);
            Ok(Behavior::stopped())
        }
    })
}

/// Holds who waits: the replies move from state to state.
fn locked(mut queue: Vec<Reply<&'static str>>) -> Behavior<Door> {
    Behavior::setup(move |_ctx| {
        Ok(Behavior::receive(move |_ctx, msg| match msg {
            Door::Push(reply) => {
                queue.push(reply);
                Ok(locked(queue))
            }
            _ => {
                queue
                    .into_iter()
                    .for_each(|reply| reply.send("open, at last"));
                Ok(closed())
            }
        }))
    })
}

#[tokio::test]
async fn a_message_consumes_the_behaviour_and_yields_the_next() {
    let (system, _) = system();
    let door = system.spawn("door", closed).unwrap();
    assert_eq!(door.ask(Door::Push).within(secs(60)).await.unwrap(), "open");
    door.tell(Door::Lock);
    let (first, second, ()) = tokio::join!(
        door.ask(Door::Push).within(secs(60)),
        door.ask(Door::Push).within(secs(60)),
        async { door.tell(Door::Unlock) }
    );
    assert_eq!(
        (first.unwrap(), second.unwrap()),
        ("open, at last", "open, at last")
    );
    door.tell(Door::Unlock);
    assert!(matches!(door.terminated().await, Exit::Stopped));
    assert_eq!(end(&system).await.unhandled, 1);
}

#[tokio::test]
async fn a_behaviour_that_fails_ends_its_actor() {
    let (system, _) = system();
    let door = system.spawn_anonymous(Props::new(closed));
    door.tell(Door::Fail);
    let Exit::Failed(cause) = door.terminated().await else {
        panic!()
    };
    assert_eq!(cause.to_string(), "jammed");
    end(&system).await;
}

enum Load {
    Get(Reply<u32>),
    Loaded(u32),
}

/// Not ready yet: everything but `Loaded` is set aside.
fn loading() -> Behavior<Load> {
    Behavior::receive(|ctx, msg| match msg {
        Load::Loaded(n) => {
            ctx.unstash_all();
            Ok(ready(n))
        }
        early => {
            ctx.stash(early)?;
            Ok(loading())
        }
    })
}

fn ready(n: u32) -> Behavior<Load> {
    Behavior::receive(move |_ctx, msg| {
        if let Load::Get(reply) = msg {
            reply.send(n);
        }
        Ok(ready(n + 1))
    })
}

#[tokio::test]
async fn stashed_messages_come_next_in_order_before_newer_ones() {
    let (system, _) = system();
    let actor = system.spawn("loading", loading).unwrap();
    let get = || actor.ask(Load::Get).within(secs(60));
    let (one, two, newer, ()) = tokio::join!(
        get(),
        get(),
        async {
            while system.ledger().stashed < 2 {
                tokio::task::yield_now().await;
            }
            actor.tell(Load::Loaded(7));
            get().await
        },
        async {}
    );
    assert_eq!((one.unwrap(), two.unwrap(), newer.unwrap()), (7, 8, 9));
    let ledger = end(&system).await;
    assert_eq!((ledger.handled, ledger.stashed), (4, 0));
}

#[tokio::test]
async fn order_holds_across_a_stash() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let actor = Props::func(async move |ctx: &mut Context<u32>| {
        for _ in 0..50 {
            let early = ctx.recv().await.ok_or("too few")?;
            ctx.stash(early)?;
        }
        ctx.unstash(20);
        ctx.unstash_all();
        while let Some(n) = ctx.recv().await {
            seen.send(n)?;
        }
        Ok(())
    });
    let actor = system.spawn("actor", actor).unwrap();
    (0..100).for_each(|n| actor.tell(n));
    actor.drain();
    actor.terminated().await;
    assert_eq!(read(&mut journal), (0..100).collect::<Vec<_>>());
    end(&system).await;
}

#[tokio::test]
async fn a_stashed_message_keeps_its_place_and_the_mailbox_bounds_the_stash() {
    let (system, _) = system();
    let (full, mut is_full) = journal();
    let actor = Props::func(async move |ctx: &mut Context<u32>| {
        for _ in 0..2 {
            let n = ctx.recv().await.ok_or("too few")?;
            ctx.stash(n)?;
        }
        let is_refused = ctx.stash(3).is_err_and(|full| full.into_message() == 3);
        full.send((is_refused, ctx.me().try_reserve().is_err()))?;
        ctx.stopping().await;
        Ok(())
    });
    let actor = system.spawn_anonymous(actor.mailbox(Mailbox::bounded(2)));
    actor.send(1).await.unwrap();
    actor.send(2).await.unwrap();
    assert_eq!(is_full.recv().await, Some((true, true)));
    end(&system).await;
}

#[tokio::test]
async fn a_stash_bound_below_that_of_the_mailbox_counts() {
    struct Hoarder(tokio::sync::mpsc::UnboundedSender<bool>);
    impl Actor for Hoarder {
        type Msg = u32;
        async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
            self.0.send(ctx.stash(n).is_ok())?;
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let hoarder = system.spawn_anonymous(Props::new(move || Hoarder(seen)).stash(1));
    hoarder.tell(1);
    hoarder.tell(2);
    assert_eq!(
        (journal.recv().await, journal.recv().await),
        (Some(true), Some(false))
    );
    end(&system).await;
    let above = || Props::new(closed).mailbox(Mailbox::bounded(2)).stash(3);
    assert!(std::panic::catch_unwind(above).is_err(), "never reached");
}

/// OWN-04, at stop; and after a drain.
#[tokio::test]
async fn own_04_what_is_still_stashed_at_the_end_is_a_dead_letter() {
    for drain in [false, true] {
        let (system, events) = system();
        let actor = system.spawn("loading", loading).unwrap();
        let asked = actor.ask(Load::Get).within(secs(60));
        let (answer, ()) = tokio::join!(asked, async {
            while system.ledger().stashed < 1 {
                tokio::task::yield_now().await;
            }
            if drain { actor.drain() } else { actor.stop() }
        });
        assert!(
            matches!(
                answer,
                Err(AskError::NoReply {
                    why: playhouse::NoReply::Stopped,
                    ..
                })
            ),
            "{answer:?}"
        );
        let exit = actor.terminated().await;
        assert!(
            matches!(
                (drain, &exit),
                (true, Exit::Drained) | (false, Exit::Stopped)
            ),
            "{exit}"
        );
        assert_eq!(events.dead(DeadLetterReason::Stopped), 1);
        end(&system).await;
    }
}
