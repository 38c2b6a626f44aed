//! `cargo xtask test`: every check that this machine can run, with the time each took.
//!
//! What the machine cannot run is skipped by name, with the command that would enable it; `--install` runs these commands.
//! Without it nothing outside `target/` is changed. A failed check does not keep the others from running.

mod report;
mod steps;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use report::{Done, Outcome, is_good, report};
pub use steps::{Action, ExamplesOf, Need, STEPS, Step};

/// How long one example may run. The longest takes some seconds in a debug build; one that waits for ever must not take
/// the rest of the checks with it.
const EXAMPLE_MAX: Duration = Duration::from_secs(120);

/// `cargo xtask test [--install] [STEP..]`.
///
/// # Errors
/// When an argument is neither `--install` nor the name of a step.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let wish = Wish::from(arguments)?;
    let strict = std::env::var("CI").is_ok_and(|value| value == "true");
    let mut shop = Shop {
        root: crate::root(),
        install: wish.install,
        data_home: None,
    };
    let mut all = Vec::new();
    for step in STEPS.iter().filter(|step| wish.wants(step.name)) {
        println!("\n== {}: {}", step.name, step.why);
        let start = Instant::now();
        let outcome = shop.perform(step);
        all.push(Done {
            name: step.name.to_owned(),
            outcome,
            took: start.elapsed(),
        });
    }
    print!("{}", report(&all, strict));
    Ok(if is_good(&all, strict) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What the command line asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    install: bool,
    /// The steps to run; all when empty.
    steps: Vec<&'static str>,
}

impl Wish {
    fn from(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self {
            install: false,
            steps: Vec::new(),
        };
        for argument in arguments {
            if argument == "--install" {
                wish.install = true;
            } else if let Some(step) = STEPS.iter().find(|step| step.name == argument) {
                wish.steps.push(step.name);
            } else {
                let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
                return Err(format!(
                    "there is no step {argument:?}; the steps are {}",
                    names.join(", ")
                ));
            }
        }
        // A step that others rest on comes along: the tests need the engine.
        let rests_on_engine =
            |name: &&str| ["tests", "disk", "doctests", "examples"].contains(name);
        if wish.steps.iter().any(rests_on_engine) && !wish.steps.contains(&"engine") {
            wish.steps.push("engine");
        }
        Ok(wish)
    }

    fn wants(&self, name: &str) -> bool {
        self.steps.is_empty() || self.steps.contains(&name)
    }
}

/// Where the checks run.
struct Shop {
    root: PathBuf,
    install: bool,
    /// Where the engine was put when it had to be fetched; the steps after it look there.
    data_home: Option<PathBuf>,
}

impl Shop {
    fn perform(&mut self, step: &Step) -> Outcome {
        for need in step.needs {
            if !self.provide(need) {
                let missing = format!("this machine lacks {}", need.what);
                return Outcome::Skipped {
                    missing,
                    enable: need.enable.join(" "),
                };
            }
        }
        match &step.action {
            Action::Cargo(arguments) => self.finish(&mut self.cargo(arguments)),
            Action::StrictDocs(arguments) => {
                self.finish(self.cargo(arguments).env("RUSTDOCFLAGS", "-D warnings"))
            }
            Action::Tests => self.tests(),
            Action::Examples(crates) => self.examples(crates),
            Action::Engine => self.engine(),
            Action::Models => ended(crate::proof::models(&[])),
            Action::Sanitizers if crate::proof::nightly_host().is_none() => Outcome::Optional {
                missing: "this machine lacks the nightly compiler".to_owned(),
                enable: crate::proof::INSTALL_NIGHTLY.to_owned(),
            },
            Action::Sanitizers => ended(crate::proof::sanitize(&["--quick".to_owned()])),
            Action::Tidy => tidy(&self.root),
        }
    }

    /// Whether `need` is there, after bringing it where that is allowed.
    fn provide(&self, need: &Need) -> bool {
        let is_there = || match need.probe.split_first() {
            Some((&"cargo", arguments)) => succeeds(quiet(&mut self.cargo(arguments))),
            Some((program, arguments)) => succeeds(quiet(Command::new(program).args(arguments))),
            None => true,
        };
        if is_there() {
            return true;
        }
        if !self.install {
            return false;
        }
        println!("installing {}: {}", need.what, need.enable.join(" "));
        let (program, arguments) = need.enable.split_first().expect("a command has a program");
        succeeds(Command::new(program).args(arguments)) && is_there()
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = crate::cargo(&self.root);
        command.args(arguments);
        if let Some(folder) = &self.data_home {
            command.env("XDG_DATA_HOME", folder);
        }
        command
    }

    /// A program that the engine's step has built, by its path below the target folder.
    fn built(&self, program: &str) -> Command {
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.root.join("target"), PathBuf::from);
        let file = format!("debug/{program}{}", std::env::consts::EXE_SUFFIX);
        let mut command = Command::new(target.join(file));
        command.current_dir(&self.root);
        if let Some(folder) = &self.data_home {
            command.env("XDG_DATA_HOME", folder);
        }
        command
    }

    fn finish(&self, command: &mut Command) -> Outcome {
        match command.stdin(Stdio::null()).status() {
            Ok(status) if status.success() => Outcome::Passed,
            Ok(status) => Outcome::Failed(format!("{} ended with {status}", shown(command))),
            Err(error) => Outcome::Failed(format!("cannot run {}: {error}", shown(command))),
        }
    }

    fn tests(&self) -> Outcome {
        if succeeds(quiet(&mut self.cargo(&["nextest", "--version"]))) {
            return self.finish(&mut self.cargo(&[
                "nextest",
                "run",
                "--workspace",
                "--no-fail-fast",
            ]));
        }
        println!(
            "cargo-nextest is not installed; cargo test runs the same tests, one program after the other"
        );
        self.finish(&mut self.cargo(&[
            "test",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
        ]))
    }

    fn examples(&self, crates: &[ExamplesOf]) -> Outcome {
        let mut ran = 0;
        for examples in crates {
            for name in example_names(&self.root.join(examples.folder)) {
                println!("-- {} of {}", name, examples.package);
                let mut example = self.built(&format!("examples/{name}"));
                let outcome = finish_within(EXAMPLE_MAX, example.args(examples.arguments));
                if outcome != Outcome::Passed {
                    return outcome;
                }
                ran += 1;
            }
        }
        if ran == 0 {
            Outcome::Failed("there is no example to run".into())
        } else {
            Outcome::Passed
        }
    }

    /// Looks where a user of this machine would have PDFium, and only when it is not there fetches it: with `--install`
    /// to the user's data folder, else to one below `target/`.
    fn engine(&mut self) -> Outcome {
        // All that is tested is built here, once and as one: asking for a single crate would build what it rests on
        // again with fewer features.
        let built = self.finish(&mut self.cargo(&["test", "--workspace", "--no-run"]));
        if built != Outcome::Passed {
            return built;
        }
        if succeeds(quiet(self.built("folio").args(["setup", "--offline"]))) {
            println!("PDFium is on this machine.");
            return Outcome::Passed;
        }
        if !self.install {
            let folder = self.root.join("target/test-data");
            println!(
                "PDFium is not on this machine; for the tests it is kept in target/test-data."
            );
            self.data_home = Some(folder);
        }
        if self.finish(self.built("folio").arg("setup")) == Outcome::Passed {
            return Outcome::Passed;
        }
        let missing = "PDFium is not on this machine and could not be fetched; tests that draw pages will fail";
        Outcome::Skipped {
            missing: missing.into(),
            enable: "cargo run --package folio -- setup".into(),
        }
    }
}

/// Runs a program that must end well, and in time. What it prints is shown as it comes.
fn finish_within(limit: Duration, command: &mut Command) -> Outcome {
    match status_within(limit, command) {
        Ok(Some(status)) if status.success() => Outcome::Passed,
        Ok(Some(status)) => Outcome::Failed(format!("{} ended with {status}", shown(command))),
        Ok(None) => Outcome::Failed(format!(
            "{} had not ended after {} s",
            shown(command),
            limit.as_secs_f64()
        )),
        Err(error) => Outcome::Failed(format!("cannot run {}: {error}", shown(command))),
    }
}

/// How it ended; `None` when it had to be killed.
fn status_within(limit: Duration, command: &mut Command) -> std::io::Result<Option<ExitStatus>> {
    let mut child = command.stdin(Stdio::null()).spawn()?;
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn ended(run: Result<ExitCode, String>) -> Outcome {
    match run {
        Ok(code) if code == ExitCode::SUCCESS => Outcome::Passed,
        Ok(_) => Outcome::Failed("see above".to_owned()),
        Err(reason) => Outcome::Failed(reason),
    }
}

fn tidy(root: &Path) -> Outcome {
    match crate::tidy::findings(root) {
        Ok(findings) if findings.is_empty() => Outcome::Passed,
        Ok(findings) => {
            findings.iter().for_each(|finding| println!("{finding}"));
            Outcome::Failed(format!("{} places break a house rule", findings.len()))
        }
        Err(reason) => Outcome::Failed(reason),
    }
}

/// The examples in `folder`, in order of name; none when there is no such folder.
fn example_names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let is_example = path.extension().is_some_and(|extension| extension == "rs")
                || path.join("main.rs").exists();
            is_example
                .then(|| {
                    path.file_stem()
                        .map(|name| name.to_string_lossy().into_owned())
                })
                .flatten()
        })
        .collect();
    names.sort();
    names
}

fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    std::iter::once(program)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(arguments: &[&str]) -> Result<Wish, String> {
        Wish::from(&crate::words(arguments))
    }

    #[test]
    fn without_names_every_step_is_wanted() {
        let wish = wish(&[]).unwrap();
        assert!(STEPS.iter().all(|step| wish.wants(step.name)));
        assert!(!wish.install);
    }

    #[test]
    fn a_named_step_is_wanted_with_what_it_rests_on() {
        let wish = wish(&["--install", "tests"]).unwrap();
        assert!(wish.install && wish.wants("tests") && wish.wants("engine") && !wish.wants("docs"));
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_known_ones() {
        let refusal = wish(&["tets"]).unwrap_err();
        assert!(
            refusal.contains("\"tets\"") && refusal.contains("tests") && refusal.contains("docs")
        );
    }

    #[test]
    fn step_names_are_unique() {
        let names: std::collections::BTreeSet<_> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn a_step_whose_need_is_missing_is_skipped_with_the_command() {
        static NEEDS: [Need; 1] = [Need {
            what: "a tool",
            probe: &["no-such-tool"],
            enable: &["get", "it"],
        }];
        let step = Step {
            name: "x",
            why: "",
            action: Action::Cargo(&["--version"]),
            needs: &NEEDS,
        };
        let mut shop = Shop {
            root: crate::root(),
            install: false,
            data_home: None,
        };
        let expected = Outcome::Skipped {
            missing: "this machine lacks a tool".into(),
            enable: "get it".into(),
        };
        assert_eq!(shop.perform(&step), expected);
    }

    #[test]
    fn a_step_that_ends_badly_fails_with_the_command() {
        let step = Step {
            name: "x",
            why: "",
            action: Action::Cargo(&["no-such-command"]),
            needs: &[],
        };
        let mut shop = Shop {
            root: crate::root(),
            install: false,
            data_home: None,
        };
        let Outcome::Failed(reason) = shop.perform(&step) else {
            panic!("it cannot pass")
        };
        assert!(
            reason.starts_with("cargo no-such-command ended with"),
            "{reason}"
        );
    }

    #[test]
    fn a_program_that_does_not_end_fails_and_one_that_does_passes() {
        let limit = Duration::from_millis(50);
        let mut endless = Command::new("sleep");
        let outcome = finish_within(limit, endless.arg("1000"));
        let expected = "sleep 1000 had not ended after 0.05 s";
        assert_eq!(outcome, Outcome::Failed(expected.to_owned()));
        let quick = finish_within(EXAMPLE_MAX, Command::new("true").arg("x"));
        assert_eq!(quick, Outcome::Passed);
        let Outcome::Failed(reason) = finish_within(EXAMPLE_MAX, &mut Command::new("false")) else {
            panic!("it ends badly")
        };
        assert!(reason.starts_with("false ended with"), "{reason}");
    }

    #[test]
    fn examples_are_files_and_folders_with_a_main() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.rs"), "").unwrap();
        std::fs::write(folder.path().join("notes.md"), "").unwrap();
        std::fs::create_dir_all(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/main.rs"), "").unwrap();
        std::fs::create_dir_all(folder.path().join("common")).unwrap();
        assert_eq!(example_names(folder.path()), ["a", "b"]);
        assert!(example_names(&folder.path().join("none")).is_empty());
    }
}
