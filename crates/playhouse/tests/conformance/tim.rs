//! Timers.

use crate::common::Events;
use crate::common::player::{Boom, Notes};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Of the timer that most tests are about.
const KEY: &str = "tick";
const INTERVAL: Duration = millis(10);

enum Msg {
    Tick(u32),
    Once(Duration, u32),
    Delay(Duration),
    Rate(Duration),
    Cancel,
    /// Holds the handler for so long, and does the other after it.
    After(Duration, Box<Msg>),
    Stop,
    Fail,
}

/// Sets a timer as it is told, and writes down its ticks.
struct Clockwork(Notes);

impl Actor for Clockwork {
    type Msg = Msg;

    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        let msg = match msg {
            Msg::After(time, then) => {
                ctx.clock().sleep(time).await;
                *then
            }
            msg => msg,
        };
        match msg {
            Msg::Tick(n) => self.0.say(format!("tick {n}")),
            Msg::Once(after, n) => ctx.timers().once(KEY, after, Msg::Tick(n)),
            Msg::Delay(every) => ctx.timers().fixed_delay(KEY, every, || Msg::Tick(1)),
            Msg::Rate(every) => ctx.timers().fixed_rate(KEY, every, || Msg::Tick(1)),
            Msg::Cancel => {
                ctx.timers().cancel(KEY);
                self.0.say("cancelled");
            }
            Msg::Stop => ctx.stop(),
            Msg::Fail => return Err(Boom.into()),
            Msg::After(..) => return Err("one wait at a time".into()),
        }
        Ok(())
    }

    async fn signal(&mut self, ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            let is_active = ctx.timers().is_active(KEY);
            self.0.say(format!("post-stop, active: {is_active}"));
        }
        signal.unhandled()
    }
}

fn clockwork(stage: &Stage) -> ActorRef<Msg> {
    let notes = stage.notes.clone();
    stage.spawn("clockwork", move || Clockwork(notes))
}

fn tell(stage: &Stage, to: &ActorRef<Msg>, msg: Msg) {
    to.tell(msg);
    stage.world.settle();
}

fn dead(events: &Events) -> usize {
    events.count(|event| matches!(event, Event::DeadLetter { .. }))
}

#[test]
fn tim_01_a_single_timer_ticks_once() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Once(INTERVAL, 1));
        stage.world.advance(INTERVAL);
        stage.expect(["tick 1"]);
        stage.world.advance(secs(10));
        stage.expect([]);
        tell(stage, &actor, Msg::Stop);
        stage.expect(["post-stop, active: false"]);
    });
}

#[test]
fn tim_02_a_fixed_delay_ticks_three_times_within_less_than_four_intervals() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Delay(INTERVAL));
        stage.world.advance(millis(39));
        stage.expect(["tick 1", "tick 1", "tick 1"]);
        tell(stage, &actor, Msg::Stop);
        stage.expect(["post-stop, active: false"]);
    });
}

#[test]
fn tim_03_replacing_a_timer_drops_a_tick_that_is_queued() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Rate(INTERVAL));
        stage.world.advance(INTERVAL);
        stage.expect(["tick 1"]);
        let replace = Box::new(Msg::Once(INTERVAL, 2));
        tell(stage, &actor, Msg::After(millis(15), replace)); // a tick is due meanwhile
        stage.world.advance(millis(15));
        stage.expect([]);
        stage.world.advance(secs(1));
        stage.expect(["tick 2"]);
    });
}

#[test]
fn tim_04_cancelling_drops_a_tick_that_is_queued() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Rate(INTERVAL));
        stage.world.advance(INTERVAL);
        stage.expect(["tick 1"]);
        tell(stage, &actor, Msg::After(millis(15), Box::new(Msg::Cancel)));
        stage.world.advance(millis(15));
        stage.expect(["cancelled"]);
        stage.world.advance(INTERVAL * 10);
        stage.expect([]);
    });
}

#[test]
fn tim_07_a_failure_ends_the_timer_before_post_stop() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Delay(INTERVAL));
        tell(stage, &actor, Msg::Fail);
        stage.expect(["post-stop, active: false"]);
        let exit = stage.world.block_on(actor.terminated());
        assert!(matches!(exit, Exit::Failed(_)), "{exit}");
    });
}

#[test]
fn tim_08_a_stop_ends_the_timer_before_post_stop() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Delay(INTERVAL));
        tell(stage, &actor, Msg::Stop);
        stage.expect(["post-stop, active: false"]);
        stage.world.advance(secs(1));
        stage.expect([]);
    });
}

/// Ticks its number, and fails when it is told.
struct Incarnation {
    notes: Notes,
    number: u32,
}

impl Actor for Incarnation {
    type Msg = Msg;
    async fn started(&mut self, ctx: &mut Context<Msg>) -> Outcome {
        let number = self.number;
        ctx.timers()
            .fixed_rate(KEY, INTERVAL, move || Msg::Tick(number));
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::After(time, _fail) => {
                ctx.clock().sleep(time).await;
                return Err(Boom.into());
            }
            Msg::Tick(n) => self.notes.say(format!("tick {n}")),
            _ => {}
        }
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PreRestart(_)) {
            let is_active = ctx.timers().is_active(KEY);
            self.notes.say(format!("pre-restart, active: {is_active}"));
        }
        signal.unhandled()
    }
}

#[test]
fn tim_05_a_restart_discards_a_tick_of_the_old_incarnation_that_is_queued() {
    on_stage(|stage| {
        let (notes, made) = (stage.notes.clone(), Arc::new(AtomicU32::new(0)));
        let factory = move || Incarnation {
            notes,
            number: made.fetch_add(1, Ordering::Relaxed) + 1,
        };
        let props = Props::new(factory).supervise(Supervise::restart().at_once());
        let actor = stage.spawn("actor", props);
        stage.world.advance(INTERVAL);
        stage.expect(["tick 1"]);
        tell(stage, &actor, Msg::After(millis(15), Box::new(Msg::Fail))); // a tick is due meanwhile
        stage.world.advance(millis(15));
        stage.expect(["pre-restart, active: false"]);
        stage.world.advance(INTERVAL / 2);
        stage.expect([]);
        stage.world.advance(INTERVAL / 2);
        stage.expect(["tick 2"]);
    });
}

/// Sets a timer of its own around an actor that has one.
struct Around(Clockwork);

impl Actor for Around {
    type Msg = Msg;
    async fn started(&mut self, ctx: &mut Context<Msg>) -> Outcome {
        ctx.timers().once("outer", INTERVAL, Msg::Tick(2));
        self.0.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        self.0.receive(ctx, msg).await
    }
}

#[test]
fn tim_09_timers_of_an_actor_and_of_the_one_around_it_both_tick() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = stage.spawn("actor", move || Around(Clockwork(notes)));
        tell(stage, &actor, Msg::Once(INTERVAL, 1));
        stage.world.advance(INTERVAL);
        let mut ticks = stage.notes.read();
        ticks.sort();
        assert_eq!(ticks, ["tick 1", "tick 2"]);
    });
}

/// Sets a timer of its own when it is entered, and becomes the next of its kind with any message but a tick.
fn scope(number: u32, notes: Notes) -> Behavior<Msg> {
    fn listening(number: u32, notes: Notes) -> Behavior<Msg> {
        Behavior::receive(move |_ctx, msg| match msg {
            Msg::Tick(n) => {
                notes.say(format!("tick {n} in {number}"));
                Ok(listening(number, notes))
            }
            _ => Ok(scope(number + 1, notes)),
        })
    }
    Behavior::setup(move |ctx: &mut Context<Msg>| {
        let key = u64::from(number);
        ctx.timers()
            .fixed_delay(key, INTERVAL, move || Msg::Tick(number));
        Ok(listening(number, notes))
    })
}

#[test]
fn tim_10_timers_of_an_earlier_behaviour_keep_ticking() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = stage.spawn("actor", move || scope(1, notes));
        stage.world.advance(INTERVAL);
        stage.expect(["tick 1 in 1"]);
        tell(stage, &actor, Msg::Cancel);
        stage.world.advance(INTERVAL);
        let mut ticks = stage.notes.read();
        ticks.sort();
        assert_eq!(ticks, ["tick 1 in 2", "tick 2 in 2"]);
    });
}

#[test]
fn tim_11_a_stopped_actor_leaves_no_tick_behind() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = move || {
            Behavior::setup(move |ctx: &mut Context<Msg>| {
                ctx.timers().fixed_rate(KEY, INTERVAL, || Msg::Tick(1));
                Ok(Behavior::receive(move |_ctx, _msg| {
                    Ok(Behavior::stopped_with(move || notes.say("stopped")))
                }))
            })
        };
        stage.spawn("actor", actor);
        stage.world.advance(INTERVAL);
        stage.expect(["stopped"]);
        stage.world.advance(secs(1));
        assert_eq!(dead(&stage.events), 0);
        assert_eq!(stage.events.dead(DeadLetterReason::Gone), 0);
    });
}

#[test]
fn tim_14_a_single_timer_of_ten_milliseconds() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Once(millis(10), 1));
        stage.world.advance(millis(9));
        stage.expect([]);
        stage.world.advance(millis(2));
        stage.expect(["tick 1"]);
        stage.world.advance(secs(10));
        stage.expect([]);
    });
}

#[test]
fn tim_15_a_fixed_delay_of_ten_milliseconds_for_five_rounds() {
    on_stage(|stage| {
        let actor = clockwork(stage);
        tell(stage, &actor, Msg::Delay(millis(10)));
        for _ in 0..5 {
            stage.world.advance(millis(9));
            stage.expect([]);
            stage.world.advance(millis(1));
            stage.expect(["tick 1"]);
        }
    });
}
