//! An actor that does what it is told, and writes down what happens to it.

use playhouse::Address;
use playhouse::prelude::*;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A message to a player.
pub(crate) enum Cue {
    /// Write this down.
    Say(&'static str),
    Do(Act),
    /// Stop this child, and write down its end.
    StopChild(ActorRef<Cue>),
}

pub(crate) type Act = Box<dyn FnOnce(&mut Context<Cue>) -> Outcome + Send>;

/// Whatever a handler may do.
pub(crate) fn act(act: impl FnOnce(&mut Context<Cue>) -> Outcome + Send + 'static) -> Cue {
    Cue::Do(Box::new(act))
}

/// The same, without a failure.
pub(crate) fn quietly(quiet: impl FnOnce(&mut Context<Cue>) + Send + 'static) -> Cue {
    act(move |ctx| {
        quiet(ctx);
        Ok(())
    })
}

pub(crate) fn fail() -> Cue {
    act(|_ctx| Err(Boom.into()))
}

pub(crate) fn stop() -> Cue {
    quietly(|ctx| ctx.stop())
}

/// What a player fails with.
#[derive(Debug)]
pub(crate) struct Boom;

impl fmt::Display for Boom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("boom")
    }
}

impl Error for Boom {}

/// What was written down, by one player or several.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Written>>);

#[derive(Default)]
struct Written {
    lines: Vec<String>,
    ends: Vec<(Address, Exit)>,
}

impl Notes {
    pub(crate) fn say(&self, line: impl Into<String>) {
        self.0.lock().unwrap().lines.push(line.into());
    }

    /// Everything since the last look.
    pub(crate) fn read(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().lines)
    }

    /// How many lines there are to read.
    pub(crate) fn lines(&self) -> usize {
        self.0.lock().unwrap().lines.len()
    }

    /// The ends that were told, of all time.
    pub(crate) fn ends(&self) -> Vec<(Address, Exit)> {
        self.0.lock().unwrap().ends.clone()
    }

    pub(crate) fn end(&self, who: Address, exit: Exit) {
        let mut written = self.0.lock().unwrap();
        let name = who.path().rsplit('/').next().unwrap();
        written.lines.push(format!("{name} ended, {exit}"));
        written.ends.push((who, exit));
    }
}

/// Writes down the ends it is told of, and what it is told to say.
#[derive(Clone)]
pub(crate) struct Player {
    pub(crate) notes: Notes,
    /// Writes down its own signals too, under this name.
    pub(crate) called: Option<&'static str>,
    /// Has no answer to the end of somebody it watches.
    pub(crate) is_deaf: bool,
}

impl Player {
    pub(crate) fn new(notes: &Notes) -> Self {
        Self {
            notes: notes.clone(),
            called: None,
            is_deaf: false,
        }
    }

    pub(crate) fn called(notes: &Notes, name: &'static str) -> Self {
        Self {
            called: Some(name),
            ..Self::new(notes)
        }
    }

    pub(crate) fn deaf(self) -> Self {
        Self {
            is_deaf: true,
            ..self
        }
    }
}

impl Actor for Player {
    type Msg = Cue;

    async fn receive(&mut self, ctx: &mut Context<Cue>, cue: Cue) -> Outcome {
        match cue {
            Cue::Say(line) => self.notes.say(line),
            Cue::Do(act) => act(ctx)?,
            Cue::StopChild(child) => {
                let exit = ctx.stop_child(&child).await;
                self.notes.end(child.address().clone(), exit);
            }
        }
        Ok(())
    }

    async fn signal(&mut self, _ctx: &mut Context<Cue>, signal: Signal) -> Outcome {
        let name = self.called;
        match signal {
            Signal::Terminated { who, exit } if !self.is_deaf => self.notes.end(who, exit),
            Signal::PostStop if name.is_some() => {
                self.notes
                    .say(format!("{} stops", name.unwrap_or_default()));
            }
            Signal::PreRestart(_) if name.is_some() => {
                self.notes
                    .say(format!("{} restarts", name.unwrap_or_default()));
            }
            other => return other.unhandled(),
        }
        Ok(())
    }
}
