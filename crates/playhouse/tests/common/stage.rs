//! A stepped system with players on it, under a handful of seeds.

use super::Events;
use super::player::{Cue, Notes, Player, quietly};
use super::seeds::{end, for_each_seed, stepped};
use playhouse::IntoProps;
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use std::sync::{Arc, Mutex};

/// The system of one test: a stage of players who write into the same notes.
pub(crate) struct Stage {
    pub(crate) system: ActorSystem,
    pub(crate) world: Stepped,
    pub(crate) events: Events,
    pub(crate) notes: Notes,
}

impl Stage {
    pub(crate) fn player(&self, name: &str) -> ActorRef<Cue> {
        let player = Player::new(&self.notes);
        self.system.spawn(name, move || player).unwrap()
    }

    pub(crate) fn spawn<P: IntoProps>(&self, name: &str, props: P) -> ActorRef<P::Msg> {
        let actor = self.system.spawn(name, props).unwrap();
        self.world.settle();
        actor
    }

    /// What a function that is run by the player yields.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        of: &ActorRef<Cue>,
        question: impl FnOnce(&mut Context<Cue>) -> T + Send + 'static,
    ) -> T {
        let answer = Arc::new(Mutex::new(None));
        let kept = answer.clone();
        self.tell(
            of,
            quietly(move |ctx| *kept.lock().unwrap() = Some(question(ctx))),
        );
        answer.lock().unwrap().take().expect("an answer")
    }

    /// What was written down since the last look.
    #[track_caller]
    pub(crate) fn expect<const N: usize>(&self, lines: [&str; N]) {
        assert_eq!(self.notes.read(), lines);
    }

    /// Settles after each.
    pub(crate) fn tell(&self, to: &ActorRef<Cue>, cue: Cue) {
        to.tell(cue);
        self.world.settle();
    }

    pub(crate) fn watch(&self, watcher: &ActorRef<Cue>, other: &ActorRef<Cue>) {
        let other = other.clone();
        self.tell(watcher, quietly(move |ctx| ctx.watch(&other)));
    }

    pub(crate) fn watch_with(
        &self,
        watcher: &ActorRef<Cue>,
        other: &ActorRef<Cue>,
        line: &'static str,
    ) {
        let other = other.clone();
        let watch = move |ctx: &mut Context<Cue>| ctx.watch_with(&other, move |_| Cue::Say(line));
        self.tell(watcher, quietly(watch));
    }

    pub(crate) fn unwatch(&self, watcher: &ActorRef<Cue>, other: &ActorRef<Cue>) {
        let other = other.clone();
        self.tell(watcher, quietly(move |ctx| ctx.unwatch(&other)));
    }
}

pub(crate) fn on_stage(test: impl Fn(&Stage)) {
    for_each_seed(8, |seed| {
        let (system, world, events) = stepped(seed);
        let stage = Stage {
            system,
            world,
            events,
            notes: Notes::default(),
        };
        test(&stage);
        end(&stage.system, &stage.world);
    });
}
