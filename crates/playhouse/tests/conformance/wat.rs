//! Death watch.

use crate::common::player::{Boom, Cue, Notes, Player, act, fail, stop};
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event};

/// A child of the parent, watched by it, that fails.
fn failing_child(stage: &Stage, parent: &ActorRef<Cue>, how: Option<Supervise>) {
    let player = Player::new(&stage.notes);
    let spawn = move |ctx: &mut Context<Cue>| {
        let child = Props::new(move || player);
        let child = match how {
            Some(how) => child.supervise(how),
            None => child,
        };
        let child = ctx.spawn("child", child)?;
        ctx.watch(&child);
        child.tell(fail());
        Ok(())
    };
    stage.tell(parent, act(spawn));
}

#[test]
fn wat_01_watching_a_sibling_that_stops_itself() {
    on_stage(|stage| {
        let (watcher, sibling) = (stage.player("watcher"), stage.player("sibling"));
        stage.watch(&watcher, &sibling);
        stage.tell(&sibling, stop());
        assert_eq!(stage.notes.read(), ["sibling ended, stopped"]);
        assert!(stage.notes.ends()[0].0 == sibling);
    });
}

#[test]
fn wat_02_a_parent_hears_the_cause_of_its_child() {
    on_stage(|stage| {
        let parent = stage.player("parent");
        failing_child(stage, &parent, None);
        assert_child_failed(stage);
    });
}

#[track_caller]
fn assert_child_failed(stage: &Stage) {
    let ends = stage.notes.ends();
    let [(who, Exit::Failed(cause))] = &ends[..] else {
        panic!("{ends:?}")
    };
    assert_eq!(who.path(), "/test/parent/child");
    assert!(cause.find::<Boom>().is_some(), "{cause}");
}

#[test]
fn wat_03_supervision_that_stops_hides_no_cause() {
    on_stage(|stage| {
        let parent = stage.player("parent");
        failing_child(stage, &parent, Some(Supervise::stop()));
        assert_child_failed(stage);
    });
}

#[test]
fn wat_04_an_end_that_nobody_handles_fails_the_watcher() {
    on_stage(|stage| {
        let top = stage.player("top");
        let deaf = Player::new(&stage.notes).deaf();
        let child = Player::new(&stage.notes);
        let spawn = move |ctx: &mut Context<Cue>| {
            let middle = ctx.spawn("middle", move || deaf)?;
            ctx.watch(&middle);
            middle.tell(act(move |ctx| {
                let child = ctx.spawn("child", move || child)?;
                ctx.watch(&child);
                child.tell(fail());
                Ok(())
            }));
            Ok(())
        };
        stage.tell(&top, act(spawn));
        let ends = stage.notes.ends();
        let [(who, Exit::Failed(cause))] = &ends[..] else {
            panic!("{ends:?}")
        };
        assert_eq!(who.path(), "/test/top/middle");
        let text = cause.to_string();
        assert!(text.contains("/test/top/middle/child"), "{text}");
        assert!(text.contains("watched") && text.contains("boom"), "{text}");
        let is_published = |event: &Event| matches!(event, Event::Failed { who, .. } if who.path() == "/test/top/middle");
        assert_eq!(stage.events.count(is_published), 1);
    });
}

#[test]
fn wat_05_watching_twice_is_idempotent() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.watch(&watcher, &other);
        stage.watch(&watcher, &other);
        stage.tell(&other, stop());
        assert_eq!(stage.notes.read(), ["other ended, stopped"]);
        stage.tell(&watcher, Cue::Say("alive"));
        assert_eq!(stage.notes.read(), ["alive"]);
    });
}

#[test]
fn wat_06_watch_with_brings_a_message_instead_of_the_signal() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.watch_with(&watcher, &other, "gone");
        stage.tell(&other, stop());
        assert_eq!(stage.notes.read(), ["gone"]);
    });
}

#[test]
fn wat_07_watch_with_twice_brings_the_message_once() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.watch_with(&watcher, &other, "gone");
        stage.watch_with(&watcher, &other, "gone");
        stage.tell(&other, stop());
        assert_eq!(stage.notes.read(), ["gone"]);
    });
}

#[test]
fn wat_08_watch_unwatch_watch_with_brings_the_message() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.watch(&watcher, &other);
        stage.unwatch(&watcher, &other);
        stage.watch_with(&watcher, &other, "gone");
        stage.tell(&other, stop());
        assert_eq!(stage.notes.read(), ["gone"]);
    });
}

#[test]
fn wat_09_watch_with_unwatch_watch_with_brings_the_second_message() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.watch_with(&watcher, &other, "first");
        stage.unwatch(&watcher, &other);
        stage.watch_with(&watcher, &other, "second");
        stage.tell(&other, stop());
        assert_eq!(stage.notes.read(), ["second"]);
    });
}

// differs: WAT-10: the last registration for an actor counts, so nothing is left to complain about
#[test]
fn wat_10_watch_after_watch_with_brings_the_signal() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.watch_with(&watcher, &other, "gone");
        stage.watch(&watcher, &other);
        stage.tell(&other, stop());
        assert_eq!(stage.notes.read(), ["other ended, stopped"]);
        stage.tell(&watcher, Cue::Say("alive"));
        assert_eq!(stage.notes.read(), ["alive"]);
    });
}

#[test]
fn wat_13_the_failed_form_matches_code_that_looks_for_terminated_alone() {
    on_stage(|stage| {
        struct Counts(Notes);
        impl Actor for Counts {
            type Msg = ActorRef<Cue>;
            async fn receive(&mut self, ctx: &mut Context<Self::Msg>, who: Self::Msg) -> Outcome {
                ctx.watch(&who);
                Ok(())
            }
            async fn signal(&mut self, _: &mut Context<Self::Msg>, signal: Signal) -> Outcome {
                if let Signal::Terminated { who, .. } = signal {
                    self.0.say(who.path());
                }
                Ok(())
            }
        }
        let (notes, failing) = (stage.notes.clone(), stage.player("failing"));
        let watcher = stage
            .system
            .spawn("watcher", move || Counts(notes))
            .unwrap();
        watcher.tell(failing.clone());
        stage.world.settle();
        stage.tell(&failing, fail());
        assert_eq!(stage.notes.read(), ["/test/failing"]);
    });
}

#[test]
fn wat_14_watching_somebody_already_gone_brings_one_end() {
    on_stage(|stage| {
        let (watcher, other) = (stage.player("watcher"), stage.player("other"));
        stage.tell(&other, stop());
        let exit = stage.world.block_on(other.terminated());
        assert!(matches!(exit, Exit::Stopped), "{exit}");
        stage.watch(&watcher, &other);
        assert_eq!(stage.notes.read(), ["other ended, stopped"]);
    });
}

#[test]
fn wat_15_each_of_three_watchers_hears_once() {
    on_stage(|stage| {
        let other = stage.player("other");
        let watchers = ["one", "two", "three"].map(|name| stage.player(name));
        let lines = ["one hears", "two hears", "three hears"];
        for (watcher, line) in watchers.iter().zip(lines) {
            stage.watch_with(watcher, &other, line);
        }
        stage.tell(&other, stop());
        let mut heard = stage.notes.read();
        heard.sort();
        assert_eq!(heard, ["one hears", "three hears", "two hears"]);
    });
}

#[test]
fn wat_16_who_unwatched_before_the_end_hears_nothing() {
    on_stage(|stage| {
        let other = stage.player("other");
        let watchers = ["one", "two", "three"].map(|name| stage.player(name));
        let lines = ["one hears", "two hears", "three hears"];
        for (watcher, line) in watchers.iter().zip(lines) {
            stage.watch_with(watcher, &other, line);
        }
        stage.unwatch(&watchers[1], &other);
        stage.tell(&other, stop());
        let mut heard = stage.notes.read();
        heard.sort();
        assert_eq!(heard, ["one hears", "three hears"]);
    });
}

#[test]
fn wat_17_a_restart_is_no_end() {
    on_stage(|stage| {
        let watcher = stage.player("watcher");
        let player = Player::new(&stage.notes);
        let restarts = Supervise::restart().at_once().limit(2, secs(60));
        let other = stage.spawn("other", Props::new(move || player).supervise(restarts));
        stage.watch(&watcher, &other);
        for _ in 0..2 {
            stage.tell(&other, fail());
            stage.tell(&other, Cue::Say("alive"));
            stage.expect(["alive"]);
        }
        stage.tell(&other, fail());
        stage.expect(["other ended, failed: boom"]);
    });
}

/// Spawns a child of the same name each time it hears of the end of the last.
struct Respawns {
    notes: Notes,
    child: Option<ActorRef<Cue>>,
}

impl Respawns {
    fn spawn(&mut self, ctx: &mut Context<()>) -> Outcome {
        let player = Player::new(&self.notes);
        let child = ctx.spawn("child", move || player)?;
        ctx.watch(&child);
        child.tell(stop());
        self.child = Some(child);
        Ok(())
    }
}

impl Actor for Respawns {
    type Msg = ();
    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        self.spawn(ctx)
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        let Signal::Terminated { who, .. } = signal else {
            return signal.unhandled();
        };
        let is_last = self.child.as_ref().is_some_and(|child| who == *child);
        self.notes.say(format!("{} {is_last}", who.path()));
        if self.notes.lines() < 2 {
            self.spawn(ctx)?;
        }
        Ok(())
    }
}

#[test]
fn wat_19_a_name_is_free_when_its_end_is_told() {
    on_stage(|stage| {
        let notes = stage.notes.clone();
        let parent = move || Respawns { notes, child: None };
        stage.system.spawn("parent", parent).unwrap();
        stage.world.settle();
        assert_eq!(
            stage.notes.read(),
            ["/test/parent/child true", "/test/parent/child true"]
        );
        let failed = |event: &Event| matches!(event, Event::Failed { .. });
        assert_eq!(stage.events.count(failed), 0);
        assert_eq!(stage.events.dead(DeadLetterReason::Gone), 0);
    });
}
