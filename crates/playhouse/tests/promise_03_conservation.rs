//! Promise 3: every message is accounted for, once.

mod common;

use common::*;
use playhouse::DeadLetterReason;
use playhouse::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Semaphore;

/// What a message does to its actor.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    Wait,
    Unhandled,
    Again,
    Fail,
    Panic,
    Stop,
    TakeEarly,
}

struct Faulty;

impl Actor for Faulty {
    type Msg = Fault;
    async fn receive(&mut self, ctx: &mut Context<Fault>, fault: Fault) -> Outcome {
        match fault {
            Fault::None => {}
            Fault::Wait => tokio::task::yield_now().await,
            Fault::Unhandled => ctx.unhandled(fault),
            Fault::Again => ctx.again(Fault::None),
            Fault::Fail => return Err("asked to fail".into()),
            Fault::Panic => panic!("asked to panic"),
            Fault::Stop => ctx.stop(),
            Fault::TakeEarly => drop(ctx.recv().await),
        }
        Ok(())
    }
}

/// A small generator, so that a failing seed can be run again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn fault(&mut self) -> Fault {
        match self.roll(200) {
            0 => Fault::Fail,
            1 => Fault::Panic,
            2 => Fault::Stop,
            3..20 => Fault::Unhandled,
            20..40 => Fault::Again,
            40..60 => Fault::TakeEarly,
            60..90 => Fault::Wait,
            _ => Fault::None,
        }
    }
}

/// Offers messages in every way, and ends the actor somewhere in between. Returns how many were offered.
async fn storm(system: &ActorSystem, seed: u64) -> u64 {
    let mut dice = Dice(seed);
    let on = system
        .dispatcher(["default", "fixed", "pinned"][dice.roll(3) as usize])
        .unwrap();
    let places = 1 + dice.roll(8) as usize;
    let props = Props::new(|| Faulty)
        .mailbox(Mailbox::bounded(places))
        .dispatcher(&on);
    let actor = system.spawn_anonymous(props);
    let mut offered = 0;
    for _ in 0..200 {
        offered += 1;
        let fault = dice.fault();
        match dice.roll(5) {
            0 => actor.tell(fault),
            1 => drop(actor.try_send(fault)),
            2 => drop(actor.send(fault).await),
            3 => match actor.reserve().await {
                Ok(place) if dice.roll(4) > 0 => place.send(fault),
                _ => offered -= 1, // a place given back, or none: nothing was offered
            },
            _ => {
                actor.narrow::<Fault>().tell(fault);
                tokio::task::yield_now().await;
            }
        }
        match dice.roll(400) {
            0 => actor.kill(),
            1 => actor.stop(),
            2 => actor.drain(),
            _ => {}
        }
    }
    offered
}

/// OWN-02. `again` and `unhandled` make messages of their own, so what was offered is the least that was counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_02_the_books_balance_after_any_storm() {
    for seed in 0..40 {
        let (system, events) = system();
        let mut storms = Vec::new();
        for n in 0..4 {
            let system = system.clone();
            storms.push(tokio::spawn(
                async move { storm(&system, seed * 4 + n).await },
            ));
        }
        let mut offered = 0;
        for storm in storms {
            offered += storm.await.unwrap();
        }
        let ledger = end(&system).await;
        assert!(
            ledger.accepted + ledger.refused >= offered,
            "seed {seed}: {offered} offered, {ledger:?}"
        );
        let dead = [
            DeadLetterReason::Full,
            DeadLetterReason::Gone,
            DeadLetterReason::Stopped,
        ];
        let dead: usize = dead.into_iter().map(|why| events.dead(why)).sum();
        assert_eq!(
            ledger.dead, dead as u64,
            "seed {seed}: each dead letter is published"
        );
        assert_eq!(
            ledger.unhandled,
            events.dead(DeadLetterReason::Unhandled) as u64,
            "seed {seed}"
        );
    }
}

#[tokio::test]
async fn each_outcome_has_its_column() {
    let (system, _) = system();
    let spawn = || system.spawn_anonymous(Props::new(|| Faulty).mailbox(Mailbox::bounded(2)));

    let failing = spawn();
    failing.tell(Fault::Unhandled);
    failing.tell(Fault::Fail);
    failing.tell(Fault::None); // full: a dead letter
    assert!(failing.try_send(Fault::None).is_err()); // refused
    assert!(matches!(failing.terminated().await, Exit::Failed(_)));
    assert!(failing.send(Fault::None).await.is_err()); // refused
    failing.tell(Fault::None); // gone: a dead letter, and the books of the dead are still kept

    let stopping = spawn();
    stopping.tell(Fault::Stop); // handled
    stopping.tell(Fault::None); // dead
    stopping.terminated().await;

    let ledger = end(&system).await;
    assert_eq!((ledger.accepted, ledger.refused), (6, 2));
    assert_eq!(
        (ledger.handled, ledger.failed, ledger.unhandled, ledger.dead),
        (1, 1, 1, 3)
    );
}

#[tokio::test]
async fn a_handler_that_was_killed_counts_as_interrupted() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, _journal) = journal::<u8>();
    let held = system
        .spawn("held", gated(entered, Arc::new(Semaphore::new(0)), seen))
        .unwrap();
    held.tell(1);
    has_entered.recv().await;
    held.kill();
    assert!(matches!(held.terminated().await, Exit::Killed));
    assert_eq!(end(&system).await.interrupted, 1);
}

#[tokio::test]
async fn while_a_system_runs_what_waits_is_queued() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, _journal) = journal::<u8>();
    let gate = Arc::new(Semaphore::new(0));
    let held = system
        .spawn("held", gated(entered, gate.clone(), seen))
        .unwrap();
    for n in 0..4 {
        held.tell(n);
    }
    has_entered.recv().await;
    let ledger = system.ledger();
    assert_eq!(
        (ledger.accepted, ledger.queued, ledger.balance()),
        (4, 3, 1)
    );
    gate.add_permits(4);
    held.drain();
    held.terminated().await;
    assert_eq!(end(&system).await.handled, 4);
}

/// Actors end all the time while somebody looks: what was known to be handled before a look is in what it sees.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_at_the_books_misses_nobody_who_is_leaving() {
    struct Leaf;
    impl Actor for Leaf {
        type Msg = Reply<()>;
        async fn receive(&mut self, _ctx: &mut Context<Reply<()>>, reply: Reply<()>) -> Outcome {
            reply.send(());
            Ok(())
        }
    }
    struct Root;
    impl Actor for Root {
        type Msg = ();
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            let leaf = ctx.spawn_anonymous(Props::new(|| Leaf));
            leaf.ask(|reply| reply).within(secs(60)).await?;
            ctx.stop();
            Ok(())
        }
    }
    let (system, _) = system();
    let known = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let (looks_at, sure, is_enough) = (system.clone(), known.clone(), is_over.clone());
    let looks = std::thread::spawn(move || {
        while !is_enough.load(Ordering::SeqCst) {
            let before = sure.load(Ordering::SeqCst);
            let seen = looks_at.ledger().handled;
            assert!(seen >= before, "{before} were handled, and {seen} are seen");
        }
    });
    for _ in 0..5_000 {
        let root = system.spawn_anonymous(Props::new(|| Root));
        root.tell(());
        root.terminated().await;
        known.fetch_add(2, Ordering::SeqCst);
        if looks.is_finished() {
            break;
        }
    }
    is_over.store(true, Ordering::SeqCst);
    looks.join().unwrap();
    end(&system).await;
}
