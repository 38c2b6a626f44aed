//! `folio setup`: the engine is on this machine afterwards, and nothing else has changed.

use crate::cli;
use crate::engine;
use crate::exit::{CannotStart, Ending};
use crate::voice::say;

pub(crate) fn run(arguments: &cli::Setup) -> Result<Ending, CannotStart> {
    let found = engine::find(&arguments.engine)?;
    say(format!("folio: PDFium is at {}", found.path.display()));
    Ok(Ending::Complete)
}
