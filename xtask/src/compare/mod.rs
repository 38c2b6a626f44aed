//! `cargo xtask compare-extract`: CPU time per page of `folio extract` beside pypdfium2 and Pillow doing the same work.
//!
//! The programs take turns, round by round, on the same machine, the same pages and the same build of PDFium, so that
//! what else the machine does falls on all alike. CPU time counts, not wall-clock: user and system, of the whole process.
//! The peer's own start (its imports) is not counted against it.

mod figures;

use crate::machine;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

pub use figures::{Figures, cpu_seconds, table};

/// `folio` is to take at most this share of the peer's CPU time.
pub const GOAL: f64 = 0.75;

/// `cargo xtask compare-extract [--pdf FILE] [--pages N] [--rounds N] [--folio PATH]`.
///
/// # Errors
/// When an argument is not understood, the peer cannot be set up, or a program fails or leaves a page out.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let wish = Wish::from(arguments)?;
    let bench = Bench::new(&wish)?;
    println!("{}", machine::load());
    println!(
        "{} pages of {}, {} rounds",
        bench.pages,
        bench.pdf.display(),
        wish.rounds
    );
    let names = ["pypdfium2 5.15.2 + Pillow", "folio", "folio --no-grey"];
    let mut all = names.map(|name| Figures {
        name: name.to_owned(),
        rounds: Vec::new(),
    });
    for round in 1..=wish.rounds {
        all[0].rounds.push(bench.peer()?);
        all[1].rounds.push(bench.folio(&[])?);
        all[2].rounds.push(bench.folio(&["--no-grey"])?);
        let last: Vec<String> = all
            .iter()
            .filter_map(|figures| figures.rounds.last())
            .map(|ms| format!("{ms:.1}"))
            .collect();
        println!("round {round}: {} ms", last.join(", "));
    }
    println!("{}", machine::load());
    print!("{}", table(&all, GOAL));
    let reached = all[1].median() <= GOAL * all[0].median();
    Ok(if reached {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What the command line asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    pdf: Option<PathBuf>,
    /// A built `folio`; the release build of this tree when `None`.
    folio: Option<PathBuf>,
    pages: u32,
    rounds: u32,
}

impl Wish {
    fn from(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self {
            pdf: None,
            folio: None,
            pages: 200,
            rounds: 5,
        };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let value = rest
                .next()
                .ok_or_else(|| format!("{option} needs a value"))?;
            let number = || match value.parse::<u32>() {
                Ok(number) if number > 0 => Ok(number),
                _ => Err(format!("{option} needs a number above 0, not {value:?}")),
            };
            match option.as_str() {
                "--pdf" => wish.pdf = Some(value.into()),
                "--folio" => wish.folio = Some(value.into()),
                "--pages" => wish.pages = number()?,
                "--rounds" => wish.rounds = number()?,
                other => {
                    return Err(format!(
                        "there is no option {other}; there are --pdf, --pages, --rounds and --folio"
                    ));
                }
            }
        }
        Ok(wish)
    }
}

/// Everything that both programs need.
struct Bench {
    folder: PathBuf,
    pdf: PathBuf,
    pages: u32,
    python: PathBuf,
    /// The peer's own library, which folio is given too.
    pdfium: PathBuf,
    folio: PathBuf,
}

impl Bench {
    fn new(wish: &Wish) -> Result<Self, String> {
        let folder = crate::target().join("compare");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        let python = environment(&folder)?;
        let pdf = match &wish.pdf {
            Some(pdf) => pdf.clone(),
            None => generated(&folder, wish.pages)?,
        };
        let pdfium = said(Command::new(&python).args(["-c", LIBRARY]))?
            .trim()
            .into();
        Ok(Self {
            pdf,
            pages: wish.pages,
            python,
            pdfium,
            folio: wish.folio.clone().map_or_else(crate::built_folio, Ok)?,
            folder,
        })
    }

    /// CPU milliseconds per page of the peer, without those of its start.
    fn peer(&self) -> Result<f64, String> {
        let out = self.emptied("peer")?;
        let mut command = Command::new(&self.python);
        command
            .arg(crate::root().join("xtask/compare/peer.py"))
            .arg(&self.pdf)
            .arg(self.pages.to_string())
            .arg(&out);
        let (seconds, output) = timed(&command)?;
        let report: serde_json::Value = serde_json::from_str(&output)
            .map_err(|error| format!("the peer said {output:?}: {error}"))?;
        self.check_complete(&out)?;
        let start_up = report["start_up_cpu_s"].as_f64().unwrap_or_default();
        Ok(self.per_page(seconds - start_up))
    }

    /// CPU milliseconds per page of folio, with all of its start.
    fn folio(&self, options: &[&str]) -> Result<f64, String> {
        let out = self.emptied("folio")?;
        let mut command = Command::new(&self.folio);
        command
            .arg("extract")
            .arg(&self.pdf)
            .arg("--out")
            .arg(&out)
            .arg("--pages")
            .arg(format!("1-{}", self.pages));
        command
            .args([
                "--dpi",
                "150",
                "--quality",
                "85",
                "--quiet",
                "--json",
                "--pdfium",
            ])
            .arg(&self.pdfium)
            .args(options);
        let (seconds, output) = timed(&command)?;
        let seen = crate::corpus::Seen::from_lines(Some(0), &output);
        self.check_complete(
            &PathBuf::from(seen.folder.ok_or("folio named no folder")?).join("pages"),
        )?;
        Ok(self.per_page(seconds))
    }

    fn per_page(&self, seconds: f64) -> f64 {
        seconds * 1000.0 / f64::from(self.pages)
    }

    /// An output folder with nothing in it, so that no round finds work of the one before.
    fn emptied(&self, name: &str) -> Result<PathBuf, String> {
        let out = self.folder.join(name);
        match std::fs::remove_dir_all(&out) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("cannot empty {}: {error}", out.display()))
            }
            _ => Ok(out),
        }
    }

    /// Both must have done all pages: a program that leaves one out is fast for the wrong reason.
    fn check_complete(&self, pages: &Path) -> Result<(), String> {
        let entries = std::fs::read_dir(pages)
            .map_err(|error| format!("cannot read {}: {error}", pages.display()))?;
        let names: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        for kind in ["jpg", "json"] {
            let found = names
                .iter()
                .filter(|name| name.extension().is_some_and(|extension| extension == kind))
                .count();
            if found != self.pages as usize {
                return Err(format!(
                    "{} has {found} .{kind} files, not {}",
                    pages.display(),
                    self.pages
                ));
            }
        }
        Ok(())
    }
}

/// Prints the library that the peer's package carries.
const LIBRARY: &str = "import pathlib, pypdfium2_raw as raw; \
    print(next(p for p in pathlib.Path(raw.__file__).parent.iterdir() if p.suffix in ('.so', '.dylib', '.dll')))";

/// A Python environment with the pinned packages, made on the first run and when the pins change.
fn environment(folder: &Path) -> Result<PathBuf, String> {
    const PINS: &str = include_str!("../../compare/requirements.txt");
    let venv = folder.join("venv");
    let python = venv.join("bin").join("python");
    let marker = venv.join("pins.txt");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == PINS) {
        return Ok(python);
    }
    println!("setting up the peer in {}", venv.display());
    said(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&venv),
    )?;
    let pins = crate::root().join("xtask/compare/requirements.txt");
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
    ];
    said(
        Command::new(&python)
            .args(install)
            .args(["--require-hashes", "-r"])
            .arg(pins),
    )?;
    std::fs::write(&marker, PINS)
        .map_err(|error| format!("cannot write {}: {error}", marker.display()))?;
    Ok(python)
}

/// A document of mixed load with `pages` pages.
fn generated(folder: &Path, pages: u32) -> Result<PathBuf, String> {
    let path = folder.join(format!("mixed-{pages}.pdf"));
    std::fs::write(&path, crate::big_pdf::document(pages))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// What `command` printed; its words of error when it failed.
fn said(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "{program} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

/// Runs `command`; its CPU seconds, user and system with those of its children, and what it printed.
///
/// Bash does the timing: the standard library has no call for it, and this crate has no unsafe code.
fn timed(command: &Command) -> Result<(f64, String), String> {
    const SCRIPT: &str = "TIMEFORMAT='%3U %3S'; time \"$@\"";
    let mut shell = Command::new("bash");
    shell
        .args(["-c", SCRIPT, "bash"])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    let output = shell
        .output()
        .map_err(|error| format!("cannot run bash: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!(
            "{} ended with {}: {words}",
            command.get_program().to_string_lossy(),
            output.status
        ));
    }
    let seconds = cpu_seconds(&words).ok_or_else(|| format!("bash did not say a time: {words}"))?;
    Ok((
        seconds,
        String::from_utf8_lossy(&output.stdout).into_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(arguments: &[&str]) -> Result<Wish, String> {
        Wish::from(&crate::words(arguments))
    }

    #[test]
    fn the_command_line_is_understood() {
        assert_eq!(
            wish(&[]),
            Ok(Wish {
                pdf: None,
                folio: None,
                pages: 200,
                rounds: 5
            })
        );
        let given = wish(&[
            "--pages",
            "20",
            "--pdf",
            "a.pdf",
            "--rounds",
            "3",
            "--folio",
            "bin/folio",
        ]);
        assert_eq!(
            given,
            Ok(Wish {
                pdf: Some("a.pdf".into()),
                folio: Some("bin/folio".into()),
                pages: 20,
                rounds: 3
            })
        );
        assert!(wish(&["--pages", "0"]).unwrap_err().contains("above 0"));
        assert!(wish(&["--pages"]).unwrap_err().contains("needs a value"));
        assert!(
            wish(&["--speed", "1"])
                .unwrap_err()
                .contains("no option --speed")
        );
    }

    #[test]
    fn a_program_that_works_is_timed_and_one_that_fails_is_an_error() {
        let (seconds, output) = timed(Command::new("sh").args(["-c", "echo done"])).unwrap();
        assert!(seconds >= 0.0);
        assert_eq!(output, "done\n");
        let failed = timed(Command::new("sh").args(["-c", "echo why >&2; exit 4"])).unwrap_err();
        assert!(failed.contains("why") && failed.contains('4'), "{failed}");
    }
}
