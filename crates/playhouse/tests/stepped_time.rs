//! In a stepped system time stands still until the test moves it, and nobody waits for real.

mod common;

use common::seeds::{end, for_each_seed, stepped};
use common::{journal, read};
use playhouse::prelude::*;
use playhouse::{Fate, Phase, millis};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::mpsc;

/// Sets a timer for each message, and writes down the ticks.
fn alarm_clock(ticks: mpsc::UnboundedSender<u64>) -> Props<(u64, bool)> {
    struct Clock(mpsc::UnboundedSender<u64>);
    impl Actor for Clock {
        type Msg = (u64, bool);
        async fn receive(
            &mut self,
            ctx: &mut Context<Self::Msg>,
            (time, is_due): Self::Msg,
        ) -> Outcome {
            match is_due {
                true => self.0.send(time)?,
                false => ctx.timers().once(time, secs(time), (time, true)),
            }
            Ok(())
        }
    }
    Props::new(move || Clock(ticks))
}

#[test]
fn timers_fire_in_the_order_in_which_they_are_due() {
    for_each_seed(200, |seed| {
        let (system, world, _) = stepped(seed);
        let (ticks, mut seen) = journal();
        let clock = system.spawn("clock", alarm_clock(ticks)).unwrap();
        for time in [7, 3_600, 1, 60] {
            clock.tell((time, false));
        }
        world.advance(secs(6));
        assert_eq!(read(&mut seen), [1]);
        world.advance(millis(999));
        assert_eq!(read(&mut seen), []);
        world.advance(millis(1));
        assert_eq!(read(&mut seen), [7]);
        assert!(world.advance_to_next());
        assert_eq!((read(&mut seen), world.elapsed()), (vec![60], secs(60)));
        world.advance(secs(100_000));
        assert_eq!(
            (read(&mut seen), world.elapsed()),
            (vec![3_600], secs(100_060))
        );
        assert!(!world.advance_to_next());
        end(&system, &world);
    });
}

#[test]
fn what_is_due_at_the_same_moment_comes_in_every_order() {
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let (system, world, _) = stepped(seed);
        let (told, mut seen) = journal();
        for n in 0..3 {
            let told = told.clone();
            drop(
                system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
                    ctx.clock().sleep(secs(1)).await;
                    told.send(n)?;
                    Ok(())
                })),
            );
        }
        world.advance(secs(1));
        orders.insert(read(&mut seen));
    }
    assert_eq!(orders.len(), 6, "all orders of three: {orders:?}");
}

#[test]
fn a_schedule_keeps_its_beat_and_merges_what_was_missed() {
    let (system, world, _) = stepped(1);
    let (ticks, mut seen) = journal();
    let props = Props::func(async move |ctx: &mut Context<&'static str>| {
        ctx.timers().fixed_rate("beat", secs(10), || "beat");
        while let Some(msg) = ctx.recv().await {
            ticks.send(msg)?;
            ctx.clock()
                .sleep(secs(if msg == "slow" { 35 } else { 0 }))
                .await;
        }
        Ok(())
    });
    let actor = system.spawn("actor", props).unwrap();
    world.advance(secs(30));
    assert_eq!(read(&mut seen), ["beat"; 3]);
    actor.tell("slow");
    world.advance(secs(35));
    assert_eq!(read(&mut seen), ["slow", "beat"]); // those of 40, 50 and 60 in one
    world.advance(secs(5));
    assert_eq!(read(&mut seen), ["beat"]);
    end(&system, &world);
}

fn silent() -> Props<Reply<u32>> {
    struct Silent(Vec<Reply<u32>>);
    impl Actor for Silent {
        type Msg = Reply<u32>;
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Reply<u32>) -> Outcome {
            self.0.push(reply);
            Ok(())
        }
    }
    Props::new(|| Silent(Vec::new()))
}

#[test]
fn an_ask_times_out_in_virtual_time_whoever_asks() {
    for_each_seed(200, |seed| {
        let (system, world, _) = stepped(seed);
        let actor = system.spawn("silent", silent()).unwrap();
        let answer = world.block_on_timed(actor.ask(|reply| reply).within(secs(3_600)));
        assert!(
            matches!(answer, Err(AskError::Timeout(ref late)) if late.fate() == Fate::Started),
            "{answer:?}"
        );
        assert_eq!(world.elapsed(), secs(3_600));
        let answer = actor.ask(|reply| reply).blocking_within(secs(400));
        assert!(
            matches!(answer, Err(AskError::Timeout(ref late)) if late.fate() == Fate::Started),
            "{answer:?}"
        );
        assert_eq!(world.elapsed(), secs(4_000));

        let (told, mut seen) = journal();
        let asks = Props::func(async move |ctx: &mut Context<bool>| {
            ctx.ask(&actor, secs(5), |reply| reply, |answer| answer.is_ok());
            told.send(ctx.recv().await)?;
            Ok(())
        });
        drop(system.spawn("asks", asks).unwrap());
        world.advance(millis(4_999));
        assert_eq!(read(&mut seen), []);
        world.advance(millis(1));
        assert_eq!(read(&mut seen), [Some(false)]);
        end(&system, &world);
    });
}

#[test]
fn a_wait_for_what_does_not_come_panics_with_the_reason() {
    let (system, world, _) = stepped(42);
    let actor = system.spawn("silent", silent()).unwrap();
    let asked = actor.ask(|reply| reply).within(secs(5));
    let text = panic_text(|| drop(world.block_on(asked)));
    for part in [
        "seed 42",
        "the next timer is due in 5s",
        "actor /test/silent",
        "nobody in the system",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let text = panic_text(|| world.block_on_timed(std::future::pending()));
    assert!(text.contains("no timer is set"), "{text}");
    end(&system, &world);
}

fn panic_text(code: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(code)).unwrap_err();
    *payload.downcast::<String>().unwrap()
}

#[test]
fn phases_of_a_shutdown_end_at_their_virtual_deadlines() {
    let (system, world) = ActorSystem::builder("test")
        .phase_deadline(Phase::StopActors, secs(86_400))
        .build_stepped(3)
        .unwrap();
    let stubborn = Props::func(async |_: &mut Context<()>| {
        std::future::pending::<()>().await;
        Ok(())
    });
    drop(system.spawn("stubborn", stubborn).unwrap());
    world.settle();
    system.on_shutdown(Phase::CloseDoors, "never", async || {
        std::future::pending().await
    });
    let report = system.blocking_shutdown();
    assert_eq!(report.overran, [Phase::CloseDoors, Phase::StopActors]);
    assert_eq!(report.failed_tasks.len(), 1);
    assert!(report.still_alive.is_empty());
    assert_eq!(report.ledger.balance(), 0);
    assert_eq!(world.elapsed(), secs(10 + 86_400));
}
