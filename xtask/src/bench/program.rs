//! A program that prints one sample per process: `PROGRAM WORKLOAD SIDE OPERATIONS --workers N`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A built program with workloads in it.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
}

/// The workloads of the runtime, built now if they are not up to date.
///
/// # Errors
/// When they cannot be built.
pub fn built() -> Result<Program, String> {
    Program::from_cargo(
        &crate::root(),
        &[
            "bench",
            "--no-run",
            "--package",
            "playhouse",
            "--bench",
            "workloads",
        ],
    )
}

impl Program {
    /// What cargo builds in `folder` when it is given these arguments: the last executable that it names.
    ///
    /// # Errors
    /// When cargo cannot be run, the build fails, or there is no executable in it.
    pub fn from_cargo(folder: &Path, arguments: &[&str]) -> Result<Self, String> {
        let output = crate::cargo(folder)
            .args(arguments)
            .args(["--quiet", "--message-format", "json-render-diagnostics"])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        let line = format!("cargo {}", arguments.join(" "));
        if !output.status.success() {
            return Err(format!("{line} ended with {}", output.status));
        }
        let path = executable(&String::from_utf8_lossy(&output.stdout));
        path.map(|path| Self { path })
            .ok_or_else(|| format!("{line} named no executable"))
    }

    /// The sample of one process.
    ///
    /// # Errors
    /// When it fails, or says something else.
    pub fn sample(
        &self,
        workload: &str,
        side: &str,
        operations: u64,
        workers: u64,
    ) -> Result<Value, String> {
        let output = self
            .command(workload, side, operations, workers)
            .output()
            .map_err(|error| format!("cannot run {}: {error}", self.path.display()))?;
        let (said, complained) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        if !output.status.success() {
            return Err(format!(
                "{workload} {side} ended with {}: {complained}",
                output.status
            ));
        }
        serde_json::from_str(said.trim())
            .map_err(|error| format!("{workload} {side} said {said:?}: {error}"))
    }

    /// The command of one sample, for those who run it under another program.
    #[must_use]
    pub fn command(&self, workload: &str, side: &str, operations: u64, workers: u64) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args([
                workload,
                side,
                &operations.to_string(),
                "--workers",
                &workers.to_string(),
            ])
            .stdin(Stdio::null());
        command
    }
}

/// The last executable among cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    let named = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    };
    messages.lines().filter_map(named).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_among_other_messages() {
        let messages = concat!(
            "{\"reason\":\"compiler-artifact\",\"executable\":null}\n",
            "{\"reason\":\"compiler-artifact\",\"executable\":\"target/release/deps/workloads-1\"}\n",
            "{\"reason\":\"build-finished\",\"success\":true}\n",
        );
        assert_eq!(
            executable(messages),
            Some("target/release/deps/workloads-1".into())
        );
        assert_eq!(executable("no json\n"), None);
    }

    #[test]
    fn a_program_that_says_no_sample_is_an_error() {
        let echo = Program {
            path: "echo".into(),
        };
        assert!(
            echo.sample("ring", "tokio", 1, 2)
                .unwrap_err()
                .contains("ring tokio 1 --workers 2")
        );
        let fails = Program {
            path: "false".into(),
        };
        assert!(
            fails
                .sample("ring", "tokio", 1, 2)
                .unwrap_err()
                .contains("ended with")
        );
    }
}
