//! How a command ends: one line for a person, one number for a script.

use std::process::ExitCode;

use crate::voice::say;

/// What a script is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Everything asked for is there.
    Complete,
    /// Some of it failed; each was named.
    SomeFailed,
    /// The user ended it.
    Interrupted,
}

/// Nothing could start: usage, engine, output folder. The text names the thing, the reason and the next step.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CannotStart(pub(crate) String);

impl CannotStart {
    pub(crate) fn because(reason: impl ToString) -> Self {
        Self(reason.to_string())
    }
}

const SOME_FAILED: u8 = 1;
const CANNOT_START: u8 = 2;
/// 128 + SIGINT, as shells count.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit code of `done`; says the reason when nothing could start.
pub(crate) fn code(done: Result<Ending, CannotStart>) -> ExitCode {
    match done {
        Ok(Ending::Complete) => ExitCode::SUCCESS,
        Ok(Ending::SomeFailed) => ExitCode::from(SOME_FAILED),
        Ok(Ending::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(CannotStart(reason)) => {
            say(format!("folio: {reason}"));
            ExitCode::from(CANNOT_START)
        }
    }
}

/// What the argument parser has to say: help and version are answers, the rest is wrong usage.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // A closed standard output or error is nobody listening.
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::from(CANNOT_START)
    } else {
        ExitCode::SUCCESS
    }
}
