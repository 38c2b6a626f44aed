//! Cases that no upstream suite has: the books, the stash, restarts.

use crate::common::player::{Boom, Cue, Player, act, fail, quietly, stop};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn supervised(stage: &Stage, how: impl Into<Supervise>) -> ActorRef<Cue> {
    let player = Player::new(&stage.notes);
    stage.spawn("player", Props::new(move || player).supervise(how))
}

/// Fails, waits, refuses or handles a number, so that there is one of each kind in the books.
struct Sorter;

impl Actor for Sorter {
    type Msg = u32;
    async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
        match n {
            1 => return Err(Boom.into()),
            2 => ctx.unhandled(n),
            3 => ctx.stash(n)?,
            4 => ctx.clock().sleep(secs(60)).await,
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn own_02_every_message_is_in_exactly_one_column() {
    on_stage(|stage| {
        let sorter = Props::new(|| Sorter)
            .supervise(Supervise::resume())
            .mailbox(Mailbox::bounded(4));
        let sorter = stage.spawn("sorter", sorter);
        for n in [0, 1, 2] {
            sorter.tell(n);
            stage.world.settle();
        }
        sorter.tell(3);
        sorter.tell(4); // is interrupted
        stage.world.settle();
        (5..8).for_each(|n| sorter.tell(n)); // wait, and are dead at the end
        sorter.tell(8); // has no place
        assert!(sorter.try_send(9).is_err()); // is refused
        let now = stage.system.ledger();
        assert_eq!(
            (now.queued, now.stashed, now.balance()),
            (3, 1, 1),
            "one is in hand"
        );
        sorter.kill();
        stage.world.block_on(sorter.terminated());
        sorter.tell(10); // comes too late
        let ledger = stage.system.ledger();
        assert_eq!((ledger.accepted, ledger.refused), (10, 1));
        assert_eq!((ledger.handled, ledger.failed, ledger.unhandled), (1, 1, 1));
        assert_eq!((ledger.interrupted, ledger.dead), (1, 6));
        assert_eq!((ledger.queued, ledger.stashed, ledger.balance()), (0, 0, 0));
    });
}

#[test]
fn own_02_what_is_given_up_is_in_a_column_of_its_own() {
    on_stage(|stage| {
        let sorter = Props::new(|| Sorter)
            .supervise(Supervise::restart().at_once())
            .redeliver(1);
        let sorter = stage.spawn("sorter", sorter);
        sorter.tell(1);
        stage.world.settle();
        let ledger = stage.system.ledger();
        assert_eq!(
            (ledger.accepted, ledger.quarantined, ledger.failed),
            (1, 1, 0)
        );
    });
}

fn stash(line: &'static str) -> Cue {
    act(move |ctx| Ok(ctx.stash(Cue::Say(line))?))
}

#[test]
fn own_04_what_is_stashed_at_a_stop_is_a_dead_letter() {
    on_stage(|stage| {
        let player = supervised(stage, Supervise::stop());
        for cue in [stash("one"), stash("two"), stop()] {
            stage.tell(&player, cue);
        }
        stage.expect([]);
        assert_eq!(stage.events.dead(DeadLetterReason::Stopped), 2);
    });
}

#[test]
fn own_04_what_is_stashed_at_a_restart_is_kept_and_comes_first() {
    on_stage(|stage| {
        let player = supervised(stage, Supervise::restart().at_once());
        for cue in [stash("one"), stash("two"), fail(), Cue::Say("three")] {
            player.tell(cue);
        }
        stage.world.settle();
        stage.expect(["one", "two", "three"]);
        assert_eq!(stage.events.dead(DeadLetterReason::Stopped), 0);
    });
}

#[test]
fn own_06_a_storm_of_restarts_is_paced_and_ends_at_its_limit() {
    on_stage(|stage| {
        let tries = Arc::new(AtomicU32::new(0));
        let (counted, player) = (tries.clone(), Player::new(&stage.notes));
        let props = Props::setup(async move |_: &mut Context<Cue>| {
            match counted.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(player),
                _ => Err("cannot come back".into()),
            }
        });
        let how = Supervise::restart().backoff(secs(1)..=secs(4), 0.5);
        let player = stage.spawn("player", props.supervise(how.limit(6, secs(60))));
        stage.tell(&player, fail());
        stage.world.block_on_timed(player.terminated());
        assert_eq!(tries.load(Ordering::Relaxed), 7, "the first, and six again");
        let delays = stage
            .events
            .all()
            .into_iter()
            .filter_map(|event| match event {
                Event::Restarted { after, .. } => Some(after),
                _ => None,
            });
        let delays: Vec<_> = delays.collect();
        for (delay, base) in delays.iter().zip([1, 2, 4, 4, 4, 4].map(secs)) {
            assert!(
                *delay >= base && *delay <= secs(4).min(base * 3 / 2),
                "{delays:?}"
            );
        }
        assert!(stage.world.elapsed() >= secs(19));
    });
}

#[test]
fn own_14_late_results_of_an_incarnation_never_reach_the_next() {
    on_stage(|stage| {
        let slow = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            while let Some(reply) = ctx.recv().await {
                ctx.clock().sleep(secs(2)).await;
                reply.send(1);
            }
            Ok(())
        });
        let slow = stage.spawn("slow", slow);
        let player = supervised(stage, Supervise::restart().at_once());
        let begin = move |ctx: &mut Context<Cue>| {
            ctx.timers().once("tick", secs(1), Cue::Say("tick"));
            ctx.timers()
                .fixed_rate("beat", secs(1), || Cue::Say("beat"));
            let clock = ctx.clock().clone();
            ctx.pipe_to_self(async move { clock.sleep(secs(1)).await }, |()| {
                Cue::Say("pipe")
            });
            ctx.pipe_to_self(async {}, |()| Cue::Say("pipe that was queued"));
            ctx.ask(&slow, secs(9), |reply| reply, |_| Cue::Say("answer"));
            ctx.receive_timeout(secs(1), || Cue::Say("nothing came"));
        };
        player.tell(quietly(begin));
        player.tell(fail());
        stage.world.advance(secs(20));
        let notes: Vec<String> = stage.notes.read();
        let late: Vec<_> = notes
            .iter()
            .filter(|note| *note != "pipe that was queued")
            .collect();
        assert!(late.is_empty(), "{notes:?}");
        stage.tell(&player, Cue::Say("alive"));
        stage.expect(["alive"]);
    });
}

#[test]
fn own_14_a_message_to_an_old_adapter_is_a_dead_letter() {
    on_stage(|stage| {
        let player = supervised(stage, Supervise::restart().at_once());
        let adapter = stage.ask(&player, |ctx| {
            ctx.adapter(|line: &'static str| Cue::Say(line))
        });
        adapter.tell("in time");
        stage.world.settle();
        stage.tell(&player, fail());
        adapter.tell("late");
        stage.world.settle();
        stage.expect(["in time"]);
        assert_eq!(stage.events.dead(DeadLetterReason::Gone), 1);
    });
}
