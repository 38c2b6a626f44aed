//! `cargo xtask tidy`: the house rules that a program can check, over every file that git tracks.
//!
//! A rule is a pure function in `file` (one path and its text) or `house` (the whole tree), with its tests beside it.

pub(crate) mod code;
mod file;
mod house;

use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode};

pub use file::{EXAMPLE_LINES_MAX, FILE_BYTES_MAX, FUNCTION_LINES_MAX};

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: String,
    line: usize,
    says: String,
}

impl Finding {
    fn at(path: &str, line: usize, says: String) -> Self {
        Self {
            path: path.to_owned(),
            line,
            says,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.says)
    }
}

/// `cargo xtask tidy`.
///
/// # Errors
/// When arguments are given, or the tree cannot be read.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    if let Some(extra) = arguments.first() {
        return Err(format!("takes no arguments, but was given {extra:?}"));
    }
    let findings = findings(&crate::root())?;
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        println!("tidy");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} places break a house rule", findings.len());
    Ok(ExitCode::FAILURE)
}

/// What breaks a rule in the tree at `root`, in order of path and line.
///
/// # Errors
/// When git cannot list the files, or one of them cannot be read.
pub fn findings(root: &Path) -> Result<Vec<Finding>, String> {
    let mut tree = house::Tree::new();
    let mut findings = Vec::new();
    for path in tracked(root)? {
        let bytes = match std::fs::read(root.join(&path)) {
            Ok(bytes) => bytes,
            // Deleted and not yet committed: there is nothing left to judge.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("cannot read {path}: {error}")),
        };
        match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                findings.extend(file::RULES.iter().flat_map(|rule| rule(&path, &text)));
                tree.insert(path, text);
            }
            Ok(text) => findings.extend(binary(path, text.len(), &mut tree)),
            Err(error) => findings.extend(binary(path, error.as_bytes().len(), &mut tree)),
        }
    }
    findings.extend(house::RULES.iter().flat_map(|rule| rule(&tree)));
    findings.sort();
    Ok(findings)
}

/// A file that is no text: only its size is judged, and links may lead to it.
fn binary(path: String, bytes: usize, tree: &mut house::Tree) -> Option<Finding> {
    let finding = file::large(&path, bytes);
    tree.insert(path, String::new());
    finding
}

fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let listing = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output();
    let listing = listing.map_err(|error| format!("cannot run git: {error}"))?;
    if !listing.status.success() {
        return Err(format!(
            "git cannot list the files: {}",
            String::from_utf8_lossy(&listing.stderr).trim()
        ));
    }
    let names = String::from_utf8_lossy(&listing.stdout).into_owned();
    Ok(names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}
