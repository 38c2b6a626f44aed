//! The project's own tools: what builds its sample, checks it, and measures it.
//!
//! They are a library so that tests of other crates can call a generator directly; `main.rs` is the command line over it.
//! Nothing that ships depends on this crate.
#![forbid(unsafe_code)]

pub mod bench;
pub mod big_pdf;
pub mod bombs;
pub mod compare;
pub mod conformance;
pub mod corpus;
pub mod machine;
pub mod noise;
pub mod pdf;
pub mod proof;
pub mod rivals;
pub mod sample;
pub mod seeds;
pub mod test;
pub mod tidy;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this workspace.
#[must_use]
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder
        .parent()
        .expect("xtask lies in the workspace")
        .to_path_buf()
}

/// The release build of `folio`, made now if it is not up to date.
///
/// # Errors
/// When it cannot be built.
pub fn built_folio() -> Result<PathBuf, String> {
    let build = cargo(&root())
        .args(["build", "--release", "--quiet", "--package", "folio"])
        .status();
    match build {
        Ok(status) if status.success() => Ok(target().join("release").join("folio")),
        Ok(status) => Err(format!(
            "cargo build --release --package folio ended with {status}"
        )),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}

/// The cargo that runs this, in a folder.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder);
    cargo
}

/// Where cargo puts what it builds.
#[must_use]
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A command line as a command gets it, for its tests.
#[cfg(test)]
fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(ToString::to_string).collect()
}
