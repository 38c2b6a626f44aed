//! Stopping, and the order of it.

use crate::common::player::{Cue, Notes, Player, act, quietly, stop};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;

fn done(notes: &Notes, line: &'static str) -> Behavior<Cue> {
    let notes = notes.clone();
    Behavior::stopped_with(move || notes.say(line))
}

#[track_caller]
fn assert_stopped(stage: &Stage, actor: &ActorRef<Cue>) {
    let exit = stage.world.block_on(actor.terminated());
    assert!(matches!(exit, Exit::Stopped), "{exit}");
}

/// Writes down the post-stop of the behaviour inside, and passes it on.
struct Outer {
    notes: Notes,
    inner: Behavior<Cue>,
}

impl Actor for Outer {
    type Msg = Cue;
    async fn started(&mut self, ctx: &mut Context<Cue>) -> Outcome {
        self.inner.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<Cue>, cue: Cue) -> Outcome {
        self.inner.receive(ctx, cue).await
    }
    async fn signal(&mut self, ctx: &mut Context<Cue>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            self.notes.say("post-stop");
        }
        self.inner.signal(ctx, signal).await
    }
}

#[test]
fn stp_01_a_setup_that_returns_stopped_with_runs_the_last_step_once() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let setup = move || Behavior::setup(move |_ctx| Ok(done(&notes, "done")));
        let actor = stage.spawn("actor", setup);
        assert_stopped(stage, &actor);
        stage.expect(["done"]);
    });
}

#[test]
fn stp_02_a_handler_that_returns_stopped_with_runs_the_last_step() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let receive = move || Behavior::receive(move |_ctx, _cue| Ok(done(&notes, "done")));
        let actor = stage.spawn("actor", receive);
        stage.expect([]);
        stage.tell(&actor, stop());
        assert_stopped(stage, &actor);
        stage.expect(["done"]);
    });
}

// differs: STP-03: a behaviour sees no signals, so the post-stop before the last step is that of the actor around it
#[test]
fn stp_03_post_stop_comes_before_the_last_step() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let last = stage.notes.clone();
        let outer = move || Outer {
            notes,
            inner: Behavior::receive(move |_ctx, _cue| Ok(done(&last, "done"))),
        };
        let actor = stage.spawn("actor", outer);
        stage.tell(&actor, stop());
        assert_stopped(stage, &actor);
        stage.expect(["post-stop", "done"]);
    });
}

#[test]
fn stp_05_stopped_with_as_the_first_behaviour_runs_the_last_step() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = stage.spawn("actor", move || done(&notes, "done"));
        assert_stopped(stage, &actor);
        stage.expect(["done"]);
    });
}

/// Ends, by way of a setup, when so many children have said that they live.
fn waits_for(children: u32, notes: Notes) -> Behavior<Cue> {
    Behavior::receive(move |_ctx, _cue| match children {
        1 => Ok(Behavior::setup(move |_ctx| Ok(done(&notes, "parent done")))),
        more => Ok(waits_for(more - 1, notes)),
    })
}

// differs: STP-06: a child that is stopped before it began has no post-stop, so the parent waits until both have begun
#[test]
fn stp_06_children_are_done_before_the_parent() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let parent = move || {
            Behavior::setup(move |ctx: &mut Context<Cue>| {
                for name in ["one", "two"] {
                    let child = Player::called(&notes, "child");
                    let child = ctx.spawn(name, move || child)?;
                    let parent = ctx.me().clone();
                    child.tell(quietly(move |_ctx| parent.tell(Cue::Say("alive"))));
                }
                Ok(waits_for(2, notes))
            })
        };
        let actor = stage.spawn("parent", parent);
        assert_stopped(stage, &actor);
        stage.expect(["child stops", "child stops", "parent done"]);
    });
}

#[test]
fn stp_07_without_children_the_last_step_runs() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let actor = stage.spawn("parent", move || waits_for(1, notes));
        stage.tell(&actor, Cue::Say("go on"));
        assert_stopped(stage, &actor);
        stage.expect(["parent done"]);
    });
}

/// Nobody can send it anything: it lives for its signals.
struct OnlySignals {
    notes: Notes,
    child: Option<ActorRef<Cue>>,
}

impl Actor for OnlySignals {
    type Msg = std::convert::Infallible;
    async fn started(&mut self, ctx: &mut Context<Self::Msg>) -> Outcome {
        let child = ctx.spawn("child", || Behavior::stopped())?;
        ctx.watch(&child);
        self.child = Some(child);
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, never: Self::Msg) -> Outcome {
        match never {}
    }
    async fn signal(&mut self, _ctx: &mut Context<Self::Msg>, signal: Signal) -> Outcome {
        let Signal::Terminated { who, exit } = signal else {
            return signal.unhandled();
        };
        let is_child = self.child.as_ref().is_some_and(|child| who == *child);
        self.notes.say(format!("{} {exit} {is_child}", who.path()));
        Ok(())
    }
}

#[test]
fn stp_08_an_actor_with_only_a_signal_handler_hears_of_the_end_of_its_child() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        stage.spawn("parent", move || OnlySignals { notes, child: None });
        stage.expect(["/test/parent/child stopped true"]);
    });
}

#[test]
fn stp_09_post_stop_runs_with_and_without_children() {
    for children in [0, 2] {
        on_stage(|stage| {
            let parent = Player::called(&stage.notes, "parent");
            let parent = stage.spawn("parent", move || parent);
            let child = Player::called(&stage.notes, "child");
            let spawn = move |ctx: &mut Context<Cue>| {
                for _ in 0..children {
                    let child = child.clone();
                    ctx.spawn_anonymous(move || child);
                }
                Ok(())
            };
            stage.tell(&parent, act(spawn));
            stage.tell(&parent, stop());
            assert_stopped(stage, &parent);
            let mut expected = vec!["child stops"; children];
            expected.push("parent stops");
            assert_eq!(stage.notes.read(), expected);
        });
    }
}
