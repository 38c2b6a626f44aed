//! Promise 1: one message at a time, also across awaits, with happens-before between turns.

mod common;

use common::*;
use playhouse::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Counts without atomics, and notices when two handlers overlap.
struct Sum {
    total: u64,
    is_busy: Arc<AtomicBool>,
    overlaps: Arc<AtomicU32>,
}

enum Msg {
    Add(u64),
    Total(Reply<u64>),
}

impl Actor for Sum {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        if self.is_busy.swap(true, Ordering::Relaxed) {
            self.overlaps.fetch_add(1, Ordering::Relaxed);
        }
        match msg {
            Msg::Add(n) => {
                let before = self.total;
                tokio::task::yield_now().await; // somebody else may run now, but not this actor
                self.total = before + n;
            }
            Msg::Total(reply) => reply.send(self.total),
        }
        self.is_busy.store(false, Ordering::Relaxed);
        Ok(())
    }
}

async fn no_handler_overlaps(dispatcher: &str) {
    let (system, _) = system();
    let on = system.dispatcher(dispatcher).unwrap();
    let overlaps = Arc::new(AtomicU32::new(0));
    let (is_busy, seen) = (Arc::new(AtomicBool::new(false)), overlaps.clone());
    let props = Props::new(move || Sum {
        total: 0,
        is_busy,
        overlaps: seen,
    });
    let sum = system.spawn("sum", props.dispatcher(&on)).unwrap();
    let senders: Vec<_> = (0..4)
        .map(|_| {
            let sum = sum.clone();
            tokio::spawn(async move {
                for n in 0..500 {
                    sum.send(Msg::Add(n)).await.unwrap();
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    let total = sum.ask(Msg::Total).within(secs(60)).await.unwrap();
    assert_eq!(total, 4 * (0..500).sum::<u64>());
    assert_eq!(overlaps.load(Ordering::Relaxed), 0);
    end(&system).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_shared_workers_turns_never_overlap_and_see_each_other() {
    no_handler_overlaps("default").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_own_threads_turns_never_overlap_and_see_each_other() {
    no_handler_overlaps("fixed").await;
}

#[tokio::test]
async fn on_a_thread_per_actor_turns_never_overlap_and_see_each_other() {
    no_handler_overlaps("pinned").await;
}

#[tokio::test]
async fn messages_wait_while_the_factory_and_started_run() {
    struct Late(tokio::sync::mpsc::UnboundedSender<&'static str>);
    impl Actor for Late {
        type Msg = ();
        async fn started(&mut self, _ctx: &mut Context<()>) -> Outcome {
            tokio::task::yield_now().await;
            self.0.send("started")?;
            Ok(())
        }
        async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            self.0.send("message")?;
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let late = system
        .spawn(
            "late",
            Props::setup(async move |_ctx| {
                tokio::task::yield_now().await;
                seen.send("made")?;
                Ok(Late(seen))
            }),
        )
        .unwrap();
    late.tell(());
    late.drain();
    assert!(matches!(late.terminated().await, Exit::Drained));
    assert_eq!(read(&mut journal), ["made", "started", "message"]);
    end(&system).await;
}
