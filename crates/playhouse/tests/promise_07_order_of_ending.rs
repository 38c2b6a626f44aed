//! Promise 7: in which order an actor ends.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{Address, Event, SpawnError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// Writes down its post-stop and its drop.
struct Parent {
    name: &'static str,
    has_child: bool,
    seen: mpsc::UnboundedSender<String>,
}
impl Actor for Parent {
    type Msg = ();
    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        if self.has_child {
            let seen = self.seen.clone();
            ctx.spawn("child", move || Parent {
                name: "child",
                has_child: false,
                seen,
            })?;
        }
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            assert!(ctx.children().is_empty());
            self.seen.send(format!("{} post-stop", self.name))?;
        }
        Ok(())
    }
}
impl Drop for Parent {
    fn drop(&mut self) {
        let _ = self.seen.send(format!("{} dropped", self.name));
    }
}

/// Children, post-stop, state, name, then watchers.
#[tokio::test]
async fn an_actor_ends_in_order() {
    let (system, events) = system();
    let (seen, mut journal) = journal();
    let (watched, told) = (system.clone(), seen.clone());
    let for_parent = seen.clone();
    let parent = system
        .spawn("parent", move || Parent {
            name: "parent",
            has_child: true,
            seen: for_parent,
        })
        .unwrap();
    parent
        .ask(|_: Reply<()>| ())
        .within(secs(5))
        .await
        .unwrap_err(); // it has started
    let target = parent.clone();
    let watcher = system
        .spawn(
            "watcher",
            Props::func(async move |ctx: &mut Context<Exit>| {
                ctx.watch_with(&target, |exit| exit);
                told.send("watching".into())?;
                let exit = ctx.recv().await;
                let seen = told.clone();
                let is_name_free = watched.spawn("parent", move || Parent {
                    name: "next",
                    has_child: false,
                    seen,
                });
                told.send(format!(
                    "watcher told {exit:?}, name free: {}",
                    is_name_free.is_ok()
                ))?;
                Ok(())
            }),
        )
        .unwrap();
    assert_eq!(journal.recv().await.unwrap(), "watching");
    parent.stop();
    watcher.terminated().await;
    let expected = [
        "child post-stop",
        "child dropped",
        "parent post-stop",
        "parent dropped",
        "watcher told Some(Stopped), name free: true",
    ];
    assert_eq!(read(&mut journal), expected);
    assert_eq!(
        events.count(|event| matches!(event, Event::Ended { who, .. } if *who == parent)),
        1
    );
    end(&system).await;
}

/// The hook is called where the end is made known, so nothing can hide behind a watcher that runs later.
#[tokio::test]
async fn a_name_is_taken_until_the_state_is_dropped_and_free_before_anybody_is_told() {
    struct Named {
        system: ActorSystem,
        was_taken: Arc<AtomicBool>,
    }
    impl Actor for Named {
        type Msg = Reply<()>;
        async fn receive(&mut self, _ctx: &mut Context<Reply<()>>, reply: Reply<()>) -> Outcome {
            reply.send(());
            Ok(())
        }
    }
    impl Drop for Named {
        fn drop(&mut self) {
            let next = self.system.spawn("named", Props::new(|| Idle));
            let is_taken = matches!(next, Err(SpawnError::NameTaken(_)));
            self.was_taken.store(is_taken, Ordering::SeqCst);
        }
    }
    let expected = Arc::new(Mutex::new(None::<(ActorSystem, Address)>));
    let (seen, mut journal) = journal();
    let ends = expected.clone();
    let system = ActorSystem::builder("test")
        .on_event(move |event| {
            let Event::Ended { who, .. } = event else {
                return;
            };
            let ended = ends.lock().unwrap().take_if(|(_, named)| named == who);
            if let Some((system, _)) = ended {
                let next = system.spawn("named", Props::new(|| Idle));
                let _ = seen.send(next.is_ok());
            }
        })
        .build()
        .unwrap();
    let was_taken = Arc::new(AtomicBool::new(false));
    let (of, taken) = (system.clone(), was_taken.clone());
    let named = system
        .spawn("named", move || Named {
            system: of,
            was_taken: taken,
        })
        .unwrap();
    named.ask(|reply| reply).within(secs(5)).await.unwrap(); // it has state
    *expected.lock().unwrap() = Some((system.clone(), named.address().clone()));
    named.stop();
    assert!(matches!(named.terminated().await, Exit::Stopped));
    assert!(was_taken.load(Ordering::SeqCst), "while there is state");
    assert_eq!(read(&mut journal), [true], "before its end is told");
    end(&system).await;
}

/// Does nothing until it is asked to stop.
struct Idle;
impl Actor for Idle {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_end_has_begun_there_is_no_next_message_to_wait_for() {
    struct Asks(mpsc::UnboundedSender<bool>);
    impl Actor for Asks {
        type Msg = ();
        async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            Err("on purpose".into())
        }
        async fn signal(&mut self, ctx: &mut Context<()>, _signal: Signal) -> Outcome {
            self.0.send(ctx.recv().await.is_none())?;
            Ok(())
        }
    }
    let (system, _) = system();
    let (told, mut journal) = journal();
    let actor = system.spawn("actor", move || Asks(told)).unwrap();
    actor.tell(());
    let exit = tokio::time::timeout(secs(60), actor.terminated()).await;
    assert!(matches!(exit, Ok(Exit::Failed(_))), "{exit:?}");
    assert_eq!(read(&mut journal), [true]);
    end(&system).await;
}
