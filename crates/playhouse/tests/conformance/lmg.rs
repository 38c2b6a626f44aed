//! Messages and signals, logged as they pass: an actor around an actor.

use crate::common::player::Notes;
use crate::common::seeds::{end, for_each_seed, stepped};
use playhouse::prelude::*;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Debug,
    Info,
}

/// Writes down what passes, at its level, if that is not below what the log takes.
struct Logged<A> {
    inner: A,
    notes: Notes,
    level: Level,
    taken_from: Level,
}

impl<A> Logged<A> {
    fn log(&self, path: &str, what: impl fmt::Debug) {
        if self.level >= self.taken_from {
            self.notes.say(format!("{:?} {path} {what:?}", self.level));
        }
    }
}

impl<A: Actor<Msg: fmt::Debug>> Actor for Logged<A> {
    type Msg = A::Msg;

    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        self.inner.started(ctx).await
    }

    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        self.log(ctx.me().address().path(), &msg);
        self.inner.receive(ctx, msg).await
    }

    async fn signal(&mut self, ctx: &mut Context<A::Msg>, signal: Signal) -> Outcome {
        self.log(ctx.me().address().path(), &signal);
        self.inner.signal(ctx, signal).await
    }
}

/// Adds up in silence.
#[derive(Default)]
struct Sum(u32);

impl Actor for Sum {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0 += n;
        Ok(())
    }
}

/// What one message and a stop leave behind.
fn lines(seed: u64, level: Level, taken_from: Level) -> Vec<String> {
    let (system, world, _) = stepped(seed);
    let notes = Notes::default();
    let written = notes.clone();
    let logged = move || Logged {
        inner: Sum::default(),
        notes: written,
        level,
        taken_from,
    };
    let actor = system.spawn("sum", logged).unwrap();
    actor.tell(7);
    world.settle();
    actor.stop();
    world.block_on(actor.terminated());
    assert_eq!(end(&system, &world).handled, 1);
    notes.read()
}

#[test]
fn lmg_01_a_message_and_post_stop_are_logged_with_the_path() {
    for_each_seed(8, |seed| {
        let expected = ["Debug /test/sum 7", "Debug /test/sum PostStop"];
        assert_eq!(lines(seed, Level::Debug, Level::Debug), expected);
    });
}

#[test]
fn lmg_02_they_are_logged_at_the_level_that_was_chosen() {
    for_each_seed(8, |seed| {
        let expected = ["Info /test/sum 7", "Info /test/sum PostStop"];
        assert_eq!(lines(seed, Level::Info, Level::Info), expected);
    });
}

#[test]
fn lmg_04_below_the_level_that_is_taken_nothing_is_logged() {
    for_each_seed(8, |seed| {
        assert_eq!(lines(seed, Level::Debug, Level::Info), [""; 0]);
    });
}
