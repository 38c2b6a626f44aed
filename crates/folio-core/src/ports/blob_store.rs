//! Where page images, layouts and texts go.

use super::PortFuture;

/// Keeps bytes under keys such as `first-folio-0123456789ab/pages/00001.jpg`.
///
/// The contract:
/// 1. `put` is all or nothing: a reader, or a crash, sees the old bytes or the new ones, never a part.
/// 2. `put` to the same key replaces, so it may be repeated.
/// 3. Once `put` has returned `Ok`, the bytes survive the death of this process.
/// 4. `size` and `get` of a key that was never put answer `None`.
/// 5. A key is a relative path of plain segments. Anything else is `Rejected`, and touches nothing.
pub trait BlobStore: Send + Sync + 'static {
    /// Stores `bytes` under `key`. Cancel safe in the sense of the contract: dropped, it has happened or not.
    fn put<'a>(&'a self, key: &'a str, bytes: Vec<u8>) -> PortFuture<'a, Result<(), StoreError>>;

    /// The bytes under `key`.
    fn get<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<Vec<u8>>, StoreError>>;

    /// Length in bytes of what is under `key`, without reading it.
    fn size<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<u64>, StoreError>>;
}

/// Why something was not stored or read; one variant per decision a caller can make.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// This key cannot be stored, others can: fail the page.
    #[error("{key}: {reason}")]
    Rejected {
        /// The key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing can be stored any more (disk full, folder gone, access denied): stop rendering.
    #[error("{key}: {reason}")]
    Unavailable {
        /// The key that showed it.
        key: String,
        /// What the store said, and what to do about it.
        reason: String,
    },
}

/// Is `key` a relative path of plain segments? Shared by the implementations, so that all refuse the same.
///
/// # Errors
/// `Rejected`, naming the key.
pub fn check_key(key: &str) -> Result<(), StoreError> {
    let plain = |segment: &str| {
        !segment.is_empty() && segment != "." && segment != ".." && !segment.contains(['\\', '\0'])
    };
    if key.split('/').all(plain) {
        return Ok(());
    }
    Err(StoreError::Rejected {
        key: key.to_owned(),
        reason: "not a relative path of plain names".to_owned(),
    })
}
