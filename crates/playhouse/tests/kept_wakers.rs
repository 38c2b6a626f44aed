//! A waker that user code keeps is harmless: while the actor goes on to something else, and after its end.

mod common;

use common::seeds::{end, for_each_seed, stepped};
use common::{journal, read, system};
use playhouse::prelude::*;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use tokio::sync::mpsc;

/// Wakers that outlive what they were for.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Waker>>>);

impl Kept {
    /// Keeps the waker of whoever awaits this, and goes on at once.
    async fn one(&self) {
        poll_fn(|context| {
            self.0.lock().unwrap().push(context.waker().clone());
            Poll::Ready(())
        })
        .await
    }

    /// The same, and never goes on.
    async fn one_for_ever(&self) {
        poll_fn(|context| {
            self.0.lock().unwrap().push(context.waker().clone());
            Poll::<()>::Pending
        })
        .await
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// In each way that there is, of each of them.
    fn use_all(&self) {
        let kept = std::mem::take(&mut *self.0.lock().unwrap());
        for waker in kept {
            waker.wake_by_ref();
            let second = waker.clone();
            assert!(second.will_wake(&waker));
            second.wake();
            drop(waker);
        }
    }
}

enum Msg {
    Say(&'static str),
    Wait,
    Fail,
}

/// Leaves a waker behind in each of its handlers.
struct Leaves {
    kept: Kept,
    said: mpsc::UnboundedSender<&'static str>,
}

impl Actor for Leaves {
    type Msg = Msg;
    async fn started(&mut self, _ctx: &mut Context<Msg>) -> Outcome {
        self.kept.one().await;
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        self.kept.one().await;
        match msg {
            Msg::Say(line) => self.said.send(line)?,
            Msg::Wait => self.kept.one_for_ever().await,
            Msg::Fail => return Err("on purpose".into()),
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        self.kept.one().await;
        if matches!(signal, Signal::PostStop) {
            self.said.send("post-stop")?;
        }
        signal.unhandled()
    }
}

fn leaves(kept: &Kept, said: &mpsc::UnboundedSender<&'static str>) -> Props<Msg> {
    let (kept, said) = (kept.clone(), said.clone());
    Props::new(move || Leaves { kept, said })
}

#[test]
fn a_waker_of_an_earlier_handler_wakes_nobody_into_trouble() {
    for_each_seed(16, |seed| {
        let (system, world, _events) = stepped(seed);
        let (kept, (said, mut heard)) = (Kept::default(), journal());
        let actor = system.spawn("actor", leaves(&kept, &said)).unwrap();
        for line in ["one", "two", "three"] {
            actor.tell(Msg::Say(line));
            kept.use_all(); // perhaps before it ran, perhaps while it is scheduled
            world.step();
            kept.use_all();
        }
        world.settle();
        kept.use_all(); // while it is idle
        world.settle();
        assert_eq!(read(&mut heard), ["one", "two", "three"]);
        assert_eq!(end(&system, &world).handled, 3);
    });
}

#[test]
fn a_waker_of_an_actor_that_has_ended_does_nothing() {
    type Order = fn(&ActorRef<Msg>);
    let orders: [(Order, &[&str]); 5] = [
        (|actor| actor.stop(), &["post-stop"]),
        (|actor| actor.drain(), &["post-stop"]),
        (|actor| actor.kill(), &["post-stop"]),
        (|actor| actor.tell(Msg::Fail), &["post-stop"]),
        (
            |actor| {
                actor.tell(Msg::Wait);
                actor.kill();
            },
            &["post-stop"],
        ),
    ];
    for (order, expected) in orders {
        for_each_seed(16, |seed| {
            let (system, world, _events) = stepped(seed);
            let (kept, (said, mut heard)) = (Kept::default(), journal());
            let actor = system.spawn("actor", leaves(&kept, &said)).unwrap();
            world.settle();
            order(&actor);
            world.block_on(actor.terminated());
            assert!(kept.count() >= 2, "of its start and its end");
            let again = system.spawn("actor", leaves(&kept, &said)).unwrap();
            drop(actor);
            let steps = world.steps();
            kept.use_all();
            assert_eq!(world.steps(), steps, "a waker runs nobody by itself");
            world.settle();
            assert_eq!(read(&mut heard), expected);
            again.stop();
            end(&system, &world);
            kept.use_all(); // of the second, which has ended with its system
            assert_eq!(system.ledger().balance(), 0);
        });
    }
}

#[test]
fn a_waker_outlives_its_world() {
    for_each_seed(16, |seed| {
        let (system, world, _events) = stepped(seed);
        let (kept, (said, _heard)) = (Kept::default(), journal());
        let actor = system.spawn("actor", leaves(&kept, &said)).unwrap();
        actor.tell(Msg::Wait);
        world.settle();
        drop(world);
        drop((actor, system));
        assert_eq!(kept.count(), 3);
        kept.use_all();
    });
}

/// Another thread wakes an actor, over and over, while it lives, ends and is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waker_on_another_thread_is_harmless_at_every_moment() {
    let (system, _events) = system();
    for round in 0..200 {
        let (kept, (said, mut heard)) = (Kept::default(), journal());
        let actor = system.spawn("actor", leaves(&kept, &said)).unwrap();
        actor.tell(Msg::Say("first"));
        assert_eq!(heard.recv().await, Some("first"));
        let wakers = std::mem::take(&mut *kept.0.lock().unwrap());
        let thread = std::thread::spawn(move || {
            for _ in 0..50 {
                wakers.iter().for_each(Waker::wake_by_ref);
            }
        });
        actor.tell(Msg::Say("second"));
        assert_eq!(heard.recv().await, Some("second"), "round {round}");
        actor.stop();
        actor.terminated().await;
        drop(actor);
        thread.join().unwrap();
        kept.use_all();
    }
    let ledger = common::end(&system).await;
    assert_eq!(ledger.handled, 400);
}

#[test]
fn a_waker_outlives_its_tokio_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (kept, (said, _heard)) = (Kept::default(), journal());
    let waits = leaves(&kept, &said);
    let (system, actor) = runtime.block_on(async {
        let (system, _events) = system();
        let actor = system.spawn("actor", waits).unwrap();
        actor.tell(Msg::Wait);
        while kept.count() < 3 {
            tokio::task::yield_now().await;
        }
        (system, actor)
    });
    drop(runtime);
    kept.use_all();
    assert_eq!(system.ledger().balance(), 0);
    drop((actor, system));
}
