//! From what a user names on the command line to the PDFs meant by it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::limits::STEM_BYTES_MAX;
use crate::output_folder;

/// A file to extract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// As the user would name it.
    pub(crate) name: String,
    /// First part of its output folder's name.
    pub(crate) stem: String,
    /// Where its bytes are.
    pub(crate) path: PathBuf,
}

/// What was found, and what was not, as one clear line each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) inputs: Vec<Input>,
    pub(crate) problems: Vec<String>,
}

/// Looks up each of `named`, in order: a file is taken whatever it is called, a folder is searched for `*.pdf`, and
/// `-` is standard input, which [`keep_standard_input`] will put into `spool`. Nothing is read or written yet.
pub(crate) fn find(named: &[PathBuf], spool: &Path) -> Found {
    let mut found = Found::default();
    for path in named {
        if path.as_os_str() == STANDARD_INPUT {
            found.take_standard_input(spool);
        } else if path.is_dir() {
            found.search(path);
        } else {
            found.take_file(path);
        }
    }
    found
}

impl Found {
    fn take_file(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => self.inputs.push(Input {
                name: printable(path),
                stem: stem(path),
                path: path.to_owned(),
            }),
            Ok(_) => self.problems.push(format!(
                "{}: neither a file nor a folder; name a PDF",
                printable(path)
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.problems.push(format!(
                    "{}: there is no such file; check the path",
                    printable(path)
                ));
            }
            Err(error) => self
                .problems
                .push(format!("{}: cannot be read: {error}", printable(path))),
        }
    }

    fn search(&mut self, folder: &Path) {
        let before = self.inputs.len() + self.problems.len();
        self.search_below(folder);
        if self.inputs.len() + self.problems.len() == before {
            self.problems.push(format!(
                "{}: no PDF in this folder; name files that do not end in .pdf one by one",
                printable(folder)
            ));
        }
    }

    /// Links to folders are not followed: they may lead round in circles.
    fn search_below(&mut self, folder: &Path) {
        let mut entries =
            match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
                Ok(entries) => entries,
                Err(error) => {
                    self.problems.push(format!(
                        "{}: the folder cannot be read: {error}",
                        printable(folder)
                    ));
                    return;
                }
            };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
                if entry.file_name() != output_folder::CORNER {
                    self.search_below(&path);
                }
            } else if kind.is_ok_and(|kind| kind.is_symlink()) && path.is_dir() {
                self.problems.push(format!(
                    "{}: a link to a folder, which is not followed; name it to have it searched",
                    printable(&path)
                ));
            } else if is_named_pdf(&path) {
                self.take_file(&path);
            }
        }
    }

    fn take_standard_input(&mut self, spool: &Path) {
        if !self.reads_standard_input() {
            let path = spool.join("stdin.pdf");
            self.inputs.push(Input {
                name: STANDARD_INPUT.to_owned(),
                stem: "stdin".to_owned(),
                path,
            });
        } // it can be read once only
    }

    /// One of the inputs is standard input.
    pub(crate) fn reads_standard_input(&self) -> bool {
        self.inputs.iter().any(|input| input.name == STANDARD_INPUT)
    }
}

/// What names standard input on the command line.
const STANDARD_INPUT: &str = "-";

/// Copies standard input into `spool`, where [`find`] expects it.
pub(crate) fn keep_standard_input(spool: &Path) -> io::Result<()> {
    fs::create_dir_all(spool)?;
    let mut file = fs::File::create(spool.join("stdin.pdf"))?;
    io::copy(&mut io::stdin().lock(), &mut file)?;
    file.flush()
}

/// A path as text that does nothing to a terminal and stays on its line.
fn printable(path: &Path) -> String {
    let plain = |c: char| {
        if c.is_control() {
            c.escape_unicode().to_string()
        } else {
            c.to_string()
        }
    };
    path.to_string_lossy().chars().map(plain).collect()
}

fn is_named_pdf(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

/// The file's stem as the beginning of a folder's name: no separators, no control characters, not too long.
fn stem(path: &Path) -> String {
    let plain = |c: char| {
        if c.is_control() || matches!(c, '/' | '\\' | ':') {
            '_'
        } else {
            c
        }
    };
    let mut stem: String = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .map(plain)
        .collect();
    while stem.len() > STEM_BYTES_MAX {
        stem.pop();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &Found) -> Vec<&str> {
        found
            .inputs
            .iter()
            .map(|input| input.stem.as_str())
            .collect()
    }

    #[test]
    fn folders_are_searched_in_order_and_files_taken_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("b/c")).unwrap();
        for name in ["z.pdf", "a.PDF", "b/c/m.pdf", "notes.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let named = [folder.path().join("notes.txt"), folder.path().to_owned()];
        let found = find(&named, folder.path());
        assert_eq!(names(&found), ["notes", "a", "m", "z"]);
        assert_eq!(found.problems, Vec::<String>::new());
    }

    #[test]
    fn what_is_not_there_is_one_line_each() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing.pdf");
        let found = find(&[missing, folder.path().to_owned()], folder.path());
        assert_eq!(found.inputs, []);
        assert!(
            found.problems[0].contains("missing.pdf: there is no such file"),
            "{:?}",
            found.problems
        );
        assert!(
            found.problems[1].contains("no PDF in this folder"),
            "{:?}",
            found.problems
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_nowhere_or_to_folders_are_named_and_our_own_corner_is_not_searched() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at(".folio/spool")).unwrap();
        fs::write(at(".folio/spool/stdin.pdf"), "").unwrap();
        symlink("/nowhere", at("broken.pdf")).unwrap();
        symlink(folder.path(), at("round")).unwrap();
        fs::write(at("good.pdf"), "").unwrap();
        let found = find(&[folder.path().to_owned()], folder.path());
        assert_eq!(names(&found), ["good"]);
        assert!(
            found.problems[0].contains("broken.pdf: there is no such file"),
            "{:?}",
            found.problems
        );
        assert!(
            found.problems[1].contains("round: a link to a folder"),
            "{:?}",
            found.problems
        );
    }

    #[test]
    fn a_name_does_nothing_to_a_terminal() {
        assert_eq!(
            printable(Path::new("a\u{1b}[31m\nb.pdf")),
            "a\\u{1b}[31m\\u{a}b.pdf"
        );
    }

    #[test]
    fn a_stem_is_a_plain_name() {
        assert_eq!(stem(Path::new("/a/first-folio.pdf")), "first-folio");
        assert_eq!(stem(Path::new("a:b\n.pdf")), "a_b_");
        let long = stem(Path::new(&"ü".repeat(200)));
        assert!(
            long.len() <= STEM_BYTES_MAX && long.chars().all(|c| c == 'ü'),
            "{long}"
        );
    }
}
