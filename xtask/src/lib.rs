//! The project's own tools: what builds its sample, checks it, and measures it.
//!
//! They are a library so that tests of other crates can call a generator directly; `main.rs` is the command line over it.
//! Nothing that ships depends on this crate.
#![forbid(unsafe_code)]

pub mod big_pdf;
pub mod bombs;
pub mod noise;
pub mod pdf;
pub mod sample;
pub mod test;
pub mod tidy;

use std::path::{Path, PathBuf};

/// The folder of this workspace.
#[must_use]
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder
        .parent()
        .expect("xtask lies in the workspace")
        .to_path_buf()
}
