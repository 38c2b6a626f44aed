//! Mailboxes: capacity, order, visibility.

use super::common::seeds::{end, for_each_seed, stepped};
use super::common::{self, journal, read, system};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, WorkPool, limits};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::sync::{Semaphore, mpsc};

/// Writes down every message.
fn writer<T: Send + 'static>(seen: mpsc::UnboundedSender<T>) -> Props<T> {
    struct Writer<T>(mpsc::UnboundedSender<T>);
    impl<T: Send + 'static> Actor for Writer<T> {
        type Msg = T;
        async fn receive(&mut self, _ctx: &mut Context<T>, msg: T) -> Outcome {
            Ok(self.0.send(msg).map_err(|_| "nobody reads")?)
        }
    }
    Props::new(move || Writer(seen))
}

/// The numbers in an order that looks like none: all multiples of a number that shares no factor with their count.
fn shuffled(count: u32, seed: u64) -> Vec<u32> {
    let step = [37, 73, 91, 113][seed as usize % 4];
    (0..count)
        .map(|n| (n * step + seed as u32) % count + 1)
        .collect()
}

// differs: MBX-01: bounded by default, `limits::MAILBOX` places; without a bound only by name
#[test]
fn mbx_01_a_default_mailbox_is_bounded() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = system.spawn("default", writer(seen)).unwrap();
    for n in 0..limits::MAILBOX {
        actor.try_send(n).unwrap();
    }
    assert_eq!(
        actor.try_send(limits::MAILBOX),
        Err(TrySendError::Full(limits::MAILBOX))
    );
    world.settle();
    assert_eq!(read(&mut journal).len(), limits::MAILBOX);
    end(&system, &world);
}

#[test]
fn mbx_02_the_props_say_which_mailbox() {
    let (system, world, _) = stepped(1);
    let (seen, _seen) = journal();
    let two = system
        .spawn("two", writer(seen.clone()).mailbox(Mailbox::bounded(2)))
        .unwrap();
    let any = system
        .spawn("any", writer(seen).mailbox(Mailbox::unbounded()))
        .unwrap();
    let accepted = |actor: &ActorRef<usize>| {
        (0..2 * limits::MAILBOX)
            .take_while(|&n| actor.try_send(n).is_ok())
            .count()
    };
    assert_eq!((accepted(&two), accepted(&any)), (2, 2 * limits::MAILBOX));
    end(&system, &world);
}

#[test]
fn mbx_03_the_message_in_the_handler_is_not_counted() {
    let (system, world, events) = stepped(1);
    let (entered, _entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = common::gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(2));
    let actor = system.spawn("actor", props).unwrap();
    actor.tell("one");
    world.settle();
    ["two", "three", "four"]
        .into_iter()
        .for_each(|msg| actor.tell(msg));
    assert_eq!(events.dead(DeadLetterReason::Full), 1);
    gate.add_permits(3);
    world.settle();
    assert_eq!(read(&mut journal), ["one", "two", "three"]);
    end(&system, &world);
}

// differs: MBX-06: no push waits on a clock: `tell` fails at once, and a `send` waits for as long as its caller lets it
#[test]
fn mbx_06_the_eleventh_of_ten_is_a_dead_letter_and_a_dequeue_frees_a_place() {
    let (system, world, events) = stepped(1);
    let (entered, _entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = common::gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(10));
    let actor = system.spawn("actor", props).unwrap();
    (1..=11).for_each(|n| actor.tell(n));
    assert_eq!(events.dead(DeadLetterReason::Full), 1);
    assert_eq!(actor.try_send(12), Err(TrySendError::Full(12)));
    world.settle(); // the first is in the handler's hands now
    assert_eq!(actor.try_send(13), Ok(()));
    assert_eq!(actor.try_send(14), Err(TrySendError::Full(14)));
    gate.add_permits(11);
    world.settle();
    assert_eq!(read(&mut journal), (1..=10).chain([13]).collect::<Vec<_>>());
    end(&system, &world);
}

#[test]
fn mbx_07_ten_of_twenty_are_consumed_and_ten_are_dead_letters() {
    for_each_seed(20, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let props = writer(seen).mailbox(Mailbox::bounded(10));
        let actor = system.spawn("actor", props).unwrap();
        (0..20).for_each(|n| actor.tell(n));
        world.settle();
        assert_eq!(read(&mut journal), (0..10).collect::<Vec<_>>());
        assert_eq!(events.dead(DeadLetterReason::Full), 10);
        let ledger = end(&system, &world);
        assert_eq!((ledger.handled, ledger.dead), (10, 10));
    });
}

const PRODUCERS: u32 = 20;
const EACH: u32 = 500;

/// Twenty tasks send ten thousand different numbers.
async fn produce(to: &ActorRef<u32>) {
    let producers: Vec<_> = (0..PRODUCERS)
        .map(|producer| {
            let to = to.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    to.send(producer * EACH + n).await.unwrap();
                }
            })
        })
        .collect();
    for producer in producers {
        producer.await.unwrap();
    }
    to.drain();
    to.terminated().await;
}

fn assert_each_once(mut numbers: Vec<u32>) {
    numbers.sort_unstable();
    assert_eq!(numbers, (0..PRODUCERS * EACH).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mbx_08_every_message_of_twenty_producers_exactly_once() {
    for mailbox in [Mailbox::unbounded(), Mailbox::bounded(10_000)] {
        let (system, _) = system();
        let (seen, mut journal) = journal();
        let actor = system
            .spawn("actor", writer(seen).mailbox(mailbox))
            .unwrap();
        produce(&actor).await;
        assert_each_once(read(&mut journal));
        common::end(&system).await;
    }
}

// differs: MBX-08: a mailbox has one consumer; four of them pull from a work pool
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mbx_08_four_consumers_pull_every_message_exactly_once() {
    struct Worker(mpsc::UnboundedSender<u32>);
    impl Actor for Worker {
        type Msg = playhouse::Job<u32>;
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, job: Self::Msg) -> Outcome {
            self.0.send(*job)?;
            job.done();
            Ok(())
        }
    }
    for waiting in [4, 10_000] {
        let (system, _) = system();
        let (seen, mut journal) = journal();
        let pool = WorkPool::new(4, move || Worker(seen)).waiting(waiting);
        let pool = system.spawn("pool", pool).unwrap();
        produce(&pool).await;
        assert_each_once(read(&mut journal));
        common::end(&system).await;
    }
}

#[test]
fn mbx_11_a_priority_mailbox_sorts_what_waits() {
    for mailbox in [Mailbox::unbounded(), Mailbox::bounded(100)] {
        for_each_seed(20, |seed| {
            let (system, world, _) = stepped(seed);
            let (seen, mut journal) = journal();
            let props = writer(seen).mailbox(mailbox.clone().by_priority(|&n: &u32| n as u8));
            let actor = system.spawn("actor", props).unwrap();
            shuffled(100, seed).into_iter().for_each(|n| actor.tell(n));
            world.settle();
            assert_eq!(read(&mut journal), (1..=100).collect::<Vec<_>>());
            end(&system, &world);
        });
    }
}

#[test]
fn mbx_12_within_a_level_the_order_of_sending_stays() {
    for mailbox in [Mailbox::unbounded(), Mailbox::bounded(200)] {
        for_each_seed(20, |seed| {
            let (system, world, _) = stepped(seed);
            let (seen, mut journal) = journal();
            let props =
                writer(seen).mailbox(mailbox.clone().by_priority(|&n: &u32| n.min(101) as u8));
            let actor = system.spawn("actor", props).unwrap();
            let sent = shuffled(200, seed);
            sent.iter().for_each(|&n| actor.tell(n));
            world.settle();
            let above = sent.into_iter().filter(|&n| n > 100);
            assert_eq!(
                read(&mut journal),
                (1..=100).chain(above).collect::<Vec<_>>()
            );
            end(&system, &world);
        });
    }
}

#[test]
fn mbx_13_control_messages_first() {
    for mailbox in [Mailbox::unbounded(), Mailbox::bounded(3)] {
        let (system, world, _) = stepped(1);
        let (seen, mut journal) = journal();
        let control_first = mailbox.by_priority(|msg: &&str| u8::from(!msg.starts_with("control")));
        let actor = system
            .spawn("actor", writer(seen).mailbox(control_first))
            .unwrap();
        ["first", "second", "control"]
            .into_iter()
            .for_each(|msg| actor.tell(msg));
        world.settle();
        assert_eq!(read(&mut journal), ["control", "first", "second"]);
        end(&system, &world);
    }
}

enum Play {
    Begin(ActorRef<Play>),
    Ball(u32),
}

/// Counts the ball down and gives it back; stops when it is down, and tells the other by the ball that is.
struct Player(Option<ActorRef<Play>>);

impl Actor for Player {
    type Msg = Play;
    async fn receive(&mut self, ctx: &mut Context<Play>, msg: Play) -> Outcome {
        let ball = match msg {
            Play::Begin(other) => return Ok(drop(self.0.replace(other))),
            Play::Ball(ball) => ball,
        };
        let other = self.0.as_ref().ok_or("plays with nobody")?;
        if ball > 0 {
            other.tell(Play::Ball(ball - 1));
        } else {
            other.stop();
            ctx.stop();
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mbx_14_two_million_pings_lose_no_wake_up() {
    for mailbox in [Mailbox::unbounded(), Mailbox::bounded(1)] {
        let system = ActorSystem::builder("test")
            .dispatcher("one", Dispatcher::shared().throughput(1))
            .build()
            .unwrap();
        let player = Props::new(|| Player(None))
            .mailbox(mailbox)
            .dispatcher_named("one");
        let ping = system.spawn("ping", player.clone()).unwrap();
        let pong = system.spawn("pong", player).unwrap();
        for (one, other) in [(&ping, &pong), (&pong, &ping)] {
            one.send(Play::Begin(other.clone())).await.unwrap();
        }
        ping.send(Play::Ball(2_000_000)).await.unwrap();
        for player in [&ping, &pong] {
            assert!(matches!(player.terminated().await, Exit::Stopped));
        }
        assert_eq!(common::end(&system).await.handled, 2_000_003);
    }
}

// differs: MBX-15: state belongs to its turn by type, so there is no unsynchronised field to see; what moves it is tested
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mbx_15_every_thread_sees_the_state_that_the_last_turn_left() {
    const STEPS: u64 = 10_000;
    struct Consistent {
        left: u64,
        right: u64,
        step: u64,
        threads: Arc<AtomicU8>,
    }
    impl Actor for Consistent {
        type Msg = u64;
        async fn receive(&mut self, _ctx: &mut Context<u64>, step: u64) -> Outcome {
            assert_eq!(self.threads.fetch_add(1, Ordering::Relaxed), 0, "alone");
            assert_eq!(self.left + self.right, 42);
            assert_eq!(self.step, step);
            self.left = 21 + step % 21;
            self.right = 42 - self.left;
            self.step += 1;
            self.threads.fetch_sub(1, Ordering::Relaxed);
            Ok(())
        }
    }
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let system = ActorSystem::builder("test")
        .dispatcher("one", Dispatcher::shared().throughput(1))
        .build()
        .unwrap();
    let actors: Vec<_> = (0..cores * 3 / 2 + 1)
        .map(|_| {
            let props = Props::new(move || Consistent {
                left: 0,
                right: 42,
                step: 0,
                threads: Arc::default(),
            });
            system.spawn_anonymous(props.dispatcher_named("one"))
        })
        .collect();
    for step in 0..STEPS {
        for actor in &actors {
            actor.send(step).await.unwrap();
        }
    }
    for actor in &actors {
        actor.drain();
        assert!(matches!(actor.terminated().await, Exit::Drained));
    }
    let ledger = common::end(&system).await;
    assert_eq!(ledger.handled, STEPS * actors.len() as u64);
}
