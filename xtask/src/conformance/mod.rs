//! `cargo xtask conformance`: holds the list of cases against the tests, and names what is nowhere.
//!
//! It only reads: the tests themselves are run by `cargo xtask test`. What it promises is that no case is lost in
//! silence. Every id of the list has a test, or a program that must not compile, or a reason why it does not apply; and
//! every reason stands where its test is.

mod account;
mod cases;
mod claims;

use std::path::Path;
use std::process::ExitCode;

use account::Account;
use claims::Claims;

/// Where the tests are, and the list of cases beside them.
const TESTS: &str = "crates/playhouse/tests/conformance";
/// Where programs are that must not compile.
const REFUSED: &str = "crates/playhouse/src/must_not_compile.rs";

/// `cargo xtask conformance`.
///
/// # Errors
/// When arguments are given, or a file cannot be read.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    if let Some(extra) = arguments.first() {
        return Err(format!("takes no arguments, but was given {extra:?}"));
    }
    let account = taken(&crate::root())?;
    print!("{account}");
    Ok(if account.is_whole() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The account of the tree at `root`.
fn taken(root: &Path) -> Result<Account, String> {
    let cases = cases::parse(&read(root, &format!("{TESTS}/CASES.md"))?)?;
    let mut claims = Claims::default();
    for path in test_files(root)? {
        claims.read(&path, &read(root, &path)?);
    }
    Ok(account::taken(&cases, claims, &read(root, REFUSED)?))
}

/// The test files below `root`, in order of name.
fn test_files(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join(TESTS);
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> = names
        .filter(|name| name.ends_with(".rs"))
        .map(|name| format!("{TESTS}/{name}"))
        .collect();
    files.sort();
    Ok(files)
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|error| format!("cannot read {path}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_this_tree_can_be_read() {
        let list = read(&crate::root(), &format!("{TESTS}/CASES.md")).unwrap();
        let cases = cases::parse(&list).unwrap();
        assert!(cases.len() >= 396, "{} cases", cases.len());
    }

    #[test]
    fn it_takes_no_arguments() {
        assert!(run(&crate::words(&["sup"])).is_err());
    }
}
