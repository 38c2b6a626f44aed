//! What a run of the checks says at its end, as text.

use std::fmt::Write as _;
use std::time::Duration;

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed, for this reason.
    Failed(String),
    /// It did not run: what is missing, and the command that would bring it.
    Skipped {
        /// What is missing.
        missing: String,
        /// The command that would bring it.
        enable: String,
    },
    /// As skipped, but no run is bad for it: what is missing is more than a tool, a second compiler.
    Optional {
        /// What is missing.
        missing: String,
        /// The command that would bring it.
        enable: String,
    },
}

/// What became of one check.
#[derive(Clone, Debug)]
pub struct Done {
    /// The check.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// Whether the run as a whole is good. A skipped check is a failure where `strict`: on a machine that was set up to run
/// everything, a check that quietly stops running must be seen.
#[must_use]
pub fn is_good(all: &[Done], strict: bool) -> bool {
    all.iter().all(|done| match done.outcome {
        Outcome::Passed | Outcome::Optional { .. } => true,
        Outcome::Failed(_) => false,
        Outcome::Skipped { .. } => !strict,
    })
}

/// The table of checks and times, the failures, the skipped checks with their commands, and the count.
#[must_use]
pub fn report(all: &[Done], strict: bool) -> String {
    let mut text = String::from("\n");
    for done in all {
        let word = match done.outcome {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "FAILED",
            Outcome::Skipped { .. } | Outcome::Optional { .. } => "skipped",
        };
        let _ = writeln!(
            text,
            "{:<11} {:<8} {:>7.1} s",
            done.name,
            word,
            done.took.as_secs_f64()
        );
    }
    let total: Duration = all.iter().map(|done| done.took).sum();
    let _ = writeln!(
        text,
        "{:<11} {:<8} {:>7.1} s",
        "all",
        "",
        total.as_secs_f64()
    );
    for done in all {
        if let Outcome::Failed(reason) = &done.outcome {
            let _ = writeln!(
                text,
                "\n{} failed: {reason}\n    again: cargo xtask test {}",
                done.name, done.name
            );
        }
    }
    for done in all {
        if let Outcome::Skipped { missing, enable } | Outcome::Optional { missing, enable } =
            &done.outcome
        {
            let _ = writeln!(
                text,
                "\n{} was skipped: {missing}\n    to enable it: {enable}",
                done.name
            );
        }
    }
    let count = |of: fn(&Outcome) -> bool| all.iter().filter(|done| of(&done.outcome)).count();
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped { .. }));
    let optional = count(|outcome| matches!(outcome, Outcome::Optional { .. }));
    if strict && skipped > 0 {
        let _ = writeln!(text, "\nCI is set, so a skipped check counts as a failure.");
    }
    let passed = count(|outcome| matches!(outcome, Outcome::Passed));
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let _ = writeln!(
        text,
        "\n{passed} passed, {failed} failed, {} skipped",
        skipped + optional
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(name: &str, outcome: Outcome) -> Done {
        Done {
            name: name.into(),
            outcome,
            took: Duration::from_millis(1_500),
        }
    }

    fn skipped() -> Outcome {
        Outcome::Skipped {
            missing: "no rustfmt".into(),
            enable: "rustup component add rustfmt".into(),
        }
    }

    #[test]
    fn a_skipped_check_is_named_with_the_command_that_enables_it() {
        let text = report(
            &[done("format", skipped()), done("tests", Outcome::Passed)],
            false,
        );
        assert!(text.contains(
            "format was skipped: no rustfmt\n    to enable it: rustup component add rustfmt"
        ));
        assert!(text.contains("tests       passed       1.5 s"), "{text}");
        assert!(text.ends_with("\n1 passed, 0 failed, 1 skipped\n"));
    }

    #[test]
    fn a_failed_check_is_named_with_its_reason_and_how_to_run_it_again() {
        let text = report(
            &[done("docs", Outcome::Failed("exit code 101".into()))],
            false,
        );
        assert!(
            text.contains("docs failed: exit code 101\n    again: cargo xtask test docs"),
            "{text}"
        );
    }

    #[test]
    fn a_skip_is_a_failure_only_where_everything_must_run() {
        let all = [done("format", skipped()), done("tests", Outcome::Passed)];
        assert!(is_good(&all, false));
        assert!(!is_good(&all, true));
        assert!(report(&all, true).contains("counts as a failure"));
        assert!(!is_good(
            &[done("tests", Outcome::Failed("x".into()))],
            false
        ));
    }
}
