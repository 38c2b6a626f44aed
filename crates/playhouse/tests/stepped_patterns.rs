//! What is built of the promises, under thousands of orders: the work pool, supervision, asks with limits, the shutdown.

mod common;

use common::seeds::{count_steps, end, for_each_seed, stepped};
use common::{assert_clean, journal, read};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event, Job, Phase, SpawnError, WorkPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

const SEEDS: u64 = 1_000;

/// Every fifth job fails, every seventh panics, every eleventh kills its worker, every third takes a second.
struct Worker {
    begun: mpsc::UnboundedSender<u32>,
    busy: Arc<AtomicUsize>,
}

struct Busy(Arc<AtomicUsize>);

impl Busy {
    fn enter(busy: &Arc<AtomicUsize>) -> Self {
        assert!(busy.fetch_add(1, Ordering::Relaxed) < 3, "three workers");
        Self(busy.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Actor for Worker {
    type Msg = Job<u32>;
    async fn receive(&mut self, ctx: &mut Context<Job<u32>>, job: Job<u32>) -> Outcome {
        let busy = Busy::enter(&self.busy);
        self.begun.send(*job)?;
        match *job {
            n if n % 5 == 4 => return Err("as every fifth".into()),
            n if n % 7 == 6 => panic!("as every seventh"),
            n if n % 11 == 10 => {
                ctx.me().kill();
                std::future::pending::<()>().await;
            }
            n if n % 3 == 2 => ctx.clock().sleep(secs(1)).await,
            _ => {}
        }
        drop(busy);
        job.done();
        Ok(())
    }
}

#[test]
fn a_pool_gives_every_job_to_one_worker_and_replaces_those_that_end() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let (begun, mut seen) = journal();
        let busy = Arc::default();
        let pool = WorkPool::new(3, move || Worker { begun, busy });
        let pool = system.spawn("pool", pool).unwrap();
        for from in 0..4 {
            let pool = pool.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
                    for n in 0..8 {
                        pool.send(from * 8 + n).await?;
                    }
                    Ok(())
                })),
            );
        }
        let mut all = Vec::new();
        while all.len() < 32 {
            world.settle();
            all.extend(read(&mut seen));
            assert!(world.advance_to_next() || all.len() == 32);
            all.extend(read(&mut seen));
        }
        all.sort_unstable();
        assert_eq!(all, (0..32).collect::<Vec<_>>());
        pool.drain();
        let exit = world.block_on_timed(pool.terminated());
        assert!(matches!(exit, Exit::Drained), "{exit:?}");
        end(&system, &world);
    });
}

enum Order {
    Work(u32),
    Gone(Exit),
}

/// Gives work to a child, and makes another one, of the same name, when that has ended.
struct Supervisor {
    child: Option<ActorRef<u32>>,
    did: mpsc::UnboundedSender<u32>,
    ends: u32,
}

impl Supervisor {
    fn child(&mut self, ctx: &mut Context<Order>) -> Result<ActorRef<u32>, SpawnError> {
        if let Some(child) = &self.child {
            return Ok(child.clone());
        }
        let did = self.did.clone();
        let child = ctx.spawn("child", Props::new(move || Fragile(did)))?;
        ctx.watch_with(&child, Order::Gone);
        Ok(self.child.insert(child).clone())
    }
}

impl Actor for Supervisor {
    type Msg = Order;
    async fn receive(&mut self, ctx: &mut Context<Order>, order: Order) -> Outcome {
        match order {
            Order::Work(n) => drop(self.child(ctx)?.send(n).await),
            Order::Gone(Exit::Failed(_)) => {
                self.child = None;
                self.ends += 1;
            }
            Order::Gone(other) => return Err(format!("it ended as {other:?}").into()),
        }
        Ok(())
    }
}

struct Fragile(mpsc::UnboundedSender<u32>);

impl Actor for Fragile {
    type Msg = u32;
    async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
        if n.is_multiple_of(2) {
            ctx.clock().sleep(secs(1)).await;
        }
        self.0.send(n)?;
        match n % 3 {
            0 => Err("as every third".into()),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_parent_that_watches_can_use_the_name_of_a_failed_child_at_once() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (did, mut seen) = journal();
        let (child, ends) = (None, 0);
        let parent = system
            .spawn("parent", move || Supervisor { child, did, ends })
            .unwrap();
        for n in 0..12 {
            let parent = parent.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    ctx.clock().sleep(secs(u64::from(n / 3))).await;
                    parent.send(Order::Work(n)).await?;
                    Ok(())
                })),
            );
        }
        world.advance(secs(100));
        let did = read(&mut seen);
        assert!(did.is_sorted_by(|a, b| a != b), "none twice: {did:?}");
        let parents = |event: &Event| matches!(event, Event::Ended { who, .. } if *who == parent);
        assert_eq!(events.count(parents), 0, "{:?}", events.all());
        let lost = events.dead(DeadLetterReason::Stopped) + events.dead(DeadLetterReason::Gone);
        assert!(did.len() + lost <= 12 && !did.is_empty(), "{did:?}");
        end(&system, &world);
    });
}

/// Answers after two seconds, one after the other; whoever cannot wait so long hears of it when its limit is over.
#[test]
fn every_ask_ends_by_its_limit_whatever_becomes_of_the_asked() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let slow = Props::func(async |ctx: &mut Context<Reply<u64>>| {
            while let Some(reply) = ctx.recv().await {
                ctx.clock().sleep(secs(2)).await;
                reply.send(0);
            }
            Ok(())
        });
        let slow = system
            .spawn("slow", slow.mailbox(Mailbox::bounded(3)))
            .unwrap();
        let (told, mut seen) = journal();
        for limit in 1..=8 {
            let (slow, told) = (slow.clone(), told.clone());
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    let begin = ctx.clock().now();
                    let answer = slow.ask(|reply| reply).within(secs(limit)).await;
                    told.send((limit, ctx.clock().now() - begin, answer))?;
                    Ok(())
                })),
            );
        }
        if seed % 2 == 0 {
            let slow = slow.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    ctx.clock().sleep(secs(3)).await;
                    slow.kill();
                    Ok(())
                })),
            );
        }
        world.advance(secs(20));
        let answers = read(&mut seen);
        assert_eq!(answers.len(), 8, "{answers:?}");
        for (limit, took, answer) in answers {
            assert!(took <= secs(limit), "{took:?} of {limit} s");
            let ended = match answer {
                Ok(_) => took.as_secs() % 2 == 0 && took > Duration::ZERO,
                Err(AskError::Timeout(_)) => took == secs(limit),
                Err(AskError::Gone(_) | AskError::NoReply { .. }) => took == secs(3),
                Err(_) => false,
            };
            assert!(ended, "limit {limit}: {answer:?} after {took:?}");
        }
        end(&system, &world);
    });
}

#[test]
fn a_shutdown_under_load_keeps_the_order_of_its_phases_and_closes_the_books() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let (told, mut seen) = journal();
        let phases = [
            (Phase::ReleaseResources, "release"),
            (Phase::FinishRequests, "requests"),
            (Phase::CloseDoors, "doors"),
        ];
        for (phase, name) in phases {
            let (told, clock) = (told.clone(), system.clock().clone());
            system.on_shutdown(phase, name, async move || {
                clock.sleep(secs(1)).await;
                told.send(name)?;
                Ok(())
            });
        }
        let ring: Vec<ActorRef<u32>> = (0..3).map(|_| system.spawn_anonymous(relay())).collect();
        for (n, actor) in ring.iter().enumerate() {
            let mut others = ring.clone();
            others.rotate_left(n + 1);
            let first = actor.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    for n in 0.. {
                        first.send(n).await?;
                        others[n as usize % 2].tell(n);
                        ctx.clock().sleep(playhouse::millis(300)).await;
                    }
                    Ok(())
                })),
            );
        }
        for _ in 0..seed % 60 {
            world.step();
        }
        let report = world.block_on_timed(system.shutdown());
        assert_clean(&report);
        count_steps(&world);
        assert_eq!(read(&mut seen), ["doors", "requests", "release"]);
        assert!(report.ledger.accepted > 0);
        assert!(ring.iter().all(|actor| actor.try_send(0).is_err()));
        assert!(matches!(
            system.spawn("late", relay()),
            Err(SpawnError::Stopping)
        ));
    });
}

fn relay() -> Props<u32> {
    struct Relay;
    impl Actor for Relay {
        type Msg = u32;
        async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
            match n % 3 {
                0 => tokio::task::yield_now().await,
                1 => ctx.clock().sleep(playhouse::millis(100)).await,
                _ => {}
            }
            Ok(())
        }
    }
    Props::new(|| Relay).mailbox(Mailbox::bounded(4))
}
