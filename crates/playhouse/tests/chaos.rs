//! A tree of actors that fail, restart, stash, ask, stop and get killed, at random. Whatever happens, every message is in
//! exactly one column of the books, and everybody is gone at the end.
//!
//! `PLAYHOUSE_SEEDS` says how many seeds the stepped half runs, and `PLAYHOUSE_SEED` replays one.
//! `PLAYHOUSE_CHAOS_SECONDS` says how long the half with threads runs.

mod common;

use common::panics::hush;
use common::seeds::{for_each_seed, stepped};
use playhouse::prelude::*;
use playhouse::{Ledger, Restart, ShutdownReport};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SEEDS: u64 = 300;
const SECONDS: u64 = 2;
/// Actors that others know of.
const KNOWN: usize = 24;
/// What the actors panic with.
const ON_PURPOSE: &str = "on purpose";
/// So deep is the tree at most.
const DEPTH: u32 = 3;

#[derive(Clone)]
enum Cmd {
    /// Goes on to others as long as the number is above zero.
    Work(u32),
    Asked(Asked),
    Answered,
    Ended,
}

/// Redelivered messages are cloned, so the reply is shared.
#[derive(Clone)]
struct Asked(Arc<Mutex<Option<Reply<u32>>>>);

impl Asked {
    fn question(reply: Reply<u32>) -> Cmd {
        Cmd::Asked(Asked(Arc::new(Mutex::new(Some(reply)))))
    }

    fn answer(&self, n: u32) {
        if let Some(reply) = self.0.lock().unwrap().take() {
            reply.send(n);
        }
    }
}

/// What all actors of one system share.
#[derive(Clone)]
struct World {
    dice: Arc<AtomicU64>,
    known: Arc<Mutex<Vec<ActorRef<Cmd>>>>,
}

impl World {
    fn new(seed: u64) -> Self {
        Self {
            dice: Arc::new(AtomicU64::new(seed)),
            known: Arc::default(),
        }
    }

    /// One of `0..bound`, by a counter and a mixing step (splitmix64).
    fn roll(&self, bound: u64) -> u64 {
        let mut mixed = self
            .dice
            .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn meet(&self, actor: ActorRef<Cmd>) {
        let place = self.roll(KNOWN as u64) as usize;
        let left = {
            let mut known = self.known.lock().unwrap();
            match known.len() < KNOWN {
                true => {
                    known.push(actor);
                    None
                }
                false => Some(std::mem::replace(&mut known[place], actor)),
            }
        };
        drop(left);
    }

    fn somebody(&self) -> Option<ActorRef<Cmd>> {
        let known = self.known.lock().unwrap();
        let place = self.roll(known.len().max(1) as u64) as usize;
        known.get(place).cloned()
    }

    fn forget_everybody(&self) {
        let known = std::mem::take(&mut *self.known.lock().unwrap());
        drop(known);
    }

    /// A root has nobody to escalate to but the system, which would end.
    fn supervision(&self, depth: u32) -> Supervise {
        let brief = || -> Restart {
            Supervise::restart()
                .backoff(millis(1)..=millis(4), 0.5)
                .limit(4, secs(60))
        };
        match self.roll(if depth == 0 { 4 } else { 7 }) {
            0 => Supervise::stop(),
            1 => Supervise::resume().when_panic(Supervise::resume()),
            2 => brief().at_once().into(),
            3 => brief().keep_children().into(),
            4 => Supervise::escalate(),
            5 => brief().into(),
            _ => brief().when_panic(Supervise::escalate()),
        }
    }

    fn node(&self, depth: u32) -> Props<Cmd> {
        let world = self.clone();
        let props = Props::setup(async move |ctx: &mut Context<Cmd>| {
            match world.roll(12) {
                0 => return Err("no state today".into()),
                1 => ctx.clock().sleep(millis(1)).await,
                _ => {}
            }
            let answers = ctx.adapter(|_: u32| Cmd::Answered);
            Ok(Node {
                world,
                depth,
                answers,
                children: Vec::new(),
            })
        });
        let places = [1, 2, 8, 64][self.roll(4) as usize];
        let props = props
            .supervise(self.supervision(depth))
            .mailbox(Mailbox::bounded(places));
        match self.roll(3) {
            0 => props.redeliver(1),
            _ => props,
        }
    }
}

struct Node {
    world: World,
    depth: u32,
    answers: ActorRef<u32>,
    children: Vec<ActorRef<Cmd>>,
}

impl Actor for Node {
    type Msg = Cmd;

    async fn started(&mut self, ctx: &mut Context<Cmd>) -> Outcome {
        self.world.meet(ctx.me().clone());
        if self.world.roll(20) == 0 {
            return Err("a bad start".into());
        }
        Ok(())
    }

    async fn receive(&mut self, ctx: &mut Context<Cmd>, cmd: Cmd) -> Outcome {
        let fuel = match cmd {
            Cmd::Work(0) | Cmd::Answered | Cmd::Ended => return Ok(()),
            Cmd::Asked(asked) => match self.world.roll(4) {
                0 => return Ok(()), // the reply is dropped
                1 => return Err("asked too much".into()),
                _ => {
                    asked.answer(1);
                    return Ok(());
                }
            },
            Cmd::Work(fuel) => fuel - 1,
        };
        self.act(ctx, fuel).await
    }

    async fn signal(&mut self, ctx: &mut Context<Cmd>, signal: Signal) -> Outcome {
        match (signal, self.world.roll(8)) {
            (Signal::Terminated { .. }, 0..6) => Ok(()),
            (Signal::PostStop | Signal::PreRestart(_), 0) => std::panic::panic_any(ON_PURPOSE),
            (Signal::PostStop | Signal::PreRestart(_), 1) => {
                ctx.clock().sleep(millis(2)).await;
                Ok(())
            }
            (other, _) => other.unhandled(),
        }
    }
}

impl Node {
    async fn act(&mut self, ctx: &mut Context<Cmd>, fuel: u32) -> Outcome {
        let world = self.world.clone();
        let Some(other) = world.somebody() else {
            return Ok(());
        };
        match world.roll(40) {
            0 => return Err("on purpose".into()),
            1 => std::panic::panic_any(ON_PURPOSE),
            2 | 3 => {
                let _ = ctx.stash(Cmd::Work(fuel));
            }
            4 | 5 => ctx.unstash(2),
            6 | 7 => self.bear(ctx)?,
            8 => ctx.stop(),
            9 => other.kill(),
            10 => other.drain(),
            11 => other.stop(),
            12 => ctx.timers().once(world.roll(3), millis(1), Cmd::Work(fuel)),
            13 => ctx.timers().fixed_delay("beat", millis(3), || Cmd::Work(1)),
            14 => ctx.timers().cancel("beat"),
            15 => ctx.ask(&other, millis(5), Asked::question, |_| Cmd::Answered),
            16 => {
                let _ = other.ask(Asked::question).within(millis(5)).await;
            }
            17 => other.tell(Asked::question(Reply::to(&self.answers))),
            18 => {
                let clock = ctx.clock().clone();
                let pipe = async move { clock.sleep(millis(2)).await };
                ctx.pipe_to_self(pipe, move |()| Cmd::Work(fuel));
            }
            19 => ctx.pipe_to_self(async { std::panic::panic_any(ON_PURPOSE) }, |()| Cmd::Ended),
            20 => {
                let patience = ctx.clock().sleep(millis(3));
                tokio::select! {
                    biased;
                    sent = other.send(Cmd::Work(fuel)) => drop(sent),
                    () = patience => {}
                }
            }
            21 => ctx.watch(&other),
            22 => ctx.watch_with(&other, |_| Cmd::Ended),
            23 => ctx.unwatch(&other),
            24 => {
                if let Ok(place) = other.try_reserve() {
                    ctx.clock().sleep(millis(1)).await;
                    place.send(Cmd::Work(fuel));
                }
            }
            25 => {
                if let Some(child) = self.children.pop() {
                    child.stop();
                }
            }
            26 => ctx.again(Cmd::Work(fuel)),
            _ => {}
        }
        for _ in 0..world.roll(4) {
            if let Some(other) = world.somebody() {
                let _ = other.try_send(Cmd::Work(fuel));
            }
        }
        Ok(())
    }

    fn bear(&mut self, ctx: &mut Context<Cmd>) -> Outcome {
        if self.depth >= DEPTH {
            return Ok(());
        }
        let on = ["default", "fixed", "pinned"][self.world.roll(3) as usize];
        let on = ctx.system().dispatcher(on)?;
        let child = self.world.node(self.depth + 1).dispatcher(&on);
        self.children.push(ctx.spawn_anonymous(child));
        Ok(())
    }
}

/// New roots, and work for whoever is there.
fn feed(system: &ActorSystem, world: &World, messages: u32) {
    for _ in 0..4 {
        world.meet(system.spawn_anonymous(world.node(0)));
    }
    for _ in 0..messages {
        if let Some(other) = world.somebody() {
            other.tell(Cmd::Work(9));
        }
    }
}

fn assert_balanced(report: &ShutdownReport) -> Ledger {
    let ledger = report.ledger;
    assert_eq!(ledger.balance(), 0, "{report:?}");
    assert_eq!((ledger.queued, ledger.stashed), (0, 0), "{report:?}");
    assert!(report.still_alive.is_empty(), "{report:?}");
    ledger
}

#[test]
fn the_books_balance_under_every_seed() {
    hush(ON_PURPOSE);
    let total = Mutex::new((0, 0, 0));
    for_each_seed(SEEDS, |seed| {
        let (system, stepped, _events) = stepped(seed);
        let world = World::new(seed);
        for _ in 0..8 {
            feed(&system, &world, 12);
            stepped.advance(millis(3));
        }
        let report = stepped.block_on_timed(system.shutdown());
        let ledger = assert_balanced(&report);
        common::seeds::count_steps(&stepped);
        world.forget_everybody();
        let mut total = total.lock().unwrap();
        total.0 += ledger.handled;
        total.1 += ledger.failed + ledger.interrupted;
        total.2 += ledger.dead + ledger.quarantined;
    });
    let (handled, failed, lost) = *total.lock().unwrap();
    println!(
        "{handled} messages handled, {failed} failed or interrupted, {lost} lost or quarantined"
    );
}

#[test]
fn the_books_balance_with_threads() {
    hush(ON_PURPOSE);
    let seconds = std::env::var("PLAYHOUSE_CHAOS_SECONDS");
    let seconds = seconds.map_or(SECONDS, |text| text.parse().expect("seconds"));
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut systems, mut handled) = (0, 0);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap();
    while Instant::now() < end {
        let world = World::new(systems);
        let _inside = runtime.enter();
        let system = ActorSystem::builder("chaos")
            .dispatcher("fixed", Dispatcher::fixed(2))
            .dispatcher("pinned", Dispatcher::pinned())
            .on_event(|_| ())
            .build()
            .unwrap();
        let report = runtime.block_on(async {
            for _ in 0..30 {
                feed(&system, &world, 64);
                system.clock().sleep(millis(1)).await;
            }
            world.forget_everybody();
            system.shutdown().await
        });
        handled += assert_balanced(&report).handled;
        systems += 1;
    }
    println!("{systems} systems, {handled} messages handled");
}
