//! Finding PDFium on this machine, and fetching it when it is nowhere.
//!
//! ```text
//! locate ── found ───────────────────────────────▶ Pdfium::load
//!    └── nowhere ── fetch (pip, else curl, else wget) ── verify ── unpack ── install in the data folder
//! ```
//!
//! [`locate`](Locator::locate) decides from an [`Environment`] that is read from the process once, so the decision is the
//! same everywhere and can be tested without changing the process. [`obtain`] is both steps.
mod fetch;
mod locate;
mod pins;
mod tool;
mod unpack;

use std::fmt;
use std::path::{Path, PathBuf};

pub use fetch::{Attempt, AttemptFailure, FetchError, Fetcher};
pub use locate::{Environment, Found, Locator, NotFound, Place, PlaceKind};
pub use pins::Pin;
pub use tool::{Tool, ToolKind};

/// What may be done when the library is nowhere on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// It may be fetched, once.
    Allowed,
    /// It may not: the user works offline.
    Forbidden,
}

/// Finds the library, or else fetches it into the data folder.
///
/// `progress` is told each fetch as it begins, in one line; nothing when the library is found. This waits for the commands
/// that fetch, which bound their own waiting (see [`Tool`]).
///
/// # Errors
/// [`ObtainError`], whose text lists the places searched, what each tool said, and a command that does it by hand.
pub fn obtain(
    locator: &Locator,
    fetcher: &Fetcher,
    network: Network,
    progress: &mut dyn FnMut(&str),
) -> Result<Found, ObtainError> {
    let not_found = match locator.locate() {
        Ok(found) => return Ok(found),
        Err(not_found) => not_found,
    };
    let fetched = match (network, locator.data_folder()) {
        // A file that the user named is not replaced by another one.
        _ if not_found.explicit_is_missing() => Err(FetchError::ExplicitMissing),
        (Network::Forbidden, _) => Err(FetchError::Offline),
        (Network::Allowed, None) => Err(FetchError::NoDataFolder),
        (Network::Allowed, Some(folder)) => fetcher.fetch(&folder, progress),
    };
    match fetched {
        Ok(path) => Ok(Found {
            path,
            kind: PlaceKind::DataFolder,
        }),
        Err(cause) => {
            let by_hand = locator
                .data_folder()
                .zip(fetcher.pin().copied())
                .map(|(folder, pin)| pin.by_hand(&folder));
            Err(ObtainError {
                not_found,
                cause: Box::new(cause),
                by_hand,
            })
        }
    }
}

/// The library is nowhere and could not be fetched.
#[derive(Debug)]
pub struct ObtainError {
    /// Where it was looked for.
    pub not_found: NotFound,
    /// Why it was not fetched.
    pub cause: Box<FetchError>,
    /// A command to paste into a shell that fetches it by hand, where there is one.
    pub by_hand: Option<String>,
}

impl fmt::Display for ObtainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.not_found, self.cause)?;
        match &self.by_hand {
            Some(command) if !self.not_found.explicit_is_missing() => {
                write!(f, "\nTo fetch it by hand:\n  {command}")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ObtainError {}

/// Names the build of a library by its contents.
pub(crate) fn version_of(library: &Path) -> String {
    let Ok(digest) = unpack::sha256_of_file(library) else {
        return format!("pdfium of unknown build ({})", library.display());
    };
    match pins::build_of(&digest) {
        Some(build) => format!("pdfium {build}"),
        None => format!("pdfium of unknown build (SHA-256 {})", &digest[..12]),
    }
}

/// The folder of one build inside a data folder.
fn build_folder(data_folder: &Path, pin: &Pin) -> PathBuf {
    data_folder.join(format!("pdfium-{}-{}", pins::BUILD, pin.platform))
}
