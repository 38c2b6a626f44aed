//! The voice of a run: an actor that owns standard output and standard error while it lasts.

use std::time::Instant;

use folio_core::pipeline::Progress;
use playhouse::{Actor, Context, Outcome};

mod human;
pub(crate) mod json;

pub(crate) use human::{Human, Style, plural};
pub(crate) use json::Json;

/// Tells each listener every piece of news, in order.
pub(crate) struct Reporter {
    json: Option<Json>,
    human: Option<Human>,
}

impl Reporter {
    /// JSON lines, lines for people, both or neither.
    pub(crate) fn new(json: Option<Json>, human: Option<Human>) -> Self {
        Self { json, human }
    }
}

impl Actor for Reporter {
    type Msg = Progress;

    async fn receive(&mut self, ctx: &mut Context<Progress>, news: Progress) -> Outcome {
        let now: Instant = ctx.clock().now();
        if let Some(json) = &mut self.json {
            json.tell(&news)?;
        }
        if let Some(human) = &mut self.human {
            human.tell(&news, now);
        }
        Ok(())
    }
}
