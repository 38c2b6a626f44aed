//! The picture of a page: pixels in one buffer that is used again for the next page.

use crate::error::PageError;

/// A picture, four bytes a pixel in the order blue, green, red, unused; rows from the top, without padding.
///
/// Its buffer only grows: rendering the next page into the same bitmap saves a system call and a page fault per 4 KB.
#[derive(Debug, Default)]
pub struct Bitmap {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Bitmap {
    /// An empty picture, without a buffer yet.
    pub fn new() -> Bitmap {
        Bitmap::default()
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Bytes from one row to the next.
    pub fn stride(&self) -> usize {
        self.width as usize * Bitmap::BYTES_PER_PIXEL
    }

    /// The pixels: `height` rows of `stride` bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.pixels
    }

    /// Bytes that the buffer holds on to, at least as many as `bytes` has.
    pub fn capacity(&self) -> usize {
        self.pixels.capacity()
    }

    /// Bytes per pixel.
    pub const BYTES_PER_PIXEL: usize = 4;

    /// A white picture of this size, in the buffer that is there if it is large enough.
    pub(crate) fn reset_to_white(
        &mut self,
        width: u32,
        height: u32,
    ) -> Result<&mut [u8], PageError> {
        let size = width as usize * height as usize * Bitmap::BYTES_PER_PIXEL;
        self.pixels.clear();
        // An empty vector that must grow allocates anew, without copying what it held.
        self.pixels
            .try_reserve_exact(size)
            .map_err(|_| PageError::OutOfMemory { bytes: size as u64 })?;
        self.pixels.resize(size, 0xFF);
        (self.width, self.height) = (width, height);
        Ok(&mut self.pixels)
    }
}
