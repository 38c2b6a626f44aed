//! The two ways out: standard error for people, standard output for programs.
//!
//! A reader that hung up (`folio status | head -1`) is no error of ours and never a panic.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// A line for a person, on standard error. If nobody reads it, nobody needed it.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A line of results, on standard output, flushed so that a reader sees it now.
///
/// # Errors
/// When it cannot be written (a full disk); not when the reader hung up.
pub(crate) fn print(line: impl Display) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}
