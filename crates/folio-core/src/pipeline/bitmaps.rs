//! Bitmaps that go round: drawn by the owner, encoded by a storer, drawn into again.
//!
//! A fresh 9 MB buffer costs 1.5 ms of page faults; a used one costs nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use folio_pdf::Bitmap;

/// Bitmaps at rest, shared by the owner and the storers. One is used again only for a page of about its size, so what
/// is charged to the budget is what a page really holds; what rests beside is trimmed before each drawing.
#[derive(Clone, Debug, Default)]
pub(super) struct Bitmaps {
    idle: Arc<Mutex<Vec<Bitmap>>>,
}

impl Bitmaps {
    /// A used bitmap that holds `bytes` and little more, or an empty one; lets go of others until those left at rest
    /// fit into `room_bytes`.
    pub(super) fn take(&self, bytes: usize, room_bytes: usize) -> Bitmap {
        let mut idle = self.idle();
        let fits = |bitmap: &Bitmap| (bytes..=bytes + bytes / 4).contains(&bitmap.capacity());
        let taken = idle
            .iter()
            .position(fits)
            .map(|index| idle.swap_remove(index));
        while idle.iter().map(Bitmap::capacity).sum::<usize>() > room_bytes {
            idle.pop();
        }
        taken.unwrap_or_default()
    }

    /// Rests `bitmap` until it is taken again.
    pub(super) fn put_back(&self, bitmap: Bitmap) {
        self.idle().push(bitmap);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Bitmap>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitmap(bytes: u32) -> Bitmap {
        Bitmap::from_pixels(bytes / 4, 1, vec![0; bytes as usize])
    }

    #[test]
    fn a_bitmap_is_used_again_for_a_page_of_about_its_size_only() {
        let bitmaps = Bitmaps::default();
        bitmaps.put_back(bitmap(1000));
        assert_eq!(bitmaps.take(1004, 10_000).capacity(), 0, "too small");
        assert_eq!(bitmaps.take(400, 10_000).capacity(), 0, "far too large");
        assert_eq!(bitmaps.take(900, 10_000).capacity(), 1000);
        assert_eq!(bitmaps.take(900, 10_000).capacity(), 0, "it is in use");
    }

    #[test]
    fn what_rests_beside_what_is_drawn_fits_the_room() {
        let bitmaps = Bitmaps::default();
        for _ in 0..3 {
            bitmaps.put_back(bitmap(1000));
        }
        assert_eq!(bitmaps.take(5000, 1500).capacity(), 0);
        assert_eq!(bitmaps.idle().len(), 1);
    }
}
