//! The engine: found on this machine, or fetched once.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use folio_core::request::Password;
use folio_pdf::library::{Environment, Fetcher, Found, Locator, Network, Pin, Tool, obtain};

use crate::cli;
use crate::exit::CannotStart;
use crate::limits::PASSWORD_FILE_BYTES;
use crate::voice::say;

/// The library, fetched first if it is nowhere. Says so in one line on standard error.
pub(crate) fn find(engine: &cli::Engine) -> Result<Found, CannotStart> {
    let from_environment = || {
        std::env::var_os("FOLIO_PDFIUM")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
    };
    let explicit = engine.pdfium.clone().or_else(from_environment);
    let locator = Locator::new(Environment::of_this_process(), explicit);
    let fetcher = Fetcher::new(Tool::usual(), Pin::of_this_platform());
    let network = if engine.offline {
        Network::Forbidden
    } else {
        Network::Allowed
    };
    obtain(&locator, &fetcher, network, &mut |line| {
        say(format!("folio: {line}"))
    })
    .map_err(|error| {
        let hint = if engine.offline {
            "\nOr run this once without --offline."
        } else {
            ""
        };
        CannotStart(format!("{error}{hint}"))
    })
}

/// The password from a file's first line or a variable, if one was named.
pub(crate) fn password(
    file: Option<&PathBuf>,
    variable: Option<&str>,
) -> Result<Option<Password>, CannotStart> {
    let text = match (file, variable) {
        (Some(file), _) => first_bytes(file).map_err(|error| {
            CannotStart(format!(
                "the password file {} cannot be read: {error}; check --password-file",
                file.display()
            ))
        })?,
        (None, Some(variable)) => std::env::var(variable).map_err(|error| {
            CannotStart(format!(
                "the environment variable {variable} cannot be used: {error}; check --password-env"
            ))
        })?,
        (None, None) => return Ok(None),
    };
    Ok(Some(Password::new(text.lines().next().unwrap_or_default())))
}

/// The beginning of a file as text; a password ends long before.
fn first_bytes(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(file)?
        .take(PASSWORD_FILE_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}
