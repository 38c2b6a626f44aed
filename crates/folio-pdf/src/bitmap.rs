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

    /// A picture made elsewhere, such as by a renderer in another process.
    ///
    /// # Panics
    /// If `pixels` has not exactly `height` rows of `width` pixels.
    pub fn from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Bitmap {
        let size = size_in_bytes(width, height);
        assert_eq!(
            pixels.len(),
            size,
            "{width} x {height} pixels take {size} bytes"
        );
        Bitmap {
            width,
            height,
            pixels,
        }
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
        let size = size_in_bytes(width, height);
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

fn size_in_bytes(width: u32, height: u32) -> usize {
    width as usize * height as usize * Bitmap::BYTES_PER_PIXEL
}

#[cfg(test)]
mod tests {
    use super::Bitmap;

    #[test]
    fn pixels_from_elsewhere_are_taken_as_they_are() {
        let bitmap = Bitmap::from_pixels(2, 3, (0..24).collect());
        assert_eq!(
            (bitmap.width(), bitmap.height(), bitmap.stride()),
            (2, 3, 8)
        );
        assert_eq!(
            bitmap.bytes()[8..12],
            [8, 9, 10, 11],
            "the second row begins here"
        );
    }

    #[test]
    #[should_panic(expected = "2 x 3 pixels take 24 bytes")]
    fn too_few_pixels_are_a_mistake() {
        Bitmap::from_pixels(2, 3, vec![0; 23]);
    }
}
