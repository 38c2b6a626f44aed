//! The receive timeout.

use crate::common::player::{Cue, Notes, Player, fail, quietly};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use std::time::Duration;

/// Says "idle" when nothing came for so long.
fn set(stage: &Stage, actor: &ActorRef<Cue>, idle: Duration) {
    let set = move |ctx: &mut Context<Cue>| ctx.receive_timeout(idle, || Cue::Say("idle"));
    stage.tell(actor, quietly(set));
}

#[test]
fn rto_01_a_nanosecond_is_enough() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        set(stage, &actor, Duration::from_nanos(1));
        stage.world.advance(Duration::from_nanos(1));
        stage.expect(["idle"]);
    });
}

#[test]
fn rto_02_a_long_timeout_disturbs_nobody() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        set(stage, &actor, secs(60));
        let schedule = |ctx: &mut Context<Cue>| {
            let me = ctx.me().clone();
            ctx.schedule_once(secs(1), &me, Cue::Say("scheduled"));
        };
        stage.tell(&actor, quietly(schedule));
        stage.world.advance(secs(1));
        stage.expect(["scheduled"]);
        stage.tell(&actor, Cue::Say("ping"));
        stage.world.advance(secs(59));
        stage.expect(["ping"]);
    });
}

/// Passes everything on to the actor inside.
struct Intercepted(Player);

impl Actor for Intercepted {
    type Msg = Cue;
    async fn started(&mut self, ctx: &mut Context<Cue>) -> Outcome {
        self.0.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<Cue>, cue: Cue) -> Outcome {
        ctx.clock().sleep(millis(20)).await; // longer than the timeout, so that it is queued behind
        self.0.receive(ctx, cue).await
    }
    async fn signal(&mut self, ctx: &mut Context<Cue>, signal: Signal) -> Outcome {
        self.0.signal(ctx, signal).await
    }
}

#[test]
fn rto_03_a_timeout_that_is_queued_is_swallowed_after_a_cancel() {
    on_stage(|stage| {
        let player = Player::new(&stage.notes);
        let actor = stage.spawn("actor", move || Intercepted(player));
        set(stage, &actor, millis(10));
        stage.world.advance(millis(25)); // handled at 20, due at 30
        stage.tell(&actor, quietly(|ctx| ctx.cancel_receive_timeout()));
        stage.world.advance(millis(20));
        stage.tell(&actor, Cue::Say("alive"));
        stage.world.advance(secs(1));
        stage.expect(["alive"]);
    });
}

#[test]
fn rto_04_the_timeout_comes_after_its_time() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        set(stage, &actor, millis(500));
        stage.world.advance(millis(499));
        stage.expect([]);
        stage.world.advance(millis(1));
        stage.expect(["idle"]);
        stage.world.advance(millis(500)); // and again, until it is cancelled
        stage.expect(["idle"]);
    });
}

#[test]
fn rto_05_each_message_begins_the_wait_anew() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        set(stage, &actor, secs(1));
        for _ in 0..100 {
            stage.world.advance(millis(30));
            stage.tell(&actor, Cue::Say("message"));
        }
        assert_eq!(stage.notes.read(), ["message"; 100]);
        stage.world.advance(millis(999));
        stage.expect([]);
        stage.world.advance(millis(1));
        stage.expect(["idle"]);
    });
}

#[test]
fn rto_06_switched_off_by_its_own_handler_it_comes_once() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        let notes = stage.notes.clone();
        let set = move |ctx: &mut Context<Cue>| {
            let idle = move || {
                let notes = notes.clone();
                quietly(move |ctx| {
                    notes.say("idle");
                    ctx.cancel_receive_timeout();
                })
            };
            ctx.receive_timeout(millis(500), idle);
        };
        stage.tell(&actor, quietly(set));
        stage.world.advance(secs(60));
        stage.expect(["idle"]);
    });
}

#[test]
fn rto_07_none_is_set() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        stage.world.advance(secs(1));
        stage.expect([]);
        let cancel = quietly(|ctx| ctx.cancel_receive_timeout()); // nothing to cancel
        stage.tell(&actor, cancel);
        stage.world.advance(secs(1));
        stage.expect([]);
    });
}

#[test]
fn rto_08_messages_that_do_not_count_do_not_begin_the_wait_anew() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        let set = |ctx: &mut Context<Cue>| {
            let counts = |cue: &Cue| !matches!(cue, Cue::Say("beat"));
            ctx.receive_timeout_counting(secs(1), counts, || Cue::Say("idle"));
        };
        stage.tell(&actor, quietly(set));
        for _ in 0..9 {
            stage.world.advance(millis(100));
            stage.tell(&actor, Cue::Say("beat"));
        }
        stage.world.advance(millis(100));
        let mut heard = stage.notes.read();
        assert_eq!(heard.pop().as_deref(), Some("idle"));
        assert_eq!(heard, ["beat"; 9]);
    });
}

#[test]
fn rto_14_set_by_the_incarnation_that_follows_a_restart() {
    on_stage(|stage| {
        struct Sets(Player);
        impl Actor for Sets {
            type Msg = Cue;
            async fn started(&mut self, ctx: &mut Context<Cue>) -> Outcome {
                ctx.receive_timeout(secs(1), || Cue::Say("idle"));
                Ok(())
            }
            async fn receive(&mut self, ctx: &mut Context<Cue>, cue: Cue) -> Outcome {
                self.0.receive(ctx, cue).await
            }
        }
        let player = Player::new(&stage.notes);
        let props = Props::new(move || Sets(player)).supervise(Supervise::restart().at_once());
        let actor = stage.spawn("actor", props);
        stage.world.advance(millis(900));
        stage.tell(&actor, fail());
        stage.world.advance(millis(999)); // the timeout of the first incarnation ended with it
        stage.expect([]);
        stage.world.advance(millis(1));
        stage.expect(["idle"]);
    });
}

#[test]
fn it_ends_with_its_incarnation() {
    on_stage(|stage| {
        let player = Player::new(&stage.notes);
        let props = Props::new(move || player).supervise(Supervise::restart().at_once());
        let actor = stage.spawn("actor", props);
        set(stage, &actor, secs(1));
        stage.tell(&actor, fail());
        stage.world.advance(secs(60));
        stage.expect([]);
    });
}

/// RTO-08, for what an actor tells itself by the clock.
#[test]
fn ticks_of_own_timers_do_not_count_unless_they_are_chosen() {
    for chosen in [false, true] {
        on_stage(|stage| {
            let actor = stage.player("actor");
            let set = move |ctx: &mut Context<Cue>| {
                let mut timers = ctx.timers();
                timers.fixed_rate("beat", millis(300), || Cue::Say("beat"));
                let idle = || Cue::Say("idle");
                match chosen {
                    false => ctx.receive_timeout(millis(500), idle),
                    true => ctx.receive_timeout_counting(millis(500), |_| true, idle),
                }
            };
            stage.tell(&actor, quietly(set));
            stage.world.advance(millis(600));
            let beats = stage.notes.read();
            match chosen {
                false => assert_eq!(beats, ["beat", "idle", "beat"]),
                true => assert_eq!(beats, ["beat", "beat"]),
            }
        });
    }
}

#[test]
fn the_last_setting_counts_and_an_earlier_one_that_is_queued_is_swallowed() {
    on_stage(|stage| {
        let player = Player::new(&stage.notes);
        let actor = stage.spawn("actor", move || Intercepted(player));
        set(stage, &actor, millis(10));
        stage.world.advance(millis(25));
        let longer = |ctx: &mut Context<Cue>| ctx.receive_timeout(secs(1), || Cue::Say("longer"));
        stage.tell(&actor, quietly(longer));
        stage.world.advance(millis(20)); // set anew
        stage.world.advance(millis(999));
        stage.expect([]);
        stage.world.advance(millis(21)); // and handled
        stage.expect(["longer"]);
    });
}

#[test]
fn a_function_that_panics_fails_the_actor() {
    for counts in [false, true] {
        on_stage(|stage| {
            let actor = stage.player("actor");
            let set = move |ctx: &mut Context<Cue>| match counts {
                true => ctx.receive_timeout_counting(
                    secs(1),
                    |_| panic!("on purpose"),
                    || Cue::Say("idle"),
                ),
                false => ctx.receive_timeout(secs(1), || panic!("on purpose")),
            };
            stage.tell(&actor, quietly(set));
            if counts {
                stage.tell(&actor, Cue::Say("message"));
            }
            stage.world.advance(secs(1));
            let exit = stage.world.block_on(actor.terminated());
            assert!(
                matches!(&exit, Exit::Failed(cause) if cause.is_panic()),
                "{exit}"
            );
        });
    }
}

#[test]
fn a_function_hears_its_timeout_from_recv() {
    on_stage(|stage| {
        let notes: Notes = stage.notes.clone();
        let body = async move |ctx: &mut Context<&'static str>| {
            ctx.receive_timeout(secs(1), || "idle");
            while let Some(line) = ctx.recv().await {
                notes.say(line);
            }
            Ok(())
        };
        let actor = stage.spawn("actor", Props::func(body));
        stage.world.advance(millis(500));
        actor.tell("message");
        stage.world.advance(millis(999));
        stage.expect(["message"]);
        stage.world.advance(millis(1));
        stage.expect(["idle"]);
        actor.drain(); // which does not wait for a timeout
        let exit = stage.world.block_on(actor.terminated());
        assert!(matches!(exit, Exit::Drained), "{exit}");
    });
}

#[test]
fn no_time_at_all_is_refused() {
    on_stage(|stage| {
        let actor = stage.player("actor");
        set(stage, &actor, Duration::ZERO);
        let exit = stage.world.block_on(actor.terminated());
        assert!(
            matches!(&exit, Exit::Failed(cause) if cause.is_panic()),
            "{exit}"
        );
    });
}
