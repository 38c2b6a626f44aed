//! Later: timers of an actor, and the clock. Pekko's scheduler runs anything later; here what comes later is a message
//! (`ctx.timers()`) or a future (`clock().sleep`, piped).

use super::common::seeds::{self, stepped};
use super::common::{end, journal, read, system};
use playhouse::prelude::*;
use playhouse::{Event, Failure};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::mpsc;

/// An actor that sets timers when it starts, and then does with each tick what the function says.
fn ticking<T: Send + 'static>(
    set: impl FnOnce(&mut Context<T>) + Send + 'static,
    mut handle: impl FnMut(&mut Context<T>, T) -> Outcome + Send + 'static,
) -> playhouse::FuncProps<T> {
    Props::func(async move |ctx: &mut Context<T>| {
        set(ctx);
        while let Some(tick) = ctx.recv().await {
            handle(ctx, tick)?;
        }
        Ok(())
    })
}

/// Both kinds of periodic timer.
const PERIODIC: [fn(&mut Context<u32>, Duration, u32); 2] = [
    |ctx, every, tick| ctx.timers().fixed_delay("tick", every, move || tick),
    |ctx, every, tick| ctx.timers().fixed_rate("tick", every, move || tick),
];

fn note<T: Send + Sync + 'static>(
    seen: mpsc::UnboundedSender<T>,
) -> impl FnMut(&mut Context<T>, T) -> Outcome + Send + 'static {
    move |_, tick| Ok(seen.send(tick)?)
}

#[test]
fn sch_01_once_for_a_message_and_for_a_closure() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = ticking(
        |ctx: &mut Context<&str>| {
            ctx.timers().once("message", millis(300), "message");
            let clock = ctx.clock().clone();
            let later = async move { clock.sleep(millis(300)).await };
            ctx.pipe_to_self(later, |()| "closure");
        },
        note(seen),
    );
    system.spawn("actor", actor).unwrap();
    world.advance(millis(299));
    assert_eq!(read(&mut journal), Vec::<&str>::new());
    world.advance(millis(1));
    let fired: BTreeSet<_> = read(&mut journal).into_iter().collect();
    assert_eq!(fired, BTreeSet::from(["closure", "message"]));
    world.advance(secs(3_600));
    assert_eq!(read(&mut journal), Vec::<&str>::new());
    seeds::end(&system, &world);
}

// differs: SCH-02: `cancel` has no answer and may be repeated; `is_active` says whether a tick is still to come
#[test]
fn sch_02_a_cancelled_timer_never_fires() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let (active, mut is_active) = super::common::journal();
    let actor = ticking(
        move |ctx: &mut Context<()>| {
            ctx.timers().once("tick", millis(10), ());
            for _ in 0..3 {
                active.send(ctx.timers().is_active("tick")).unwrap();
                ctx.timers().cancel("tick");
            }
        },
        note(seen),
    );
    system.spawn("actor", actor).unwrap();
    world.advance(secs(1));
    assert_eq!(read(&mut is_active), [true, false, false]);
    assert_eq!(read(&mut journal), []);
    seeds::end(&system, &world);
}

// differs: SCH-03: as SCH-02
#[test]
fn sch_03_cancelling_a_timer_that_has_fired_does_nothing() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = ticking(
        |ctx: &mut Context<()>| ctx.timers().once("tick", millis(10), ()),
        move |ctx, ()| {
            for _ in 0..2 {
                seen.send(ctx.timers().is_active("tick"))?;
                ctx.timers().cancel("tick");
            }
            Ok(())
        },
    );
    system.spawn("actor", actor).unwrap();
    world.advance(secs(1));
    assert_eq!(read(&mut journal), [false, false]);
    seeds::end(&system, &world);
}

#[test]
fn sch_04_ten_timers_cancelled_at_once_never_fire() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = ticking(
        |ctx: &mut Context<u64>| {
            (0..10).for_each(|n| ctx.timers().once(n, secs(1), n));
            (0..10).for_each(|n| ctx.timers().cancel(n));
        },
        note(seen),
    );
    system.spawn("actor", actor).unwrap();
    world.advance(secs(2));
    assert_eq!(read(&mut journal), []);
    assert!(!world.advance_to_next(), "no timer is left behind");
    seeds::end(&system, &world);
}

/// In real time. How late they are is the machine's business.
#[tokio::test]
async fn sch_05_no_timer_is_early() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let actor = ticking(
        |ctx: &mut Context<(u64, playhouse::Deadline)>| {
            for n in 0..300 {
                let due = ctx.clock().deadline(millis(20));
                ctx.timers().once(n, millis(20), (n, due));
            }
        },
        move |ctx, (n, due)| Ok(seen.send((n, ctx.clock().remaining(due)))?),
    );
    let actor = system.spawn("actor", actor).unwrap();
    for _ in 0..300 {
        let (n, early) = journal.recv().await.unwrap();
        assert_eq!(early, Duration::ZERO, "timer {n}");
    }
    actor.stop();
    end(&system).await;
}

// differs: SCH-07: an actor has at most `limits::COMPLETIONS_PER_ACTOR` timers, so two share the hundred thousand
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sch_07_a_hundred_thousand_timers_all_fire() {
    const EACH: u64 = 50_000;
    let (system, _) = system();
    let actors = [1, 2].map(|actor| {
        let mut waiting: BTreeSet<u64> = (0..EACH).collect();
        let timers = ticking(
            move |ctx: &mut Context<u64>| {
                for n in 0..EACH {
                    // Spread over three seconds, in no order.
                    let after = (n * actor).wrapping_mul(0x9E37_79B9_7F4A_7C15) % 3_000;
                    ctx.timers().once(n, millis(after), n);
                }
            },
            move |ctx, n| {
                assert!(waiting.remove(&n), "{n} once");
                if waiting.is_empty() {
                    ctx.stop();
                }
                Ok(())
            },
        );
        system.spawn_anonymous(timers)
    });
    for actor in actors {
        assert!(matches!(actor.terminated().await, Exit::Stopped));
    }
    assert_eq!(end(&system).await.handled, 2 * EACH);
}

#[test]
fn sch_09_a_periodic_timer_fires_until_it_is_cancelled() {
    for every in PERIODIC {
        let (system, world, _) = stepped(1);
        let (seen, mut journal) = journal();
        let mut ticks = 0;
        let actor = ticking(
            move |ctx| every(ctx, millis(50), 7),
            move |ctx, tick| {
                ticks += 1;
                if ticks == 3 {
                    ctx.timers().cancel("tick");
                }
                Ok(seen.send(tick)?)
            },
        );
        system.spawn("actor", actor).unwrap();
        world.advance(millis(150));
        assert_eq!(read(&mut journal), [7, 7, 7]);
        world.advance(secs(10));
        assert_eq!(read(&mut journal), []);
        seeds::end(&system, &world);
    }
}

#[test]
fn sch_10_a_periodic_timer_ends_with_its_actor() {
    for every in PERIODIC {
        let (system, world, events) = stepped(1);
        let (seen, mut journal) = journal();
        let actor = ticking(move |ctx| every(ctx, millis(50), 7), note(seen));
        let actor = system.spawn("actor", actor).unwrap();
        world.advance(millis(60));
        assert_eq!(read(&mut journal), [7]);
        actor.stop();
        world.advance(millis(500));
        assert_eq!(read(&mut journal), []);
        let dead = |event: &Event| matches!(event, Event::DeadLetter { .. });
        assert_eq!(events.count(dead), 0, "no message was made of a tick");
        assert!(!world.advance_to_next(), "no timer is left behind");
        seeds::end(&system, &world);
    }
}

/// The closure of a timer runs in its actor's turn, so its failure is the actor's.
#[test]
fn sch_11_a_closure_that_fails_at_its_third_run_runs_no_more() {
    type Set = fn(&mut Context<()>, Box<dyn FnMut() + Send>);
    let periodic: [Set; 2] = [
        |ctx, make| ctx.timers().fixed_delay("tick", millis(10), make),
        |ctx, make| ctx.timers().fixed_rate("tick", millis(10), make),
    ];
    for every in periodic {
        let (system, world, events) = stepped(1);
        let (seen, mut journal) = journal();
        let mut runs = 0;
        let make = move || {
            runs += 1;
            seen.send(runs).unwrap();
            assert!(runs < 3, "the third run fails on purpose");
        };
        let actor = ticking(move |ctx| every(ctx, Box::new(make)), |_, ()| Ok(()));
        let actor = system.spawn("actor", actor).unwrap();
        world.advance(secs(1));
        assert_eq!(read(&mut journal), [1, 2, 3]);
        let Exit::Failed(cause) = world.block_on(actor.terminated()) else {
            panic!("it failed")
        };
        assert!(Failure::is_panic(&cause), "{cause}");
        let failed = |event: &Event| matches!(event, Event::Failed { .. });
        assert_eq!(events.count(failed), 1);
        let ledger = seeds::end(&system, &world);
        assert_eq!((ledger.handled, ledger.failed), (2, 1));
    }
}

#[test]
fn sch_13_a_periodic_timer_cancelled_before_its_first_tick_never_runs() {
    for every in PERIODIC {
        let (system, world, _) = stepped(1);
        let (seen, mut journal) = journal();
        let actor = ticking(
            move |ctx| {
                every(ctx, millis(50), 7);
                ctx.timers().once("cancel", millis(49), 0);
            },
            move |ctx, tick| {
                ctx.timers().cancel("tick");
                Ok(seen.send(tick)?)
            },
        );
        system.spawn("actor", actor).unwrap();
        world.advance(secs(1));
        assert_eq!(read(&mut journal), [0]);
        seeds::end(&system, &world);
    }
}

#[test]
fn sch_14_a_periodic_timer_cancelled_after_its_first_tick_ran_once() {
    for every in PERIODIC {
        let (system, world, _) = stepped(1);
        let (seen, mut journal) = journal();
        let actor = ticking(
            move |ctx| {
                every(ctx, millis(50), 7);
                ctx.timers().once("cancel", millis(99), 0);
            },
            move |ctx, tick| {
                if tick == 0 {
                    ctx.timers().cancel("tick");
                }
                Ok(seen.send(tick)?)
            },
        );
        system.spawn("actor", actor).unwrap();
        world.advance(secs(1));
        assert_eq!(read(&mut journal), [7, 0]);
        seeds::end(&system, &world);
    }
}

// differs: SCH-16: a timer ends with its incarnation, and the next one that sets it begins its beat anew; messages from a
// timer of somebody else come through a restart
#[test]
fn sch_16_a_periodic_timer_across_a_restart_of_the_receiver() {
    enum Msg {
        Own,
        Foreign,
        Crash,
    }
    struct Receiver(
        mpsc::UnboundedSender<(&'static str, Duration)>,
        std::time::Instant,
    );
    impl Actor for Receiver {
        type Msg = Msg;
        async fn started(&mut self, ctx: &mut Context<Msg>) -> Outcome {
            ctx.timers().fixed_rate("own", millis(50), || Msg::Own);
            Ok(())
        }
        async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
            let what = match msg {
                Msg::Own => "own",
                Msg::Foreign => "foreign",
                Msg::Crash => return Err("on purpose".into()),
            };
            Ok(self.0.send((what, ctx.clock().now() - self.1))?)
        }
    }
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let begin = system.clock().now();
    let receiver = Props::new(move || Receiver(seen, begin));
    let receiver = receiver.supervise(Supervise::restart().at_once());
    let receiver = system.spawn("receiver", receiver).unwrap();
    let to = receiver.clone();
    let other = ticking(
        |ctx| PERIODIC[1](ctx, millis(50), 7),
        move |_, _| {
            to.tell(Msg::Foreign);
            Ok(())
        },
    );
    system.spawn("other", other).unwrap();
    world.advance(millis(120));
    receiver.tell(Msg::Crash);
    world.advance(millis(200));
    let seen = read(&mut journal);
    let times = |what| {
        let of = |(name, time): &(&str, Duration)| (*name == what).then_some(*time);
        seen.iter().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(times("own"), [50, 100, 170, 220, 270, 320].map(millis));
    assert_eq!(times("foreign"), [50, 100, 150, 200, 250, 300].map(millis));
    seeds::end(&system, &world);
}

/// Each handler takes 10 ms, and one 60 ms: the beat stays, and what was missed is one tick.
#[test]
fn sch_18_a_fixed_rate_keeps_its_rate_whatever_its_handler_takes() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = Props::func(async move |ctx: &mut Context<()>| {
        ctx.timers().fixed_rate("tick", millis(25), || ());
        let begin = ctx.clock().now();
        let mut n = 0;
        while ctx.recv().await.is_some() {
            n += 1;
            seen.send(ctx.clock().now() - begin)?;
            let takes = if n == 200 { millis(60) } else { millis(10) };
            ctx.clock().sleep(takes).await;
        }
        Ok(())
    });
    system.spawn("actor", actor).unwrap();
    world.advance(secs(5));
    let on_the_beat: Vec<_> = (1..=200).map(|n| millis(25 * n)).collect();
    assert_eq!(read(&mut journal), on_the_beat, "40 in each second");
    world.advance(millis(125));
    assert_eq!(
        read(&mut journal),
        [millis(5_060), millis(5_075), millis(5_100), millis(5_125)]
    );
    world.advance(millis(10)); // the handler in between
    seeds::end(&system, &world);
}

// differs: SCH-21: a duration cannot be negative; a `fixed_delay` of zero is allowed, because the next tick waits until the
// last was handled, and everything else has its turns between them
#[test]
fn sch_21_a_schedule_without_time_between_its_ticks_is_refused() {
    let (system, world, _) = stepped(1);
    let rate = ticking(|ctx| PERIODIC[1](ctx, Duration::ZERO, 7), |_, _| Ok(()));
    let rate = system.spawn("rate", rate).unwrap();
    let Exit::Failed(cause) = world.block_on(rate.terminated()) else {
        panic!("it was accepted")
    };
    assert!(
        cause.to_string().contains("needs time between its ticks"),
        "{cause}"
    );

    let (seen, mut journal) = journal();
    let mut ticks = 0;
    let delay = ticking(
        |ctx| PERIODIC[0](ctx, Duration::ZERO, 7),
        move |ctx, tick| {
            ticks += u32::from(tick == 7);
            if ticks == 3 {
                ctx.timers().cancel("tick");
            }
            Ok(seen.send(tick)?)
        },
    );
    let delay = system.spawn("delay", delay).unwrap();
    delay.tell(1);
    world.advance(millis(1));
    let mut handled = read(&mut journal);
    handled.sort_unstable();
    assert_eq!(handled, [1, 7, 7, 7]);
    seeds::end(&system, &world);
}
