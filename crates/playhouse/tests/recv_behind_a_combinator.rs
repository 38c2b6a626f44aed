//! `ctx.recv()` among other futures, behind a combinator that polls only what was woken, as joins of many futures do.
//! Nothing is missed, whichever of them is ready, and also when the actor's turn ends in between.

mod common;

use common::seeds::{end, for_each_seed, stepped};
use common::{journal, read};
use playhouse::prelude::*;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Wake, Waker};
use tokio::sync::mpsc;

/// One of the futures: polled only when its own waker was called.
struct Part {
    is_woken: AtomicBool,
    outer: Mutex<Option<Waker>>,
}

impl Wake for Part {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if let Some(outer) = self.outer.lock().unwrap().take() {
            outer.wake();
        }
    }
}

impl Part {
    /// Of a future that was not polled yet.
    fn new() -> Arc<Self> {
        Arc::new(Self {
            is_woken: AtomicBool::new(true),
            outer: Mutex::new(None),
        })
    }

    fn poll<F: Future>(
        self: &Arc<Self>,
        future: Pin<&mut F>,
        context: &task::Context<'_>,
    ) -> Poll<F::Output> {
        *self.outer.lock().unwrap() = Some(context.waker().clone());
        if !self.is_woken.swap(false, Ordering::SeqCst) {
            return Poll::Pending;
        }
        let waker = Waker::from(self.clone());
        future.poll(&mut task::Context::from_waker(&waker))
    }
}

enum First<A, B> {
    Left(A),
    Right(B),
}

/// Whichever is ready, the left one if both are.
async fn first<A: Future, B: Future>(
    (a, mut left): (&Arc<Part>, Pin<&mut A>),
    (b, mut right): (&Arc<Part>, Pin<&mut B>),
) -> First<A::Output, B::Output> {
    std::future::poll_fn(|context| {
        if let Poll::Ready(value) = a.poll(left.as_mut(), context) {
            return Poll::Ready(First::Left(value));
        }
        b.poll(right.as_mut(), context).map(First::Right)
    })
    .await
}

#[derive(Debug, PartialEq)]
enum Heard {
    Message(u32),
    Item(u32),
    End,
}

/// Writes down messages and items as they come; each future is kept until it is ready.
async fn listen(
    ctx: &mut Context<u32>,
    items: &mut mpsc::UnboundedReceiver<u32>,
    heard: &mpsc::UnboundedSender<Heard>,
) -> Outcome {
    loop {
        let (message, mut recv) = (Part::new(), pin!(ctx.recv()));
        let received = loop {
            let (item, mut next) = (Part::new(), pin!(items.recv()));
            match first((&message, recv.as_mut()), (&item, next.as_mut())).await {
                First::Left(received) => break received,
                First::Right(Some(n)) => heard.send(Heard::Item(n))?,
                First::Right(None) => return Err("the items have ended".into()),
            }
        };
        let Some(n) = received else {
            heard.send(Heard::End)?;
            return Ok(());
        };
        heard.send(Heard::Message(n))?;
    }
}

/// More than an actor may take in one turn, so that turns end in the middle.
const COUNT: u32 = 300;

#[test]
fn every_message_and_every_item_is_seen_and_the_end_too() {
    for_each_seed(32, |seed| {
        let (system, world, _events) = stepped(seed);
        let ((feed, mut items), (told, mut heard)) = (journal(), journal());
        let body = async move |ctx: &mut Context<u32>| listen(ctx, &mut items, &told).await;
        let actor = system.spawn("actor", Props::func(body)).unwrap();
        for n in 0..COUNT {
            match (u64::from(n) + seed) % 3 {
                0 => drop(world.step()),
                1 => world.settle(),
                _ => {}
            }
            actor.tell(n);
            if n % 2 == 0 {
                feed.send(n).unwrap();
            }
        }
        world.settle();
        let all = read(&mut heard);
        let messages = all.iter().filter_map(|heard| match heard {
            Heard::Message(n) => Some(*n),
            _ => None,
        });
        assert!(messages.eq(0..COUNT), "in order, none left out");
        let items = all.iter().filter_map(|heard| match heard {
            Heard::Item(n) => Some(*n),
            _ => None,
        });
        assert!(items.eq((0..COUNT).step_by(2)), "in order, none left out");
        actor.tell(COUNT);
        actor.drain();
        world.settle();
        assert_eq!(read(&mut heard), [Heard::Message(COUNT), Heard::End]);
        end(&system, &world);
    });
}

/// While it waits for a message behind such a combinator, the actor is idle: it takes no step until something comes.
#[test]
fn nobody_runs_while_nothing_comes() {
    for_each_seed(8, |seed| {
        let (system, world, _events) = stepped(seed);
        let ((feed, mut items), (told, mut heard)) = (journal(), journal());
        let body = async move |ctx: &mut Context<u32>| listen(ctx, &mut items, &told).await;
        let actor = system.spawn("actor", Props::func(body)).unwrap();
        world.settle();
        assert!(!world.step());
        feed.send(1).unwrap();
        world.settle();
        actor.tell(2);
        world.settle();
        assert!(!world.step());
        actor.stop();
        world.settle();
        let all = [Heard::Item(1), Heard::Message(2), Heard::End];
        assert_eq!(read(&mut heard), all);
        end(&system, &world);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_on_many_threads() {
    let (system, _events) = common::system();
    let ((feed, mut items), (told, mut heard)) = (journal(), journal());
    let body = async move |ctx: &mut Context<u32>| listen(ctx, &mut items, &told).await;
    let actor = system.spawn("actor", Props::func(body)).unwrap();
    let to = actor.clone();
    let sender = tokio::spawn(async move {
        for n in 0..20_000 {
            to.send(n).await.unwrap();
        }
    });
    let feeder = tokio::spawn(async move {
        for n in 0..20_000 {
            feed.send(n).unwrap();
            if n % 16 == 0 {
                tokio::task::yield_now().await;
            }
        }
        feed // kept: its end would end the actor
    });
    let (mut messages, mut items) = (0, 0);
    while messages + items < 40_000 {
        let next = tokio::time::timeout(secs(60), heard.recv()).await;
        match next.expect("nothing is missed") {
            Some(Heard::Message(n)) if n == messages => messages += 1,
            Some(Heard::Item(n)) if n == items => items += 1,
            other => panic!("{other:?} after {messages} messages and {items} items"),
        }
    }
    sender.await.unwrap();
    let _feed = feeder.await.unwrap();
    actor.stop();
    actor.terminated().await;
    common::end(&system).await;
}
