//! Bitmaps that go round: drawn by the owner, encoded by a storer, drawn into again.
//!
//! A fresh 9 MB buffer costs 1.5 ms of page faults; a used one costs nothing.

use std::sync::{Arc, Mutex, PoisonError};

use folio_pdf::Bitmap;

/// Bitmaps at rest, shared by the owner and the storers. Together with those in flight they stay within the budget:
/// the owner trims what rests before it draws.
#[derive(Clone, Debug, Default)]
pub(super) struct Bitmaps {
    idle: Arc<Mutex<Vec<Bitmap>>>,
}

impl Bitmaps {
    /// A used bitmap if one rests, or an empty one; lets go of others until those left fit into `room_bytes`.
    pub(super) fn take(&self, room_bytes: usize) -> Bitmap {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle.pop().unwrap_or_default();
        while idle.iter().map(Bitmap::capacity).sum::<usize>() > room_bytes {
            idle.pop();
        }
        taken
    }

    /// Rests `bitmap` until it is taken again.
    pub(super) fn put_back(&self, bitmap: Bitmap) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(bitmap);
    }
}
