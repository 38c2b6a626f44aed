//! The commands that can fetch a file, and how each is spoken to.

use std::ffi::OsString;
use std::path::Path;

use super::pins::{Pin, RELEASE};

/// Seconds that a tool waits for a connection, or for the next bytes, before it gives up.
const STALL_SECONDS: u32 = 20;
/// Seconds that curl takes at most in all: 4 MB at the slowest line that is worth waiting for.
const TOTAL_SECONDS: u32 = 300;
/// Tries beyond the first within one tool.
const RETRIES: u32 = 1;
/// How a tool is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// `pip download`, from the package index that pip is configured for.
    Pip,
    /// `curl`, from the release on GitHub.
    Curl,
    /// `wget`, from the release on GitHub.
    Wget,
}

/// A command that can fetch a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// How it is spoken to.
    pub kind: ToolKind,
    /// The program, by path or by name.
    pub program: OsString,
    /// Arguments before those of the fetch itself, such as `-m pip`.
    pub leading: Vec<OsString>,
}

impl Tool {
    /// A tool that is run as `program` with `leading` arguments first.
    pub fn new(kind: ToolKind, program: impl Into<OsString>, leading: &[&str]) -> Tool {
        Tool {
            kind,
            program: program.into(),
            leading: leading.iter().map(OsString::from).collect(),
        }
    }

    /// The tools that systems have, in the order in which they are tried.
    pub fn usual() -> Vec<Tool> {
        vec![
            Tool::new(ToolKind::Pip, "python3", &["-m", "pip"]),
            Tool::new(ToolKind::Pip, "pip3", &[]),
            Tool::new(ToolKind::Pip, "pip", &[]),
            Tool::new(ToolKind::Curl, "curl", &[]),
            Tool::new(ToolKind::Wget, "wget", &[]),
        ]
    }

    /// The command as a user would type it, without the arguments of the fetch.
    pub fn name(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.leading);
        words
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// What to run it with, so that it puts the wheel of `pin` into `folder`.
    pub(super) fn arguments(&self, pin: &Pin, folder: &Path) -> Vec<OsString> {
        let file = folder.join(pin.wheel).into_os_string();
        let stall = STALL_SECONDS.to_string();
        let mut arguments = self.leading.clone();
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(OsString::from));
        match self.kind {
            // Never installs: the wheel is a parcel, nothing of it is run by Python.
            ToolKind::Pip => {
                add(&[
                    "download",
                    "--quiet",
                    "--disable-pip-version-check",
                    "--no-input",
                    "--no-cache-dir",
                    "--no-deps",
                ]);
                add(&[
                    "--only-binary=:all:",
                    "--retries",
                    &RETRIES.to_string(),
                    "--timeout",
                    &stall,
                ]);
                add(&[
                    "--platform",
                    pin.pip_platform,
                    &format!("pypdfium2=={RELEASE}"),
                    "--dest",
                ]);
                arguments.push(folder.into());
            }
            ToolKind::Curl => {
                add(&[
                    "--fail",
                    "--location",
                    "--silent",
                    "--show-error",
                    "--retry",
                    &RETRIES.to_string(),
                ]);
                add(&[
                    "--connect-timeout",
                    &stall,
                    "--max-time",
                    &TOTAL_SECONDS.to_string(),
                ]);
                add(&[&pin.release_url(), "--output"]);
                arguments.push(file);
            }
            ToolKind::Wget => {
                add(&[
                    "--no-verbose",
                    "--timeout",
                    &stall,
                    "--tries",
                    &(RETRIES + 1).to_string(),
                ]);
                add(&[&pin.release_url(), "-O"]);
                arguments.push(file);
            }
        }
        arguments
    }
}
