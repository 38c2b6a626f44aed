//! Fetching PDFium with the tools that are there: pip, else curl, else wget.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::pins::{BUILD, MEGABYTES, Pin};
use super::tool::Tool;
use super::{build_folder, unpack};

/// Characters kept of what a failed tool said: its last lines, where tools put the reason.
const SAID_CHARS: usize = 600;

/// Fetches, verifies and installs the pinned build.
#[derive(Clone, Debug)]
pub struct Fetcher {
    tools: Vec<Tool>,
    pin: Option<Pin>,
}

impl Default for Fetcher {
    fn default() -> Fetcher {
        Fetcher::new(Tool::usual(), Pin::of_this_platform())
    }
}

impl Fetcher {
    /// A fetcher that tries `tools` in order for the build of `pin`.
    pub fn new(tools: Vec<Tool>, pin: Option<Pin>) -> Fetcher {
        Fetcher { tools, pin }
    }

    /// The build that it fetches; `None` if there is none for this platform.
    pub fn pin(&self) -> Option<&Pin> {
        self.pin.as_ref()
    }

    /// Fetches the library into its folder inside `data_folder` and gives its path.
    ///
    /// The licence files are put beside it. What fails leaves nothing behind. `progress` gets one line per tool that is
    /// really run.
    ///
    /// # Errors
    /// [`FetchError::WrongHash`] at once, without trying a further tool: somebody else answered. Else
    /// [`FetchError::AllFailed`] with what each tool said.
    pub fn fetch(
        &self,
        data_folder: &Path,
        progress: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, FetchError> {
        let pin = self.pin.ok_or(FetchError::NoBuild)?;
        let folder_error = |error| FetchError::Folder {
            folder: data_folder.to_path_buf(),
            error,
        };
        fs::create_dir_all(data_folder).map_err(folder_error)?;
        let mut attempts = Vec::new();
        for tool in &self.tools {
            // On the same disk as its end, so that the last step is a rename; gone with everything in it at the next turn.
            let aside = tempfile::Builder::new()
                .prefix(".fetching-")
                .tempdir_in(data_folder)
                .map_err(folder_error)?;
            let folder = build_folder(data_folder, &pin);
            match attempt(tool, &pin, &folder, aside.path(), progress) {
                Ok(library) => return Ok(library),
                Err(AttemptFailure::WrongHash { file, wanted, got }) => {
                    return Err(FetchError::WrongHash {
                        tool: tool.name(),
                        file,
                        wanted,
                        got,
                    });
                }
                Err(failure) => attempts.push(Attempt {
                    tool: tool.name(),
                    failure,
                }),
            }
        }
        Err(FetchError::AllFailed { attempts })
    }
}

fn attempt(
    tool: &Tool,
    pin: &Pin,
    folder: &Path,
    aside: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, AttemptFailure> {
    let command = Command::new(&tool.program)
        .args(tool.arguments(pin, aside))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = match command {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(AttemptFailure::NotInstalled);
        }
        Err(error) => return Err(error.into()),
    };
    progress(&format!(
        "fetching PDFium {BUILD} ({MEGABYTES} MB, once) with {} into {}",
        tool.name(),
        folder.display()
    ));
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(AttemptFailure::Failed {
            status: output.status.to_string(),
            said: said(&output),
        });
    }
    let wheel = aside.join(pin.wheel);
    if !wheel.is_file() {
        return Err(AttemptFailure::NoFile { file: pin.wheel });
    }
    unpack::install(&wheel, pin, folder, aside)
}

/// The end of what a tool said, in one line; errors before anything else.
fn said(output: &Output) -> String {
    let text = if output.stderr.trim_ascii().is_empty() {
        &output.stdout
    } else {
        &output.stderr
    };
    let text = String::from_utf8_lossy(text);
    let mut lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.dedup();
    let text = lines.join("; ");
    let skipped = text.chars().count().saturating_sub(SAID_CHARS);
    text.chars().skip(skipped).collect()
}

/// What happened with one tool.
#[derive(Debug)]
pub struct Attempt {
    /// The command.
    pub tool: String,
    /// Why it did not do.
    pub failure: AttemptFailure,
}

/// Why a tool did not do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptFailure {
    /// There is no such program.
    #[error("is not installed")]
    NotInstalled,
    /// It ran and failed.
    #[error("failed ({status}): {said}")]
    Failed {
        /// How it ended.
        status: String,
        /// The end of what it said.
        said: String,
    },
    /// It ran, but the file is not there.
    #[error("said that it succeeded, but gave no file {file}")]
    NoFile {
        /// The name of the file.
        file: &'static str,
    },
    /// The file is not the one that was wanted.
    #[error("gave a {file} with the SHA-256 {got} instead of {wanted}")]
    WrongHash {
        /// The name of the file.
        file: String,
        /// The hash that it should have.
        wanted: &'static str,
        /// The hash that it has.
        got: String,
    },
    /// The file has the right hash and cannot be unpacked.
    #[error("gave an archive that cannot be unpacked: {0}")]
    Archive(String),
    /// Writing or reading failed on this machine.
    #[error("could not be used: {0}")]
    Io(#[from] io::Error),
}

/// Why PDFium was not fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The user named a file; another one is not fetched in its place.
    #[error("Nothing was fetched: name the library that is there, or none")]
    ExplicitMissing,
    /// Fetching is forbidden.
    #[error("It was not fetched, because working offline was asked for")]
    Offline,
    /// There is no build for this platform.
    #[error(
        "It cannot be fetched: there is no build for {} on {}",
        std::env::consts::OS,
        std::env::consts::ARCH
    )]
    NoBuild,
    /// There is neither a home nor a known place of the program, so nowhere to keep it.
    #[error(
        "It cannot be fetched: there is no data folder to keep it in; set HOME or XDG_DATA_HOME"
    )]
    NoDataFolder,
    /// The data folder cannot be written.
    #[error("It cannot be fetched: the data folder {} cannot be written: {error}", folder.display())]
    Folder {
        /// The data folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A tool gave a file that is not the one wanted. Nothing of it was kept.
    #[error(
        "It was not fetched: {tool} gave a {file} that is not the one wanted; nothing of it was kept\n  \
         wanted SHA-256 {wanted}\n  got    SHA-256 {got}"
    )]
    WrongHash {
        /// The command that gave it.
        tool: String,
        /// The name of the file.
        file: String,
        /// The hash that it should have.
        wanted: &'static str,
        /// The hash that it has.
        got: String,
    },
    /// No tool could fetch it.
    #[error("It could not be fetched:{}", attempts.iter().map(|attempt| format!("\n  {} {}", attempt.tool, attempt.failure)).collect::<String>())]
    AllFailed {
        /// What happened with each tool, in order.
        attempts: Vec<Attempt>,
    },
}
