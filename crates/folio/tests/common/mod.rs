//! Runs the real binary, and looks at what it wrote.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The document that comes with the project.
pub(crate) fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/first-folio.pdf")
}

/// The binary under test: this build's, or one that the environment names (an optimised one, for long documents).
pub(crate) fn binary() -> PathBuf {
    std::env::var_os("FOLIO_BIN").map_or_else(|| env!("CARGO_BIN_EXE_folio").into(), PathBuf::from)
}

/// `folio` with these arguments.
pub(crate) fn folio<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).stdin(Stdio::null());
    command
}

/// `folio extract INPUT --out OUT --json`.
pub(crate) fn extract(input: &Path, out: &Path) -> Command {
    let mut command = folio(["extract", "--json", "--out"]);
    command.arg(out).arg(input);
    command
}

/// A run that is over.
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) events: Vec<Value>,
    pub(crate) said: String,
}

/// Runs to the end; panics, with what it said, if that is not `code`.
pub(crate) fn run(command: &mut Command, code: i32) -> Ended {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the binary starts");
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert_eq!(status.code(), Some(code), "{command:?} said:\n{said}");
    let events = String::from_utf8(stdout).expect("JSON is UTF-8");
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    Ended { code, events, said }
}

impl Ended {
    /// The events of one kind.
    pub(crate) fn of<'a>(&'a self, kind: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        let kind = kind.to_owned();
        self.events
            .iter()
            .filter(move |event| event["event"] == kind.as_str())
    }

    /// The one event of a kind that comes once.
    pub(crate) fn the(&self, kind: &str) -> &Value {
        let mut of = self.of(kind);
        let one = of.next().unwrap_or_else(|| {
            panic!(
                "no event '{kind}' in {:?}, said:\n{}",
                self.events, self.said
            )
        });
        assert!(of.next().is_none(), "more than one event '{kind}'");
        one
    }

    /// The folder of the one document.
    pub(crate) fn folder(&self) -> PathBuf {
        self.the("finished")["folder"]
            .as_str()
            .expect("a folder")
            .into()
    }
}

/// Starts a run whose JSON lines are read while it goes.
pub(crate) fn start(command: &mut Command) -> (Child, impl Iterator<Item = Value> + use<>) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let stdout = child.stdout.take().expect("a pipe");
    let lines = BufReader::new(stdout)
        .lines()
        .map_while(Result::ok)
        .map_while(|line| serde_json::from_str(&line).ok());
    (child, lines)
}

/// Every file below `folder`, by its path relative to it, in order.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .expect("below")
                    .to_string_lossy()
                    .into_owned();
                found.push((name, std::fs::read(&path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

/// A page's layout.
pub(crate) fn layout(folder: &Path, page: u32) -> folio_core::model::Layout {
    let json = std::fs::read(folder.join(format!("pages/{page:05}.json"))).expect("a layout");
    serde_json::from_slice(&json).expect("a layout reads back")
}
