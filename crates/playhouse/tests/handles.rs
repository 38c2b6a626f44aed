//! `Lifetime::Handles`: an actor drains and ends with its last handle. (OWN-13, without the report of cycles.)

mod common;

use common::*;
use playhouse::prelude::*;
use tokio::sync::mpsc;

struct Note(mpsc::UnboundedSender<u32>);

impl Actor for Note {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0.send(n)?;
        Ok(())
    }
}

fn spawn(
    system: &ActorSystem,
    lifetime: Lifetime,
) -> (ActorRef<u32>, mpsc::UnboundedReceiver<u32>) {
    let (seen, journal) = journal();
    (
        system.spawn_anonymous(Props::new(move || Note(seen)).lifetime(lifetime)),
        journal,
    )
}

#[tokio::test]
async fn own_13_the_last_handle_dropped_drains_the_actor() {
    let (system, events) = system();
    let (first, mut journal) = spawn(&system, Lifetime::Handles);
    let second = first.clone();
    let mapped = first.contramap(|text: &'static str| text.len() as u32);
    let address = first.address().clone();
    first.tell(1);
    drop(first);
    second.tell(2);
    drop(second);
    mapped.tell("three"); // a reference behind a function is a handle too
    drop(mapped);
    while events
        .count(|event| matches!(event, playhouse::Event::Ended { who, .. } if *who == address))
        == 0
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(read(&mut journal), [1, 2, 5]);
    let drained = |event: &playhouse::Event| {
        matches!(
            event,
            playhouse::Event::Ended {
                exit: Exit::Drained,
                ..
            }
        )
    };
    assert_eq!(events.count(drained), 1);
    end(&system).await;
}

#[tokio::test]
async fn weak_references_keep_nobody_alive() {
    let (system, _) = system();
    let (actor, mut journal) = spawn(&system, Lifetime::Handles);
    let weak = actor.downgrade();
    let again = weak.upgrade().unwrap();
    drop(actor);
    again.tell(1);
    assert_eq!(
        journal.recv().await,
        Some(1),
        "the upgraded one is a handle"
    );
    drop(again);
    assert!(weak.upgrade().is_none());
    assert!(journal.recv().await.is_none(), "its state is dropped");
    end(&system).await;
}

#[tokio::test]
async fn an_actor_of_the_tree_lives_without_handles() {
    let (system, _) = system();
    let (actor, mut journal) = spawn(&system, Lifetime::Tree);
    let weak = actor.downgrade();
    drop(actor);
    weak.upgrade().unwrap().tell(1);
    assert_eq!(journal.recv().await, Some(1));
    weak.upgrade().unwrap().stop();
    assert!(journal.recv().await.is_none());
    end(&system).await;
    assert!(weak.upgrade().is_none());
}

#[tokio::test]
async fn a_function_ends_with_its_last_handle_if_that_is_said() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let body = async move |ctx: &mut Context<u32>| {
        while let Some(n) = ctx.recv().await {
            seen.send(n)?;
        }
        Ok(())
    };
    let actor = system.spawn_anonymous(Props::func(body).lifetime(Lifetime::Handles));
    actor.tell(1);
    drop(actor);
    assert_eq!(journal.recv().await, Some(1));
    assert!(journal.recv().await.is_none(), "it has ended by itself");
    end(&system).await;
}

#[tokio::test]
async fn a_permit_is_honoured_after_the_last_handle_is_gone() {
    let (system, _) = system();
    let (actor, mut journal) = spawn(&system, Lifetime::Handles);
    let permit = actor.reserve().await.unwrap();
    drop(actor);
    permit.send(1);
    assert_eq!(journal.recv().await, Some(1));
    assert!(journal.recv().await.is_none());
    end(&system).await;
}

/// A panic of the function behind a reference is the sender's, and costs no place.
#[tokio::test]
async fn a_contramap_that_panics_gives_the_place_back() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let props = Props::new(move || Note(seen)).mailbox(Mailbox::bounded(1));
    let actor = system.spawn_anonymous(props);
    let picky = actor.contramap(|n: i32| u32::try_from(n).expect("not negative"));
    let sending = std::panic::AssertUnwindSafe(|| picky.tell(-1));
    assert!(std::panic::catch_unwind(sending).is_err());
    picky.try_send(1).unwrap();
    assert_eq!(journal.recv().await, Some(1));
    end(&system).await;
}
