//! The folder that a run writes to: one run at a time, with a corner of its own for files on their way.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::exit::CannotStart;

/// An output folder held by this process. Dropped, or when the process dies, another may have it.
#[derive(Debug)]
pub(crate) struct OutputFolder {
    root: PathBuf,
    _lock: File,
}

impl OutputFolder {
    /// Makes the folder if it is not there, and takes it.
    pub(crate) fn take(root: &Path) -> Result<Self, CannotStart> {
        let refuse = |error: std::io::Error| {
            CannotStart(format!(
                "the output folder {} cannot be used: {error}; make it writable or choose another with --out",
                root.display()
            ))
        };
        fs::create_dir_all(root.join(CORNER)).map_err(refuse)?;
        let path = root.join(CORNER).join("lock");
        let mut lock = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(refuse)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(root, &mut lock)),
            Err(TryLockError::Error(error)) => return Err(refuse(error)),
        }
        // The number is a courtesy to whoever is refused; the lock does not depend on it.
        let _ = lock
            .set_len(0)
            .and_then(|()| write!(lock, "{}", std::process::id()));
        // Of a run that was killed; nobody else can be using it.
        let _ = fs::remove_dir_all(spool(root));
        Ok(Self {
            root: root.to_owned(),
            _lock: lock,
        })
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Files on their way.
    pub(crate) fn aside(&self) -> PathBuf {
        self.root.join(CORNER).join("aside")
    }

    /// What came in on standard input.
    pub(crate) fn spool(&self) -> PathBuf {
        spool(&self.root)
    }

    /// The catalog.
    pub(crate) fn catalog(&self) -> PathBuf {
        catalog(&self.root)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // What is left aside or in the spool is of no use to anybody; the next run would remove it too.
        let _ = fs::remove_dir_all(self.aside());
        let _ = fs::remove_dir_all(self.spool());
    }
}

/// Our corner of an output folder.
pub(crate) const CORNER: &str = ".folio";

/// Where an output folder keeps what came in on standard input.
pub(crate) fn spool(root: &Path) -> PathBuf {
    root.join(CORNER).join("spool")
}

/// The catalog of the output folder `root`.
pub(crate) fn catalog(root: &Path) -> PathBuf {
    root.join("folio.db")
}

fn in_use(root: &Path, lock: &mut File) -> CannotStart {
    let mut holder = String::new();
    let _ = lock
        .rewind()
        .and_then(|()| lock.read_to_string(&mut holder));
    let holder = if holder.is_empty() {
        String::new()
    } else {
        format!(" (process {holder})")
    };
    CannotStart(format!(
        "another run{holder} is writing to {}; wait for it, or choose another folder with --out",
        root.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_is_refused_by_name_until_the_first_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("deep/out");
        let first = OutputFolder::take(&root).unwrap();
        let refused = OutputFolder::take(&root).unwrap_err().to_string();
        assert!(
            refused.contains(&format!("process {}", std::process::id()))
                && refused.contains("--out"),
            "{refused}"
        );
        drop(first);
        OutputFolder::take(&root).unwrap();
    }

    #[test]
    fn a_folder_that_is_a_file_is_refused_with_the_next_step() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("file");
        fs::write(&root, "").unwrap();
        let refused = OutputFolder::take(&root).unwrap_err().to_string();
        assert!(
            refused.contains("file cannot be used")
                && refused.contains("choose another with --out"),
            "{refused}"
        );
    }
}
