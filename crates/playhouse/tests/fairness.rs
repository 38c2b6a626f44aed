//! Nobody starves: a turn is as long as the throughput says, and who floods itself takes its share and no more. Decided by
//! counts of messages, in runs that end after a number of them.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{DispatcherRef, limits};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, mpsc};

#[tokio::test]
async fn one_message_waits_for_exactly_one_turn_of_an_actor_with_a_thousand() {
    for throughput in [1, 5, 64] {
        let system = ActorSystem::builder("test")
            .dispatcher("one", Dispatcher::fixed(1).throughput(throughput))
            .build()
            .unwrap();
        let one = system.dispatcher("one").unwrap();
        let (seen, mut journal) = journal();
        let note = |name: char| {
            let seen = seen.clone();
            let body = Props::func(async move |ctx: &mut Context<()>| {
                while ctx.recv().await.is_some() {
                    seen.send(name)?;
                }
                Ok(())
            });
            system.spawn_anonymous(body.dispatcher(&one))
        };
        let hold = hold_the_thread(&one);
        let (a, b) = (note('a'), note('b'));
        (0..1_000).for_each(|_| a.tell(()));
        b.tell(());
        drop(hold);
        for actor in [&a, &b] {
            actor.drain();
            actor.terminated().await;
        }
        let order = String::from_iter(read(&mut journal));
        assert_eq!(order.find('b'), Some(throughput));
        assert_eq!(order.len(), 1_001);
        end(&system).await;
    }
}

#[tokio::test]
async fn beside_one_that_floods_itself_the_others_keep_their_share_of_one_thread() {
    let system = ActorSystem::builder("test")
        .dispatcher("one", Dispatcher::fixed(1))
        .build()
        .unwrap();
    let one = system.dispatcher("one").unwrap();
    let hold = hold_the_thread(&one);
    let crowd = Crowd::gather(&system, &one, 2_000);
    drop(hold);
    crowd.assert_shares().await;
    end(&system).await;
}

#[test]
fn beside_one_that_floods_itself_the_others_keep_their_share_of_tokios_workers() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let system = {
        let _inside = runtime.enter();
        ActorSystem::builder("test").build().unwrap()
    };
    let default = system.dispatcher("default").unwrap();
    // Both workers wait, so that none is ahead when the crowd is complete.
    let gates = [(); 2].map(|()| Arc::new(Barrier::new(3)));
    for _ in 0..2 {
        let gates = gates.clone();
        runtime.spawn(async move {
            for gate in &gates {
                gate.wait();
            }
        });
    }
    gates[0].wait();
    let crowd = Crowd::gather(&system, &default, 100 * limits::THROUGHPUT as u64);
    gates[1].wait();
    runtime.block_on(async {
        crowd.assert_shares().await;
        end(&system).await;
    });
}

/// What is queued meanwhile waits until the value is dropped.
fn hold_the_thread(on: &DispatcherRef) -> mpsc::Sender<()> {
    let (hold, held) = mpsc::channel();
    on.submit(move || assert!(held.recv().is_err()));
    hold
}

/// One that floods itself, and a hundred that always have messages waiting.
struct Crowd {
    actors: Vec<ActorRef<()>>,
    counts: Arc<Counts>,
}

struct Counts {
    of: Vec<AtomicU64>,
    total: AtomicU64,
    per_head: u64,
}

const OTHERS: usize = 100;
const CROWD: u64 = OTHERS as u64 + 1;
/// Never fewer, until the end: more than two turns of any dispatcher here.
const WAITING: usize = 2 * limits::THROUGHPUT + 1;

impl Crowd {
    /// It ends after so many messages per head.
    fn gather(system: &ActorSystem, on: &DispatcherRef, per_head: u64) -> Self {
        let counts = Arc::new(Counts {
            of: (0..CROWD).map(|_| AtomicU64::new(0)).collect(),
            total: AtomicU64::new(0),
            per_head,
        });
        let counted = |index| {
            let counts = counts.clone();
            let props = Props::new(move || Counted { index, counts });
            let actor = system.spawn_anonymous(props.dispatcher(on));
            (0..WAITING).for_each(|_| actor.tell(()));
            actor
        };
        let actors = (0..CROWD as usize).map(counted).collect();
        Self { actors, counts }
    }

    async fn assert_shares(&self) {
        let per_head = self.counts.per_head;
        for actor in &self.actors {
            actor.terminated().await;
        }
        let counts = self.counts.of.iter().map(|n| n.load(Ordering::Relaxed));
        let counts: Vec<u64> = counts.collect();
        assert_eq!(counts.iter().sum::<u64>(), per_head * CROWD);
        let least = counts[1..].iter().min().unwrap();
        assert!(2 * least >= per_head, "{counts:?}");
    }
}

/// The first one is the one that floods.
struct Counted {
    index: usize,
    counts: Arc<Counts>,
}

impl Actor for Counted {
    type Msg = ();
    async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
        if self.counts.total.fetch_add(1, Ordering::Relaxed) >= self.counts.per_head * CROWD {
            ctx.stop();
            return Ok(());
        }
        self.counts.of[self.index].fetch_add(1, Ordering::Relaxed);
        ctx.again(());
        if self.index == 0 {
            (0..2).for_each(|_| ctx.again(()));
        }
        Ok(())
    }
}
