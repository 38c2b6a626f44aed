//! `cargo xtask seeds [N]`: the runtime's stepped tests, each under many orders.
//!
//! Standard output gets a line per test: seeds, steps, steps per second. Many of these tests let actors panic, which the
//! panic hook reports thousands of times; that goes to a file, and what matters of it is shown if a test fails.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Half a minute on two processors.
const SEEDS: u64 = 20_000;

/// Lines of the reports that are shown after a failure: the last panic, with the steps before it, and the seed.
const LINES_SHOWN: usize = 60;

/// # Errors
/// When the argument is not a number, the tests cannot be built, or their output cannot be written.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let seeds = seeds(arguments)?;
    let built = tests().args(["--no-run", "--quiet"]).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the stepped tests cannot be built".to_owned());
    }
    let path = crate::target().join("seeds.log");
    let cannot = |error| format!("cannot write {}: {error}", path.display());
    let reports = File::create(&path).map_err(cannot)?;
    let status = tests()
        .args(["--", "--nocapture", "--test-threads", "1"])
        .env("PLAYHOUSE_SEEDS", seeds.to_string())
        .env("RUST_BACKTRACE", "0")
        .stderr(reports)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{}\nall of it is in {}", end_of(&path), path.display());
    Ok(ExitCode::FAILURE)
}

fn seeds(arguments: &[String]) -> Result<u64, String> {
    match arguments {
        [] => Ok(SEEDS),
        [seeds] => match seeds.parse() {
            Ok(seeds) if seeds > 0 => Ok(seeds),
            _ => Err(format!("{seeds:?} is not a number of seeds")),
        },
        _ => Err("takes the number of seeds and nothing else: cargo xtask seeds 20000".to_owned()),
    }
}

/// Optimised, because the seeds are what takes the time.
fn tests() -> Command {
    let mut cargo = crate::cargo(&crate::root());
    cargo
        .args(["test", "--release", "--package", "playhouse"])
        .args(["--test", "stepped_*"]);
    cargo
}

fn end_of(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn the_number_of_seeds_is_a_number_above_zero_or_left_out() {
        assert_eq!(seeds(&[]), Ok(SEEDS));
        assert_eq!(seeds(&words(&["7"])), Ok(7));
        for wrong in [&["0"][..], &["-1"], &["many"], &["1", "2"]] {
            assert!(seeds(&words(wrong)).is_err(), "{wrong:?}");
        }
    }
}
