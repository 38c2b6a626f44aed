//! `cargo xtask corpus FOLDER`: runs `folio extract` over a folder of PDFs and holds what comes out to a committed table.
//!
//! The table is `xtask/corpus.tsv`. A file that it does not know is run and told of, not judged. Every file is run in a
//! process of its own, so that one that ends the process costs one row.

mod measure;
mod seen;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

pub use measure::measures;
pub use seen::{Measures, Seen, differences};
pub use table::{Check, Outcome, Row, rows};

/// A document that takes longer than this hangs. The longest of the known ones has 10,000 pages.
const TIME_LIMIT: Duration = Duration::from_secs(900);

/// How often a running program is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The environment variable that carries a password to the program; a command line would show it to everyone.
const PASSWORD_VARIABLE: &str = "FOLIO_CORPUS_PASSWORD";

/// `cargo xtask corpus FOLDER [--folio PATH] [--isolated] [--only NAME]`.
///
/// # Errors
/// When an argument is not understood, the folder has no PDF, or the program cannot be built or run.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let wish = Wish::from(arguments)?;
    let rows = rows()?;
    let files = pdfs(&wish.folder)?;
    let folio = wish.folio.clone().map_or_else(crate::built_folio, Ok)?;
    let (mut expected, mut differ, mut unknown, mut left_out) = (0, 0, 0, 0);
    for path in files.iter().filter(|path| wish.wants(path)) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let rows: Vec<&Row> = rows.iter().filter(|row| row.file == name).collect();
        if rows.is_empty() {
            unknown += 1;
            println!(
                "unknown   {name}: {}",
                seen_of(&folio, path, None)?.summary()
            );
        }
        for row in rows {
            let told = row
                .password
                .as_ref()
                .map_or(name.to_string(), |_| format!("{name} (with a password)"));
            if row.needs_isolation() && !wish.isolated {
                left_out += 1;
                println!(
                    "left out  {told}: {}; needs isolation, run it with --isolated",
                    row.why
                );
                continue;
            }
            let differences = differences(row, &seen_of(&folio, path, Some(row))?);
            if differences.is_empty() {
                expected += 1;
            } else {
                differ += 1;
                println!("differs   {told}: {}", row.why);
                differences
                    .iter()
                    .for_each(|difference| println!("          {difference}"));
            }
        }
    }
    println!(
        "{expected} as expected, {differ} differ, {unknown} unknown files, {left_out} left out"
    );
    Ok(if differ == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What the command line asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wish {
    folder: PathBuf,
    folio: Option<PathBuf>,
    isolated: bool,
    only: Option<String>,
}

impl Wish {
    fn from(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                rest.next()
                    .cloned()
                    .ok_or_else(|| format!("{argument} needs a value"))
            };
            match argument.as_str() {
                "--folio" => wish.folio = Some(value()?.into()),
                "--only" => wish.only = Some(value()?),
                "--isolated" => wish.isolated = true,
                option if option.starts_with("--") => {
                    return Err(format!("there is no option {option}"));
                }
                folder if wish.folder.as_os_str().is_empty() => wish.folder = folder.into(),
                extra => return Err(format!("takes one folder, but was given {extra:?} too")),
            }
        }
        if wish.folder.as_os_str().is_empty() {
            return Err("takes the folder with the PDFs: cargo xtask corpus FOLDER".to_owned());
        }
        Ok(wish)
    }

    fn wants(&self, path: &Path) -> bool {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        self.only.as_ref().is_none_or(|only| *only == name)
    }
}

/// The PDFs in `folder`, in order of name.
fn pdfs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let is_pdf = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(is_pdf)
        .collect();
    files.sort();
    if files.is_empty() {
        Err(format!("{} has no PDF", folder.display()))
    } else {
        Ok(files)
    }
}

/// Runs the program on `path` as `row` asks, twice when the row is about a second run, and reads what it left.
fn seen_of(folio: &Path, path: &Path, row: Option<&Row>) -> Result<Seen, String> {
    let out = tempfile::tempdir()
        .map_err(|error| format!("cannot make a folder for the output: {error}"))?;
    let once = || {
        let mut command = Command::new(folio);
        command
            .arg("extract")
            .arg(path)
            .arg("--out")
            .arg(out.path())
            .args(["--json", "--quiet"]);
        if row.is_some_and(Row::needs_pixels) {
            command.args(["--image", "png"]);
        }
        if let Some(password) = row.and_then(|row| row.password.as_ref()) {
            command
                .args(["--password-env", PASSWORD_VARIABLE])
                .env(PASSWORD_VARIABLE, password);
        }
        let (exit, output) = limited(&mut command, TIME_LIMIT)?;
        Ok::<Seen, String>(Seen::from_lines(exit, &output))
    };
    let mut seen = once()?;
    if row.is_some_and(|row| row.checks.contains(&Check::Again)) {
        seen.again = Some(once()?.done.into_keys().collect());
    }
    if let Some(folder) = seen.folder.clone() {
        let folder = Path::new(&folder);
        seen.text = std::fs::read_to_string(folder.join("text.txt")).unwrap_or_default();
        seen.measures = measures(folder)?;
    }
    Ok(seen)
}

/// Runs `command` to its end or the limit; the exit code, if it had one, and what it printed.
fn limited(command: &mut Command, limit: Duration) -> Result<(Option<i32>, String), String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    // A file takes any amount without anybody reading it; a pipe would have to be emptied meanwhile.
    let output = tempfile::NamedTempFile::new()
        .map_err(|error| format!("cannot make a file for the output: {error}"))?;
    let handle = output
        .reopen()
        .map_err(|error| format!("cannot open the output again: {error}"))?;
    command
        .stdin(Stdio::null())
        .stdout(handle)
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot run {shown}: {error}"))?;
    let start = Instant::now();
    let exit = loop {
        match child
            .try_wait()
            .map_err(|error| format!("lost sight of {shown}: {error}"))?
        {
            Some(status) => break status.code(),
            None if start.elapsed() > limit => {
                // It may end by itself in this very moment; then there is nothing to kill.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(LOOK_EVERY),
        }
    };
    let printed = std::fs::read(output.path())
        .map_err(|error| format!("cannot read what {shown} printed: {error}"))?;
    Ok((exit, String::from_utf8_lossy(&printed).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(arguments: &[&str]) -> Result<Wish, String> {
        Wish::from(&crate::words(arguments))
    }

    #[test]
    fn the_command_line_is_understood() {
        let expected = Wish {
            folder: "pdfs".into(),
            folio: Some("bin/folio".into()),
            isolated: true,
            only: Some("rot".into()),
        };
        assert_eq!(
            wish(&[
                "pdfs",
                "--folio",
                "bin/folio",
                "--isolated",
                "--only",
                "rot"
            ]),
            Ok(expected)
        );
        assert!(wish(&[]).unwrap_err().contains("takes the folder"));
        assert!(wish(&["a", "b"]).unwrap_err().contains("\"b\" too"));
        assert!(
            wish(&["a", "--folio"])
                .unwrap_err()
                .contains("needs a value")
        );
        assert!(
            wish(&["a", "--fast"])
                .unwrap_err()
                .contains("no option --fast")
        );
    }

    #[test]
    fn a_program_that_ends_gives_its_code_and_its_words() {
        let (exit, output) = limited(
            Command::new("sh").args(["-c", "echo said; exit 3"]),
            TIME_LIMIT,
        )
        .unwrap();
        assert_eq!((exit, output.as_str()), (Some(3), "said\n"));
    }

    #[test]
    fn a_program_that_hangs_is_ended_at_the_limit() {
        let (exit, _) = limited(
            Command::new("sh").args(["-c", "exec tail -f /dev/null"]),
            Duration::ZERO,
        )
        .unwrap();
        assert_eq!(exit, None);
    }

    #[test]
    fn a_folder_without_a_pdf_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(pdfs(folder.path()).unwrap_err().contains("has no PDF"));
        std::fs::write(folder.path().join("b.PDF"), "").unwrap();
        std::fs::write(folder.path().join("a.pdf"), "").unwrap();
        assert_eq!(pdfs(folder.path()).unwrap().len(), 2);
    }
}
