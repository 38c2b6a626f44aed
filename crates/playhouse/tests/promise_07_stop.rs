//! Promise 7: a stop finishes the message in hand, buries the rest, and is seen wherever the actor waits. The plain one:
//! `conformance/own_core.rs`.

mod common;

use common::worker::{Msg, busy};
use common::*;
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Wake, Waker};
use tokio::sync::mpsc;

#[tokio::test]
async fn a_permit_used_after_the_end_is_a_dead_letter() {
    let (system, events) = system();
    let (actor, gate, _answer) = busy(&system).await;
    let permit = actor.reserve().await.unwrap();
    gate.add_permits(1);
    actor.stop();
    actor.terminated().await;
    permit.send(Msg::Work);
    assert_eq!(events.dead(DeadLetterReason::Gone), 1);
    end(&system).await;
}

#[tokio::test]
async fn pipes_are_cancelled_with_the_actor() {
    struct TellsItsDrop(mpsc::UnboundedSender<()>);
    impl Drop for TellsItsDrop {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    let (system, _) = system();
    let (dropped, mut is_dropped) = journal();
    let actor = system
        .spawn(
            "actor",
            Props::func(async move |ctx: &mut Context<()>| {
                let guard = TellsItsDrop(dropped);
                ctx.pipe_to_self(
                    async move {
                        std::future::pending::<()>().await;
                        drop(guard);
                    },
                    |()| (),
                );
                Ok(())
            }),
        )
        .unwrap();
    actor.terminated().await;
    assert_eq!(is_dropped.recv().await, Some(()));
    end(&system).await;
}

#[tokio::test]
async fn stopped_before_it_started_it_runs_nothing() {
    struct Never;
    impl Actor for Never {
        type Msg = ();
        async fn started(&mut self, _ctx: &mut Context<()>) -> Outcome {
            panic!("started")
        }
        async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            panic!("received")
        }
        async fn signal(&mut self, _ctx: &mut Context<()>, signal: Signal) -> Outcome {
            panic!("{signal:?}")
        }
    }
    let (system, events) = system(); // one thread: nothing runs before the first await
    let never = system.spawn("never", || Never).unwrap();
    never.tell(());
    never.stop();
    assert!(matches!(never.terminated().await, Exit::Stopped));
    assert_eq!(events.dead(DeadLetterReason::Stopped), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_failure_stops_by_default_with_its_cause() {
    #[derive(Debug, PartialEq)]
    struct Broken(u8);
    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "broken {}", self.0)
        }
    }
    impl std::error::Error for Broken {}
    let (system, events) = system();
    let failing = Props::func(async |_ctx: &mut Context<()>| {
        Err(Broken(3))?;
        Ok(())
    });
    let Exit::Failed(cause) = system.spawn_anonymous(failing).terminated().await else {
        panic!()
    };
    assert_eq!(cause.find::<Broken>(), Some(&Broken(3)));
    assert!(!cause.is_panic());
    let panicking = Props::func(async |_ctx: &mut Context<()>| panic!("on purpose"));
    let Exit::Failed(cause) = system.spawn_anonymous(panicking).terminated().await else {
        panic!()
    };
    assert!(cause.is_panic());
    assert_eq!(cause.to_string(), "panicked: on purpose");
    assert_eq!(
        events.count(|event| matches!(event, Event::Failed { .. })),
        2
    );
    end(&system).await;
}

#[tokio::test]
async fn an_error_returned_while_stopping_wins() {
    struct Both;
    impl Actor for Both {
        type Msg = ();
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            ctx.stop();
            Err("and failed".into())
        }
    }
    let (system, _) = system();
    let both = system.spawn("both", || Both).unwrap();
    both.tell(());
    assert!(matches!(both.terminated().await, Exit::Failed(_)));
    end(&system).await;
}

/// A future that is polled again only when its own waker was woken, as joins of many futures do.
struct OnlyWhenWoken<F> {
    future: Pin<Box<F>>,
    mark: Arc<Mark>,
}

struct Mark {
    is_woken: AtomicBool,
    outer: Mutex<Option<Waker>>,
}

impl Wake for Mark {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if let Some(outer) = self.outer.lock().unwrap().take() {
            outer.wake();
        }
    }
}

impl<F> OnlyWhenWoken<F> {
    fn new(future: F) -> Self {
        let mark = Mark {
            is_woken: AtomicBool::new(true),
            outer: Mutex::new(None),
        };
        Self {
            future: Box::pin(future),
            mark: Arc::new(mark),
        }
    }
}

impl<F: Future> Future for OnlyWhenWoken<F> {
    type Output = F::Output;
    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<F::Output> {
        *self.mark.outer.lock().unwrap() = Some(context.waker().clone());
        if !self.mark.is_woken.swap(false, Ordering::SeqCst) {
            return Poll::Pending;
        }
        let waker = Waker::from(self.mark.clone());
        self.future
            .as_mut()
            .poll(&mut task::Context::from_waker(&waker))
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_waits_behind_a_waker_of_its_own_sees_every_order() {
    for order in [ActorRef::drain, ActorRef::stop, ActorRef::kill] {
        let (system, _) = system();
        let (told, mut journal) = journal();
        let body = Props::func(async move |ctx: &mut Context<()>| {
            told.send("waits")?;
            while OnlyWhenWoken::new(ctx.recv()).await.is_some() {
                told.send("got one")?;
            }
            Ok(())
        });
        let actor = system.spawn("actor", body).unwrap();
        assert_eq!(journal.recv().await, Some("waits"));
        actor.tell(());
        assert_eq!(journal.recv().await, Some("got one"));
        order(&actor);
        let ended = tokio::time::timeout(secs(60), actor.terminated()).await;
        assert!(ended.is_ok(), "the order was not seen");
        end(&system).await;
    }
}
