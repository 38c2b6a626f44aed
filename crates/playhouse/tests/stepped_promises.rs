//! The promises under thousands of orders. `PLAYHOUSE_SEEDS` says how many; a failure prints its seed, and
//! `PLAYHOUSE_SEED` replays that one.

mod common;

use common::seeds::{end, for_a_few_seeds, for_each_seed, stepped};
use common::{gated, journal, read};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{DeadLetterReason, Event, millis};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::{Semaphore, mpsc};

const SEEDS: u64 = 2_000;

enum Numbered {
    Number(usize, u32),
    Toggle,
}

/// Fails when a sender's numbers do not go up one by one. Sets aside everything between one toggle and the next.
struct Ordered {
    seen: Vec<u32>,
    sets_aside: bool,
    told: mpsc::UnboundedSender<u32>,
}

impl Actor for Ordered {
    type Msg = Numbered;
    async fn receive(&mut self, ctx: &mut Context<Numbered>, msg: Numbered) -> Outcome {
        match msg {
            Numbered::Toggle => {
                self.sets_aside = !self.sets_aside;
                ctx.unstash_all();
            }
            msg if self.sets_aside => ctx
                .stash(msg)
                .map_err(|_| "it holds as much as the mailbox")?,
            Numbered::Number(from, n) => {
                assert_eq!(n, self.seen[from], "of sender {from}");
                self.seen[from] += 1;
                self.told.send(n)?;
            }
        }
        Ok(())
    }
}

/// From senders on every dispatcher, which wait for room.
fn numbers_go_up(seed: u64, senders: usize, each: u32, toggles: bool) {
    let (system, world, _) = stepped(seed);
    let (told, mut seen) = journal();
    let to = Props::setup(async move |ctx: &mut Context<Numbered>| {
        if toggles {
            let toggle = || Numbered::Toggle;
            ctx.timers().fixed_delay("toggle", millis(1), toggle);
        }
        Ok(Ordered {
            seen: vec![0; senders],
            sets_aside: false,
            told,
        })
    });
    let to = to.mailbox(Mailbox::bounded(8));
    let to = system.spawn("to", to).unwrap();
    for from in 0..senders {
        let to = to.clone();
        let sends = Props::func(async move |_: &mut Context<()>| {
            for n in 0..each {
                to.send(Numbered::Number(from, n)).await?;
            }
            Ok(())
        });
        let on = ["default", "fixed", "pinned"][from % 3];
        drop(system.spawn_anonymous(sends.dispatcher(&system.dispatcher(on).unwrap())));
    }
    world.settle();
    let all = senders * each as usize;
    let mut count = read(&mut seen).len();
    while toggles && count < all {
        assert!(world.advance_to_next());
        count += read(&mut seen).len();
    }
    assert_eq!(count, all);
    let ledger = end(&system, &world);
    assert!(
        ledger.handled >= all as u64 && ledger.failed == 0,
        "{ledger:?}"
    );
}

#[test]
fn own_01_fifo_per_pair_under_contention() {
    for_each_seed(SEEDS, |seed| numbers_go_up(seed, 8, 10, false));
}

#[test]
fn own_01_fifo_per_pair_across_stash_and_unstash() {
    for_each_seed(SEEDS, |seed| numbers_go_up(seed, 4, 10, true));
}

#[test]
fn own_01_fifo_per_pair_of_many_messages() {
    for_a_few_seeds(2, |seed| numbers_go_up(seed, 8, 5_000, false));
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Own {
    Hold,
    Fill,
    Answer,
    Ended,
    Piped,
    Tick,
}

#[test]
fn own_03_results_of_its_own_reach_an_actor_with_a_full_mailbox() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let opens = gate.clone();
        let answers = Props::func(async |ctx: &mut Context<Reply<()>>| {
            while let Some(reply) = ctx.recv().await {
                reply.send(());
            }
            Ok(())
        });
        let answers = system.spawn("answers", answers).unwrap();
        let short = system.spawn("short", Props::func(async |_: &mut Context<()>| Ok(())));
        let short = short.unwrap();
        let actor = Props::func(async move |ctx: &mut Context<Own>| {
            ctx.recv().await;
            ctx.timers().once("tick", secs(1), Own::Tick);
            ctx.watch_with(&short, |_| Own::Ended);
            ctx.ask(&answers, secs(9), |reply| reply, |_| Own::Answer);
            ctx.pipe_to_self(async {}, |()| Own::Piped);
            gate.acquire().await?.forget();
            while let Some(msg) = ctx.recv().await {
                seen.send(msg)?;
            }
            Ok(())
        });
        let actor = system
            .spawn("actor", actor.mailbox(Mailbox::bounded(1)))
            .unwrap();
        world.block_on(actor.send(Own::Hold)).unwrap();
        world.settle();
        actor.try_send(Own::Fill).unwrap();
        assert!(actor.try_send(Own::Fill).is_err(), "it is full");
        world.advance(secs(1));
        opens.add_permits(1);
        world.settle();
        let mut all = read(&mut journal);
        all.sort();
        assert_eq!(
            all,
            [Own::Fill, Own::Answer, Own::Ended, Own::Piped, Own::Tick]
        );
        assert_eq!(events.dead(DeadLetterReason::Full), 0);
        end(&system, &world);
    });
}

/// Busy, with 99 messages and one ask accepted behind it, in whatever order they came.
struct Busy {
    worker: ActorRef<Work>,
    gate: Arc<Semaphore>,
    handled: mpsc::UnboundedReceiver<()>,
    answer: mpsc::UnboundedReceiver<Result<u32, AskError>>,
}

enum Work {
    Enter,
    Unit,
    Ask(Reply<u32>),
}

fn busy(system: &ActorSystem, world: &Stepped) -> Busy {
    let gate = Arc::new(Semaphore::new(0));
    let (handled, is_handled) = journal();
    let (answers, answer) = journal();
    let opens = gate.clone();
    let worker = Props::func(async move |ctx: &mut Context<Work>| {
        while let Some(work) = ctx.recv().await {
            match work {
                Work::Enter => gate.acquire().await?.forget(),
                Work::Unit => handled.send(())?,
                Work::Ask(reply) => reply.send(1),
            }
        }
        Ok(())
    });
    let worker = system.spawn("worker", worker).unwrap();
    worker.tell(Work::Enter);
    world.settle();
    for n in 0..100 {
        let (to, answers) = (worker.clone(), answers.clone());
        drop(
            system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
                match n {
                    50 => answers.send(to.ask(Work::Ask).within(secs(60)).await)?,
                    _ => to.send(Work::Unit).await?,
                }
                Ok(())
            })),
        );
    }
    world.settle();
    assert_eq!(system.ledger().queued, 100);
    Busy {
        worker,
        gate: opens,
        handled: is_handled,
        answer,
    }
}

#[test]
fn own_08_a_stop_loses_nothing_silently() {
    for_each_seed(SEEDS / 10, |seed| {
        let (system, world, events) = stepped(seed);
        let mut busy = busy(&system, &world);
        busy.worker.stop();
        busy.gate.add_permits(1);
        assert!(matches!(
            world.block_on(busy.worker.terminated()),
            Exit::Stopped
        ));
        world.settle();
        assert!(read(&mut busy.handled).is_empty());
        assert_eq!(events.dead(DeadLetterReason::Stopped), 100);
        let answers = read(&mut busy.answer);
        assert!(
            matches!(answers[..], [Err(AskError::Gone(_))]),
            "{answers:?}"
        );
        assert_eq!(world.elapsed(), secs(0), "the ask failed at once");
        let ledger = end(&system, &world);
        assert_eq!((ledger.handled, ledger.dead), (1, 100));
    });
}

#[test]
fn own_08_a_drain_handles_all_that_was_accepted() {
    for_each_seed(SEEDS / 10, |seed| {
        let (system, world, events) = stepped(seed);
        let mut busy = busy(&system, &world);
        busy.worker.drain();
        assert!(busy.worker.try_send(Work::Unit).is_err());
        busy.gate.add_permits(1);
        assert!(matches!(
            world.block_on(busy.worker.terminated()),
            Exit::Drained
        ));
        world.settle();
        assert_eq!(read(&mut busy.handled).len(), 99);
        assert!(matches!(read(&mut busy.answer)[..], [Ok(1)]));
        assert_eq!(events.dead(DeadLetterReason::Stopped), 0);
        assert_eq!(end(&system, &world).handled, 101);
    });
}

/// Each holder looks for its permit to be used or dropped at a moment of its own; two may go in one turn of the actor.
#[test]
fn own_08_a_drain_waits_for_every_permit_that_was_given() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let actor = system
            .spawn("actor", Props::new(move || Note(seen)))
            .unwrap();
        for n in 0..6 {
            let permits = (actor.try_reserve().unwrap(), actor.try_reserve().unwrap());
            let holds = Props::func(async move |ctx: &mut Context<()>| {
                let (uses, drops) = permits;
                ctx.clock().sleep(secs(u64::from(n / 3))).await;
                if n % 2 == 0 {
                    uses.send(n);
                }
                drop(drops);
                Ok(())
            });
            drop(system.spawn_anonymous(holds));
        }
        let late = actor.try_reserve().unwrap();
        actor.drain();
        world.advance(secs(5));
        let mut sent = read(&mut journal);
        sent.sort_unstable();
        assert_eq!(sent, [0, 2, 4]);
        assert!(actor.try_reserve().is_err());
        late.send(6);
        let exit = world.block_on(actor.terminated());
        assert!(matches!(exit, Exit::Drained), "{exit:?}");
        assert_eq!(read(&mut journal), [6]);
        end(&system, &world);
    });
}

/// A function that waits for a message and for its clock at once misses neither, whichever comes first.
#[test]
fn who_listens_for_a_message_is_also_woken_by_what_else_it_waits_for() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let listens = Props::func(async move |ctx: &mut Context<u32>| {
            let clock = ctx.clock().clone();
            loop {
                tokio::select! {
                    biased;
                    msg = ctx.recv() => match msg {
                        Some(n) => seen.send(Some(n))?,
                        None => return Ok(()),
                    },
                    () = clock.sleep(secs(10)) => seen.send(None)?,
                }
            }
        });
        let listens = system.spawn("listens", listens).unwrap();
        world.advance(secs(35));
        assert_eq!(read(&mut journal), [None; 3]);
        for n in 0..4 {
            let to = listens.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    ctx.clock().sleep(secs(5)).await; // as the tick, at the same moment
                    to.send(n).await?;
                    Ok(())
                })),
            );
        }
        world.advance(secs(5));
        let mut all = read(&mut journal);
        all.sort_unstable();
        let messages = (0..4).map(Some);
        let ticks = all.len() - 4;
        assert!(ticks <= 1, "{all:?}");
        assert!(all.into_iter().skip(ticks).eq(messages));
        world.advance(secs(20));
        assert_eq!(read(&mut journal), [None; 2]);
        end(&system, &world);
    });
}

#[test]
fn own_09_a_woken_sender_that_is_never_polled_again_keeps_nobody_out() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let (entered, _entered) = journal();
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let held = gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
        let actor = system.spawn("actor", held).unwrap();
        world.block_on(async { actor.send(0).await.unwrap() });
        world.settle();
        actor.try_send(1).unwrap(); // full now
        let mut all = world.block_on(async {
            let mut frozen = pin!(actor.send(99));
            poll_fn(|context| {
                assert!(frozen.as_mut().poll(context).is_pending());
                Poll::Ready(())
            })
            .await;
            for n in 2..5 {
                let (to, gate) = (actor.clone(), gate.clone());
                drop(
                    system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
                        gate.add_permits(2);
                        to.send(n).await?;
                        Ok(())
                    })),
                );
            }
            // `frozen` is alive until the others are through, and nobody polls it.
            let mut all = Vec::new();
            while all.len() < 5 {
                all.extend(journal.recv().await);
            }
            all
        });
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
        end(&system, &world);
    });
}

struct Note(mpsc::UnboundedSender<u32>);

impl Actor for Note {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0.send(n)?;
        Ok(())
    }
}

#[test]
fn own_13_the_last_handle_dropped_drains_the_actor() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let actor = Props::new(move || Note(seen)).lifetime(Lifetime::Handles);
        let actor = system.spawn("actor", actor).unwrap();
        for n in 0..4 {
            let handle = actor.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    ctx.clock().sleep(secs(u64::from(n))).await;
                    handle.send(n).await?;
                    Ok(())
                })),
            );
        }
        drop(actor);
        let drained = |event: &Event| matches!(event, Event::Ended { exit: Exit::Drained, who } if who.path() == "/test/actor");
        world.advance(millis(2_999));
        assert_eq!(events.count(drained), 0, "a handle is left");
        world.advance(millis(1));
        assert_eq!(events.count(drained), 1);
        assert_eq!(read(&mut journal), [0, 1, 2, 3]);
        end(&system, &world);
    });
}

/// Everybody tells, sends, asks and ends at moments of the seed's choosing.
#[test]
fn conservation_while_actors_stop_drain_die_and_fail_under_load() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _) = stepped(seed);
        let actors: Vec<ActorRef<u32>> = (0..4).map(|n| system.spawn_anonymous(moody(n))).collect();
        for from in 0..4 {
            let (to, system) = (actors.clone(), system.clone());
            drop(
                system
                    .clone()
                    .spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
                        for n in 0..12 {
                            let to = &to[(from + n) % 4];
                            match n % 3 {
                                0 => to.tell(n as u32),
                                1 => drop(to.send(n as u32).await),
                                _ => drop(to.try_send(n as u32)),
                            }
                        }
                        Ok(())
                    })),
            );
        }
        for (n, actor) in actors.iter().enumerate() {
            let actor = actor.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
                    match n {
                        0 => actor.stop(),
                        1 => actor.drain(),
                        2 => actor.kill(),
                        _ => actor.tell(u32::MAX),
                    }
                    Ok(())
                })),
            );
        }
        world.settle();
        let ledger = end(&system, &world);
        assert_eq!(ledger.accepted + ledger.refused, 4 * 12 + 1, "{ledger:?}");
    });
}

/// Handles some, sets some aside, leaves some, and fails when it is told the largest number.
fn moody(bound: usize) -> Props<u32> {
    struct Moody;
    impl Actor for Moody {
        type Msg = u32;
        async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
            match n {
                u32::MAX => return Err("as it was told".into()),
                n if n % 4 == 1 => drop(ctx.stash(n)),
                n if n % 4 == 2 => ctx.unhandled(n),
                n if n % 4 == 3 => tokio::task::yield_now().await,
                _ => ctx.unstash_all(),
            }
            Ok(())
        }
    }
    Props::new(|| Moody).mailbox(Mailbox::bounded(bound + 2))
}
