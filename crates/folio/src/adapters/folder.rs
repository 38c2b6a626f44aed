//! The blob store in a local folder.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use folio_core::ports::{BlobStore, PortFuture, StoreError, check_key};

/// Files below `root`. Each is written aside, synced and renamed into place, so that no reader and no crash ever sees
/// half of one.
#[derive(Clone, Debug)]
pub struct FolderStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    aside: PathBuf,
    /// Names files aside; one process uses the folder at a time.
    next: AtomicU64,
}

impl FolderStore {
    /// Keeps blobs below `root`; files on their way are in `aside`, which must be on the same file system and must be
    /// used by nobody else. What a killed run left there is removed.
    ///
    /// # Errors
    /// When `aside` cannot be emptied or made.
    pub fn new(root: &Path, aside: &Path) -> io::Result<Self> {
        match fs::remove_dir_all(aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir_all(aside)?,
        }
        Ok(Self(Arc::new(Inner {
            root: root.to_owned(),
            aside: aside.to_owned(),
            next: AtomicU64::new(0),
        })))
    }
}

impl Inner {
    fn put(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let aside = self.aside.join(self.next.fetch_add(1, Relaxed).to_string());
        let written = self.write(&aside, &self.root.join(key), bytes);
        if written.is_err() {
            let _ = fs::remove_file(&aside); // it takes room that we may be short of
        }
        written.map_err(|error| explain(key, &error))
    }

    fn write(&self, aside: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(aside)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        match fs::rename(aside, target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(target.parent().unwrap_or(&self.root))?;
                fs::rename(aside, target)
            }
            done => done,
        }
    }
}

impl BlobStore for FolderStore {
    fn put<'a>(&'a self, key: &'a str, bytes: Vec<u8>) -> PortFuture<'a, Result<(), StoreError>> {
        self.blocking(key, move |inner, key| inner.put(key, &bytes))
    }

    fn get<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        self.blocking(key, |inner, key| {
            absent_is_none(fs::read(inner.root.join(key))).map_err(|error| explain(key, &error))
        })
    }

    fn size<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<u64>, StoreError>> {
        self.blocking(key, |inner, key| {
            let size = fs::metadata(inner.root.join(key)).map(|metadata| metadata.len());
            absent_is_none(size).map_err(|error| explain(key, &error))
        })
    }
}

impl FolderStore {
    /// Runs `work` where blocking is allowed.
    fn blocking<'a, T: Send + 'static>(
        &'a self,
        key: &'a str,
        work: impl FnOnce(&Inner, &str) -> Result<T, StoreError> + Send + 'static,
    ) -> PortFuture<'a, Result<T, StoreError>> {
        Box::pin(async move {
            check_key(key)?;
            let (inner, key) = (self.0.clone(), key.to_owned());
            let name = key.clone();
            let done = tokio::task::spawn_blocking(move || work(&inner, &key)).await;
            done.unwrap_or_else(|error| {
                Err(StoreError::Unavailable {
                    key: name,
                    reason: error.to_string(),
                })
            })
        })
    }
}

fn absent_is_none<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What went wrong, for whom, and what to do about it.
fn explain(key: &str, error: &io::Error) -> StoreError {
    let key = key.to_owned();
    let next_step = match error.kind() {
        ErrorKind::InvalidFilename => {
            return StoreError::Rejected {
                key,
                reason: format!("the name does not fit here ({error})"),
            };
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room or choose another folder with --out, then run the same command again"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "make the output folder writable or choose another with --out"
        }
        _ => "check the output folder, then run the same command again",
    };
    let what = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        _ => format!("cannot be written or read: {error}"),
    };
    StoreError::Unavailable {
        key,
        reason: format!("{what}; {next_step}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_core::ports::contract;

    fn store() -> (tempfile::TempDir, FolderStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::new(folder.path(), &folder.path().join(".aside")).unwrap();
        (folder, store)
    }

    #[tokio::test]
    async fn it_keeps_the_contract() {
        let (_folder, store) = store();
        contract::blob_store(&store).await;
    }

    #[tokio::test]
    async fn nothing_stays_aside_and_leftovers_of_a_killed_run_go() {
        let (folder, store) = store();
        let aside = folder.path().join(".aside");
        store.put("a/b", b"x".to_vec()).await.unwrap();
        assert_eq!(fs::read_dir(&aside).unwrap().count(), 0);
        fs::write(aside.join("7"), "half").unwrap();
        FolderStore::new(folder.path(), &aside).unwrap();
        assert_eq!(fs::read_dir(&aside).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_store_that_is_gone_is_unavailable_and_says_what_to_do() {
        let (folder, store) = store();
        fs::remove_dir_all(folder.path()).unwrap();
        let error = store.put("a/b", b"x".to_vec()).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::Unavailable { key, .. } if key == "a/b"),
            "{error:?}"
        );
        assert!(
            error.to_string().contains("run the same command again"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_name_too_long_fails_its_own_page_only() {
        let (_folder, store) = store();
        let error = store
            .put(&"n".repeat(300), b"x".to_vec())
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Rejected { .. }), "{error:?}");
    }
}
