//! The `folio` command as a library: its adapters, its commands, its voice.
//!
//! The binary is a thin shell over [`run`]; tests and examples use the parts.
#![forbid(unsafe_code)]

pub mod adapters;
pub mod cli;
mod commands;
mod engine;
mod exit;
mod inputs;
pub mod limits;
mod output_folder;
mod report;
mod signals;
mod voice;

use std::process::ExitCode;

use clap::Parser;

/// Reads the command line, does what it says, and answers with the exit code.
pub fn run() -> ExitCode {
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    let done = match arguments.command {
        cli::Command::Extract(arguments) => commands::extract::run(&arguments),
        cli::Command::Info(arguments) => commands::info::run(&arguments),
        cli::Command::Setup(arguments) => commands::setup::run(&arguments),
        cli::Command::Status(arguments) => commands::status::run(&arguments),
    };
    exit::code(done)
}
