//! The voice of a run: an actor that owns standard output and standard error while it lasts.
//!
//! It has a thread of its own, because a reader that does not read makes it wait, and that must stop nobody but those who
//! have something to say.

use std::io;
use std::sync::{Arc, OnceLock};

use folio_core::pipeline::Progress;
use playhouse::{BlockingActor, Context, Outcome};

mod human;
pub(crate) mod json;
pub(crate) mod summary;

pub(crate) use human::{Human, plural};
pub(crate) use json::Json;

/// Tells each listener every piece of news, in order.
pub(crate) struct Reporter {
    json: Option<Json>,
    human: Human,
    lost: Lost,
}

/// Why standard output lost lines, if it did.
pub(crate) type Lost = Arc<OnceLock<io::Error>>;

impl Reporter {
    /// Lines for people, and JSON lines beside them if wanted.
    pub(crate) fn new(json: Option<Json>, human: Human, lost: Lost) -> Self {
        Self { json, human, lost }
    }
}

impl BlockingActor for Reporter {
    type Msg = Progress;

    fn receive(&mut self, ctx: &mut Context<Progress>, news: Progress) -> Outcome {
        if let Some(Err(error)) = self.json.as_ref().map(|json| json.tell(&news)) {
            // People are still told; the run ends with the error.
            let _ = self.lost.set(error);
            self.json = None;
        }
        self.human.tell(&news, ctx.clock().now());
        Ok(())
    }
}
